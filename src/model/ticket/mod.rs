//! Tickets: seats of a hall, chosen or best available, held until they are paid or expire. This module has the types
//! and pure rules, without Leptos and Redis.

mod api;
mod blocking;
pub mod crowd;
pub mod hall;
pub mod halls;
pub mod index;
pub mod layout_file;
mod order_changes;
pub mod seats;

use crate::{
    Cents, Checks, EventId, IdentifiedBy, KindInfo, Millis, Ownership, SaleState, check_new_id, check_within,
    crowd::Status,
    error::{Error, Result},
    form::FormValues,
    life::{self, Life, Phase, Plan},
    snapshot::SaleSnapshot,
    ticket::{
        hall::{Hall, Layout, marks::Mark},
        halls::HallName,
        index::LARGEST_GROUP,
        seats::{SeatState, Seats},
    },
};
pub use api::TicketApi;
pub use blocking::{Blocked, MAX_BLOCKED, SeatInState, Unblocked, check_blocked};
pub use order_changes::{Cancellation, Cancelled, Extended, check_part};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;

/// The names of the kind.
pub static INFO: KindInfo = KindInfo {
    id: "ticket",
    segment: "ticket",
    pages: "tickets",
    demo: "stadium",
    outcomes: &[
        outcome::OPENED,
        outcome::HELD,
        outcome::EXTENDED,
        outcome::PAID,
        outcome::LATE,
        outcome::CANCELLED,
        outcome::REFUNDED,
        outcome::EXPIRED,
        outcome::CLOSED,
        outcome::BLOCKED,
        outcome::UNBLOCKED,
        outcome::RECOVERED,
        life::outcome::PAUSED,
        life::outcome::RESUMED,
        life::outcome::SCHEDULED,
        life::outcome::REOPENED,
        life::outcome::DESCRIBED,
    ],
    win: outcome::PAID,
    ownership: Ownership {
        gained: &[outcome::HELD],
        kept: &[outcome::PAID],
        lost: &[outcome::CANCELLED, outcome::REFUNDED, outcome::EXPIRED],
        identified_by: IdentifiedBy::Item,
        has_codes: false,
    },
};

/// The outcomes that the ledger records for a ticket sale.
pub mod outcome {
    /// The sale was opened.
    pub const OPENED: &str = "opened";
    /// A seat was held.
    pub const HELD: &str = "held";
    /// The hold of an order was extended.
    pub const EXTENDED: &str = "extended";
    /// A held seat was paid.
    pub const PAID: &str = "paid";
    /// A payment is refunded, because the order had ended or was already paid.
    pub const LATE: &str = "late";
    /// A held order was cancelled, or a part of it. Rows of a part have its request id.
    pub const CANCELLED: &str = "cancelled";
    /// A paid order was cancelled, or a part of it, as above.
    pub const REFUNDED: &str = "refunded";
    /// A held order was not paid in time.
    pub const EXPIRED: &str = "expired";
    /// An operator closed the sale: no more seats can be held.
    pub const CLOSED: &str = "closed";
    /// An operator took a free seat off sale.
    pub const BLOCKED: &str = "blocked";
    /// An operator put a blocked seat on sale again.
    pub const UNBLOCKED: &str = "unblocked";
    /// The sale was recovered from the ledger.
    pub const RECOVERED: &str = "recovered";

    /// The outcomes of orders.
    pub const OF_ORDERS: [&str; 7] = [HELD, EXTENDED, PAID, LATE, CANCELLED, REFUNDED, EXPIRED];
    /// The outcomes of seats that an operator blocks and unblocks.
    pub const OF_BLOCKS: [&str; 2] = [BLOCKED, UNBLOCKED];
}

