-- As in migrations/sqlite. An index finds what ids begin with only where texts are compared byte by byte. The column stays
-- as it is: statements that another server has prepared would fail.
CREATE INDEX sales_by_id ON sales (sale COLLATE "C");
CREATE INDEX history_by_order ON history (order_id, event_ms, event_seq, sale_no, place) WHERE order_id IS NOT NULL;
