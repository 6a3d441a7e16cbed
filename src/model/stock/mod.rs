//! Cached stock: a product whose quantity is always in the ledger, and cached by Redis while it is in demand. This
//! module has the types and pure rules, without Leptos and Redis.

mod api;
pub mod crowd;
mod items;

use crate::{
    Checks, EventId, IdentifiedBy, KindInfo, Millis, Ownership, SaleState, check_id, check_new_id, check_within,
    crowd::Status,
    error::{Error, Result},
    form::{FormValues, USER},
    life::{Life, Phase, Plan, check_reason},
    snapshot::SaleSnapshot,
};
pub use api::StockApi;
pub use items::{
    ConfirmAnswer, DeductAnswer, DeductedItem, Item, ItemsConfirmed, ItemsReturned, ItemsWon, MAX_ITEMS, OfSales,
    ReturnAnswer, Wanted, check_items, check_sales,
};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// The names of the kind.
pub static INFO: KindInfo = KindInfo {
    id: "stock",
    segment: "stock",
    pages: "stock",
    demo: "phone",
    outcomes: &outcome::ALL,
    win: outcome::WON,
    ownership: Ownership {
        gained: &[outcome::WON],
        kept: &[outcome::CONFIRMED],
        lost: &[outcome::RETURNED, outcome::EXPIRED],
        identified_by: IdentifiedBy::Request,
        has_codes: false,
    },
};

/// The outcomes that the ledger records for a sale of stock.
pub mod outcome {
    use crate::life::outcome as life;

    /// The sale was opened; the item has its quantity.
    pub const OPENED: &str = "opened";
    /// A user deducted a quantity, which the item has. In a sale with reservations, it is not the user's for good before
    /// it is confirmed.
    pub const WON: &str = "won";
    /// Units that a request deducted were given back: all of them, or a part.
    pub const RETURNED: &str = "returned";
    /// A reservation was confirmed.
    pub const CONFIRMED: &str = "confirmed";
    /// A reservation was not confirmed in time; its units returned to the quantity.
    pub const EXPIRED: &str = "expired";
    /// Stock was added; the item has the quantity.
    pub const RESTOCKED: &str = "restocked";
    /// The quantity was corrected; the item has the difference.
    pub const CORRECTED: &str = "corrected";
    /// An operator closed the sale.
    pub const CLOSED: &str = "closed";
    /// The sale was recovered from the ledger.
    pub const RECOVERED: &str = "recovered";

    pub const ALL: [&str; 14] = [
        OPENED,
        WON,
        RETURNED,
        CONFIRMED,
        EXPIRED,
        RESTOCKED,
        CORRECTED,
        CLOSED,
        RECOVERED,
        life::PAUSED,
        life::RESUMED,
        life::SCHEDULED,
        life::REOPENED,
        life::DESCRIBED,
    ];

    /// The outcomes that change the quantity or a request.
    pub const OF_REQUESTS: [&str; 7] = [OPENED, WON, RETURNED, CONFIRMED, EXPIRED, RESTOCKED, CORRECTED];
}

/// The most units in an opening, a restock or an attempt.
pub const MAX_QUANTITY: u64 = 1_000_000;
/// The highest quantity of a correction. It is higher than [`MAX_QUANTITY`], because restocks add up.
pub const MAX_COUNTED: u64 = 1_000_000_000_000;
/// The highest expected quantity at a count: a thousand times [`MAX_COUNTED`], because restocks are added to it. The
/// same amount may have been confirmed beyond the stock.
pub const MAX_EXPECTED: i64 = 1_000_000_000_000_000;
/// The highest quantity of a sale, after any number of restocks and corrections. Scripts are exact up to this number.
pub const MAX_IN_ALL: u64 = (1 << 53) - 1;
/// The longest time for which a quantity stays cached after the last deduction, in seconds.
pub const MAX_TTL_S: u64 = 86_400;
/// The default time for which a quantity stays cached, in seconds.
pub const DEFAULT_TTL_S: u64 = 300;
/// The longest time for which a deduction is held before it is confirmed, in seconds: a week.
pub const MAX_HOLD_S: u64 = 604_800;
/// The most parts of one deduction that may be given back; what is left after them is given back as a whole.
pub const MAX_PARTS: usize = 100;
/// The most other sales of a group that a snapshot names.
pub const OTHERS_NAMED: usize = 50;
/// The longest pause of the ledger's writer, in seconds.
pub const MAX_PAUSE_S: u64 = 60;
/// The default pause of the ledger's writer, in seconds.
pub const DEFAULT_PAUSE_S: u64 = 10;

