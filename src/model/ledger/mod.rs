//! The ledger: the database of record behind every sale, fed from the streams.
//!
//! This module has the types that browser and server share.

mod api;
pub mod changes;
pub mod export;
pub mod found;
pub mod holdings;
pub mod search;
pub mod webhooks;

pub use api::LedgerApi;
pub use changes::{Changes, ChangesParams, ChangesQuery};
pub use export::{ExportParams, Line};
pub use found::{Found, FoundId};
pub use holdings::{Holdings, OwnedItem, SaleHoldings};
pub use search::Search;
pub use webhooks::{RequeuedRows, UndeliveredRow, Webhook};

use crate::{
    Audit, Cents, EventId, Millis, Verdict,
    cluster::PartialCluster,
    error::{Error, Result},
    life::Currency,
};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use std::{fmt, str::FromStr};

/// Rows on a page of the history, unless another number is requested.
pub const DEFAULT_LIMIT: u32 = 100;
/// The most rows on a page of the history.
pub const MOST_LIMIT: u32 = 1_000;

/// The kind and the id of a sale.
#[derive(Clone, Debug, PartialEq, Eq, Hash, Serialize, Deserialize, JsonSchema)]
pub struct SaleName {
    /// The kind of the sale.
    pub kind: String,
    /// The id of the sale.
    pub sale: String,
}

/// Sales that the ledger has and that Redis has lost completely; `stampede recover --all` restores them.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct MissingSales {
    /// The number of missing sales.
    pub count: u64,
    /// The oldest missing sales, at most five.
    pub sales: Vec<SaleName>,
}

impl MissingSales {
    /// Whether no sale is missing.
    pub fn is_empty(&self) -> bool {
        self.count == 0
    }
}

/// One change of one item, as the ledger recorded it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[schemars(rename = "LedgerRow")]
pub struct Row {
    /// The position of the row in the history, as used by `after`.
    pub id: HistoryCursor,
    /// The kind of the sale.
    pub kind: String,
    /// The id of the sale.
    pub sale: String,
    /// The stream entry that recorded the change.
    pub event_id: EventId,
    /// The index of the change in that entry, from 0.
    pub place: u32,
    /// The time of the change.
    pub at: Millis,
    /// The stable name of the outcome.
    pub outcome: String,
    /// The user, if the change has one.
    pub user: Option<String>,
    /// The id of the request that caused the change, if there was one.
    pub request_id: Option<String>,
    /// The number, name or code of the item, depending on the kind. For a kind that counts, it is the quantity.
    pub item: Option<String>,
    /// The amount of money, in cents: in the minor unit of its currency.
    pub cents: Cents,
    /// The currency of the amount; left out if it is CNY.
    #[serde(default, skip_serializing_if = "Currency::is_default")]
    pub currency: Currency,
    /// The order of the item; left out if the kind has no orders.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub order: Option<String>,
    /// The name of the person for whom the item is; left out if not given.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub holder: Option<String>,
    /// Why an operator made the change; left out if no reason was given.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub reason: Option<String>,
    /// The place of the row in the order of recording, from 1. Rows may be recorded long after they happened, but never at
    /// an earlier place than a row that was there before.
    pub recorded: u64,
}

/// A page of the history, newest first.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[schemars(rename = "LedgerPage")]
pub struct Page {
    /// The rows of the page.
    pub rows: Vec<Row>,
    /// The number of rows that match. It is exact unless `total_is_at_least` is true.
    pub total: u64,
    /// Whether `total` is a lower bound, because counting stopped there.
    pub total_is_at_least: bool,
    /// The rows that match, on whatever page, added up by kind and outcome. Empty if `total_is_at_least` is true, as
    /// sums of a part would mislead.
    pub sums: Vec<OutcomeSum>,
    /// The value of `after` for the next page; `null` on the last page.
    pub next: Option<HistoryCursor>,
}

/// The rows with one outcome that a search finds, added up.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[schemars(rename = "LedgerSum")]
pub struct OutcomeSum {
    /// The kind of the sales.
    pub kind: String,
    /// The stable name of the outcome.
    pub outcome: String,
    /// The number of rows.
    pub rows: u64,
    /// The sum of their amounts, in cents.
    pub cents: Cents,
    /// The sum of their quantities; `null` if the rows of this outcome have none.
    pub quantity: Option<i64>,
}

