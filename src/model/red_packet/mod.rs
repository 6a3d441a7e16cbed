//! Red packets: a sum of money, split in advance into small packets, one per user, first come, first served. This
//! module has the types and pure rules, without Leptos and Redis.

mod api;
pub mod split;

use crate::{
    Cents, Checks, EventId, IdentifiedBy, KindInfo, Millis, Ownership, SaleState, check_new_id, check_within,
    crowd::Status,
    error::{Error, Result},
    life::{self, Life, Plan},
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
    outcomes: &[
        outcome::OPENED,
        outcome::WON,
        outcome::CLOSED,
        outcome::REFUNDED,
        outcome::RECOVERED,
        life::outcome::PAUSED,
        life::outcome::RESUMED,
        life::outcome::SCHEDULED,
        life::outcome::REOPENED,
        life::outcome::DESCRIBED,
    ],
    win: outcome::WON,
    ownership: Ownership {
        gained: &[outcome::WON],
        kept: &[],
        lost: &[],
        identified_by: IdentifiedBy::Item,
        has_codes: false,
    },
};

/// The outcomes that the ledger records for a red packet sale.
pub mod outcome {
    /// The sale was opened.
    pub const OPENED: &str = "opened";
    /// A user won a packet.
    pub const WON: &str = "won";
    /// An operator closed the sale early.
    pub const CLOSED: &str = "closed";
    /// The unclaimed money was refunded.
    pub const REFUNDED: &str = "refunded";
    /// The sale was recovered from the ledger.
    pub const RECOVERED: &str = "recovered";
}

/// The most packets that one sale may have.
pub const MAX_COUNT: u64 = 1_000_000;
/// The most money that one sale may hold: ten billion, in cents. It is far below 2^53, where the doubles of Lua stop
/// being exact.
pub const MAX_TOTAL_CENTS: Cents = 1_000_000_000_000;
/// The default life of a sale, in seconds: a day. Unclaimed money is refunded afterwards.
pub const DEFAULT_EXPIRES_IN_S: u64 = 86_400;
/// The longest life of a sale, in seconds: 366 days.
pub const MAX_EXPIRES_IN_S: u64 = 366 * 86_400;
/// The columns of the histogram of amounts.
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
    /// The splitter of the money.
    pub splitter: Splitter,
    /// The life of the sale from its start on, in seconds.
    pub expires_in_s: u64,
    /// The seed of the split; the server draws one if it is not given.
    pub seed: Option<u64>,
    /// Its start, its texts and its currency. Its end follows from `expires_in_s`.
    pub plan: Plan,
}

impl Terms {
    /// Checks every limit.
    ///
    /// # Errors
    /// `bad_request`, naming the field and the limit.
    pub fn check(&self) -> Result<()> {
        let mut checks = Checks::default();
        checks.note(check_new_id("id", &self.sale));
        checks.note(check_within("count", self.count, 1..=MAX_COUNT, " packets"));
        // A number of packets that is at fault says nothing about the money.
        let least = if (1..=MAX_COUNT).contains(&self.count) { self.count as Cents } else { 1 };
        if self.total_cents < least {
            checks.note::<()>(Err(Error::bad(
                "total_cents",
                format!("`total_cents` is {}; it must be at least {least}, a cent for each packet.", self.total_cents),
            )));
        }
        if self.total_cents > MAX_TOTAL_CENTS {
            checks.note::<()>(Err(Error::bad(
                "total_cents",
                format!("`total_cents` is {}; it must be at most {MAX_TOTAL_CENTS}.", self.total_cents),
            )));
        }
        checks.note(self.plan.check());
        checks.finish(check_within("expires_in_s", self.expires_in_s, 1..=MAX_EXPIRES_IN_S, " seconds"))
    }
}

/// The answer to `open`.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[schemars(rename = "RedPacketOpened")]
pub struct Opened {
    /// The id of the sale.
    pub sale: String,
    /// Whether the sale was there before, on the same terms: opened by this request, sent earlier, or by another one.
    pub existed: bool,
}

/// The answer to an attempt at a red packet.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(tag = "outcome", rename_all = "snake_case")]
#[schemars(rename = "RedPacketOutcome")]
pub enum Outcome {
    /// The user got packet number `packet`, worth `cents`.
    Won { packet: u32, cents: Cents },
    /// The user had already won. The original packet is returned, and nothing changed.
    Repeat { packet: u32, cents: Cents },
    /// Every packet is claimed. This is final, as packets never come back.
    SoldOut,
    /// The sale expired at `expired_at`. The rest of the money is refunded to the sender.
    Expired { expired_at: Millis },
    /// An operator closed the sale at `closed_at`. The rest of the money was refunded to the sender.
    Closed { closed_at: Millis },
    /// The sale starts at `opens_at`; the server's time is `now`.
    NotOpen { opens_at: Millis, now: Millis },
    /// An operator paused the sale at `paused_at`, for this `reason`, which may be empty.
    Paused { paused_at: Millis, reason: String },
}

/// The answer to a refund.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(tag = "outcome", rename_all = "snake_case")]
#[schemars(rename = "RedPacketRefund")]
pub enum Refund {
    /// The unclaimed money was refunded to the sender.
    Refunded { refunded_cents: Cents },
    /// The money had already been refunded. The original amount is returned.
    Repeat { refunded_cents: Cents },
    /// The sale has not expired. It runs until `expires_at`.
    NotExpired { refunded_cents: Cents, expires_at: Millis },
}

