-- As in migrations/sqlite.
ALTER TABLE sales ADD COLUMN quantity BIGINT NOT NULL DEFAULT 0;
