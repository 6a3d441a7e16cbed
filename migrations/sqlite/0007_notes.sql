-- Notes of operators on sales. A sale may not be in `sales` yet.

CREATE TABLE notes (
    kind       TEXT NOT NULL,
    sale       TEXT NOT NULL,
    -- A note that is sent again is the same.
    request_id TEXT NOT NULL,
    at         BIGINT NOT NULL,
    text       TEXT NOT NULL,
    PRIMARY KEY (kind, sale, request_id)
) WITHOUT ROWID;
