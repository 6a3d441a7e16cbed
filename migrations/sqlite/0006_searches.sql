-- The rows of an order. Sales are found by the beginning of their ids through the index of UNIQUE (sale, kind).
CREATE INDEX history_by_order ON history (order_id, event_ms, event_seq, sale_no, place) WHERE order_id IS NOT NULL;