/// The terms on which a sale is opened.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Terms {
    /// The id of the sale.
    pub sale: String,
    /// The initial quantity.
    pub quantity: u64,
    /// The time for which the quantity stays cached after each deduction, in seconds.
    pub ttl_s: u64,
    /// The quantity at which the stock is announced as low; `None` for no announcement.
    pub low_mark: Option<u64>,
    /// The most units that a user may have at once; `None` for any number.
    pub limit_per_user: Option<u64>,
    /// The time for which a deduction is held before it is confirmed, in seconds; `None` if it needs no confirmation.
    pub hold_s: Option<u64>,
    /// The group, if items of several of its sales can be got in one attempt.
    pub group: Option<String>,
    /// Its start, its end, its texts and its currency.
    pub plan: Plan,
}

impl Terms {
    /// Checks every limit.
    ///
    /// # Errors
    /// `bad_request`, naming the field and its range.
    pub fn check(&self) -> Result<()> {
        let mut checks = Checks::default();
        checks.note(check_new_id("id", &self.sale));
        checks.note(check_quantity(self.quantity));
        checks.note(check_within("ttl_s", self.ttl_s, 1..=MAX_TTL_S, ""));
        checks.note(check_optional("low_mark", self.low_mark, MAX_QUANTITY));
        checks.note(check_optional("limit_per_user", self.limit_per_user, MAX_QUANTITY));
        checks.note(check_optional("hold_s", self.hold_s, MAX_HOLD_S));
        checks.note(self.group.as_ref().map_or(Ok(()), |group| check_new_id("group", group)));
        checks.finish(self.plan.check())
    }
}

/// Checks a term that a sale may have, from 1 on.
fn check_optional(field: &str, value: Option<u64>, most: u64) -> Result<()> {
    value.map_or(Ok(()), |value| check_within(field, value, 1..=most, ""))
}

/// Checks who wants how much.
///
/// # Errors
/// `bad_request`, naming the field.
pub fn check_attempt(user: &str, quantity: u64) -> Result<()> {
    let mut checks = Checks::default();
    checks.note(check_new_id(USER, user));
    checks.finish(check_quantity(quantity))
}

/// Checks a quantity that is added or deducted.
///
/// # Errors
/// `bad_request`, naming the field `quantity` and its range.
pub fn check_quantity(quantity: u64) -> Result<()> {
    check_within("quantity", quantity, 1..=MAX_QUANTITY, "")
}

/// Checks a quantity that was counted.
///
/// # Errors
/// `bad_request`, naming the field `counted` and its range.
pub fn check_counted(counted: u64) -> Result<()> {
    check_within("counted", counted, 0..=MAX_COUNTED, "")
}

/// The field of a form that has the id of a further sale, once for each. The quantity is in its [`quantity_field`].
pub const ALSO: &str = "also";

/// The field of a form that has the quantity of a further sale.
pub fn quantity_field(sale: &str) -> String {
    format!("quantity:{sale}")
}

/// An attempt that was typed into the form of a sale.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FormAttempt {
    pub user: String,
    /// The wanted quantity of the sale.
    pub quantity: u64,
    /// What is wanted of further sales of its group.
    pub others: Vec<Item>,
}

