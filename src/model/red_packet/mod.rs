//! Red packets: a sum of money, split in advance into small packets, one per user, first come, first
//! served. Types and pure rules; no Leptos, no Redis.

mod api;
pub mod split;

use crate::{
    Cents, EventId, KindInfo, Millis, SaleState, check_new_id,
    crowd::Status,
    error::{Error, Result},
    snapshot::SaleSnapshot,
};
pub use api::RedPacketApi;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
pub use split::Splitter;

/// The names of the kind.
pub static INFO: KindInfo = KindInfo {
    id: "red_packet",
    segment: "red-packet",
    pages: "red-packets",
    demo: "demo",
    outcomes: &[outcome::OPENED, outcome::WON, outcome::CLOSED, outcome::REFUNDED, outcome::RECOVERED],
    win: outcome::WON,
};

/// The outcomes that the ledger records for a red packet sale.
pub mod outcome {
    /// The sale was opened.
    pub const OPENED: &str = "opened";
    /// A user won a packet.
    pub const WON: &str = "won";
    /// Closed early by an operator.
    pub const CLOSED: &str = "closed";
    /// The unclaimed money was refunded.
    pub const REFUNDED: &str = "refunded";
    /// The sale was recovered from the ledger.
    pub const RECOVERED: &str = "recovered";
}

/// The most packets that one sale may have.
pub const MAX_COUNT: u64 = 1_000_000;
/// The most money that one sale may hold: ten billion, in cents. Far below 2^53, where the doubles
/// of Lua stop being exact.
pub const MAX_TOTAL_CENTS: Cents = 1_000_000_000_000;
/// The default life of a sale, in seconds: a day. Unclaimed money is refunded after that.
pub const DEFAULT_EXPIRES_IN_S: u64 = 86_400;
/// The longest life of a sale, in seconds: 366 days.
pub const MAX_EXPIRES_IN_S: u64 = 366 * 86_400;
/// Columns of the histogram of amounts.
pub const HISTOGRAM_BUCKETS: usize = 24;

/// The terms on which a sale is opened.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Terms {
    /// The id of the sale.
    pub sale: String,
    /// The money to split, in cents.
    pub total_cents: Cents,
    /// Number of packets.
    pub count: u64,
    /// How to split the money.
    pub splitter: Splitter,
    /// Life of the sale, in seconds.
    pub expires_in_s: u64,
    /// The seed of the split; drawn by the server if not given.
    pub seed: Option<u64>,
}

impl Terms {
    /// Checks every limit.
    ///
    /// # Errors
    /// `bad_request`, naming the field and the limit.
    pub fn check(&self) -> Result<()> {
        check_new_id("id", &self.sale)?;
        if !(1..=MAX_COUNT).contains(&self.count) {
            return Err(Error::bad(
                "count",
                format!("`count` is {}; it must be 1 to {MAX_COUNT} packets.", self.count),
            ));
        }
        let least = self.count as Cents;
        if self.total_cents < least {
            return Err(Error::bad(
                "total_cents",
                format!("`total_cents` is {}; {least} packets need at least one cent each.", self.total_cents),
            ));
        }
        if self.total_cents > MAX_TOTAL_CENTS {
            return Err(Error::bad(
                "total_cents",
                format!("`total_cents` is {}; it must be at most {MAX_TOTAL_CENTS}.", self.total_cents),
            ));
        }
        if !(1..=MAX_EXPIRES_IN_S).contains(&self.expires_in_s) {
            return Err(Error::bad(
                "expires_in_s",
                format!("`expires_in_s` is {}; it must be 1 to {MAX_EXPIRES_IN_S} seconds.", self.expires_in_s),
            ));
        }
        Ok(())
    }
}

/// The answer to `open`.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[schemars(rename = "RedPacketOpened")]
pub struct Opened {
    /// The id of the sale.
    pub sale: String,
}

/// The answer to an attempt at a red packet.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(tag = "outcome", rename_all = "snake_case")]
#[schemars(rename = "RedPacketOutcome")]
pub enum Outcome {
    /// The user got packet number `packet`, worth `cents`.
    Won { packet: u32, cents: Cents },
    /// The user had already won: the original packet again. Nothing changed.
    Repeat { packet: u32, cents: Cents },
    /// Every packet is claimed. Final: packets never come back.
    SoldOut,
    /// The sale expired at `expired_at`; what was left is refunded to the sender.
    Expired { expired_at: Millis },
    /// An operator closed the sale at `closed_at`; what was left was refunded to the sender.
    Closed { closed_at: Millis },
}

/// The answer to a refund.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(tag = "outcome", rename_all = "snake_case")]
#[schemars(rename = "RedPacketRefund")]
pub enum Refund {
    /// The unclaimed money was refunded to the sender.
    Refunded { refunded_cents: Cents },
    /// It had already been refunded: the original figure again.
    Repeat { refunded_cents: Cents },
    /// The sale has not expired; it runs until `expires_at`.
    NotExpired { refunded_cents: Cents, expires_at: Millis },
}

