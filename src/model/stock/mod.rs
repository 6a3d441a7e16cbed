//! Cached stock: a product whose quantity Redis caches while it is in demand, and the ledger always has. Types and pure
//! rules; no Leptos, no Redis.

mod api;
pub mod crowd;

use crate::{
    EventId, KindInfo, Millis, SaleState,
    crowd::Status,
    error::{Error, Result},
    snapshot::SaleSnapshot,
};
pub use api::StockApi;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use std::fmt::Display;

/// The names of the kind.
pub static INFO: KindInfo = KindInfo {
    id: "stock",
    segment: "stock",
    pages: "stock",
    demo: "phone",
    outcomes: &outcome::ALL,
    win: outcome::WON,
};

/// The outcomes that the ledger records for a sale of stock.
pub mod outcome {
    /// The sale was opened; the item says with how much.
    pub const OPENED: &str = "opened";
    /// A user deducted a quantity; the item says how much.
    pub const WON: &str = "won";
    /// What a request deducted was given back.
    pub const RETURNED: &str = "returned";
    /// Stock was added; the item says how much.
    pub const RESTOCKED: &str = "restocked";
    /// The quantity was corrected; the item says by how much.
    pub const CORRECTED: &str = "corrected";
    /// Closed by an operator.
    pub const CLOSED: &str = "closed";
    /// The sale was recovered from the ledger.
    pub const RECOVERED: &str = "recovered";

    /// All of them.
    pub const ALL: [&str; 7] = [OPENED, WON, RETURNED, RESTOCKED, CORRECTED, CLOSED, RECOVERED];

    /// Those that change the quantity.
    pub const OF_QUANTITY: [&str; 5] = [OPENED, WON, RETURNED, RESTOCKED, CORRECTED];
}

/// The most units that a sale may be opened with or restocked by, and that one attempt may want.
pub const MAX_QUANTITY: u64 = 1_000_000;
/// The most that a sale may be corrected to: more than [`MAX_QUANTITY`], because restocks add up.
pub const MAX_COUNTED: u64 = 1_000_000_000_000;
/// The most that there should have been when it was counted: a thousand times [`MAX_COUNTED`], because restocks are added
/// to it. As much may have been confirmed without being there.
pub const MAX_EXPECTED: i64 = 1_000_000_000_000_000;
/// The most that a sale may have, however often it is restocked and corrected: up to here, scripts are exact.
pub const MAX_IN_ALL: u64 = (1 << 53) - 1;
/// How long a quantity is cached at most after the last deduction, in seconds.
pub const MAX_TTL_S: u64 = 86_400;
/// How long a quantity is cached by default, in seconds.
pub const DEFAULT_TTL_S: u64 = 300;
/// How long the ledger's writer is paused at most, in seconds.
pub const MAX_PAUSE_S: u64 = 60;
/// How long the ledger's writer is paused by default, in seconds.
pub const DEFAULT_PAUSE_S: u64 = 10;

/// The terms on which a sale is opened.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Terms {
    /// The id of the sale.
    pub sale: String,
    /// The quantity at the opening.
    pub quantity: u64,
    /// How long it stays cached after each deduction, in seconds.
    pub ttl_s: u64,
    /// The quantity at which the stock is announced as low, if ever.
    pub low_mark: Option<u64>,
}

impl Terms {
    /// Checks every number.
    ///
    /// # Errors
    /// `bad_request`, naming the field and its range.
    pub fn check(&self) -> Result<()> {
        check_number("quantity", self.quantity, 1, MAX_QUANTITY)?;
        check_number("ttl_s", self.ttl_s, 1, MAX_TTL_S)?;
        self.low_mark.map_or(Ok(()), |mark| check_number("low_mark", mark, 1, MAX_QUANTITY))
    }
}

/// Checks that a number is in its range.
///
/// # Errors
/// `bad_request`, naming the field and its range.
pub fn check_number<N: Copy + PartialOrd + Display>(field: &str, number: N, least: N, most: N) -> Result<()> {
    if (least..=most).contains(&number) {
        return Ok(());
    }
    Err(Error::bad(field, format!("`{field}` is {number}; it must be {least} to {most}.")))
}