impl FormAttempt {
    /// The attempt in a form.
    ///
    /// # Errors
    /// `bad_request`, naming the field.
    pub fn read(form: &FormValues) -> Result<Self> {
        let mut checks = Checks::default();
        let (user, quantity) = (form.text(USER), checks.value(form.number("quantity")));
        checks.note(check_attempt(&user, quantity));
        let mut others = Vec::new();
        for sale in form.values(ALSO) {
            // All quantities have one rule, and the sentence about it.
            let quantity = form.number(&quantity_field(sale)).and_then(|quantity| {
                check_quantity(quantity)?;
                Ok(quantity)
            });
            let wrong = || Error::bad("quantity", format!("`quantity` of \"{sale}\" must be 1 to {MAX_QUANTITY}."));
            let quantity = checks.value(quantity.map_err(|_| wrong()));
            others.push(Item { sale: sale.to_owned(), quantity });
        }
        checks.finish(Ok(Self { user, quantity, others }))
    }

    /// What is wanted in all, at this sale and the further ones.
    pub fn wanted(&self, sale: String) -> Wanted {
        if self.others.is_empty() {
            return Wanted::One { sale, quantity: self.quantity };
        }
        let own = Item { sale, quantity: self.quantity };
        Wanted::Items([own].into_iter().chain(self.others.iter().cloned()).collect())
    }
}

/// The answer to `open`.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[schemars(rename = "StockOpened")]
pub struct Opened {
    /// The id of the sale.
    pub sale: String,
    /// Whether the sale was there before, on the same terms: opened by this request, sent earlier, or by another one.
    pub existed: bool,
}

/// The answer to an attempt to deduct a quantity.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(tag = "outcome", rename_all = "snake_case")]
#[schemars(rename = "StockOutcome")]
pub enum Outcome {
    /// The user got the quantity. After the deduction, `left` units remained.
    Won { left: u64 },
    /// The quantity is reserved for the user until `due`. Unless it is confirmed before, it returns to the stock. After
    /// the deduction, `left` units remained.
    Held { left: u64, due: Millis },
    /// The same request was answered before. The original answer is returned with the current `state` of the deduction,
    /// and nothing changed.
    Repeat {
        left: u64,
        state: DeductionState,
        /// The deadline of a reservation; missing in sales without reservations.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        due: Option<Millis>,
    },
    /// Only `left` units remain, fewer than wanted. Nothing changed.
    NotEnough { left: u64 },
    /// The user may have only `left` more units of this sale, fewer than wanted. Nothing changed.
    LimitReached { left: u64 },
    /// An operator closed the sale at `closed_at`.
    Closed { closed_at: Millis },
    /// The sale starts at `opens_at`; the server's time is `now`.
    NotOpen { opens_at: Millis, now: Millis },
    /// An operator paused the sale at `paused_at`, for this `reason`, which may be empty.
    Paused { paused_at: Millis, reason: String },
    /// The sale ended at `ends_at`.
    Ended { ends_at: Millis },
}

/// The state of a deduction.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
#[schemars(rename = "StockDeductionState")]
pub enum DeductionState {
    /// The user has the units.
    Deducted,
    /// The units are reserved for the user, until the deadline.
    Held,
    /// The reservation was confirmed: the user has the units.
    Confirmed,
    /// All units were given back.
    Returned,
    /// The reservation was not confirmed in time; its units returned to the stock.
    Expired,
}

/// A request to give back the units of a deduction.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Return {
    /// The request id of the deduction.
    pub request_id: String,
    /// The number of units that come back; `None` for all that the user still has.
    pub quantity: Option<u64>,
    /// The id of the return among those of the deduction: a repeat gives back nothing.
    pub return_id: Option<String>,
    /// Why, for the ledger; may be empty.
    pub reason: String,
}

impl Return {
    /// The return of all units that the user still has.
    pub fn of_all(request_id: String) -> Self {
        Self { request_id, quantity: None, return_id: None, reason: String::new() }
    }

