-- The ledger: the database of record behind every sale. migrations/postgres has the same in its own types.

-- Who this ledger is: Redis remembers which one it feeds, so that two never share its streams.
CREATE TABLE ledger (id TEXT NOT NULL);

CREATE TABLE sales (
    no           INTEGER PRIMARY KEY,
    kind         TEXT NOT NULL,
    sale         TEXT NOT NULL,
    -- What the sale was opened on, JSON; what it takes to build it anew.
    terms        TEXT,
    -- The last stream entry that is in the ledger, and how many were before it, itself included.
    applied_ms   BIGINT NOT NULL DEFAULT 0,
    applied_seq  BIGINT NOT NULL DEFAULT 0,
    entries      BIGINT NOT NULL DEFAULT 0,
    -- 1 when nothing can happen to the sale any more.
    closed       BIGINT NOT NULL DEFAULT 0,
    -- Where the stream ended when the writer last looked: what a lost Redis took with it lies behind.
    seen_ms      BIGINT NOT NULL DEFAULT 0,
    seen_seq     BIGINT NOT NULL DEFAULT 0,
    seen_entries BIGINT NOT NULL DEFAULT 0,
    seen_at      BIGINT NOT NULL DEFAULT 0,
    UNIQUE (sale, kind)
);

-- One change to one thing. The key is the stream entry's id with the sale and the place in the entry:
-- what comes twice cannot go in twice, and the newest are at the end.
CREATE TABLE history (
    event_ms   BIGINT NOT NULL,
    event_seq  BIGINT NOT NULL,
    sale_no    BIGINT NOT NULL,
    place      BIGINT NOT NULL,
    at         BIGINT NOT NULL,
    outcome    TEXT NOT NULL,
    user_id    TEXT,
    request_id TEXT,
    item       TEXT,
    cents      BIGINT NOT NULL,
    PRIMARY KEY (event_ms, event_seq, sale_no, place)
) WITHOUT ROWID;
CREATE INDEX history_by_user ON history (user_id, event_ms, event_seq, sale_no, place) WHERE user_id IS NOT NULL;
CREATE INDEX history_by_request ON history (request_id, event_ms, event_seq, sale_no, place)
    WHERE request_id IS NOT NULL;
CREATE INDEX history_by_sale ON history (sale_no, outcome, event_ms, event_seq, place);
CREATE INDEX history_by_outcome ON history (outcome, event_ms, event_seq, sale_no, place);

-- Lines and cents by sale and outcome, kept in the transaction of the rows; sale 0 is all of them.
CREATE TABLE tallies (
    sale_no BIGINT NOT NULL,
    outcome TEXT NOT NULL,
    lines   BIGINT NOT NULL,
    cents   BIGINT NOT NULL,
    PRIMARY KEY (sale_no, outcome)
) WITHOUT ROWID;

-- Entries that could not be applied, whole, until somebody has looked.
CREATE TABLE set_aside (
    sale_no   BIGINT NOT NULL,
    event_ms  BIGINT NOT NULL,
    event_seq BIGINT NOT NULL,
    reason    TEXT NOT NULL,
    payload   BLOB NOT NULL,
    at        BIGINT NOT NULL,
    tries     BIGINT NOT NULL DEFAULT 1,
    PRIMARY KEY (sale_no, event_ms, event_seq)
) WITHOUT ROWID;
