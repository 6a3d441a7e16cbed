-- The quantities of the rows, added up like their cents, for kinds whose items are quantities. NULL for outcomes whose rows
-- have none. So far, one kind has any.

ALTER TABLE tallies ADD COLUMN quantity BIGINT;
UPDATE tallies SET quantity = (SELECT SUM(CAST(item AS BIGINT)) FROM history
    WHERE history.kind = tallies.kind AND history.outcome = tallies.outcome) WHERE kind = 'stock' AND sale_no = 0;
UPDATE tallies SET quantity = (SELECT SUM(CAST(item AS BIGINT)) FROM history
    WHERE history.sale_no = tallies.sale_no AND history.outcome = tallies.outcome) WHERE kind = 'stock' AND sale_no <> 0;
