-- The ledger, as in migrations/sqlite, which says what each column holds.

CREATE TABLE ledger (
    id    TEXT NOT NULL,
    redis TEXT,
    beats BIGINT NOT NULL DEFAULT 0
);

CREATE TABLE sales (
    no             BIGINT GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    kind           TEXT NOT NULL,
    sale           TEXT NOT NULL,
    terms          TEXT,
    applied_ms     BIGINT NOT NULL DEFAULT 0,
    applied_seq    BIGINT NOT NULL DEFAULT 0,
    entries        BIGINT NOT NULL DEFAULT 0,
    quantity       BIGINT NOT NULL DEFAULT 0,
    generation_ms  BIGINT NOT NULL DEFAULT 0,
    generation_seq BIGINT NOT NULL DEFAULT 0,
    seen_ms        BIGINT NOT NULL DEFAULT 0,
    seen_seq       BIGINT NOT NULL DEFAULT 0,
    seen_entries   BIGINT NOT NULL DEFAULT 0,
    seen_at        BIGINT NOT NULL DEFAULT 0,
    missing        BIGINT NOT NULL DEFAULT 0,
    closed         BIGINT NOT NULL DEFAULT 0,
    archived_at    BIGINT,
    summary        TEXT,
    UNIQUE (sale, kind)
);
CREATE INDEX sales_in_redis ON sales (no) WHERE archived_at IS NULL;
CREATE INDEX sales_archived ON sales (no) WHERE archived_at IS NOT NULL;

-- Texts are compared byte by byte, as SQLite does it, whatever the language of the database.
CREATE TABLE history (
    event_ms   BIGINT NOT NULL,
    event_seq  BIGINT NOT NULL,
    sale_no    BIGINT NOT NULL,
    place      BIGINT NOT NULL,
    at         BIGINT NOT NULL,
    kind       TEXT COLLATE "C" NOT NULL,
    outcome    TEXT COLLATE "C" NOT NULL,
    user_id    TEXT COLLATE "C",
    request_id TEXT COLLATE "C",
    item       TEXT COLLATE "C",
    cents      BIGINT NOT NULL,
    order_id   TEXT COLLATE "C",
    holder     TEXT COLLATE "C",
    wish       TEXT,
    PRIMARY KEY (event_ms, event_seq, sale_no, place)
);
CREATE INDEX history_by_user ON history (user_id, event_ms, event_seq, sale_no, place) WHERE user_id IS NOT NULL;
CREATE INDEX history_by_request ON history (request_id, event_ms, event_seq, sale_no, place)
    WHERE request_id IS NOT NULL;
CREATE INDEX history_by_order ON history (order_id, event_ms, event_seq, sale_no, place) WHERE order_id IS NOT NULL;
CREATE INDEX history_by_sale ON history (sale_no, outcome, event_ms, event_seq, place);
CREATE INDEX history_by_kind ON history (kind, outcome, event_ms, event_seq, sale_no, place);

CREATE TABLE tallies (
    sale_no BIGINT NOT NULL,
    kind    TEXT NOT NULL,
    outcome TEXT NOT NULL,
    lines   BIGINT NOT NULL,
    cents   BIGINT NOT NULL,
    PRIMARY KEY (sale_no, kind, outcome)
);

CREATE TABLE set_aside (
    sale_no   BIGINT NOT NULL,
    event_ms  BIGINT NOT NULL,
    event_seq BIGINT NOT NULL,
    reason    TEXT NOT NULL,
    payload   BYTEA NOT NULL,
    at        BIGINT NOT NULL,
    tries     BIGINT NOT NULL DEFAULT 1,
    PRIMARY KEY (sale_no, event_ms, event_seq)
);

CREATE TABLE runs (
    run        TEXT PRIMARY KEY NOT NULL,
    kind       TEXT NOT NULL,
    sale       TEXT NOT NULL,
    is_lost    BOOLEAN NOT NULL,
    started_at BIGINT NOT NULL,
    entry      TEXT NOT NULL,
    report     TEXT NOT NULL
);
CREATE INDEX runs_by_sale ON runs (sale, kind, started_at, run);
