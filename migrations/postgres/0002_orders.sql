-- As in migrations/sqlite.
ALTER TABLE history ADD COLUMN order_id TEXT COLLATE "C";
ALTER TABLE history ADD COLUMN holder TEXT COLLATE "C";