/// A position in the history: `<event id>-<number of the sale>-<place>`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize, JsonSchema)]
#[serde(try_from = "String", into = "String")]
#[schemars(rename = "LedgerCursor", extend("pattern" = "^[0-9]{1,19}-[0-9]{1,19}-[0-9]{1,18}-[0-9]{1,18}$"))]
pub struct HistoryCursor {
    /// The stream entry that recorded the change.
    pub event_id: EventId,
    /// The number that the ledger assigned to the sale.
    pub sale_no: i64,
    /// The index of the change in that entry, from 0.
    pub place: i64,
}

impl fmt::Display for HistoryCursor {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}-{}-{}", self.event_id, self.sale_no, self.place)
    }
}

impl FromStr for HistoryCursor {
    type Err = Error;

    fn from_str(text: &str) -> Result<Self> {
        let mut parts = text.split('-').map(|part| part.parse::<u64>().ok());
        let mut part = || parts.next().flatten();
        let cursor = (part(), part(), part(), part());
        let (Some(millis), Some(sequence), Some(sale_no), Some(place)) = cursor else {
            return Err(Error::bad(
                "after",
                format!("\"{text}\" is not a position in the history; use the `next` of a page, or the `id` of a row."),
            ));
        };
        let signed = |part: u64| i64::try_from(part).unwrap_or(i64::MAX);
        Ok(Self { event_id: EventId { millis, sequence }, sale_no: signed(sale_no), place: signed(place) })
    }
}

impl TryFrom<String> for HistoryCursor {
    type Error = Error;

    fn try_from(text: String) -> Result<Self> {
        text.parse()
    }
}

impl From<HistoryCursor> for String {
    fn from(cursor: HistoryCursor) -> Self {
        cursor.to_string()
    }
}

/// The lag of the ledger, by sale.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[schemars(rename = "LedgerStatus")]
pub struct Status {
    /// The newest sales, newest first, or the requested sale.
    pub sales: Vec<SaleStatus>,
    /// The process that writes the ledger; `null` if there is none.
    pub writer: Option<String>,
    /// The reason why the ledger is unreachable; `null` if it is reachable. Facts that Redis knows are still reported.
    pub unreachable: Option<String>,
}

/// The lag of the ledger behind one sale.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[schemars(rename = "LedgerSaleStatus")]
pub struct SaleStatus {
    /// The kind of the sale.
    pub kind: String,
    /// The id of the sale.
    pub sale: String,
    /// The last event that the ledger has.
    pub applied_event_id: EventId,
    /// The last event in the sale's stream.
    pub last_event_id: EventId,
    /// Stream entries that the ledger does not have yet.
    pub lag_events: u64,
    /// The time for which the oldest of them has been waiting, in seconds.
    pub lag_seconds: f64,
    /// Dead letters: entries that could not be recorded.
    #[serde(rename = "set_aside")]
    pub dead_letters: u64,
    /// Entries in the stream, including recorded ones that are kept for the live view.
    pub stream_length: u64,
    /// Whether more entries are waiting than `--stream-alarm` allows. None is dropped.
    pub alarm: bool,
    /// Entries that the ledger had recorded and has lost, because a restored database lacks its end, and that are no
    /// longer in the stream either.
    pub missing_events: u64,
    /// Whether the sale is in the ledger but no longer in Redis, although it was not archived.
    pub lost: bool,
    /// Whether the sale was archived.
    pub archived: bool,
    /// Whether the master of the cluster that has the sale does not answer: then this is what the ledger has.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub away: bool,
    /// What the latest recovery of the sale could not restore; left out if there was none.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub recovery: Option<Recovery>,
    /// The recovery that a server makes by itself; left out if there is none, and with `--recover manual`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub recovering: Option<Recovering>,
}

/// What a recovery of a sale from the ledger could not restore, and what it found.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[schemars(rename = "LedgerRecovery")]
pub struct Recovery {
    /// The time of the recovery.
    pub at: Millis,
    /// The last event that was restored.
    pub upto: EventId,
    /// Events that were in the stream when the ledger last read it, and that it never recorded.
    pub unseen: u64,
    /// Wins that Redis had counted and that the ledger never recorded.
    pub lost_wins: u64,
    /// The latest event that a server had seen and that was lost; `null` if none is known. What was answered between
    /// `upto` and then is lost.
    pub lost_event: Option<EventId>,
    /// Events that could not be recorded, and that an operator gave up.
    pub given_up: u64,
    /// Users whose item belongs to somebody else, because Redis had given it twice.
    pub conflicts: u64,
    /// Who lost what, as far as it is known: at most 20 sentences.
    pub described: Vec<String>,
}

