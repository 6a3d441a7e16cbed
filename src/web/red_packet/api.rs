//! The server functions of red packets, which are also their JSON API. They check nothing themselves:
//! the service does, for every caller.

#![allow(clippy::too_many_arguments, reason = "each is a field of a request")]

#[cfg(feature = "ssr")]
use crate::services::services;
use leptos::{prelude::*, server_fn::codec::Json};
#[cfg(feature = "ssr")]
use model::red_packet::RedPacketApi;
use model::{
    Answer, Audit, Cents, ScriptInfo, StrictJson,
    error::Result,
    life::{Instant, Texts},
    red_packet::{Opened, Outcome, Refund, Snapshot, Splitter},
};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// Splits the money and opens the sale.
#[server(
    name = OpenRequest,
    prefix = "/api",
    endpoint = "/red-packet/open",
    input = StrictJson,
    input_derive = (Clone, Serialize, Deserialize, JsonSchema),
    output = Json
)]
pub async fn open(
    /// An id for the sale, which identifies the request, too: sent again, it opens no other sale. Without one, the sale
    /// gets one from its `request_id`.
    id: Option<String>,
    /// Identifies a request without an `id`: sent again, it opens no other sale.
    request_id: Option<String>,
    /// The money to split, in cents; at least one for each packet.
    total_cents: Cents,
    /// Number of packets.
    count: u64,
    /// How to split the money.
    splitter: Splitter,
    /// Life of the sale, in seconds.
    expires_in_s: Option<u64>,
    /// The seed of the split; without one it comes from the `request_id`, or is drawn.
    seed: Option<u64>,
    /// The start, in epoch milliseconds or RFC 3339 with an offset; give either this or `opens_in_s`, or neither for a sale
    /// that is open at once.
    opens_at: Option<Instant>,
    /// The start, in seconds from now.
    opens_in_s: Option<u64>,
    /// The title, in each language or in one of them.
    title: Option<Texts>,
    /// The description, likewise.
    description: Option<Texts>,
    /// The currency of all amounts, by its code of ISO 4217; CNY by default.
    currency: Option<String>,
) -> Result<Opened> {
    let services = services()?;
    let (sale, origin) = services.ids.id_of_sale(id, request_id.as_deref())?;
    let terms = model::red_packet::Terms {
        sale,
        total_cents,
        count,
        splitter,
        expires_in_s: expires_in_s.unwrap_or(model::red_packet::DEFAULT_EXPIRES_IN_S),
        // The same request opens the same sale, with the same split.
        seed: seed.or_else(|| request_id.as_deref().map(|request_id| services.ids.seed_of_request(request_id))),
        plan: model::life::PlanFields { opens_at, opens_in_s, title, description, currency, ..Default::default() }
            .read()?,
    };
    services.kind::<dyn RedPacketApi>().open_as(terms, origin).await
}

/// Attempts to claim a packet for a user.
#[server(
    name = ClaimRequest,
    prefix = "/api",
    endpoint = "/red-packet/claim",
    input = StrictJson,
    input_derive = (Clone, Serialize, Deserialize, JsonSchema),
    output = Json
)]
pub async fn claim(
    /// The id of the sale.
    sale: String,
    /// Who wants a packet; each user gets one.
    user: String,
    /// Recorded in the ledger beside the packet.
    request_id: Option<String>,
) -> Result<Answer<Outcome>> {
    services()?.kind::<dyn RedPacketApi>().claim(&sale, user, request_id).await
}

/// A consistent snapshot of the sale.
#[server(
    name = SnapshotRequest,
    prefix = "/api",
    endpoint = "/red-packet/snapshot",
    input = StrictJson,
    input_derive = (Clone, Serialize, Deserialize, JsonSchema),
    output = Json
)]
pub async fn snapshot(
    /// The id of the sale.
    sale: String,
) -> Result<Snapshot> {
    services()?.kind::<dyn RedPacketApi>().snapshot(&sale).await
}

/// Refunds the unclaimed money of an expired sale, once.
#[server(
    name = RefundRequest,
    prefix = "/api",
    endpoint = "/red-packet/refund",
    input = StrictJson,
    input_derive = (Clone, Serialize, Deserialize, JsonSchema),
    output = Json
)]
pub async fn refund(
    /// The id of the sale.
    sale: String,
) -> Result<Refund> {
    services()?.kind::<dyn RedPacketApi>().refund(&sale).await
}

/// Checks the sale's invariants, packet by packet.
#[server(
    name = AuditRequest,
    prefix = "/api",
    endpoint = "/red-packet/audit",
    input = StrictJson,
    input_derive = (Clone, Serialize, Deserialize, JsonSchema),
    output = Json
)]
pub async fn audit(
    /// The id of the sale.
    sale: String,
) -> Result<Audit> {
    services()?.ledger.audit(model::red_packet::INFO.id, &sale).await
}

/// The script that decides claims, exactly as it runs.
#[server(
    name = ScriptRequest,
    prefix = "/api",
    endpoint = "/red-packet/script",
    input = StrictJson,
    input_derive = (Clone, Serialize, Deserialize, JsonSchema),
    output = Json
)]
pub async fn script() -> Result<ScriptInfo> {
    services()?.kind::<dyn RedPacketApi>().script().await
}