    /// Checks every limit.
    ///
    /// # Errors
    /// `bad_request`, naming the field.
    pub fn check(&self) -> Result<()> {
        let mut checks = Checks::default();
        checks.note(check_id("request_id", &self.request_id));
        checks.note(self.quantity.map_or(Ok(()), check_quantity));
        checks.note(check_reason(&self.reason));
        checks.finish(self.return_id.as_ref().map_or(Ok(()), |id| check_id("return_id", id)))
    }
}

/// The answer to an attempt to give back the units of a request.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(tag = "outcome", rename_all = "snake_case")]
#[schemars(rename = "StockGivenBack")]
pub enum GivenBack {
    /// `quantity` units are given back now. The user still has `kept` units of the deduction.
    Returned { user: String, quantity: u64, kept: u64 },
    /// This return gave back `quantity` units before; without a `return_id`, all units were given back before. The user
    /// still has `kept` units of the deduction. Nothing changed.
    Repeat { user: String, quantity: u64, kept: u64 },
    /// The user has only `kept` units of the deduction, fewer than are to come back. Nothing changed.
    NotEnough { user: String, kept: u64 },
    /// The reservation has expired, and its units have returned to the stock. Nothing changed.
    Expired { user: String },
    /// No deduction of the sale has this `request_id`.
    UnknownRequest,
}

/// The answer to an attempt to confirm a reservation.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(tag = "outcome", rename_all = "snake_case")]
#[schemars(rename = "StockConfirmed")]
pub enum Confirmed {
    /// The user has the `quantity` for good: it no longer expires.
    Confirmed { user: String, quantity: u64 },
    /// It was confirmed before, or the sale needs no confirmation. Nothing changed.
    Repeat { user: String, quantity: u64 },
    /// The deadline `due` has passed. The units return to the stock, or have returned.
    Late { user: String, due: Millis },
    /// All units were given back before. Nothing changed.
    Returned { user: String },
    /// No deduction of the sale has this `request_id`.
    UnknownRequest,
}

/// The answer to a restock or a correction.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(tag = "outcome", rename_all = "snake_case")]
#[schemars(rename = "StockAdjusted")]
pub enum Adjusted {
    /// The quantity was raised by `change` to `left`. `left` is 0 while the sale is still oversold (`oversold` in the
    /// snapshot).
    Restocked { left: u64, change: i64 },
    /// The quantity was corrected by `change` to `left`. `left` is 0 while the sale is still oversold (`oversold` in
    /// the snapshot).
    Corrected { left: u64, change: i64 },
    /// The same request was answered before. The original answer is returned, and nothing changed.
    Repeat { left: u64, change: i64 },
    /// Only `left` units remain, fewer than the correction takes away. Nothing changed.
    NotEnough { left: u64 },
    /// The sale is closed. Nothing changed.
    Closed,
}

/// The answer to a request to let the cached quantity expire.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(tag = "outcome", rename_all = "snake_case")]
#[schemars(rename = "StockExpired")]
pub enum Expired {
    /// The quantity is no longer cached.
    Expired,
    /// The quantity was not cached.
    NotCached,
}

/// The answer to a request to pause the ledger's writer.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(tag = "outcome", rename_all = "snake_case")]
#[schemars(rename = "StockPaused")]
pub enum Paused {
    /// The writer skips this sale for this many `seconds`.
    Paused { seconds: u64 },
    /// The writer records this sale again.
    Resumed,
}

/// The state of a sale.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
#[schemars(rename = "StockSaleState")]
pub enum State {
    /// The sale accepts attempts from its start on.
    Scheduled,
    /// Attempts are answered.
    Open,
    /// An operator paused the sale. Deducted units can still be given back.
    Paused,
    /// The sale has ended. Nothing more can be deducted; deducted units can still be given back.
    Expired,
    /// Redis has lost part of the sale. It accepts no attempts until it is recovered from the ledger.
    Suspended,
    /// An operator closed the sale. Nothing more can be deducted; deducted units can still be given back.
    Closed,
}

