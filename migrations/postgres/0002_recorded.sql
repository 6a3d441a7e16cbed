-- The order of recording, as in migrations/sqlite, which says what it is for.

ALTER TABLE history ADD COLUMN recorded BIGINT NOT NULL DEFAULT 0;
UPDATE history SET recorded = numbered.place FROM
    (SELECT event_ms AS ms, event_seq AS seq, sale_no AS sale, place AS nth,
        ROW_NUMBER() OVER (ORDER BY event_ms, event_seq, sale_no, place) AS place FROM history) AS numbered
    WHERE event_ms = numbered.ms AND event_seq = numbered.seq AND sale_no = numbered.sale
        AND history.place = numbered.nth;
CREATE INDEX history_by_recorded ON history (recorded);

CREATE TABLE recordings (last BIGINT NOT NULL);
INSERT INTO recordings SELECT COUNT(*) FROM history;
