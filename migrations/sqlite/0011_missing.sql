-- Entries that this ledger had recorded and has lost, as its database came back without its end: they had been trimmed from
-- the stream, so nobody has them any more.
ALTER TABLE sales ADD COLUMN missing BIGINT NOT NULL DEFAULT 0;