/// The answer to `open`.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[schemars(rename = "StockOpened")]
pub struct Opened {
    /// The id of the sale.
    pub sale: String,
}

/// The answer to an attempt to deduct a quantity.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(tag = "outcome", rename_all = "snake_case")]
#[schemars(rename = "StockOutcome")]
pub enum Outcome {
    /// The user got the quantity; `left` remained after it.
    Won { left: u64 },
    /// The same request was answered before: the original answer again. Nothing changed.
    Repeat { left: u64 },
    /// Only `left` remains, less than wanted. Nothing changed.
    NotEnough { left: u64 },
    /// An operator closed the sale at `closed_at`.
    Closed { closed_at: Millis },
}

/// The answer to an attempt to give back what a request deducted.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(tag = "outcome", rename_all = "snake_case")]
#[schemars(rename = "StockGivenBack")]
pub enum GivenBack {
    /// It is given back now.
    Returned { user: String, quantity: u64 },
    /// It was given back before. Nothing changed.
    Repeat { user: String, quantity: u64 },
    /// No deduction of the sale has this `request_id`.
    UnknownRequest,
}

/// The answer to a restock or a correction.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(tag = "outcome", rename_all = "snake_case")]
#[schemars(rename = "StockAdjusted")]
pub enum Adjusted {
    /// The quantity was raised by `change`, to `left`, which is 0 while the sale is still oversold (`oversold` in the
    /// snapshot).
    Restocked { left: u64, change: i64 },
    /// The quantity was corrected by `change`, to `left`, which is 0 while the sale is still oversold (`oversold` in the
    /// snapshot).
    Corrected { left: u64, change: i64 },
    /// The same request was answered before: the original answer again. Nothing changed.
    Repeat { left: u64, change: i64 },
    /// Only `left` remains, less than the correction takes away. Nothing changed.
    NotEnough { left: u64 },
    /// The sale is closed. Nothing changed.
    Closed,
}

/// The answer to a request to let the cached quantity expire.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(tag = "outcome", rename_all = "snake_case")]
#[schemars(rename = "StockExpired")]
pub enum Expired {
    /// It is no longer cached.
    Expired,
    /// It was not cached.
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
    /// Attempts are answered.
    Open,
    /// Redis has lost part of the sale: no attempts until it is recovered from the ledger.
    Suspended,
    /// An operator closed it: nothing more can be deducted; what was deducted can still be given back.
    Closed,
}

impl State {
    /// The state that lists and badges show, which distinguishes "sold out".
    pub fn listed(self, left: u64) -> SaleState {
        match self {
            Self::Open if left == 0 => SaleState::SoldOut,
            Self::Open => SaleState::Open,
            Self::Suspended => SaleState::Suspended,
            Self::Closed => SaleState::Closed,
        }
    }
}

/// How far back the course of a quantity goes, in milliseconds.
pub const RECENT: Millis = 600_000;

/// The quantity in the ledger at one time.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct RecordedQuantity {
    /// When it was.
    pub at: Millis,
    /// What was left.
    pub left: u64,
}

/// An attempt that won.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[schemars(rename = "StockDeduction")]
pub struct Deduction {
    /// Tells it from others. This is not its request id, with which anybody could give it back.
    pub id: String,
    /// Who made it.
    pub user: String,
    /// How much they got.
    pub quantity: u64,
    /// How much was left after it.
    pub left: u64,
    /// When it was.
    pub at: Millis,
}

/// Why an attempt changed nothing.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
#[schemars(rename = "StockRefusal")]
pub enum Declined {
    /// The same request was answered before.
    Repeat,
    /// Less was left than wanted.
    NotEnough,
    /// The sale had been closed.
    Closed,
    /// The request id was used by another user, or for another quantity.
    Reused,
}

/// An attempt that changed nothing.
pub type DeclinedAttempt = crate::DeclinedAttempt<Declined>;