impl State {
    /// The state as in lists and badges, which distinguish "sold out".
    pub fn listed(self, left: u64) -> SaleState {
        match self {
            Self::Open if left == 0 => SaleState::SoldOut,
            Self::Open => SaleState::Open,
            Self::Scheduled => SaleState::Scheduled,
            Self::Paused => SaleState::Paused,
            Self::Expired => SaleState::Expired,
            Self::Suspended => SaleState::Suspended,
            Self::Closed => SaleState::Closed,
        }
    }

    /// The state with this name in Redis, in this phase.
    pub fn of(name: &str, phase: Phase) -> Self {
        match (name, phase) {
            ("open" | "paused", Phase::Scheduled) => Self::Scheduled,
            ("open" | "paused", Phase::Open) => Self::Open,
            ("open" | "paused", Phase::Paused) => Self::Paused,
            ("open" | "paused", Phase::Ended) => Self::Expired,
            ("closed", _) => Self::Closed,
            // Only a newer program writes other states, and it refuses attempts by this program.
            _ => Self::Suspended,
        }
    }
}

/// The length of the time series of a quantity, in milliseconds.
pub const RECENT: Millis = 600_000;

/// The quantity in the ledger at one time.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct RecordedQuantity {
    /// The time.
    pub at: Millis,
    /// The remaining quantity.
    pub left: u64,
}

/// A deduction: an attempt that won.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[schemars(rename = "StockDeduction")]
pub struct Deduction {
    /// An id that is unique among deductions. It is not the request id, with which anybody could give the units back.
    pub id: String,
    /// The user who made the deduction.
    pub user: String,
    /// The deducted quantity.
    pub quantity: u64,
    /// The quantity left after the deduction.
    pub left: u64,
    /// The time of the deduction.
    pub at: Millis,
}

/// The reason why an attempt changed nothing.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
#[schemars(rename = "StockRefusal")]
pub enum Declined {
    /// The same request was answered before.
    Repeat,
    /// Fewer units were left than wanted.
    NotEnough,
    /// The user may not have as many.
    LimitReached,
    /// The sale had been closed.
    Closed,
    /// The sale had not started.
    NotOpen,
    /// The sale was paused.
    Paused,
    /// The sale had ended.
    Ended,
    /// The request id was used by another user, or for another quantity.
    Reused,
}

/// An attempt that changed nothing.
pub type DeclinedAttempt = crate::DeclinedAttempt<Declined>;

/// Attempts by outcome. The script itself counts them, so the counts are exact.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[schemars(rename = "StockOutcomes")]
pub struct Outcomes {
    /// Attempts that got the wanted quantity.
    pub won: u64,
    /// Attempts that got the original answer again.
    pub repeat: u64,
    /// Attempts that wanted more than was left.
    pub not_enough: u64,
    /// Attempts that wanted more than their user may have.
    pub limit_reached: u64,
    /// Attempts after the sale was closed.
    pub closed: u64,
    /// Attempts before the start.
    pub not_open: u64,
    /// Attempts while the sale was paused.
    pub paused: u64,
    /// Attempts after the end.
    pub ended: u64,
}

impl Outcomes {
    /// The number of all attempts.
    pub fn sum(&self) -> u64 {
        let attempts = self.won + self.repeat + self.not_enough + self.limit_reached;
        attempts + self.closed + self.not_open + self.paused + self.ended
    }
}

/// The changes of the quantity so far, in units.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[schemars(rename = "StockUnits")]
pub struct Units {
    /// The initial stock.
    pub opened: u64,
    /// The units deducted.
    pub deducted: u64,
    /// The units given back.
    pub returned: u64,
    /// The units of confirmed reservations.
    pub confirmed: u64,
    /// The units of reservations that were not confirmed in time.
    pub expired: u64,
    /// The units added by restocks.
    pub restocked: u64,
    /// The sum of all corrections; negative if fewer units were counted than expected.
    pub corrected: i64,
}

