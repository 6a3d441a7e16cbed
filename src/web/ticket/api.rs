//! The server functions of tickets, which are also their JSON API. They check nothing themselves: the service
//! does, for every caller.

#![allow(clippy::too_many_arguments, reason = "each is a field of a request")]

#[cfg(feature = "ssr")]
use crate::services::services;
use leptos::{prelude::*, server_fn::codec::Json};
#[cfg(feature = "ssr")]
use model::ticket::TicketApi;
use model::{
    Answer, Audit, Cents, ScriptInfo, StrictJson,
    error::Result,
    life::{Instant, Texts},
    ticket::{
        Blocked, Cancelled, Extended, Opened, Order, Outcome, Paid, Pick, SeatInfo, SeatingPlan, Snapshot, Unblocked,
        hall::Layout, halls::HallName,
    },
};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;

/// Opens a sale of the seats of a hall: a built-in one, or a custom layout.
#[server(
    name = OpenTicketsRequest,
    prefix = "/api",
    endpoint = "/ticket/open",
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
    /// A built-in hall; give either this or `layout`.
    hall: Option<HallName>,
    /// A hall of your own.
    layout: Option<Layout>,
    /// Cents by category. Categories of a built-in hall that are not named have a default price; with a `layout`, every
    /// category must be named.
    prices: Option<BTreeMap<String, Cents>>,
    /// The most seats that a user may have.
    limit_per_user: Option<u32>,
    /// How long an order is held, in seconds.
    hold_s: Option<u64>,
    /// Whether the hold of an order can be extended, once, by `hold_s`.
    extendable: Option<bool>,
    /// The start, in epoch milliseconds or RFC 3339 with an offset; give either this or `opens_in_s`, or neither for a sale
    /// that is open at once.
    opens_at: Option<Instant>,
    /// The start, in seconds from now.
    opens_in_s: Option<u64>,
    /// The end, as `opens_at`; give either this or `ends_in_s`, or neither for a sale without an end.
    ends_at: Option<Instant>,
    /// The end, in seconds from the start.
    ends_in_s: Option<u64>,
    /// The title, in each language or in one of them.
    title: Option<Texts>,
    /// The description, likewise.
    description: Option<Texts>,
    /// The currency of all amounts, by its code of ISO 4217; CNY by default.
    currency: Option<String>,
) -> Result<Opened> {
    let (sale, origin) = services()?.ids.id_of_sale(id, request_id.as_deref())?;
    let terms = model::ticket::Terms {
        sale,
        hall: model::ticket::HallChoice::of(hall, layout)?,
        prices: prices.unwrap_or_default(),
        limit_per_user: limit_per_user.unwrap_or(model::ticket::DEFAULT_LIMIT),
        hold_s: hold_s.unwrap_or(model::ticket::DEFAULT_HOLD_S),
        extendable: extendable.unwrap_or_default(),
        plan: model::life::PlanFields { opens_at, opens_in_s, ends_at, ends_in_s, title, description, currency }
            .read()?,
    };
    services()?.kind::<dyn TicketApi>().open_as(terms, origin).await
}

/// Attempts to hold seats for a user: chosen ones, or the best available.
#[server(
    name = ReserveRequest,
    prefix = "/api",
    endpoint = "/ticket/reserve",
    input = StrictJson,
    input_derive = (Clone, Serialize, Deserialize, JsonSchema),
    output = Json
)]
pub async fn reserve(
    /// The id of the sale.
    sale: String,
    /// Who wants seats.
    user: String,
    /// Identifies the attempt: sent again, it gets its order in its current state.
    request_id: Option<String>,
    /// The ids of the seats, as in `["S-12-07"]`, in capitals or not; give either these or `pick`.
    seats: Option<Vec<String>>,
    /// The best available seats, one entry for each category.
    pick: Option<Vec<Pick>>,
    /// Names of the attendees: none, or one for each seat. Two may have the same name.
    holders: Option<Vec<String>>,
) -> Result<Answer<Outcome>> {
    let request = model::ticket::SeatRequest {
        seats: seats.unwrap_or_default(),
        pick: pick.unwrap_or_default(),
        holders: holders.unwrap_or_default(),
    };
    services()?.kind::<dyn TicketApi>().reserve(&sale, user, request_id, request).await
}

/// Pays an order. The request id identifies the payment; payments without one are all the same.
#[server(
    name = PayRequest,
    prefix = "/api",
    endpoint = "/ticket/pay",
    input = StrictJson,
    input_derive = (Clone, Serialize, Deserialize, JsonSchema),
    output = Json
)]
pub async fn pay(
    /// The id of the sale.
    sale: String,
    /// The id of the order.
    order: String,
    /// Identifies the payment: sent again, it gets the same answer, and any other payment of the order is refunded.
    /// Without one, all payments of an order are the same.
    request_id: Option<String>,
) -> Result<Answer<Paid>> {
    services()?.kind::<dyn TicketApi>().pay(&sale, order, request_id).await
}

/// Extends the hold of an order by the `hold_s` of its sale: once, and only if the sale was opened as `extendable`.
#[server(
    name = ExtendRequest,
    prefix = "/api",
    endpoint = "/ticket/extend",
    input = StrictJson,
    input_derive = (Clone, Serialize, Deserialize, JsonSchema),
    output = Json
)]
pub async fn extend(
    /// The id of the sale.
    sale: String,
    /// The id of the order.
    order: String,
    /// Why, for the ledger: that of the request by which the hold is extended, not of one that repeats it.
    reason: Option<String>,
    /// Identifies the extension: sent again, it gets its answer again. Without one, all extensions of an order are the
    /// same.
    request_id: Option<String>,
) -> Result<Answer<Extended>> {
    services()?.kind::<dyn TicketApi>().extend(&sale, order, reason.unwrap_or_default(), request_id).await
}

