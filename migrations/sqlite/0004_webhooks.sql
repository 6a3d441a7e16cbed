-- Webhooks: where the rows of the history are sent as they are recorded. The history itself is the outbox. What is kept
-- here is how far each webhook has come in the order of recording, and what has stopped it.

CREATE TABLE webhooks (
    id         TEXT PRIMARY KEY NOT NULL,
    url        TEXT NOT NULL,
    -- What deliveries are signed with. It is shown once, when the webhook is added.
    secret     TEXT NOT NULL,
    -- The kinds and outcomes of the rows that are wanted, as JSON; all if the list is empty.
    kinds      TEXT NOT NULL,
    outcomes   TEXT NOT NULL,
    created_at BIGINT NOT NULL,
    -- The rows up to this place are done: accepted, given up, not wanted, or of a sale that is held up.
    sent       BIGINT NOT NULL,
    -- Raised by every delivery that is noted. A server that has been overtaken by another one notes nothing.
    version    BIGINT NOT NULL DEFAULT 0
);

-- The sales that are held up at a webhook: a row was not accepted, so the later ones of the sale wait.
CREATE TABLE webhook_stalls (
    webhook TEXT NOT NULL,
    sale_no BIGINT NOT NULL,
    -- The rows of the sale up to this place are done.
    sent    BIGINT NOT NULL,
    -- How often the next one was tried, when it is tried again, since when the sale has been held up, and why.
    tries   BIGINT NOT NULL,
    due_at  BIGINT NOT NULL,
    since   BIGINT NOT NULL,
    reason  TEXT NOT NULL,
    PRIMARY KEY (webhook, sale_no)
) WITHOUT ROWID;

-- The rows that were given up.
CREATE TABLE webhook_dead_letters (
    webhook  TEXT NOT NULL,
    recorded BIGINT NOT NULL,
    at       BIGINT NOT NULL,
    tries    BIGINT NOT NULL,
    reason   TEXT NOT NULL,
    -- Whether somebody has asked for another try.
    is_due   BOOLEAN NOT NULL DEFAULT FALSE,
    PRIMARY KEY (webhook, recorded)
) WITHOUT ROWID;

-- Each webhook is asked every second what is due.
CREATE INDEX webhook_dead_letters_due ON webhook_dead_letters (webhook, recorded) WHERE is_due;
