-- Finding what begins with a text. Sales, users, orders and requests have an index; the codes of coupons get one, of the row
-- by which each was claimed.

CREATE INDEX history_by_code ON history (kind, outcome, item, event_ms, event_seq, sale_no, place)
    WHERE kind = 'coupon' AND outcome = 'won';
