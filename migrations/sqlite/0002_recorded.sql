-- The order in which rows were recorded. A row that is recorded late has the time and the key at which it happened, so
-- a reader who goes by those would never see it.

-- The place in that order, from 1.
ALTER TABLE history ADD COLUMN recorded BIGINT NOT NULL DEFAULT 0;
-- Nobody knows any more in which order the rows so far were recorded; this is nearly it.
UPDATE history SET recorded = numbered.place FROM
    (SELECT event_ms AS ms, event_seq AS seq, sale_no AS sale, place AS nth,
        ROW_NUMBER() OVER (ORDER BY event_ms, event_seq, sale_no, place) AS place FROM history) AS numbered
    WHERE event_ms = numbered.ms AND event_seq = numbered.seq AND sale_no = numbered.sale
        AND history.place = numbered.nth;
CREATE INDEX history_by_recorded ON history (recorded);

-- The place of the row that was recorded last. A transaction that records rows locks it until its end. So rows become
-- visible in the order of their places: who has seen one has seen all before it.
CREATE TABLE recordings (last BIGINT NOT NULL);
INSERT INTO recordings SELECT COUNT(*) FROM history;
