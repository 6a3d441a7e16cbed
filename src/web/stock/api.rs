//! The server functions of stock, which are also their JSON API. They check nothing themselves: the service does, for
//! every caller.

#![allow(clippy::too_many_arguments, reason = "each is a field of a request")]

#[cfg(feature = "ssr")]
use crate::services::services;
use leptos::{prelude::*, server_fn::codec::Json};
use model::{
    Answer, Audit, ScriptInfo, StrictJson,
    error::Result,
    life::{Instant, Texts},
    stock::{
        Adjusted, ConfirmAnswer, DeductAnswer, Expired, Item, Opened, Paused, RecordedQuantity, ReturnAnswer, Snapshot,
    },
};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

#[cfg(feature = "ssr")]
use model::stock::{DEFAULT_PAUSE_S, DEFAULT_TTL_S, OfSales, Return, StockApi, Wanted};

/// Opens a sale of stock.
#[server(
    name = OpenStockRequest,
    prefix = "/api",
    endpoint = "/stock/open",
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
    /// The quantity at the opening, in units.
    quantity: u64,
    /// How long the quantity stays cached after each deduction, in seconds.
    ttl_s: Option<u64>,
    /// The quantity at which the stock is announced as low; without one it never is. It may be above `quantity`: then the
    /// stock is low until more is added.
    low_mark: Option<u64>,
    /// The most units that a user may have at once: deducted and not given back. Without it, any number.
    limit_per_user: Option<u64>,
    /// How long a deduction is reserved, in seconds: unless it is confirmed in that time, its units return to the stock.
    /// Without it, a deduction needs no confirmation.
    hold_s: Option<u64>,
    /// A group, named like a sale: one attempt can be at several sales of it, all or nothing. Without it, the sale has none.
    group: Option<String>,
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
    let terms = model::stock::Terms {
        sale,
        quantity,
        ttl_s: ttl_s.unwrap_or(DEFAULT_TTL_S),
        low_mark,
        limit_per_user,
        hold_s,
        group,
        plan: model::life::PlanFields { opens_at, opens_in_s, ends_at, ends_in_s, title, description, currency }
            .read()?,
    };
    services()?.kind::<dyn StockApi>().open_as(terms, origin).await
}

/// Attempts to deduct a quantity for a user, or items of several sales of one group: all of it, or nothing.
#[server(
    name = DeductStockRequest,
    prefix = "/api",
    endpoint = "/stock/deduct",
    input = StrictJson,
    input_derive = (Clone, Serialize, Deserialize, JsonSchema),
    output = Json
)]
pub async fn deduct(
    /// The id of the sale; give either this and `quantity`, or `items`.
    sale: Option<String>,
    /// The user who wants it.
    user: String,
    /// How much of the sale.
    quantity: Option<u64>,
    /// How much of each of several sales, which were opened with the same `group`. If one lacks its item, the first of
    /// these refuses (`refused_by`), and nothing changes in any of them. Each item is a deduction of its own in its sale,
    /// with the same `request_id`: a request that has some of the items already gets the others, and none twice.
    items: Option<Vec<Item>>,
    /// Identifies the attempt: sent again, it gets the original answer. Without one, every call is a new attempt, and
    /// its answer names the id that it was given.
    request_id: Option<String>,
) -> Result<Answer<DeductAnswer>> {
    let wanted = Wanted::of(sale, quantity, items)?;
    services()?.kind::<dyn StockApi>().deduct(wanted, user, request_id).await
}

/// Gives back what a request deducted, for orders that failed: all that the user still has of it, or a part. Never more
/// comes back than was deducted.
#[server(
    name = GiveBackStockRequest,
    prefix = "/api",
    endpoint = "/stock/give-back",
    input = StrictJson,
    input_derive = (Clone, Serialize, Deserialize, JsonSchema),
    output = Json
)]
pub async fn give_back(
    /// The id of the sale; give either this or `sales`.
    sale: Option<String>,
    /// The sales of a deduction of several items: all that the user still has of each comes back.
    sales: Option<Vec<String>>,
    /// The `request_id` of the deduction.
    request_id: String,
    /// How many units come back. By default, all that the user still has of the deduction. At most
    /// 100 parts of a deduction come back; after that, the rest comes back as a whole.
    quantity: Option<u64>,
    /// Identifies the return among those of the deduction: sent again, it gives back nothing and gets its answer again.
    /// Without one, every call with a `quantity` gives back another part.
    return_id: Option<String>,
    /// Why, for the ledger: that of the request that gives it back, not of one that repeats it.
    reason: Option<String>,
) -> Result<Answer<ReturnAnswer>> {
    let request = Return { request_id, quantity, return_id, reason: reason.unwrap_or_default() };
    services()?.kind::<dyn StockApi>().give_back(OfSales::of(sale, sales)?, request).await
}

