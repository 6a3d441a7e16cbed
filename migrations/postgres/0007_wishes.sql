-- What an order asked for, with its first row; NULL in other rows, and in those of programs that did not keep it.
ALTER TABLE history ADD COLUMN wish TEXT;
