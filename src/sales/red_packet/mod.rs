//! Red packets: a sum of money, split beforehand into small packets, one for each user, first come
//! first served. Types and pure rules; no Leptos, no Redis.

pub mod api;
#[cfg(feature = "ssr")]
pub mod audit;
#[cfg(feature = "ssr")]
mod crowd;
#[cfg(feature = "ssr")]
pub mod history;
#[cfg(feature = "ssr")]
mod kind;
pub mod outcome;
pub mod page;
#[cfg(feature = "ssr")]
pub mod recovery;
#[cfg(feature = "ssr")]
pub mod scripts;
#[cfg(feature = "ssr")]
pub mod service;
#[cfg(feature = "ssr")]
pub mod snapshot;
pub mod split;
#[cfg(feature = "ssr")]
mod summaries;
pub mod words;

use crate::{
    crowd::Status,
    domain::{self, Cents, EventId, KindInfo, Millis, SaleState, check_id},
    error::{Error, Result},
    sales::Registration,
};
use serde::{Deserialize, Serialize};
pub use split::Splitter;

/// The kind, for the registry.
pub const REGISTRATION: Registration = Registration {
    info: &INFO,
    pages: page::PAGES,
    #[cfg(feature = "ssr")]
    server: &kind::SERVER,
};

/// Its names.
pub static INFO: KindInfo = KindInfo {
    id: "red_packet",
    segment: "red-packet",
    pages: "red-packets",
    outcomes: &[outcome::OPENED, outcome::WON, outcome::CLOSED, outcome::REFUNDED, outcome::RECOVERED],
};

/// The most packets that one sale may have.
pub const MAX_COUNT: u64 = 1_000_000;
/// The most money that one sale may hold: ten billion, in cents. Far below 2^53, where the doubles
/// of Lua stop being exact.
pub const MAX_TOTAL_CENTS: Cents = 1_000_000_000_000;
/// Unclaimed money goes back after a day unless told otherwise.
pub const DEFAULT_EXPIRES_IN_S: u64 = 86_400;
/// The longest life of a sale: a year.
pub const MAX_EXPIRES_IN_S: u64 = 366 * 86_400;
/// Columns of the histogram of amounts.
pub const HISTOGRAM_BUCKETS: usize = 24;

/// The terms on which a sale is opened.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Terms {
    pub sale: String,
    pub total_cents: Cents,
    pub count: u64,
    pub splitter: Splitter,
    pub expires_in_s: u64,
    /// The seed of the split; drawn by the server where the sender names none.
    pub seed: Option<u64>,
}

impl Terms {
    /// Checks every limit.
    ///
    /// # Errors
    /// `bad_request`, naming the field and the limit.
    pub fn check(&self) -> Result<()> {
        check_id("id", &self.sale)?;
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
                format!("`total_cents` is {}; at most {MAX_TOTAL_CENTS} are taken.", self.total_cents),
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
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Opened {
    pub sale: String,
}

/// The answer to an attempt at a red packet.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "outcome", rename_all = "snake_case")]
pub enum Outcome {
    /// The user has packet number `packet`, worth `cents`.
    Won { packet: u32, cents: Cents },
    /// The user had won before: the original packet again. Nothing changed.
    Repeat { packet: u32, cents: Cents },
    /// Every packet is claimed. Final: packets never come back.
    SoldOut,
    /// The sale ended at `expired_at`; what was left goes back to the sender.
    Expired { expired_at: Millis },
    /// An operator closed the sale at `closed_at`; what was left went back to the sender.
    Closed { closed_at: Millis },
}

/// The answer to a refund.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "outcome", rename_all = "snake_case")]
pub enum Refund {
    /// The unclaimed money went back to the sender, once.
    Refunded { refunded_cents: Cents },
    /// It had gone back before: the original figure again.
    Repeat { refunded_cents: Cents },
    /// The sale still runs until `expires_at`.
    NotExpired { refunded_cents: Cents, expires_at: Millis },
}

/// Where a sale stands.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum State {
    /// Packets are still being put in; not claimable yet.
    Opening,
    Open,
    /// Past its time, with the unclaimed money still inside.
    Expired,
    /// The unclaimed money went back.
    Refunded,
    /// Redis has lost what the ledger knows: nobody may claim until the sale is recovered.
    Suspended,
    /// An operator closed it, and the unclaimed money went back.
    Closed,
}

impl State {
    /// As lists and badges show it, with "sold out" told apart.
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

/// A packet and who has it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Claim {
    pub user: String,
    pub packet: u32,
    pub cents: Cents,
    pub at: Millis,
}

/// How an attempt that changed nothing was answered.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Declined {
    Repeat,
    SoldOut,
    Expired,
    Closed,
}

/// An attempt that changed nothing.
pub type DeclinedAttempt = domain::DeclinedAttempt<Declined>;

/// Attempts by their answers, counted exactly by the script itself.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Outcomes {
    pub won: u64,
    pub repeat: u64,
    pub sold_out: u64,
    pub expired: u64,
    pub closed: u64,
}

impl Outcomes {
    pub fn total(&self) -> u64 {
        self.won + self.repeat + self.sold_out + self.expired + self.closed
    }
}

/// Claimed packets by amount: column `i` counts those of `i * width + 1` to `(i + 1) * width` cents.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Histogram {
    /// Cents that one column spans.
    pub width: Cents,
    /// At most [`HISTOGRAM_BUCKETS`] columns.
    pub counts: Vec<u64>,
}

/// Everything that the page shows of a sale, read at one event id. It is the first paint's data and,
/// unchanged in shape, every frame of the live view: each frame stands on its own, so a lost one
/// leaves no trace.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Snapshot {
    pub sale: String,
    pub state: State,
    pub splitter: Splitter,
    pub total_cents: Cents,
    pub count: u64,
    pub opened_at: Millis,
    pub expires_at: Millis,
    /// Packets not yet claimed, and the money in them.
    pub pending: u64,
    pub pending_cents: Cents,
    /// Packets claimed, and the money in them.
    pub claimed: u64,
    pub claimed_cents: Cents,
    /// Money that went back to the sender, and in how many packets.
    pub refunded: u64,
    pub refunded_cents: Cents,
    pub outcomes: Outcomes,
    /// The largest packet so far; of equals, the earliest claim.
    pub luckiest: Option<Claim>,
    pub histogram: Histogram,
    /// The newest claims, newest first, at most 32.
    pub latest: Vec<Claim>,
    /// A sample of the newest attempts that changed nothing, newest first, at most 16.
    pub declined: Vec<DeclinedAttempt>,
    /// Calls of `claim.lua` for this sale; `outcomes.total() / calls` is the mean batch.
    pub calls: u64,
    /// The latest crowd at this sale, running or done.
    pub crowd: Option<Status>,
    /// The position in the sale's history that all of this belongs to.
    pub event_id: EventId,
}

impl Snapshot {
    /// Where the sale stands, with "sold out" told apart.
    pub fn sale_state(&self) -> SaleState {
        self.state.listed(self.pending)
    }
}
