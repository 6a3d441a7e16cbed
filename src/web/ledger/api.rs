//! The ledger's server functions, which are also its JSON API.

#![allow(clippy::too_many_arguments, reason = "each is a field of a request")]

#[cfg(feature = "ssr")]
use crate::services::services;
use leptos::{prelude::*, server_fn::codec::Json};
use model::{
    Audit, Millis, StrictJson,
    error::Result,
    ledger::{Board, DeadLetter, HistoryCursor, Page, RequeuedRows, Retried, Row, Status, UndeliveredRow, Webhook},
};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// A page of the history, newest first.
#[server(
    name = SearchRequest,
    prefix = "/api",
    endpoint = "/ledger/search",
    input = StrictJson,
    input_derive = (Clone, Serialize, Deserialize, JsonSchema),
    output = Json
)]
pub async fn search(
    /// Only rows of sales of this kind.
    kind: Option<String>,
    /// Only rows of the sale with exactly this id, of any kind.
    sale: Option<String>,
    /// Only rows of the user with exactly this name.
    user: Option<String>,
    /// Only rows of this request.
    request_id: Option<String>,
    /// Only rows of this order.
    order: Option<String>,
    /// Only rows with this outcome.
    outcome: Option<String>,
    /// Only rows that Redis recorded at this time or later: epoch milliseconds, as in `event_id`.
    from: Option<Millis>,
    /// Only rows that Redis recorded before this time.
    to: Option<Millis>,
    /// Rows on a page.
    limit: Option<u32>,
    /// The `next` of the page before.
    after: Option<HistoryCursor>,
) -> Result<Page> {
    let search = model::ledger::Search { kind, sale, user, request_id, order, outcome, from, to };
    services()?.ledger.search(&search, limit, after).await
}

/// One row of the history, by its id; `null` if there is none.
#[server(
    name = RowRequest,
    prefix = "/api",
    endpoint = "/ledger/row",
    input = StrictJson,
    input_derive = (Clone, Serialize, Deserialize, JsonSchema),
    output = Json
)]
pub async fn row(
    /// The `id` of the row.
    id: HistoryCursor,
) -> Result<Option<Row>> {
    services()?.ledger.row(id).await
}

/// The ledger's lag: for the newest sales, or for the given one.
#[server(
    name = StatusRequest,
    prefix = "/api",
    endpoint = "/ledger/status",
    input = StrictJson,
    input_derive = (Clone, Serialize, Deserialize, JsonSchema),
    output = Json
)]
pub async fn status(
    /// The id of a sale, of any kind; without one, the newest sales.
    sale: Option<String>,
) -> Result<Status> {
    services()?.ledger.status(sale.as_deref()).await
}

/// The dead letters of a sale, a kind or all, at most 100: entries that could not be recorded.
#[server(
    name = SetAsideRequest,
    prefix = "/api",
    endpoint = "/ledger/set-aside",
    input = StrictJson,
    input_derive = (Clone, Serialize, Deserialize, JsonSchema),
    output = Json
)]
pub async fn dead_letters(
    /// Only those of sales of this kind.
    kind: Option<String>,
    /// Only those of this sale.
    sale: Option<String>,
) -> Result<Vec<DeadLetter>> {
    services()?.ledger.dead_letters(kind.as_deref(), sale.as_deref()).await
}

/// Tries the dead letters of a sale, a kind or all again, at most 1,000, those tried least often first.
#[server(
    name = RetryRequest,
    prefix = "/api",
    endpoint = "/ledger/retry",
    input = StrictJson,
    input_derive = (Clone, Serialize, Deserialize, JsonSchema),
    output = Json
)]
pub async fn retry(
    /// Only those of sales of this kind.
    kind: Option<String>,
    /// Only those of this sale.
    sale: Option<String>,
) -> Result<Retried> {
    services()?.ledger.retry(kind.as_deref(), sale.as_deref()).await
}

/// The webhooks, and how far each has come in the change feed. They are added and removed on the command line.
#[server(
    name = WebhooksRequest,
    prefix = "/api",
    endpoint = "/webhooks",
    input = StrictJson,
    input_derive = (Clone, Serialize, Deserialize, JsonSchema),
    output = Json
)]
pub async fn webhooks() -> Result<Vec<Webhook>> {
    services()?.ledger.webhooks().await
}

/// The dead letters of one webhook or of all, at most 100: rows that were not accepted within a day.
#[server(
    name = UndeliveredRequest,
    prefix = "/api",
    endpoint = "/webhooks/dead-letters",
    input = StrictJson,
    input_derive = (Clone, Serialize, Deserialize, JsonSchema),
    output = Json
)]
pub async fn undelivered(
    /// Only those of this webhook.
    webhook: Option<String>,
) -> Result<Vec<UndeliveredRow>> {
    services()?.ledger.undelivered(webhook.as_deref()).await
}

/// Has the dead letters of one webhook or of all sent again, once each, in a moment.
#[server(
    name = RequeueRequest,
    prefix = "/api",
    endpoint = "/webhooks/retry",
    input = StrictJson,
    input_derive = (Clone, Serialize, Deserialize, JsonSchema),
    output = Json
)]
pub async fn requeue(
    /// Only those of this webhook.
    webhook: Option<String>,
) -> Result<RequeuedRows> {
    services()?.ledger.requeue(webhook.as_deref()).await
}

/// The last audit of each sale, with the ledger's lag: a page of the newest, the broken ones first, and the counts of all.
#[server(
    name = BoardRequest,
    prefix = "/api",
    endpoint = "/audit/board",
    input = StrictJson,
    input_derive = (Clone, Serialize, Deserialize, JsonSchema),
    output = Json
)]
pub async fn board(
    /// How many of the newest sales to leave out, as `next` of the page before says.
    skip: Option<u32>,
) -> Result<Board> {
    services()?.ledger.board(skip.unwrap_or_default()).await
}

/// Audits a sale of any kind now, and stores the result for the board.
#[server(
    name = AuditNowRequest,
    prefix = "/api",
    endpoint = "/audit/now",
    input = StrictJson,
    input_derive = (Clone, Serialize, Deserialize, JsonSchema),
    output = Json
)]
pub async fn audit(
    /// The id of the kind.
    kind: String,
    /// The id of the sale.
    sale: String,
) -> Result<Audit> {
    services()?.ledger.audit(&kind, &sale).await
}

/// The latest audit of a sale, whether it was requested, made after a crowd, or made automatically.
#[server(
    name = LastAuditRequest,
    prefix = "/api",
    endpoint = "/audit/last",
    input = StrictJson,
    input_derive = (Clone, Serialize, Deserialize, JsonSchema),
    output = Json
)]
pub async fn last_audit(
    /// The id of the kind.
    kind: String,
    /// The id of the sale.
    sale: String,
) -> Result<Option<Audit>> {
    services()?.ledger.last_audit(&kind, &sale).await
}
