//! Webhooks in the database: how far each has come in the order of recording, which sales are held up, and which rows
//! were given up. The history is the outbox.
//!
//! Every delivery that is noted raises the webhook's version from the value that the sender knows. So a server that was
//! paused, and resumes while another one delivers, notes nothing: it may have sent rows twice, but none is skipped.

use crate::database::{Ledger, in_transaction, on, unreachable};
use model::{
    Millis,
    error::{Error, Result},
    ledger::webhooks::{LISTED_LETTERS, MOST_WEBHOOKS, UndeliveredRow, Webhook},
};

/// A webhook as its deliveries need it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct StoredWebhook {
    pub id: String,
    pub url: String,
    /// The secret, as it was shown when the webhook was added.
    pub secret: String,
    /// The kinds and outcomes of the rows that are wanted; all if empty.
    pub kinds: Vec<String>,
    pub outcomes: Vec<String>,
    pub created_at: Millis,
    /// The rows up to this place are done, except those of sales that are held up.
    pub sent: u64,
    /// The version of what is known here.
    pub version: i64,
}

#[derive(sqlx::FromRow)]
struct Columns {
    id: String,
    url: String,
    secret: String,
    kinds: String,
    outcomes: String,
    created_at: Millis,
    sent: i64,
    version: i64,
}

impl From<Columns> for StoredWebhook {
    fn from(row: Columns) -> Self {
        // They were written by this program.
        let list = |json: &str| serde_json::from_str(json).unwrap_or_default();
        Self {
            kinds: list(&row.kinds),
            outcomes: list(&row.outcomes),
            id: row.id,
            url: row.url,
            secret: row.secret,
            created_at: row.created_at,
            sent: row.sent.cast_unsigned(),
            version: row.version,
        }
    }
}

/// The scheme, host and port of a webhook's address. What follows may contain a secret.
pub fn origin(url: &str) -> String {
    let (scheme, rest) = url.split_once("://").unwrap_or_default();
    let host = rest.split(['/', '?', '#']).next().unwrap_or_default();
    format!("{scheme}://{host}")
}

/// The error for a webhook that does not exist.
fn unknown(id: &str) -> Error {
    Error::bad("webhook", format!("There is no webhook \"{id}\"; `stampede webhook list` names them."))
}

/// A sale that is held up at a webhook.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Stall {
    /// The number that the ledger assigned to the sale.
    pub sale_no: i64,
    pub kind: String,
    pub sale: String,
    /// The rows of the sale up to this place are done.
    pub sent: u64,
    /// How often the next row was tried.
    pub tries: u32,
    /// When it is tried again.
    pub due_at: Millis,
    /// Since when the sale has been held up.
    pub since: Millis,
    /// Why the last try failed.
    pub reason: String,
}

/// A row that was given up.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct DeadRow {
    /// Its place in the order of recording.
    pub recorded: u64,
    pub at: Millis,
    pub tries: u32,
    pub reason: String,
}

/// What changes with the deliveries of a webhook.
#[derive(Clone, Debug, Default)]
pub struct Deliveries {
    /// The rows up to this place are done, except those of sales that are held up.
    pub sent: u64,
    /// Sales that are held up, or still are.
    pub stalls: Vec<Stall>,
    /// The numbers of sales that are no longer held up.
    pub resumed: Vec<i64>,
    pub dead_rows: Vec<DeadRow>,
}

/// Selects webhooks with this condition or order.
macro_rules! select {
    ($rest:literal) => {
        concat!("SELECT id, url, secret, kinds, outcomes, created_at, sent, version FROM webhooks ", $rest)
    };
}

/// The statements that both databases share, in a transaction. A macro, because sqlx has no trait for both connections.
macro_rules! note {
    ($transaction:ident, $webhook:ident, $done:ident) => {{
        let raised = sqlx::query("UPDATE webhooks SET version = version + 1, sent = $1 WHERE id = $2 AND version = $3")
            .bind($done.sent.cast_signed())
            .bind(&$webhook.id)
            .bind($webhook.version)
            .execute(&mut *$transaction)
            .await?;
        if raised.rows_affected() != 1 {
            $transaction.rollback().await?;
            return Ok(false);
        }
        for stall in &$done.stalls {
            sqlx::query(STALL)
                .bind(&$webhook.id)
                .bind(stall.sale_no)
                .bind(stall.sent.cast_signed())
                .bind(i64::from(stall.tries))
                .bind(stall.due_at)
                .bind(stall.since)
                .bind(&stall.reason)
                .execute(&mut *$transaction)
                .await?;
        }
        for number in &$done.resumed {
            let resume = sqlx::query("DELETE FROM webhook_stalls WHERE webhook = $1 AND sale_no = $2");
            resume.bind(&$webhook.id).bind(number).execute(&mut *$transaction).await?;
        }
        for row in &$done.dead_rows {
            sqlx::query(GIVE_UP)
                .bind(&$webhook.id)
                .bind(row.recorded.cast_signed())
                .bind(row.at)
                .bind(i64::from(row.tries))
                .bind(&row.reason)
                .execute(&mut *$transaction)
                .await?;
        }
        $transaction.commit().await?;
        Ok(true)
    }};
}

