-- Which Redis feeds this ledger: the identity of its data, and a number that its writer keeps raising.
ALTER TABLE ledger ADD COLUMN redis TEXT;
ALTER TABLE ledger ADD COLUMN beats BIGINT NOT NULL DEFAULT 0;
