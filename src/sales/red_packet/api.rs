//! The red packet's server functions, which are its JSON API too. They check nothing themselves:
//! the service does, for every caller.

use super::{Opened, Outcome, Refund, Snapshot, Splitter};
use crate::{
    domain::{Audit, Cents, ScriptInfo},
    error::Result,
    sales::SaleLine,
    wire::Json,
};
use leptos::prelude::*;

/// Splits the money and opens the sale.
#[server(name = OpenRequest, prefix = "/api", endpoint = "/red-packet/open", input = Json, output = Json)]
pub async fn open(
    id: Option<String>,
    total_cents: Cents,
    count: u64,
    splitter: Splitter,
    expires_in_s: Option<u64>,
    seed: Option<u64>,
) -> Result<Opened> {
    let state = crate::server::state()?;
    let terms = super::Terms {
        sale: id.unwrap_or_else(|| state.ids.id()),
        total_cents,
        count,
        splitter,
        expires_in_s: expires_in_s.unwrap_or(super::DEFAULT_EXPIRES_IN_S),
        seed,
    };
    state.red_packet.open(terms).await
}

/// One user's one try.
#[server(name = ClaimRequest, prefix = "/api", endpoint = "/red-packet/claim", input = Json, output = Json)]
pub async fn claim(sale: String, user: String, request_id: Option<String>) -> Result<Outcome> {
    crate::server::state()?.red_packet.claim(&sale, user, request_id).await
}

/// The sale at one event id.
#[server(name = SnapshotRequest, prefix = "/api", endpoint = "/red-packet/snapshot", input = Json, output = Json)]
pub async fn snapshot(sale: String) -> Result<Snapshot> {
    crate::server::state()?.red_packet.snapshot(&sale).await
}

/// Sends the unclaimed money of an expired sale back, once.
#[server(name = RefundRequest, prefix = "/api", endpoint = "/red-packet/refund", input = Json, output = Json)]
pub async fn refund(sale: String) -> Result<Refund> {
    crate::server::state()?.red_packet.refund(&sale).await
}

/// Checks the sale's invariants, from the packets themselves.
#[server(name = AuditRequest, prefix = "/api", endpoint = "/red-packet/audit", input = Json, output = Json)]
pub async fn audit(sale: String) -> Result<Audit> {
    crate::server::state()?.books.audit(super::service::KIND, &sale).await
}

/// The very script that decides a claim.
#[server(name = ScriptRequest, prefix = "/api", endpoint = "/red-packet/script", input = Json, output = Json)]
pub async fn script() -> Result<ScriptInfo> {
    crate::server::state()?.red_packet.script().await
}

/// The newest sales, newest first, at most 50.
#[server(name = ListRequest, prefix = "/api", endpoint = "/sales", input = Json, output = Json)]
pub async fn list() -> Result<Vec<SaleLine>> {
    crate::server::state()?.red_packet.list().await
}

/// Answers nothing: the floor that the speed of every other endpoint is measured against.
#[server(name = PingRequest, prefix = "/api", endpoint = "/ping", input = Json, output = Json)]
pub async fn ping() -> Result<()> {
    Ok(())
}