const STALL: &str = "INSERT INTO webhook_stalls (webhook, sale_no, sent, tries, due_at, since, reason)
    VALUES ($1, $2, $3, $4, $5, $6, $7) ON CONFLICT (webhook, sale_no) DO UPDATE SET sent = excluded.sent,
        tries = excluded.tries, due_at = excluded.due_at, since = excluded.since, reason = excluded.reason";
const GIVE_UP: &str = "INSERT INTO webhook_dead_letters (webhook, recorded, at, tries, reason)
    VALUES ($1, $2, $3, $4, $5) ON CONFLICT (webhook, recorded) DO UPDATE SET at = excluded.at,
        tries = excluded.tries, reason = excluded.reason";

/// The statements that remove a webhook with all that belongs to it.
macro_rules! remove {
    ($transaction:ident, $id:ident) => {{
        let removed = sqlx::query("DELETE FROM webhooks WHERE id = $1").bind($id).execute(&mut *$transaction).await?;
        for sql in
            ["DELETE FROM webhook_stalls WHERE webhook = $1", "DELETE FROM webhook_dead_letters WHERE webhook = $1"]
        {
            sqlx::query(sql).bind($id).execute(&mut *$transaction).await?;
        }
        $transaction.commit().await?;
        Ok(removed.rows_affected() == 1)
    }};
}

/// The statements that remove all webhooks with all that belongs to them.
macro_rules! remove_all {
    ($transaction:ident) => {{
        for sql in ["DELETE FROM webhooks", "DELETE FROM webhook_stalls", "DELETE FROM webhook_dead_letters"] {
            sqlx::query(sql).execute(&mut *$transaction).await?;
        }
        $transaction.commit().await?;
        Ok(())
    }};
}

impl Ledger {
    /// Adds a webhook.
    ///
    /// # Errors
    /// `bad_request` if there are too many; `ledger_unavailable`.
    pub async fn add_webhook(&self, webhook: &StoredWebhook) -> Result<()> {
        const ADD: &str = "INSERT INTO webhooks (id, url, secret, kinds, outcomes, created_at, sent)
            VALUES ($1, $2, $3, $4, $5, $6, $7)";
        if self.webhooks().await?.len() >= MOST_WEBHOOKS {
            let why = format!("There are {MOST_WEBHOOKS} webhooks, which are the most; remove one first.");
            return Err(Error::bad("url", why));
        }
        let kinds = serde_json::to_string(&webhook.kinds).map_err(Error::internal)?;
        let outcomes = serde_json::to_string(&webhook.outcomes).map_err(Error::internal)?;
        on!(beside self, pool => sqlx::query(ADD)
            .bind(&webhook.id)
            .bind(&webhook.url)
            .bind(&webhook.secret)
            .bind(&kinds)
            .bind(&outcomes)
            .bind(webhook.created_at)
            .bind(webhook.sent.cast_signed())
            .execute(pool)
            .await
            .map(drop))
        .map_err(unreachable)
    }

    /// Removes a webhook with all that belongs to it.
    ///
    /// # Errors
    /// `bad_request` if there is no such webhook; `ledger_unavailable`.
    pub async fn remove_webhook(&self, id: &str) -> Result<()> {
        let is_removed = in_transaction!(self, transaction => remove!(transaction, id)).map_err(unreachable)?;
        if is_removed { Ok(()) } else { Err(unknown(id)) }
    }

    /// Checks that there is a webhook with this id. `None` stands for all.
    async fn ensure_webhook(&self, id: Option<&str>) -> Result<()> {
        let Some(id) = id else { return Ok(()) };
        let is_known = self.webhooks().await?.iter().any(|webhook| webhook.id == id);
        if is_known { Ok(()) } else { Err(unknown(id)) }
    }