/// The state of a sale.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
#[schemars(rename = "RedPacketState")]
pub enum State {
    /// Packets are still being loaded; it does not accept claims yet.
    Opening,
    /// Accepting claims.
    Open,
    /// Past its end; the unclaimed money has not been refunded yet.
    Expired,
    /// Past its end; the unclaimed money has been refunded.
    Refunded,
    /// Redis has lost part of the sale: no claims until it is recovered from the ledger.
    Suspended,
    /// An operator closed it, and the unclaimed money was refunded.
    Closed,
}

impl State {
    /// The state that lists and badges show, which distinguishes "sold out".
    pub fn listed(self, pending: u64) -> SaleState {
        match self {
            Self::Opening => SaleState::Opening,
            Self::Open if pending == 0 => SaleState::SoldOut,
            Self::Open => SaleState::Open,
            Self::Expired => SaleState::Expired,
            Self::Refunded => SaleState::Refunded,
            Self::Suspended => SaleState::Suspended,
            Self::Closed => SaleState::Closed,
        }
    }
}

/// A packet and the user who claimed it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[schemars(rename = "RedPacketClaim")]
pub struct Claim {
    /// Who claimed it.
    pub user: String,
    /// The number of the packet, from 1.
    pub packet: u32,
    /// The amount in it.
    pub cents: Cents,
    /// When it was claimed.
    pub at: Millis,
}

/// How an attempt that changed nothing was answered.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
#[schemars(rename = "RedPacketRefusal")]
pub enum Declined {
    /// The user already had a packet.
    Repeat,
    /// No packet was left.
    SoldOut,
    /// The sale had expired.
    Expired,
    /// The sale had been closed.
    Closed,
}

/// An attempt that changed nothing.
pub type DeclinedAttempt = crate::DeclinedAttempt<Declined>;

/// Attempts by outcome, counted exactly by the script itself.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[schemars(rename = "RedPacketOutcomes")]
pub struct Outcomes {
    /// Attempts that got a packet.
    pub won: u64,
    /// Attempts that got the original answer again.
    pub repeat: u64,
    /// Attempts after the last packet was claimed.
    pub sold_out: u64,
    /// Attempts after the sale expired.
    pub expired: u64,
    /// Attempts after the sale was closed.
    pub closed: u64,
}

impl Outcomes {
    /// All attempts.
    pub fn total(&self) -> u64 {
        self.won + self.repeat + self.sold_out + self.expired + self.closed
    }
}

/// Claimed packets by amount: column `i` counts those of `i * width + 1` to `(i + 1) * width` cents.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[schemars(rename = "RedPacketHistogram")]
pub struct Histogram {
    /// Cents that one column spans.
    pub width: Cents,
    /// At most 24 columns.
    pub counts: Vec<u64>,
}

/// Everything that the page shows of a sale, read consistently. It is the data of the first render and,
/// in the same shape, every frame of the live view. Each frame is complete, so losing one does no harm.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[schemars(rename = "RedPacketSnapshot")]
pub struct Snapshot {
    /// The id of the sale.
    pub sale: String,
    /// Its state.
    pub state: State,
    /// How the money was split.
    pub splitter: Splitter,
    /// The money in all packets.
    pub total_cents: Cents,
    /// Number of packets in the sale.
    pub count: u64,
    /// When it was opened.
    pub opened_at: Millis,
    /// When it expires.
    pub expires_at: Millis,
    /// Packets not yet claimed.
    pub pending: u64,
    /// The money in pending packets.
    pub pending_cents: Cents,
    /// Packets claimed.
    pub claimed: u64,
    /// The money in claimed packets.
    pub claimed_cents: Cents,
    /// Packets refunded to the sender.
    pub refunded: u64,
    /// The money in refunded packets.
    pub refunded_cents: Cents,
    /// Attempts by outcome.
    pub outcomes: Outcomes,
    /// The largest packet claimed so far; on a tie, the earliest claim.
    pub luckiest: Option<Claim>,
    /// Claimed packets by amount.
    pub histogram: Histogram,
    /// The newest claims, newest first, at most 32.
    pub latest: Vec<Claim>,
    /// A sample of the newest attempts that changed nothing, newest first, at most 16.
    pub declined: Vec<DeclinedAttempt>,
    /// Calls of `claim.lua` for this sale; `outcomes.total() / calls` is the mean batch size.
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
        self.state.listed(self.pending)
    }

    fn left(&self) -> Option<u64> {
        Some(self.pending)
    }

    fn total(&self) -> Option<u64> {
        Some(self.count)
    }
}

/// What a sale has on the list, beside what all kinds have.
#[derive(Serialize, JsonSchema)]
#[schemars(rename = "RedPacketSummary")]
pub struct Details {
    /// Number of packets in the sale.
    pub count: u64,
    /// Packets not yet claimed.
    pub pending: u64,
    /// The money in all packets.
    pub total_cents: Cents,
    /// The money in claimed packets.
    pub claimed_cents: Cents,
    /// When it expires.
    pub expires_at: Millis,
}
