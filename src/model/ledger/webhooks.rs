//! Webhooks: where the rows of the change feed are sent as they are recorded.

use crate::Millis;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// The most webhooks of a ledger.
pub const MOST_WEBHOOKS: usize = 20;
/// The most dead letters in a list.
pub const LISTED_LETTERS: u32 = 100;

/// A webhook, and how far it has come.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Webhook {
    /// The id of the webhook.
    pub id: String,
    /// The address to which rows are sent. Outside the command line, it ends before its path.
    pub url: String,
    /// The kinds of sale whose rows are sent; all if empty.
    pub kinds: Vec<String>,
    /// The outcomes whose rows are sent; all if empty.
    pub outcomes: Vec<String>,
    /// When it was added.
    pub created_at: Millis,
    /// The number of rows in the change feed that have yet to be looked at.
    pub behind: u64,
    /// The number of sales that are held up, because a row was not accepted.
    pub stalled_sales: u64,
    /// Why the sale that has been held up longest is; `null` if none is.
    pub reason: Option<String>,
    /// The number of rows that were given up.
    pub dead_letters: u64,
}

/// A row that a webhook did not accept in time.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[schemars(rename = "WebhookDeadLetter")]
pub struct UndeliveredRow {
    /// The id of the webhook.
    pub webhook: String,
    /// The place of the row in the order of recording.
    pub recorded: u64,
    /// The kind of the sale.
    pub kind: String,
    /// The id of the sale.
    pub sale: String,
    /// The outcome of the row.
    pub outcome: String,
    /// Why it was not accepted the last time.
    pub reason: String,
    /// When it was sent the last time.
    pub at: Millis,
    /// How often it was sent.
    pub tries: u32,
    /// Whether it will be sent again in a moment.
    pub is_due: bool,
}

/// The answer to a request to send dead letters again.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[schemars(rename = "WebhookRetry")]
pub struct RequeuedRows {
    /// The number of rows that will be sent again in a moment.
    pub requeued: u64,
}