    /// Removes all webhooks with all that belongs to them. Returns them.
    ///
    /// # Errors
    /// `ledger_unavailable`.
    pub async fn remove_webhooks(&self) -> Result<Vec<StoredWebhook>> {
        let webhooks = self.webhooks().await?;
        in_transaction!(self, transaction => remove_all!(transaction)).map_err(unreachable)?;
        Ok(webhooks)
    }

    /// All webhooks, oldest first.
    ///
    /// # Errors
    /// `ledger_unavailable`.
    pub async fn webhooks(&self) -> Result<Vec<StoredWebhook>> {
        const ALL: &str = select!("ORDER BY created_at, id");
        let rows: Vec<Columns> =
            on!(read self, pool => sqlx::query_as(ALL).fetch_all(pool).await).map_err(unreachable)?;
        Ok(rows.into_iter().map(StoredWebhook::from).collect())
    }

    /// A webhook, and the sales that are held up there, those that are due first in front.
    ///
    /// # Errors
    /// `ledger_unavailable`.
    pub async fn webhook(&self, id: &str) -> Result<Option<(StoredWebhook, Vec<Stall>)>> {
        type StallColumns = (i64, String, String, i64, i64, Millis, Millis, String);
        const ONE: &str = select!("WHERE id = $1");
        const STALLS: &str = "SELECT w.sale_no, s.kind, s.sale, w.sent, w.tries, w.due_at, w.since, w.reason
            FROM webhook_stalls w JOIN sales s ON s.no = w.sale_no WHERE w.webhook = $1 ORDER BY w.due_at, w.sale_no";
        // The version is read first. If another server notes something before the stalls are read, this one is refused.
        let webhook: Option<Columns> =
            on!(read self, pool => sqlx::query_as(ONE).bind(id).fetch_optional(pool).await).map_err(unreachable)?;
        let Some(webhook) = webhook else { return Ok(None) };
        let stalls: Vec<StallColumns> =
            on!(read self, pool => sqlx::query_as(STALLS).bind(id).fetch_all(pool).await).map_err(unreachable)?;
        let stall = |(sale_no, kind, sale, sent, tries, due_at, since, reason): StallColumns| Stall {
            sale_no,
            kind,
            sale,
            sent: sent.cast_unsigned(),
            tries: u32::try_from(tries).unwrap_or(u32::MAX),
            due_at,
            since,
            reason,
        };
        Ok(Some((webhook.into(), stalls.into_iter().map(stall).collect())))
    }

    /// Notes the deliveries of a webhook. Returns whether they were noted: not if another server has noted some
    /// meanwhile, or if the webhook was removed.
    ///
    /// # Errors
    /// `ledger_unavailable`.
    pub async fn note_deliveries(&self, webhook: &StoredWebhook, done: &Deliveries) -> Result<bool> {
        in_transaction!(self, transaction => note!(transaction, webhook, done)).map_err(unreachable)
    }

    /// The places of the first dead letters of a webhook that are to be sent again, at most `limit`.
    ///
    /// # Errors
    /// `ledger_unavailable`.
    pub async fn requeued(&self, webhook: &str, limit: usize) -> Result<Vec<u64>> {
        const DUE: &str = "SELECT recorded FROM webhook_dead_letters WHERE webhook = $1 AND is_due
            ORDER BY recorded LIMIT $2";
        let places: Vec<i64> =
            on!(read self, pool => sqlx::query_scalar(DUE).bind(webhook).bind(limit as i64).fetch_all(pool).await)
                .map_err(unreachable)?;
        Ok(places.into_iter().map(i64::cast_unsigned).collect())
    }

    /// Notes that a dead letter was sent again: without a reason, it was accepted.
    ///
    /// # Errors
    /// `ledger_unavailable`.
    pub async fn note_resent(&self, webhook: &str, recorded: u64, at: Millis, reason: Option<&str>) -> Result<()> {
        const ACCEPTED: &str = "DELETE FROM webhook_dead_letters WHERE webhook = $1 AND recorded = $2";
        const FAILED: &str = "UPDATE webhook_dead_letters SET is_due = FALSE, tries = tries + 1, at = $3, reason = $4
            WHERE webhook = $1 AND recorded = $2";
        let recorded = recorded.cast_signed();
        match reason {
            None => on!(beside self, pool => sqlx::query(ACCEPTED).bind(webhook).bind(recorded)
                .execute(pool).await.map(drop)),
            Some(reason) => on!(beside self, pool => sqlx::query(FAILED).bind(webhook).bind(recorded).bind(at)
                .bind(reason).execute(pool).await.map(drop)),
        }
        .map_err(unreachable)
    }

