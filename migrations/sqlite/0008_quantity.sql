-- What is left of a thing with a quantity, of kinds that have one: the sum of the changes up to the last entry that is
-- in the ledger, added up in the transaction that moves on to it.
ALTER TABLE sales ADD COLUMN quantity BIGINT NOT NULL DEFAULT 0;