/// A rebuild: the quantity was cached again.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[schemars(rename = "StockRebuild")]
pub struct Rebuild {
    /// The time of the rebuild.
    pub at: Millis,
    /// The process that did the rebuild, named like the ledger's writer: host, process id and a random number.
    pub server: String,
    /// The quantity left.
    pub quantity: u64,
    /// The difference of the ledger, including everything on the way to it; 0 if it agreed. It is `null` if nothing
    /// could be compared: the ledger had nothing yet, its last entry was no longer in the stream, or the database had
    /// refused entries (which the ledger reports itself).
    pub ledger_difference: Option<i64>,
}

/// The group of a sale: one attempt can be at several sales of it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[schemars(rename = "StockGroup")]
pub struct SaleGroup {
    /// The id of the group.
    pub id: String,
    /// The other sales of it, in order, at most 50. A new one appears within about a second.
    pub others: Vec<String>,
}

/// All data of a sale that its page shows. The first render and every frame of the live view have this shape. Each
/// frame is complete, so losing one does no harm.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[schemars(rename = "StockSnapshot")]
pub struct Snapshot {
    /// The id of the sale.
    pub sale: String,
    /// The state of the sale.
    pub state: State,
    /// The life of the sale: start, end, pause, title, description and currency.
    pub life: Life,
    /// The time of the opening.
    pub opened_at: Millis,
    /// The time for which the quantity stays cached after each deduction, in seconds.
    pub ttl_s: u64,
    /// The quantity at which the stock is announced as low; `null` for no announcement.
    pub low_mark: Option<u64>,
    /// The most units that a user may have at once; `null` for any number.
    pub limit_per_user: Option<u64>,
    /// The time for which a deduction is held before it is confirmed, in seconds; `null` if it needs no confirmation.
    pub hold_s: Option<u64>,
    /// The group of the sale; `null` if it has none.
    pub group: Option<SaleGroup>,
    /// The units that are reserved and not confirmed yet; `null` if deductions need no confirmation.
    pub held: Option<u64>,
    /// The number of times at which the quantity fell to the low mark.
    pub crossings: u64,
    /// The last time at which the quantity fell to the low mark.
    pub low_at: Option<Millis>,
    /// The quantity left: the sum of all changes, cached or not.
    pub left: u64,
    /// The quantity that was confirmed beyond the stock, as a recovery may find. While it is above 0, nothing is left.
    pub oversold: u64,
    /// The quantity that Redis has cached; `null` if it is not cached.
    pub cached: Option<u64>,
    /// The time for which the quantity still stays cached, in milliseconds.
    pub ttl_ms: Option<u64>,
    /// The quantity left according to the ledger; `null` if it cannot be reached.
    pub ledger: Option<i64>,
    /// The sum of the changes that the ledger does not have: changes on the way to it, and changes that it has set
    /// aside. It is negative if more is deducted than added.
    pub pending: Option<i64>,
    /// The time for which the ledger's writer still skips this sale, in milliseconds; `null` if it does not.
    pub paused_ms: Option<u64>,
    /// The changes of the quantity.
    pub units: Units,
    /// The number of rebuilds, at which the quantity was cached again.
    pub rebuilds: u64,
    /// The newest rebuilds, newest first.
    pub rebuilt: Vec<Rebuild>,
    /// Attempts by outcome.
    pub outcomes: Outcomes,
    /// The newest deductions, newest first, at most 32.
    pub latest: Vec<Deduction>,
    /// A sample of the newest attempts that changed nothing, newest first, at most 16.
    pub declined: Vec<DeclinedAttempt>,
    /// Calls of `deduct.lua` for this sale.
    pub calls: u64,
    /// The latest crowd at this sale, running or ended.
    pub crowd: Option<Status>,
    /// The last event that the snapshot reflects.
    pub event_id: EventId,
}

