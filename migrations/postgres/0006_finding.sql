-- Finding what begins with a text, as in migrations/sqlite, which says what is found.

CREATE INDEX history_by_code ON history (kind, outcome, item, event_ms, event_seq, sale_no, place)
    WHERE kind = 'coupon' AND outcome = 'won';
-- Compared byte by byte, as in SQLite and as in the history.
ALTER TABLE sales ALTER COLUMN sale TYPE TEXT COLLATE "C";
