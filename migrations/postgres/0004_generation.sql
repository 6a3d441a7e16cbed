-- As in migrations/sqlite.
ALTER TABLE sales ADD COLUMN generation_ms BIGINT NOT NULL DEFAULT 0;
ALTER TABLE sales ADD COLUMN generation_seq BIGINT NOT NULL DEFAULT 0;