/// The default number of tickets per user.
pub const DEFAULT_LIMIT: u32 = 6;
/// The highest number of tickets per user that a sale may allow.
pub const MAX_LIMIT: u32 = 1_000;
/// The default hold time, in seconds: ten minutes.
pub const DEFAULT_HOLD_S: u64 = 600;
/// The longest hold time, in seconds.
pub const MAX_HOLD_S: u64 = 7_200;
/// What the address of the preview of layouts has in place of a sale's id.
pub const PREVIEW: &str = "preview";
/// The largest body or file with a layout.
pub const MAX_LAYOUT_BYTES: usize = 1024 * 1024;
/// The highest price of a seat, in cents.
pub const MAX_PRICE_CENTS: Cents = 100_000_000;

/// The terms on which a sale is opened.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Terms {
    /// The id of the sale.
    pub sale: String,
    /// The hall.
    pub hall: HallChoice,
    /// The prices by category, in cents. In built-in halls, categories that are not named have a default price.
    pub prices: BTreeMap<String, Cents>,
    /// The most tickets that a user may have.
    pub limit_per_user: u32,
    /// The hold time of an order, in seconds.
    pub hold_s: u64,
    /// Whether the hold of an order can be extended, once, by the hold time.
    #[serde(default)]
    pub extendable: bool,
    /// Its start, its end, its texts and its currency.
    #[serde(default)]
    pub plan: Plan,
}

/// A built-in hall, or a custom layout.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum HallChoice {
    /// A built-in hall.
    Hall(HallName),
    /// A custom layout.
    Layout(Layout),
}

impl HallChoice {
    /// Accepts exactly one of hall and layout.
    ///
    /// # Errors
    /// `bad_request` if both or neither are given.
    pub fn of(hall: Option<HallName>, layout: Option<Layout>) -> Result<Self> {
        match (hall, layout) {
            (Some(hall), None) => Ok(Self::Hall(hall)),
            (None, Some(layout)) => Ok(Self::Layout(layout)),
            _ => Err(Error::bad("hall", "Give either `hall` (theatre, arena, stadium) or `layout`.")),
        }
    }
}

impl Terms {
    /// Checks the terms. Returns the hall, and the prices of its categories in order.
    ///
    /// # Errors
    /// `bad_request` naming the field that exceeds a limit.
    pub fn check(&self) -> Result<(Hall, Vec<Cents>)> {
        let mut checks = Checks::default();
        checks.note(self.check_figures());
        checks.finish(self.check_hall())
    }

    /// Checks everything but the hall and its prices.
    ///
    /// # Errors
    /// As [`Terms::check`].
    pub fn check_figures(&self) -> Result<()> {
        let mut checks = Checks::default();
        checks.note(check_new_id("id", &self.sale));
        if self.sale == PREVIEW {
            let why = format!("`id` is \"{PREVIEW}\", which is the address of a page; choose another id.");
            checks.note::<()>(Err(Error::bad("id", why)));
        }
        checks.note(check_within("limit_per_user", self.limit_per_user, 1..=MAX_LIMIT, ""));
        checks.note(self.plan.check());
        checks.finish(check_within("hold_s", self.hold_s, 1..=MAX_HOLD_S, " seconds"))
    }

    fn check_hall(&self) -> Result<(Hall, Vec<Cents>)> {
        let (hall, usual) = match &self.hall {
            HallChoice::Hall(name) => (Hall::laid_out(name.layout()), name.categories()),
            HallChoice::Layout(layout) => (Hall::to_open(layout.clone())?, [].as_slice()),
        };
        let names = &hall.layout.categories;
        if let Some(unknown) = self.prices.keys().find(|name| !names.contains(name)) {
            let known = names.join(", ");
            return Err(Error::bad("prices", format!("`prices` has \"{unknown}\"; the hall has {known}.")));
        }
        let prices = names.iter().enumerate().map(|(number, name)| {
            let price =
                self.prices.get(name).or(usual.get(number).map(|(_, cents)| cents)).copied().ok_or_else(|| {
                    Error::bad("prices", format!("`prices` has no \"{name}\"; give every category a price in cents."))
                })?;
            check_price(name, price)
        });
        let prices = prices.collect::<Result<_>>()?;
        Ok((hall, prices))
    }
}

