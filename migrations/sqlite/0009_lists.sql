-- Lists that belong to sales, in the parts in which they were uploaded: own codes of coupons, and users who may claim. A
-- sale is rebuilt from them. `entries` is a JSON array of texts.

CREATE TABLE lists (
    sale_no   BIGINT NOT NULL,
    event_ms  BIGINT NOT NULL,
    event_seq BIGINT NOT NULL,
    list      TEXT NOT NULL,
    entries   TEXT NOT NULL,
    PRIMARY KEY (sale_no, event_ms, event_seq)
) WITHOUT ROWID;
