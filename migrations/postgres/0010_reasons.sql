-- Why an operator made a change, where that was said.

ALTER TABLE history ADD COLUMN reason TEXT;