/// Checks the price of a category, and returns it.
///
/// # Errors
/// `bad_request` naming the field `prices`.
pub fn check_price(category: &str, cents: Cents) -> Result<Cents> {
    if (0..=MAX_PRICE_CENTS).contains(&cents) {
        return Ok(cents);
    }
    let why = format!("`prices` has {cents} for \"{category}\"; it must be 0 to {MAX_PRICE_CENTS} cents.");
    Err(Error::bad("prices", why))
}

/// The answer to `open`.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[schemars(rename = "TicketOpened")]
pub struct Opened {
    /// The id of the sale.
    pub sale: String,
    /// The categories with their prices, best first.
    pub categories: Vec<Price>,
    /// Whether the sale was there before, on the same terms: opened by this request, sent earlier, or by another one.
    pub existed: bool,
}

/// A category and the price of its seats.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[schemars(rename = "TicketPrice")]
pub struct Price {
    /// The name of the category.
    pub name: String,
    /// The number of seats for sale in the category: all but the blocked ones.
    pub capacity: u32,
    /// The price of a seat, in cents.
    pub price_cents: Cents,
}

impl Price {
    /// The categories of a hall with their prices, as a sale opens.
    pub fn of_hall(hall: &Hall, prices: &[Cents]) -> Vec<Self> {
        let categories = hall.categories.iter().zip(prices);
        categories
            .map(|(category, price)| Self {
                name: category.name.clone(),
                capacity: category.for_sale(),
                price_cents: *price,
            })
            .collect()
    }
}

/// The wanted seats of an attempt: seats by id, or the best available.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct SeatRequest {
    /// The ids of the chosen seats.
    pub seats: Vec<String>,
    /// The picks of best available seats.
    pub pick: Vec<Pick>,
    /// The names of the attendees: empty, or one per seat. Two may have the same name.
    pub holders: Vec<String>,
}

/// A number of best available seats in a category.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Pick {
    /// The name of the category.
    pub category: String,
    /// The number of seats.
    #[schemars(range(min = 1, max = LARGEST_GROUP))]
    pub count: u32,
    /// Whether the seats should be side by side in one row, if possible. If they have to be split, as few people as
    /// possible sit alone.
    #[serde(default = "yes")]
    pub adjacent: bool,
    /// Whether nothing is held if the seats are not side by side. Only with `adjacent`.
    #[serde(default)]
    pub strict: bool,
}

fn yes() -> bool {
    true
}

impl Pick {
    /// The form field with the number of seats.
    pub const COUNT: &str = "pick-count";
    /// The form field with the category.
    pub const CATEGORY: &str = "pick-category";
    /// The form's choice of whether the seats are side by side.
    pub const SEATING: &str = "pick-seating";

    /// The pick in a form.
    ///
    /// # Errors
    /// `bad_request` if the form has no number of seats, or an unknown seating.
    pub fn of_form(form: &FormValues) -> Result<Self> {
        let (category, count) = (form.text(Self::CATEGORY), form.number(Self::COUNT)?);
        let seating = form.text(Self::SEATING);
        let seating = Seating::ALL.into_iter().find(|known| known.as_str() == seating).ok_or_else(|| {
            let known = Seating::ALL.map(Seating::as_str).join(", ");
            Error::bad(Self::SEATING, format!("`{}` must be one of {known}.", Self::SEATING))
        })?;
        let (adjacent, strict) = (seating != Seating::Anywhere, seating == Seating::Strict);
        Ok(Self { category, count, adjacent, strict })
    }

    /// Whether the seats are side by side.
    pub fn seating(&self) -> Seating {
        match (self.adjacent, self.strict) {
            (true, true) => Seating::Strict,
            (true, false) => Seating::Adjacent,
            (false, _) => Seating::Anywhere,
        }
    }
}

