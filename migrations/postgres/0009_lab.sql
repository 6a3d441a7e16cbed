-- The runs of the lab that are over, the newest of them. What programs read of a run is JSON.
CREATE TABLE lab_runs (
    run        TEXT PRIMARY KEY NOT NULL,
    started_at BIGINT NOT NULL,
    report     TEXT NOT NULL
);
CREATE INDEX lab_runs_by_start ON lab_runs (started_at, run);