/// Cancels an order, or a part of it; the seats are free again. What was paid for them is refunded.
#[server(
    name = CancelRequest,
    prefix = "/api",
    endpoint = "/ticket/cancel",
    input = StrictJson,
    input_derive = (Clone, Serialize, Deserialize, JsonSchema),
    output = Json
)]
pub async fn cancel(
    /// The id of the sale.
    sale: String,
    /// The id of the order.
    order: String,
    /// The ids of the seats of a part that comes back; the order goes on with the others. Without them, or with all that
    /// it has, the order ends.
    seats: Option<Vec<String>>,
    /// Why, for the ledger: that of the request by which seats come back, not of one that repeats it.
    reason: Option<String>,
    /// Identifies a part among those of its order: sent again, it takes back nothing and gets its answer again. Without
    /// one, the seats identify it. Not recorded without `seats`: then the order, which ends once, identifies its
    /// cancellation.
    request_id: Option<String>,
) -> Result<Cancelled> {
    services()?.kind::<dyn TicketApi>().cancel(&sale, order, seats, reason.unwrap_or_default(), request_id).await
}

/// Takes free seats off sale while the sale runs: all of them, or none if one of them is not free.
#[server(
    name = BlockRequest,
    prefix = "/api",
    endpoint = "/ticket/block",
    input = StrictJson,
    input_derive = (Clone, Serialize, Deserialize, JsonSchema),
    output = Json
)]
pub async fn block(
    /// The id of the sale.
    sale: String,
    /// The ids of the seats, all different.
    seats: Vec<String>,
    /// Why, for the ledger.
    reason: Option<String>,
    /// Identifies the request: sent again, it changes nothing.
    request_id: Option<String>,
) -> Result<Answer<Blocked>> {
    services()?.kind::<dyn TicketApi>().block(&sale, seats, reason.unwrap_or_default(), request_id).await
}

/// Puts blocked seats on sale again: all of them, or none if one of them is not blocked.
#[server(
    name = UnblockRequest,
    prefix = "/api",
    endpoint = "/ticket/unblock",
    input = StrictJson,
    input_derive = (Clone, Serialize, Deserialize, JsonSchema),
    output = Json
)]
pub async fn unblock(
    /// The id of the sale.
    sale: String,
    /// The ids of the seats, all different.
    seats: Vec<String>,
    /// Why, for the ledger.
    reason: Option<String>,
    /// Identifies the request: sent again, it changes nothing.
    request_id: Option<String>,
) -> Result<Answer<Unblocked>> {
    services()?.kind::<dyn TicketApi>().unblock(&sale, seats, reason.unwrap_or_default(), request_id).await
}

/// The current state of an order.
#[server(
    name = OrderRequest,
    prefix = "/api",
    endpoint = "/ticket/order",
    input = StrictJson,
    input_derive = (Clone, Serialize, Deserialize, JsonSchema),
    output = Json
)]
pub async fn order(
    /// The id of the sale.
    sale: String,
    /// The id of the order.
    order: String,
) -> Result<Order> {
    services()?.kind::<dyn TicketApi>().order(&sale, &order).await
}

/// A consistent snapshot of the sale.
#[server(
    name = TicketSnapshotRequest,
    prefix = "/api",
    endpoint = "/ticket/snapshot",
    input = StrictJson,
    input_derive = (Clone, Serialize, Deserialize, JsonSchema),
    output = Json
)]
pub async fn snapshot(
    /// The id of the sale.
    sale: String,
) -> Result<Snapshot> {
    services()?.kind::<dyn TicketApi>().snapshot(&sale).await
}

/// The hall and its prices, which never change.
#[server(
    name = HallRequest,
    prefix = "/api",
    endpoint = "/ticket/hall",
    input = StrictJson,
    input_derive = (Clone, Serialize, Deserialize, JsonSchema),
    output = Json
)]
pub async fn hall(
    /// The id of the sale.
    sale: String,
) -> Result<SeatingPlan> {
    services()?.kind::<dyn TicketApi>().hall(&sale).await
}

/// One seat: its price, its state, until when it is held or why it is blocked, and what is special about it.
#[server(
    name = SeatInfoRequest,
    prefix = "/api",
    endpoint = "/ticket/seat",
    input = StrictJson,
    input_derive = (Clone, Serialize, Deserialize, JsonSchema),
    output = Json
)]
pub async fn seat(
    /// The id of the sale.
    sale: String,
    /// The id of the seat.
    seat: String,
) -> Result<SeatInfo> {
    services()?.kind::<dyn TicketApi>().seat(&sale, &seat).await
}

/// Checks the sale's invariants, seat by seat and order by order.
#[server(
    name = TicketAuditRequest,
    prefix = "/api",
    endpoint = "/ticket/audit",
    input = StrictJson,
    input_derive = (Clone, Serialize, Deserialize, JsonSchema),
    output = Json
)]
pub async fn audit(
    /// The id of the sale.
    sale: String,
) -> Result<Audit> {
    services()?.ledger.audit(model::ticket::INFO.id, &sale).await
}

/// The script that decides attempts, exactly as it runs.
#[server(
    name = TicketScriptRequest,
    prefix = "/api",
    endpoint = "/ticket/script",
    input = StrictJson,
    input_derive = (Clone, Serialize, Deserialize, JsonSchema),
    output = Json
)]
pub async fn script() -> Result<ScriptInfo> {
    services()?.kind::<dyn TicketApi>().script().await
}