/// Whether the seats of a pick are side by side: `adjacent` and `strict` in one.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Seating {
    /// The best seats, wherever they are.
    Anywhere,
    /// Side by side, if possible.
    Adjacent,
    /// Side by side, or none.
    Strict,
}

impl Seating {
    /// Every seating, the usual one first.
    pub const ALL: [Self; 3] = [Self::Adjacent, Self::Strict, Self::Anywhere];

    /// The name in forms.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Anywhere => "anywhere",
            Self::Adjacent => "adjacent",
            Self::Strict => "strict",
        }
    }
}

/// The answer to an attempt to hold seats.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(tag = "outcome", rename_all = "snake_case")]
#[schemars(rename = "TicketOutcome")]
pub enum Outcome {
    /// The seats are held until `held_until`. Payment makes them the user's.
    Held(Order),
    /// The same request was answered before. The order is returned in its current state.
    Repeat(Order),
    /// Some seats are taken or blocked. Nothing was held.
    SeatTaken {
        /// The ids of the seats that are not free.
        seats: Vec<String>,
        /// The taken seats that may become free again, each with its time.
        held: Vec<HeldSeat>,
    },
    /// Fewer seats are left than wanted. Nothing was held.
    NotEnoughSeats { left: Vec<Left> },
    /// The seats of a `strict` pick are not side by side anywhere. Nothing was held.
    NotTogether {
        /// The largest groups that sit side by side in these categories.
        groups: Vec<LargestGroup>,
    },
    /// The request exceeds the limit of the user, who may have only `left` more seats. Nothing was held.
    LimitReached { left: u32 },
    /// An operator closed the sale at `closed_at`. Nothing was held.
    Closed { closed_at: Millis },
    /// The sale starts at `opens_at`; the server's time is `now`.
    NotOpen { opens_at: Millis, now: Millis },
    /// An operator paused the sale at `paused_at`, for this `reason`, which may be empty.
    Paused { paused_at: Millis, reason: String },
    /// The sale ended at `ends_at`.
    Ended { ends_at: Millis },
}

impl Outcome {
    /// The order of the user, if the attempt has one.
    pub fn order(self) -> Option<Order> {
        match self {
            Self::Held(order) | Self::Repeat(order) => Some(order),
            _ => None,
        }
    }
}

/// A held seat, and the time at which it becomes free unless it is paid.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct HeldSeat {
    /// The id of the seat.
    pub seat: String,
    /// The end of the hold.
    pub held_until: Millis,
}

/// The seats left in a category.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[schemars(rename = "SeatsLeft")]
pub struct Left {
    /// The name of the category.
    pub category: String,
    /// The number of free seats in the category.
    pub left: u32,
}

/// How many free seats are side by side in a category.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct LargestGroup {
    /// The name of the category.
    pub category: String,
    /// The largest number of free seats side by side.
    pub largest: u32,
}

/// An order: seats of one user.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[schemars(rename = "TicketOrder")]
pub struct Order {
    /// The id of the order.
    pub order: String,
    /// The state of the order.
    pub state: OrderState,
    /// The ids of the seats: without those of parts that came back, unless that ended the order.
    pub seats: Vec<String>,
    /// The price of these seats, in cents.
    pub cents: Cents,
    /// The deadline for payment.
    pub held_until: Millis,
    /// Whether the hold can still be extended: the sale allows it, and it was not done yet.
    pub extendable: bool,
    /// Whether the seats of each pick with `adjacent` are side by side. Missing if there is no such pick.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub together: Option<bool>,
}

/// The state of an order. The last three states are final: the seats are free again.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
#[schemars(rename = "TicketOrderState")]
pub enum OrderState {
    /// The order is waiting for payment.
    Held,
    /// The order was paid.
    Paid,
    /// The user cancelled the order before payment.
    Cancelled,
    /// The order was not paid in time.
    Expired,
    /// The order was cancelled after payment.
    Refunded,
}

