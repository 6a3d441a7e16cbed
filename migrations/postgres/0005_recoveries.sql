-- The recoveries of sales, as in migrations/sqlite, which says what each column holds.

CREATE TABLE recoveries (
    sale_no        BIGINT NOT NULL,
    generation_ms  BIGINT NOT NULL,
    generation_seq BIGINT NOT NULL,
    report         TEXT NOT NULL,
    PRIMARY KEY (sale_no, generation_ms, generation_seq)
);