/// The state of a sale.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
#[schemars(rename = "RedPacketState")]
pub enum State {
    /// Packets are still being loaded, so the sale does not accept claims yet.
    Opening,
    /// The sale accepts attempts from its start on.
    Scheduled,
    /// The sale accepts claims.
    Open,
    /// An operator paused the sale.
    Paused,
    /// The sale has ended, and the unclaimed money has not been refunded yet.
    Expired,
    /// The sale has ended, and the unclaimed money has been refunded.
    Refunded,
    /// Redis has lost part of the sale. Nothing can be claimed until the sale is recovered from the ledger.
    Suspended,
    /// An operator closed the sale, and the unclaimed money was refunded.
    Closed,
}

impl State {
    /// The state as in lists and badges, which distinguish "sold out".
    pub fn listed(self, pending: u64) -> SaleState {
        match self {
            Self::Opening => SaleState::Opening,
            Self::Scheduled => SaleState::Scheduled,
            Self::Paused => SaleState::Paused,
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
    /// The user who claimed the packet.
    pub user: String,
    /// The number of the packet, from 1.
    pub packet: u32,
    /// The amount in the packet, in cents.
    pub cents: Cents,
    /// The time of the claim.
    pub at: Millis,
}

/// The answer to an attempt that changed nothing.
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
    /// The sale had not started.
    NotOpen,
    /// The sale was paused.
    Paused,
}

/// An attempt that changed nothing.
pub type DeclinedAttempt = crate::DeclinedAttempt<Declined>;

/// Attempts by outcome. The script itself counts them, so the counts are exact.
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
    /// Attempts before the start.
    pub not_open: u64,
    /// Attempts while the sale was paused.
    pub paused: u64,
}

impl Outcomes {
    /// The number of all attempts.
    pub fn total(&self) -> u64 {
        self.won + self.repeat + self.sold_out + self.expired + self.closed + self.not_open + self.paused
    }
}

/// Claimed packets by amount. Column `i` counts the packets of `i * width + 1` to `(i + 1) * width` cents.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[schemars(rename = "RedPacketHistogram")]
pub struct Histogram {
    /// The width of a column, in cents.
    pub width: Cents,
    /// The number of packets in each column; at most 24 columns.
    pub counts: Vec<u64>,
}

/// All data of a sale that its page shows, read consistently. The first render and every frame of the live view have
/// this shape. Each frame is complete, so losing one does no harm.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[schemars(rename = "RedPacketSnapshot")]
pub struct Snapshot {
    /// The id of the sale.
    pub sale: String,
    /// The state of the sale.
    pub state: State,
    /// The life of the sale: start, end, pause, title, description and currency.
    pub life: Life,
    /// The splitter of the money.
    pub splitter: Splitter,
    /// The money in all packets, in cents.
    pub total_cents: Cents,
    /// Number of packets in the sale.
    pub count: u64,
    /// The time of the opening.
    pub opened_at: Millis,
    /// The time at which the sale expires.
    pub expires_at: Millis,
    /// The number of unclaimed packets.
    pub pending: u64,
    /// The money in unclaimed packets, in cents.
    pub pending_cents: Cents,
    /// The number of claimed packets.
    pub claimed: u64,
    /// The money in claimed packets, in cents.
    pub claimed_cents: Cents,
    /// The number of packets refunded to the sender.
    pub refunded: u64,
    /// The money in refunded packets, in cents.
    pub refunded_cents: Cents,
    /// Attempts by outcome.
    pub outcomes: Outcomes,
    /// The largest packet claimed so far; on a tie, the packet claimed first.
    pub luckiest: Option<Claim>,
    /// Claimed packets by amount.
    pub histogram: Histogram,
    /// The newest claims, newest first, at most 32.
    pub latest: Vec<Claim>,
    /// A sample of the newest attempts that changed nothing, newest first, at most 16.
    pub declined: Vec<DeclinedAttempt>,
    /// Calls of `claim.lua` for this sale; `outcomes.total() / calls` is the mean batch size.
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

/// The fields of a red packet sale in the list, besides those of every kind.
#[derive(Serialize, JsonSchema)]
#[schemars(rename = "RedPacketSummary")]
pub struct Details {
    /// Number of packets in the sale.
    pub count: u64,
    /// The number of unclaimed packets.
    pub pending: u64,
    /// The money in all packets, in cents.
    pub total_cents: Cents,
    /// The money in claimed packets, in cents.
    pub claimed_cents: Cents,
    /// The time at which the sale expires.
    pub expires_at: Millis,
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::checks::wrong_fields;

    fn terms() -> Terms {
        let splitter = Splitter::Equal;
        Terms {
            sale: "a".to_owned(),
            total_cents: 100,
            count: 10,
            splitter,
            expires_in_s: 60,
            seed: None,
            plan: Plan::default(),
        }
    }

    #[test]
    fn all_terms_at_fault_are_named() {
        assert_eq!(terms().check(), Ok(()));
        let all = Terms { sale: String::new(), total_cents: -5, count: 0, expires_in_s: 0, ..terms() };
        assert_eq!(wrong_fields(all.check()), ["id", "count", "total_cents", "expires_in_s"]);
        let poor = Terms { total_cents: 9, ..terms() };
        assert_eq!(wrong_fields(poor.check()), ["total_cents"]);
        let crowded = Terms { count: MAX_COUNT + 1, total_cents: MAX_COUNT as Cents, ..terms() };
        assert_eq!(wrong_fields(crowded.check()), ["count"], "the money is enough for any valid number");
    }
}