impl OrderState {
    /// The state of the seats of an order in this state; `None` once the order is over.
    pub fn seat_state(self) -> Option<SeatState> {
        match self {
            Self::Held => Some(SeatState::Held),
            Self::Paid => Some(SeatState::Sold),
            Self::Cancelled | Self::Expired | Self::Refunded => None,
        }
    }

    /// Whether the order has ended, so that its seats are free again.
    pub fn is_over(self) -> bool {
        self.seat_state().is_none()
    }
}

/// The answer to a payment.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(tag = "outcome", rename_all = "snake_case")]
#[schemars(rename = "TicketPayment")]
pub enum Paid {
    /// The order is paid now.
    Paid(Order),
    /// This payment was accepted before.
    Repeat(Order),
    /// The order has ended, or another payment has paid it. This payment is refunded.
    Refunded(Order),
}

/// The state of a sale.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
#[schemars(rename = "TicketState")]
pub enum State {
    /// The sale accepts attempts from its start on.
    Scheduled,
    /// The sale accepts attempts.
    Open,
    /// An operator paused the sale. Held orders can still be paid.
    Paused,
    /// The sale has ended. No more seats can be held; held orders can still be paid.
    Expired,
    /// Redis has lost part of the sale. It accepts no attempts until it is recovered from the ledger.
    Suspended,
    /// An operator closed the sale. No more seats can be held; held orders can still be paid.
    Closed,
}

