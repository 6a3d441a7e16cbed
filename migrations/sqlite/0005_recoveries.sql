-- The recoveries of sales: what each could not restore.

CREATE TABLE recoveries (
    sale_no        BIGINT NOT NULL,
    -- The generation of the sale's history that it began, an event id.
    generation_ms  BIGINT NOT NULL,
    generation_seq BIGINT NOT NULL,
    -- What it lost and what it found, JSON.
    report         TEXT NOT NULL,
    PRIMARY KEY (sale_no, generation_ms, generation_seq)
) WITHOUT ROWID;