/// Attempts by outcome, counted exactly by the script itself.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[schemars(rename = "StockOutcomes")]
pub struct Outcomes {
    /// Attempts that got what they wanted.
    pub won: u64,
    /// Attempts that got the original answer again.
    pub repeat: u64,
    /// Attempts that wanted more than was left.
    pub not_enough: u64,
    /// Attempts after the sale was closed.
    pub closed: u64,
}

impl Outcomes {
    /// All attempts.
    pub fn sum(&self) -> u64 {
        self.won + self.repeat + self.not_enough + self.closed
    }
}

/// What has changed the quantity so far, in units.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[schemars(rename = "StockUnits")]
pub struct Units {
    /// In stock at the opening.
    pub opened: u64,
    /// Deducted.
    pub deducted: u64,
    /// Given back.
    pub returned: u64,
    /// Restocked.
    pub restocked: u64,
    /// The sum of all corrections; negative if less was counted than there should have been.
    pub corrected: i64,
}

/// A time at which the quantity was cached again.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[schemars(rename = "StockRebuild")]
pub struct Rebuild {
    /// When.
    pub at: Millis,
    /// The process that did it, named as the ledger's writer is: host, process id and a random number.
    pub server: String,
    /// How much was left.
    pub quantity: u64,
    /// By how much the ledger differed, including everything on the way to it: 0 if it agreed; `null` if nothing could
    /// be compared, because the ledger had nothing yet, its last entry was no longer in the stream, or the database had
    /// refused entries (which the ledger reports itself).
    pub ledger_difference: Option<i64>,
}

/// Everything that the page shows of a sale: the data of the first render and, in the same shape, of every frame of the
/// live view. Each frame is complete, so losing one does no harm.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[schemars(rename = "StockSnapshot")]
pub struct Snapshot {
    /// The id of the sale.
    pub sale: String,
    /// Its state.
    pub state: State,
    /// When it was opened.
    pub opened_at: Millis,
    /// How long the quantity stays cached after each deduction, in seconds.
    pub ttl_s: u64,
    /// The quantity at which the stock is announced as low, if ever.
    pub low_mark: Option<u64>,
    /// How often the quantity came down to the low mark, and when it last did.
    pub crossings: u64,
    pub low_at: Option<Millis>,
    /// What is left: the sum of all changes, whether it is cached or not.
    pub left: u64,
    /// By how much more was confirmed than there was, as a recovery may find; nothing is left then.
    #[serde(default)]
    pub oversold: u64,
    /// The quantity that Redis has cached; `null` if it is not cached.
    pub cached: Option<u64>,
    /// How much longer it stays cached, in milliseconds.
    pub ttl_ms: Option<u64>,
    /// What is left according to the ledger; `null` if it cannot be reached.
    pub ledger: Option<i64>,
    /// The sum of the changes that the ledger does not have: those that are on the way to it, and those that it has set
    /// aside; negative if more is deducted than added.
    pub pending: Option<i64>,
    /// How much longer the ledger's writer skips this sale, in milliseconds; `null` if it does not.
    pub paused_ms: Option<u64>,
    /// What has changed the quantity.
    pub units: Units,
    /// How often the quantity was cached again, and the newest times, newest first.
    pub rebuilds: u64,
    pub rebuilt: Vec<Rebuild>,
    /// Attempts by outcome.
    pub outcomes: Outcomes,
    /// The newest deductions, newest first, at most 32.
    pub latest: Vec<Deduction>,
    /// A sample of the newest attempts that changed nothing, newest first, at most 16.
    pub declined: Vec<DeclinedAttempt>,
    /// Calls of `deduct.lua` for this sale.
    pub calls: u64,
    /// The latest crowd at this sale, running or over.
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
    /// All units that have been in stock so far.
    pub fn added(&self) -> u64 {
        (self.opened + self.restocked).saturating_add_signed(self.corrected)
    }
}

/// What the list says of a stock sale, besides what it says of every sale.
#[derive(Serialize, JsonSchema)]
#[schemars(rename = "StockSummary")]
pub struct Details {
    /// Units that were deducted.
    pub deducted: u64,
    /// Units that were given back.
    pub returned: u64,
    /// Whether what is left is at the low mark or below it.
    pub low: bool,
}
