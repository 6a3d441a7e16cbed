//! The ledger's server functions, which are its JSON API too.

use super::{Board, Cursor, Page, Retried, SetAside, Status};
use crate::{domain::Audit, error::Result, wire::Json};
use leptos::prelude::*;

/// A page of the history, newest first.
#[server(name = SearchRequest, prefix = "/api", endpoint = "/ledger/search", input = Json, output = Json)]
pub async fn search(
    sale: Option<String>,
    user: Option<String>,
    request_id: Option<String>,
    outcome: Option<String>,
    limit: Option<u32>,
    after: Option<Cursor>,
) -> Result<Page> {
    let search = super::Search { sale, user, request_id, outcome };
    crate::server::state()?.ledger.search(&search, limit, after).await
}

/// How far the ledger is behind: the newest sales, or the one named.
#[server(name = StatusRequest, prefix = "/api", endpoint = "/ledger/status", input = Json, output = Json)]
pub async fn status(sale: Option<String>) -> Result<Status> {
    crate::server::state()?.books.status(sale.as_deref()).await
}

/// The entries of a sale that could not be applied, or of all, at most 100.
#[server(name = SetAsideRequest, prefix = "/api", endpoint = "/ledger/set-aside", input = Json, output = Json)]
pub async fn set_aside(sale: Option<String>) -> Result<Vec<SetAside>> {
    crate::server::state()?.ledger.set_aside(sale.as_deref()).await
}

/// Tries the entries again that could not be applied.
#[server(name = RetryRequest, prefix = "/api", endpoint = "/ledger/retry", input = Json, output = Json)]
pub async fn retry(sale: Option<String>) -> Result<Retried> {
    crate::server::state()?.books.retry(sale.as_deref()).await
}

/// The last audit of each sale, beside the ledger's lag.
#[server(name = BoardRequest, prefix = "/api", endpoint = "/audit/board", input = Json, output = Json)]
pub async fn board() -> Result<Board> {
    crate::server::state()?.books.board().await
}

/// Audits a sale of any kind now, and keeps the result for the board.
#[server(name = AuditNowRequest, prefix = "/api", endpoint = "/audit/now", input = Json, output = Json)]
pub async fn audit(kind: String, sale: String) -> Result<Audit> {
    crate::server::state()?.books.audit(&kind, &sale).await
}
