-- As in migrations/sqlite. An index finds what ids begin with only where texts are compared byte by byte.
ALTER TABLE sales ALTER COLUMN sale TYPE TEXT COLLATE "C";
CREATE INDEX history_by_order ON history (order_id, event_ms, event_seq, sale_no, place) WHERE order_id IS NOT NULL;