/// Confirms a reservation, so that it no longer expires. After its deadline, nothing is confirmed. Those of one request in
/// several sales are confirmed together, or none of them.
#[server(
    name = ConfirmStockRequest,
    prefix = "/api",
    endpoint = "/stock/confirm",
    input = StrictJson,
    input_derive = (Clone, Serialize, Deserialize, JsonSchema),
    output = Json
)]
pub async fn confirm(
    /// The id of the sale; give either this or `sales`.
    sale: Option<String>,
    /// The sales of a deduction of several items.
    sales: Option<Vec<String>>,
    /// Why, for the ledger: that of the request that confirms it, not of one that repeats it.
    reason: Option<String>,
    /// The `request_id` of the deduction.
    request_id: String,
) -> Result<Answer<ConfirmAnswer>> {
    let reason = reason.unwrap_or_default();
    services()?.kind::<dyn StockApi>().confirm(OfSales::of(sale, sales)?, reason, request_id).await
}

/// Adds stock, even while the sale runs.
#[server(
    name = RestockRequest,
    prefix = "/api",
    endpoint = "/stock/restock",
    input = StrictJson,
    input_derive = (Clone, Serialize, Deserialize, JsonSchema),
    output = Json
)]
pub async fn restock(
    /// The id of the sale.
    sale: String,
    /// How much is added.
    quantity: u64,
    /// Identifies the request: sent again, it gets the original answer.
    request_id: Option<String>,
) -> Result<Answer<Adjusted>> {
    services()?.kind::<dyn StockApi>().restock(&sale, quantity, request_id).await
}

/// Corrects the quantity to what was counted. What is deducted meanwhile stays deducted.
#[server(
    name = CorrectStockRequest,
    prefix = "/api",
    endpoint = "/stock/correct",
    input = StrictJson,
    input_derive = (Clone, Serialize, Deserialize, JsonSchema),
    output = Json
)]
pub async fn correct(
    /// The id of the sale.
    sale: String,
    /// How much was counted.
    counted: u64,
    /// How much there should have been when it was counted: the correction is the difference. By default, what is left
    /// now. Negative where more was confirmed than there was: minus the `oversold` of the snapshot.
    expected: Option<i64>,
    /// Identifies the request: sent again, it gets the original answer.
    request_id: Option<String>,
) -> Result<Answer<Adjusted>> {
    services()?.kind::<dyn StockApi>().correct(&sale, counted, expected, request_id).await
}

/// Lets the cached quantity expire now. The next attempt caches it again, after a comparison with the ledger.
#[server(
    name = ExpireStockRequest,
    prefix = "/api",
    endpoint = "/stock/expire",
    input = StrictJson,
    input_derive = (Clone, Serialize, Deserialize, JsonSchema),
    output = Json
)]
pub async fn expire(
    /// The id of the sale.
    sale: String,
) -> Result<Expired> {
    services()?.kind::<dyn StockApi>().expire(&sale).await
}

/// Makes the ledger's writer skip this sale for a while, so that the ledger falls behind.
#[server(
    name = PauseStockRequest,
    prefix = "/api",
    endpoint = "/stock/pause",
    input = StrictJson,
    input_derive = (Clone, Serialize, Deserialize, JsonSchema),
    output = Json
)]
pub async fn pause(
    /// The id of the sale.
    sale: String,
    /// How long, in seconds; 0 ends the pause.
    seconds: Option<u64>,
) -> Result<Paused> {
    services()?.kind::<dyn StockApi>().pause(&sale, seconds.unwrap_or(DEFAULT_PAUSE_S)).await
}

/// A consistent snapshot of the sale.
#[server(
    name = StockSnapshotRequest,
    prefix = "/api",
    endpoint = "/stock/snapshot",
    input = StrictJson,
    input_derive = (Clone, Serialize, Deserialize, JsonSchema),
    output = Json
)]
pub async fn snapshot(
    /// The id of the sale.
    sale: String,
) -> Result<Snapshot> {
    services()?.kind::<dyn StockApi>().snapshot(&sale).await
}

/// How the quantity in the ledger went in the last ten minutes, oldest first, at most 240 points. It ends with what the
/// ledger has now; without a change in that time, it is empty.
#[server(
    name = StockCourseRequest,
    prefix = "/api",
    endpoint = "/stock/course",
    input = StrictJson,
    input_derive = (Clone, Serialize, Deserialize, JsonSchema),
    output = Json
)]
pub async fn course(
    /// The id of the sale.
    sale: String,
) -> Result<Vec<RecordedQuantity>> {
    services()?.kind::<dyn StockApi>().course(&sale).await
}

/// Checks the sale's invariants, request by request.
#[server(
    name = StockAuditRequest,
    prefix = "/api",
    endpoint = "/stock/audit",
    input = StrictJson,
    input_derive = (Clone, Serialize, Deserialize, JsonSchema),
    output = Json
)]
pub async fn audit(
    /// The id of the sale.
    sale: String,
) -> Result<Audit> {
    services()?.ledger.audit(model::stock::INFO.id, &sale).await
}

/// The script that decides deductions, exactly as it runs.
#[server(
    name = StockScriptRequest,
    prefix = "/api",
    endpoint = "/stock/script",
    input = StrictJson,
    input_derive = (Clone, Serialize, Deserialize, JsonSchema),
    output = Json
)]
pub async fn script() -> Result<ScriptInfo> {
    services()?.kind::<dyn StockApi>().script().await
}