impl Recovery {
    /// What may be lost by the event that a server had seen and that is lost: what was answered after the first of these
    /// events, up to the second one. The first is missing where the ledger has recorded later events of another history
    /// since, as those of a promoted replica: then it is what was answered before that event, for as long as replication
    /// was behind.
    pub fn lost_range(&self) -> Option<(Option<EventId>, EventId)> {
        let lost = self.lost_event?;
        Some(((self.upto < lost).then_some(self.upto), lost))
    }

    /// Whether something is known to be lost, or was given twice.
    pub fn lost_something(&self) -> bool {
        self.unseen > 0 || self.lost_wins > 0 || self.lost_event.is_some() || self.given_up > 0 || self.conflicts > 0
    }
}

/// The state of the recovery that a server makes by itself of a sale that Redis has lost, or of which it has lost events.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[schemars(rename = "LedgerRecovering")]
pub struct Recovering {
    /// The tries that have failed.
    pub tries: u32,
    /// The reason why the last one has failed; `null` before that.
    pub reason: Option<String>,
    /// The time of the next try; `null` while one is made.
    pub again_at: Option<Millis>,
}

/// A stream entry that could not be recorded.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct DeadLetter {
    /// The kind of the sale.
    pub kind: String,
    /// The id of the sale.
    pub sale: String,
    /// The id of the stream entry.
    pub event_id: EventId,
    /// The reason why it could not be recorded.
    pub reason: String,
    /// The time at which it was set aside.
    pub at: Millis,
    /// The number of tries.
    pub tries: u32,
}

/// The result of retrying dead letters.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Retried {
    /// Entries that are recorded now.
    pub applied: u32,
    /// Entries that still cannot be recorded.
    pub still_set_aside: u32,
}

/// A sale on the audit board.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Audited {
    /// The ledger's lag behind the sale.
    pub status: SaleStatus,
    /// The time of the opening; `null` if Redis does not list the sale.
    pub opened_at: Option<Millis>,
    /// The last audit of the sale, by any server; `null` before the first.
    pub audit: Option<Audit>,
}

impl Audited {
    /// The sale.
    pub fn name(&self) -> SaleName {
        SaleName { kind: self.status.kind.clone(), sale: self.status.sale.clone() }
    }
}

/// The number of sales by what their last audit found.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct VerdictCounts {
    /// Every invariant holds.
    pub holds: u64,
    /// An invariant is broken.
    pub broken: u64,
    /// The sale could not be read.
    pub unknown: u64,
    /// There was no audit yet.
    pub not_audited: u64,
}

impl VerdictCounts {
    /// All sales.
    pub fn all(self) -> u64 {
        self.holds + self.broken + self.unknown + self.not_audited
    }

    /// The number of sales with this verdict; without an audit for `None`.
    pub fn get(self, verdict: Option<Verdict>) -> u64 {
        match verdict {
            Some(Verdict::Holds) => self.holds,
            Some(Verdict::Broken) => self.broken,
            Some(Verdict::Unknown) => self.unknown,
            None => self.not_audited,
        }
    }
}

/// The audit board.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[schemars(rename = "AuditBoard")]
pub struct Board {
    /// The sales of the page in this order: broken, then unknown, then sales with a problem (lost, away, missing, set
    /// aside, alarm), then the others. Each group is sorted by age, newest first. The first page has all broken and
    /// unknown sales, at most 50, beside the newest 50.
    pub sales: Vec<Audited>,
    /// The last audits of all sales, whatever page they are on.
    pub counts: VerdictCounts,
    /// `skip` of the next page; `null` on the last one.
    pub next: Option<u32>,
    /// The process that writes the ledger; `null` if there is none.
    pub writer: Option<String>,
    /// Why the ledger is unreachable, if it is.
    pub unreachable: Option<String>,
    /// The cluster, if only some of its masters answer.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub cluster: Option<PartialCluster>,
}