impl State {
    /// The state as in lists and badges, which distinguish "sold out": while seats are held, some may be free again.
    pub fn listed(self, free: u64, held: u64) -> SaleState {
        match self {
            Self::Suspended => SaleState::Suspended,
            Self::Closed => SaleState::Closed,
            Self::Scheduled => SaleState::Scheduled,
            Self::Paused => SaleState::Paused,
            Self::Expired => SaleState::Expired,
            Self::Open if free + held == 0 => SaleState::SoldOut,
            Self::Open => SaleState::Open,
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

/// A consistent snapshot of the sale: the data of its page, and of every frame of its live view.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[schemars(rename = "TicketSnapshot")]
pub struct Snapshot {
    /// The id of the sale.
    pub sale: String,
    /// The state of the sale.
    pub state: State,
    /// The life of the sale: start, end, pause, title, description and currency.
    pub life: Life,
    /// The last event that the snapshot reflects.
    pub event_id: EventId,
    /// The time of the opening.
    pub opened_at: Millis,
    /// The hold time of an order, in seconds.
    pub hold_s: u64,
    /// Whether the hold of an order can be extended, once, by the hold time.
    pub extendable: bool,
    /// The most tickets that a user may have.
    pub limit_per_user: u32,
    /// The categories with their prices, best first.
    pub categories: Vec<Price>,
    /// Free seats by category.
    pub remaining: BTreeMap<String, u32>,
    /// Held seats by category.
    pub held: BTreeMap<String, u32>,
    /// Sold seats by category.
    pub sold: BTreeMap<String, u32>,
    /// Blocked seats by category, for categories that have some.
    #[serde(default)]
    pub blocked: BTreeMap<String, u32>,
    /// Attempts and orders by outcome.
    pub outcomes: Outcomes,
    /// Calls of `reserve.lua` for this sale.
    pub calls: u64,
    /// The number of attempts that wanted a seat in a section, by section in the order of the layout.
    #[serde(rename = "heat")]
    pub demand: Vec<u64>,
    /// A sample of the newest attempts that changed nothing, newest first, at most 16.
    pub declined: Vec<DeclinedAttempt>,
    /// The latest crowd at this sale, running or ended.
    pub crowd: Option<Status>,
    /// The states of all seats, or only of the changed seats.
    pub seats: Seats,
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

    fn crowd(&self) -> Option<&Status> {
        self.crowd.as_ref()
    }

    fn sale_state(&self) -> SaleState {
        self.state.listed(self.free_seats(), self.held())
    }

    fn left(&self) -> Option<u64> {
        Some(self.free_seats())
    }

    fn total(&self) -> Option<u64> {
        Some(self.categories.iter().map(|category| u64::from(category.capacity)).sum())
    }

    fn held(&self) -> u64 {
        self.held.values().map(|held| u64::from(*held)).sum()
    }
}

impl Snapshot {
    /// The number of seats that are free.
    pub fn free_seats(&self) -> u64 {
        self.remaining.values().map(|left| u64::from(*left)).sum()
    }

    /// The number of seats that are blocked.
    pub fn blocked_seats(&self) -> u64 {
        self.blocked.values().map(|blocked| u64::from(*blocked)).sum()
    }
}

/// An attempt that changed nothing.
pub type DeclinedAttempt = crate::DeclinedAttempt<Declined>;

/// The answer to an attempt that changed nothing.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
#[schemars(rename = "TicketRefusal")]
pub enum Declined {
    /// The request had already been answered.
    Repeat,
    /// At least one of the seats was not free.
    SeatTaken,
    /// Fewer seats were left than wanted.
    NotEnoughSeats,
    /// The seats of a strict pick were not side by side anywhere.
    NotTogether,
    /// The user would have exceeded the limit.
    LimitReached,
    /// The request id belongs to another user.
    OtherUser,
    /// The sale had been closed.
    Closed,
    /// The sale had not started.
    NotOpen,
    /// The sale was paused.
    Paused,
    /// The sale had ended.
    Ended,
}

/// The hall of a sale and its prices, which never change.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct SeatingPlan {
    /// The layout of the hall.
    pub layout: Layout,
    /// The prices in cents, by category in the order of the layout.
    pub prices: Vec<Cents>,
}

/// One seat.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct SeatInfo {
    /// The id of the seat.
    pub seat: String,
    /// The name of the category.
    pub category: String,
    /// The price, in cents.
    pub price_cents: Cents,
    /// The state of the seat.
    pub state: SeatState,
    /// The time at which a held seat becomes free unless it is paid; `null` if the seat is not held.
    pub held_until: Option<Millis>,
    /// What is special about the seat, as in the layout; whether it is blocked now, its state says.
    pub marks: Vec<Mark>,
    /// What buyers must know about the seat, if there is something.
    pub note: Option<String>,
    /// Why an operator has blocked the seat, once the ledger has it; `null` if the seat is not blocked, or no reason was
    /// given.
    pub reason: Option<String>,
}

/// Attempts and orders by outcome.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[schemars(rename = "TicketOutcomes")]
pub struct Outcomes {
    /// Attempts that got seats.
    pub held: u64,
    /// Attempts that got the original answer again.
    pub repeat: u64,
    /// Attempts refused because a seat was taken.
    pub seat_taken: u64,
    /// Attempts refused because too few seats were left.
    pub not_enough_seats: u64,
    /// Attempts refused because the seats of a strict pick were not side by side anywhere.
    pub not_together: u64,
    /// Attempts refused because of the limit per user.
    pub limit_reached: u64,
    /// Attempts refused because the sale was closed.
    pub closed: u64,
    /// Attempts refused because the sale had not started.
    pub not_open: u64,
    /// Attempts refused because the sale was paused.
    pub paused: u64,
    /// Attempts refused because the sale had ended.
    pub ended: u64,
    /// Orders whose hold was extended.
    pub extended: u64,
    /// Orders that were paid.
    pub paid: u64,
    /// Payments that were refunded, because the order had ended or was already paid.
    pub late: u64,
    /// Cancellations before payment, of whole orders or parts of them.
    pub cancelled: u64,
    /// Cancellations after payment, of whole orders or parts of them.
    pub refunded: u64,
    /// Orders that were not paid in time.
    pub expired: u64,
}

impl SeatRequest {
    /// The number of seats that the attempt wants.
    pub fn count(&self) -> usize {
        self.seats.len() + self.pick.iter().map(|pick| pick.count as usize).sum::<usize>()
    }

