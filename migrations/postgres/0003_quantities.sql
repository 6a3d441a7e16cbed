-- The sums of quantities, as in migrations/sqlite, which says what they are.

ALTER TABLE tallies ADD COLUMN quantity BIGINT;
UPDATE tallies SET quantity = (SELECT SUM(CAST(item AS BIGINT)) FROM history
    WHERE history.kind = tallies.kind AND history.outcome = tallies.outcome) WHERE kind = 'stock' AND sale_no = 0;
UPDATE tallies SET quantity = (SELECT SUM(CAST(item AS BIGINT)) FROM history
    WHERE history.sale_no = tallies.sale_no AND history.outcome = tallies.outcome) WHERE kind = 'stock' AND sale_no <> 0;