    /// Asks for another try of all dead letters, or of those of one webhook. Returns their number.
    ///
    /// # Errors
    /// `bad_request` if there is no such webhook; `ledger_unavailable`.
    pub async fn requeue(&self, webhook: Option<&str>) -> Result<u64> {
        const AGAIN: &str = "UPDATE webhook_dead_letters SET is_due = TRUE
            WHERE CAST($1 AS TEXT) IS NULL OR webhook = $1";
        self.ensure_webhook(webhook).await?;
        on!(beside self, pool => sqlx::query(AGAIN).bind(webhook).execute(pool).await.map(|done| done.rows_affected()))
            .map_err(unreachable)
    }

    /// The dead letters of all webhooks, or of one: the oldest 100.
    ///
    /// # Errors
    /// `bad_request` if there is no such webhook; `ledger_unavailable`.
    pub async fn undelivered(&self, webhook: Option<&str>) -> Result<Vec<UndeliveredRow>> {
        type Letter = (String, i64, String, String, String, String, Millis, i64, bool);
        const OLDEST: &str =
            "SELECT d.webhook, d.recorded, h.kind, s.sale, h.outcome, d.reason, d.at, d.tries, d.is_due
            FROM webhook_dead_letters d JOIN history h ON h.recorded = d.recorded JOIN sales s ON s.no = h.sale_no
            WHERE CAST($1 AS TEXT) IS NULL OR d.webhook = $1 ORDER BY d.recorded, d.webhook LIMIT $2";
        self.ensure_webhook(webhook).await?;
        let letters: Vec<Letter> = on!(read self, pool => sqlx::query_as(OLDEST).bind(webhook)
            .bind(i64::from(LISTED_LETTERS)).fetch_all(pool).await)
        .map_err(unreachable)?;
        let letter = |(webhook, recorded, kind, sale, outcome, reason, at, tries, is_due): Letter| UndeliveredRow {
            webhook,
            recorded: recorded.cast_unsigned(),
            kind,
            sale,
            outcome,
            reason,
            at,
            tries: u32::try_from(tries).unwrap_or(u32::MAX),
            is_due,
        };
        Ok(letters.into_iter().map(letter).collect())
    }

    /// All webhooks and how far they have come, oldest first.
    ///
    /// # Errors
    /// `ledger_unavailable`.
    pub async fn webhook_progress(&self) -> Result<Vec<Webhook>> {
        // The reason of the oldest stall of each webhook, and their number.
        const STALLS: &str =
            "SELECT webhook, COUNT(*), (SELECT reason FROM webhook_stalls o WHERE o.webhook = w.webhook
            ORDER BY since, sale_no LIMIT 1) FROM webhook_stalls w GROUP BY webhook";
        const LETTERS: &str = "SELECT webhook, COUNT(*) FROM webhook_dead_letters GROUP BY webhook";
        let webhooks = self.webhooks().await?;
        if webhooks.is_empty() {
            return Ok(Vec::new());
        }
        let stalls: Vec<(String, i64, String)> =
            on!(read self, pool => sqlx::query_as(STALLS).fetch_all(pool).await).map_err(unreachable)?;
        let letters: Vec<(String, i64)> =
            on!(read self, pool => sqlx::query_as(LETTERS).fetch_all(pool).await).map_err(unreachable)?;
        let last = self.last_recorded().await?;
        let progress = |webhook: StoredWebhook| {
            let stalls = stalls.iter().find(|(id, ..)| *id == webhook.id);
            let letters = letters.iter().find(|(id, _)| *id == webhook.id);
            Webhook {
                behind: last.saturating_sub(webhook.sent),
                stalled_sales: stalls.map_or(0, |(_, number, _)| number.cast_unsigned()),
                reason: stalls.map(|(.., reason)| reason.clone()),
                dead_letters: letters.map_or(0, |(_, number)| number.cast_unsigned()),
                id: webhook.id,
                url: webhook.url,
                kinds: webhook.kinds,
                outcomes: webhook.outcomes,
                created_at: webhook.created_at,
            }
        };
        Ok(webhooks.into_iter().map(progress).collect())
    }
}