    /// # Errors
    /// `bad_request` naming the fields that exceed a limit.
    pub fn check(&self) -> Result<()> {
        let mut checks = Checks::default();
        let are_wanted = checks.note(self.check_wanted()).is_some();
        checks.note(self.check_holders());
        let (holders, count) = (self.holders.len(), self.count());
        if are_wanted && !self.holders.is_empty() && holders != count {
            let why = format!("`holders` has {holders} names for {count} seats; give one per seat, or none.");
            checks.note::<()>(Err(Error::bad("holders", why)));
        }
        checks.finish(Ok(()))
    }

    fn check_wanted(&self) -> Result<()> {
        let bad = |field: &str, why: String| Err(Error::bad(field, why));
        match (self.seats.is_empty(), self.pick.is_empty()) {
            (true, true) => return bad("seats", "Give `seats` or `pick`; the request names neither.".to_owned()),
            (false, false) => return bad("pick", "Give either `seats` or `pick`, not both.".to_owned()),
            _ => {}
        }
        if self.pick.iter().any(|pick| pick.count == 0) {
            return bad("pick", "`pick` has a `count` of 0; it must be 1 or more.".to_owned());
        }
        let count = self.count();
        if count > LARGEST_GROUP {
            let field = if self.pick.is_empty() { "seats" } else { "pick" };
            return bad(field, format!("`{field}` wants {count} seats; an order has at most {LARGEST_GROUP}."));
        }
        check_named_once(&self.seats)?;
        for (number, pick) in self.pick.iter().enumerate() {
            if pick.strict && !pick.adjacent {
                let category = &pick.category;
                return bad(
                    "pick",
                    format!("`pick` is `strict` for \"{category}\", which needs `adjacent` to be true."),
                );
            }
            if self.pick[..number].iter().any(|other| other.category == pick.category) {
                return bad("pick", format!("`pick` names \"{}\" twice; give one count per category.", pick.category));
            }
        }
        Ok(())
    }

    fn check_holders(&self) -> Result<()> {
        // Further ones are too many in any case.
        self.holders.iter().take(LARGEST_GROUP).try_for_each(|holder| check_new_id("holders", holder))
    }
}

/// The fields of a ticket sale in the list, besides those of every kind.
#[derive(Serialize, JsonSchema)]
#[schemars(rename = "TicketSummary")]
pub struct Details {
    /// The hall, if it is a built-in one.
    pub hall: Option<HallName>,
    /// The number of seats for sale: all but the blocked ones.
    pub seats: u64,
    /// The number of free seats.
    pub remaining: u64,
    /// The number of held seats.
    pub held: u64,
    /// The number of sold seats.
    pub sold: u64,
}

/// Checks that no seat is named twice. Each seat has exactly one id.
///
/// # Errors
/// `bad_request` naming the field `seats`.
fn check_named_once(seats: &[String]) -> Result<()> {
    match seats.iter().enumerate().find(|(number, seat)| seats[..*number].contains(seat)) {
        Some((_, seat)) => Err(Error::bad("seats", format!("`seats` names {seat} twice."))),
        None => Ok(()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::checks::wrong_fields;

    #[test]
    fn all_terms_at_fault_are_named() {
        let hall = HallChoice::Hall(HallName::Theatre);
        let (sale, prices, plan) = ("a".to_owned(), BTreeMap::new(), Plan::default());
        let terms = Terms { sale, hall, prices, limit_per_user: 6, hold_s: 600, extendable: false, plan };
        assert!(terms.check().is_ok());
        let prices = [("circle".to_owned(), -1)].into();
        let all = Terms { sale: String::new(), prices, limit_per_user: 0, hold_s: 99_999, ..terms };
        assert_eq!(wrong_fields(all.check()), ["id", "limit_per_user", "hold_s", "prices"]);
    }
}