impl SaleSnapshot for Snapshot {
    fn sale(&self) -> &str {
        &self.sale
    }

    fn event_id(&self) -> EventId {
        self.event_id
    }

    fn life(&self) -> &Life {
        &self.life
    }

    fn held(&self) -> u64 {
        self.held.unwrap_or(0)
    }

    fn crowd(&self) -> Option<&Status> {
        self.crowd.as_ref()
    }

    fn sale_state(&self) -> SaleState {
        self.state.listed(self.left)
    }

    fn left(&self) -> Option<u64> {
        Some(self.left)
    }

    fn total(&self) -> Option<u64> {
        Some(self.units.added())
    }
}

impl Units {
    /// The number of all units that have been in stock so far.
    pub fn added(&self) -> u64 {
        (self.opened + self.restocked).saturating_add_signed(self.corrected)
    }
}

/// The fields of a stock sale in the list, besides those of every kind.
#[derive(Serialize, JsonSchema)]
#[schemars(rename = "StockSummary")]
pub struct Details {
    /// The units deducted.
    pub deducted: u64,
    /// The units given back.
    pub returned: u64,
    /// Whether the quantity left is at the low mark or below it.
    pub low: bool,
    /// The units that are reserved and not confirmed yet; `null` if deductions need no confirmation.
    pub held: Option<u64>,
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::checks::wrong_fields;

    #[test]
    fn all_terms_at_fault_are_named() {
        let terms = Terms {
            sale: "a".to_owned(),
            quantity: 1,
            ttl_s: 1,
            low_mark: None,
            limit_per_user: Some(1),
            hold_s: Some(MAX_HOLD_S),
            group: Some("g".to_owned()),
            plan: Plan::default(),
        };
        assert_eq!(terms.check(), Ok(()));
        let (none, plan) = (Some(0), Plan::default());
        let all = Terms {
            sale: String::new(),
            quantity: 0,
            ttl_s: 0,
            low_mark: none,
            limit_per_user: none,
            hold_s: none,
            group: Some("..".to_owned()),
            plan,
        };
        assert_eq!(
            wrong_fields(all.check()),
            ["id", "quantity", "ttl_s", "low_mark", "limit_per_user", "hold_s", "group"]
        );
    }

    #[test]
    fn a_return_names_what_is_wrong_with_it() {
        let empty = String::new;
        let all = Return { request_id: empty(), quantity: Some(0), return_id: Some(empty()), reason: " ".to_owned() };
        assert_eq!(wrong_fields(all.check()), ["request_id", "quantity", "reason", "return_id"]);
        assert_eq!(Return::of_all("r".to_owned()).check(), Ok(()));
    }

    #[test]
    fn a_form_has_a_user_and_a_quantity() {
        let read = |form: &str| FormAttempt::read(&FormValues::decode(form.as_bytes()));
        let attempt = |others| FormAttempt { user: "Mei".to_owned(), quantity: 3, others };
        assert_eq!(read("user=Mei&quantity=3&quantity:cap=2"), Ok(attempt(Vec::new())));
        assert_eq!(wrong_fields(read("user=&quantity=many")), ["quantity", USER]);
        assert_eq!(wrong_fields(read("user=Mei&quantity=0")), ["quantity"]);
        let cap = Item { sale: "cap".to_owned(), quantity: 2 };
        assert_eq!(read("user=Mei&quantity=3&also=cap&quantity:cap=2"), Ok(attempt(vec![cap.clone()])));
        assert_eq!(wrong_fields(read("user=Mei&quantity=3&also=cap&quantity:cap=0")), ["quantity"]);
        let tee = Item { sale: "tee".to_owned(), quantity: 3 };
        assert_eq!(attempt(vec![cap.clone()]).wanted("tee".to_owned()), Wanted::Items(vec![tee, cap]));
    }
}
