-- When a sale was archived; NULL while it is in Redis. And what the list of sales showed of it then, JSON.
ALTER TABLE sales ADD COLUMN archived_at BIGINT;
ALTER TABLE sales ADD COLUMN summary TEXT;
-- What runs regularly reads the sales that are not archived, however many are.
CREATE INDEX sales_in_redis ON sales (no) WHERE archived_at IS NULL;
CREATE INDEX sales_archived ON sales (no) WHERE archived_at IS NOT NULL;
