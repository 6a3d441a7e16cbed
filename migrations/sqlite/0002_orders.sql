-- Of kinds whose things are bought in orders: which order, and who the thing is for.
ALTER TABLE history ADD COLUMN order_id TEXT;
ALTER TABLE history ADD COLUMN holder TEXT;
