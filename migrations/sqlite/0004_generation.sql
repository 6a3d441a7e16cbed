-- The generation of the sale's history that its latest recovery began, an event id; 0-0 before the first. What was read
-- of an earlier generation can no longer be recorded.
ALTER TABLE sales ADD COLUMN generation_ms BIGINT NOT NULL DEFAULT 0;
ALTER TABLE sales ADD COLUMN generation_seq BIGINT NOT NULL DEFAULT 0;
