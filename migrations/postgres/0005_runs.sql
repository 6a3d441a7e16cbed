-- The runs of crowds that are over, the newest of each sale. What programs read of them is JSON: the settings; the
-- figures; the verification, NULL where a run was lost with its server; and what only a report shows of it.
CREATE TABLE runs (
    run          TEXT PRIMARY KEY NOT NULL,
    kind         TEXT NOT NULL,
    sale         TEXT NOT NULL,
    phase        TEXT NOT NULL,
    started_at   BIGINT NOT NULL,
    ended_at     BIGINT NOT NULL,
    settings     TEXT NOT NULL,
    figures      TEXT NOT NULL,
    verification TEXT,
    details      TEXT NOT NULL
);
CREATE INDEX runs_by_sale ON runs (sale, kind, started_at, run);
