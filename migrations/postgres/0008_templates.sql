-- Templates of the forms that open sales: what their fields hold, as JSON.

CREATE TABLE templates (
    kind     TEXT NOT NULL,
    name     TEXT NOT NULL,
    fields   TEXT NOT NULL,
    saved_at BIGINT NOT NULL,
    PRIMARY KEY (kind, name)
);
