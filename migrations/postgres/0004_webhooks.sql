-- Webhooks, as in migrations/sqlite, which says what each column holds.

CREATE TABLE webhooks (
    id         TEXT PRIMARY KEY NOT NULL,
    url        TEXT NOT NULL,
    secret     TEXT NOT NULL,
    kinds      TEXT NOT NULL,
    outcomes   TEXT NOT NULL,
    created_at BIGINT NOT NULL,
    sent       BIGINT NOT NULL,
    version    BIGINT NOT NULL DEFAULT 0
);

CREATE TABLE webhook_stalls (
    webhook TEXT NOT NULL,
    sale_no BIGINT NOT NULL,
    sent    BIGINT NOT NULL,
    tries   BIGINT NOT NULL,
    due_at  BIGINT NOT NULL,
    since   BIGINT NOT NULL,
    reason  TEXT NOT NULL,
    PRIMARY KEY (webhook, sale_no)
);

CREATE TABLE webhook_dead_letters (
    webhook  TEXT NOT NULL,
    recorded BIGINT NOT NULL,
    at       BIGINT NOT NULL,
    tries    BIGINT NOT NULL,
    reason   TEXT NOT NULL,
    is_due   BOOLEAN NOT NULL DEFAULT FALSE,
    PRIMARY KEY (webhook, recorded)
);

CREATE INDEX webhook_dead_letters_due ON webhook_dead_letters (webhook, recorded) WHERE is_due;
