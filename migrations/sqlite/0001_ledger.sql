-- The ledger: the database of record behind every sale. migrations/postgres has the same in its own types.

CREATE TABLE ledger (
    -- Who this ledger is: Redis remembers which one it feeds, so that two never share its streams.
    id    TEXT NOT NULL,
    -- Which Redis feeds this ledger: the identity of its data, and a number that its writer keeps raising.
    redis TEXT,
    beats BIGINT NOT NULL DEFAULT 0
);

CREATE TABLE sales (
    no             INTEGER PRIMARY KEY,
    kind           TEXT NOT NULL,
    sale           TEXT NOT NULL,
    -- What the sale was opened on, JSON; what it takes to build it anew.
    terms          TEXT,
    -- The last stream entry that is in the ledger, and how many were before it, itself included.
    applied_ms     BIGINT NOT NULL DEFAULT 0,
    applied_seq    BIGINT NOT NULL DEFAULT 0,
    entries        BIGINT NOT NULL DEFAULT 0,
    -- What is left of a thing with a quantity, of kinds that have one: the sum of the changes up to the last entry that
    -- is in the ledger, added up in the transaction that moves on to it.
    quantity       BIGINT NOT NULL DEFAULT 0,
    -- The generation of the sale's history that its latest recovery began, an event id; 0-0 before the first. What was
    -- read of an earlier generation can no longer be recorded.
    generation_ms  BIGINT NOT NULL DEFAULT 0,
    generation_seq BIGINT NOT NULL DEFAULT 0,
    -- Where the stream ended when the writer last looked: what a lost Redis took with it lies behind.
    seen_ms        BIGINT NOT NULL DEFAULT 0,
    seen_seq       BIGINT NOT NULL DEFAULT 0,
    seen_entries   BIGINT NOT NULL DEFAULT 0,
    seen_at        BIGINT NOT NULL DEFAULT 0,
    -- Entries that this ledger had recorded and has lost, as its database came back without its end: they had been
    -- trimmed from the stream, so nobody has them any more.
    missing        BIGINT NOT NULL DEFAULT 0,
    -- 1 when nothing can happen to the sale any more.
    closed         BIGINT NOT NULL DEFAULT 0,
    -- When it was archived; NULL while it is in Redis. And what the list of sales showed of it then, JSON.
    archived_at    BIGINT,
    summary        TEXT,
    UNIQUE (sale, kind)
);
-- What runs regularly reads the sales that are not archived, however many are.
CREATE INDEX sales_in_redis ON sales (no) WHERE archived_at IS NULL;
CREATE INDEX sales_archived ON sales (no) WHERE archived_at IS NOT NULL;

-- One change to one thing. What a search leads by has an index, in which its rows are in order. The key is the stream entry's id with the sale and the place in the entry:
-- what comes twice cannot go in twice, and the newest are at the end.
CREATE TABLE history (
    event_ms   BIGINT NOT NULL,
    event_seq  BIGINT NOT NULL,
    sale_no    BIGINT NOT NULL,
    place      BIGINT NOT NULL,
    at         BIGINT NOT NULL,
    kind       TEXT NOT NULL,
    outcome    TEXT NOT NULL,
    user_id    TEXT,
    request_id TEXT,
    item       TEXT,
    cents      BIGINT NOT NULL,
    -- Of kinds whose things are bought in orders: which order, and who the thing is for.
    order_id   TEXT,
    holder     TEXT,
    -- What was asked for, where the row does not say it: of an order with its first row, NULL in the others.
    wish       TEXT,
    PRIMARY KEY (event_ms, event_seq, sale_no, place)
) WITHOUT ROWID;
CREATE INDEX history_by_user ON history (user_id, event_ms, event_seq, sale_no, place) WHERE user_id IS NOT NULL;
CREATE INDEX history_by_request ON history (request_id, event_ms, event_seq, sale_no, place)
    WHERE request_id IS NOT NULL;
CREATE INDEX history_by_order ON history (order_id, event_ms, event_seq, sale_no, place) WHERE order_id IS NOT NULL;
CREATE INDEX history_by_sale ON history (sale_no, outcome, event_ms, event_seq, place);
CREATE INDEX history_by_kind ON history (kind, outcome, event_ms, event_seq, sale_no, place);

-- Lines and cents by sale and outcome, kept in the transaction of the rows; sale 0 is all of the kind.
CREATE TABLE tallies (
    sale_no BIGINT NOT NULL,
    kind    TEXT NOT NULL,
    outcome TEXT NOT NULL,
    lines   BIGINT NOT NULL,
    cents   BIGINT NOT NULL,
    PRIMARY KEY (sale_no, kind, outcome)
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

-- The runs that are over, the newest of each sale; runs of the lab have the kind `lab` and no sale. What programs read of
-- them is JSON: what lists show, and all that is kept.
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
