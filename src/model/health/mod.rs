//! How the whole of it is doing, and what needs somebody.

mod api;

use crate::{
    SaleState, Verdict,
    cluster::PartialCluster,
    ledger::{Audited, Board, VerdictCounts},
    list::SaleSummary,
};
pub use api::HealthApi;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// The most matters that are listed.
pub const MAX_MATTERS: usize = 100;

/// Whether Redis takes what is new.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum RedisRoom {
    /// It does.
    Free,
    /// Redis is full: nothing new can be sold.
    Full,
    /// The disk of the embedded Redis is nearly full: nothing new can be sold.
    DiskFull,
}

/// Why a sale needs somebody.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
#[schemars(rename = "MatterReason")]
pub enum Reason {
    /// Its latest audit found a broken invariant.
    Broken,
    /// It has lost data and takes no attempts.
    Suspended,
    /// Entries of it could not be recorded.
    DeadLetters,
    /// More of its events wait for the ledger than `--stream-alarm` allows.
    Lag,
    /// Nothing is left.
    SoldOut,
    /// No more is left than its low mark.
    Low,
}

impl Reason {
    /// The name in JSON.
    pub fn name(self) -> &'static str {
        match self {
            Self::Broken => "broken",
            Self::Suspended => "suspended",
            Self::DeadLetters => "dead_letters",
            Self::Lag => "lag",
            Self::SoldOut => "sold_out",
            Self::Low => "low",
        }
    }
}

/// A sale that needs somebody.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Matter {
    /// Why.
    pub reason: Reason,
    /// The kind of the sale.
    pub kind: String,
    /// The id of the sale.
    pub sale: String,
    /// The dead letters, the events that wait, or the items that are left; 0 for other reasons.
    pub number: u64,
}

/// How the servers, Redis and the ledger are doing, and which sales need somebody.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[schemars(rename = "HealthReport")]
pub struct Health {
    /// Whether Redis takes what is new. (If it does not answer, the answer is the error `unavailable`.)
    pub redis: RedisRoom,
    /// The cluster, if only some of its masters answer.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub cluster: Option<PartialCluster>,
    /// The process that writes the ledger; `null` if there is none.
    pub writer: Option<String>,
    /// Whether the database of the ledger answers.
    pub ledger_answers: bool,
    /// Events of the sales on the audit board that wait for the ledger.
    pub lag_events: u64,
    /// The time for which the oldest of them has been waiting, in seconds.
    pub lag_seconds: f64,
    /// What the latest audits of all sales found.
    pub audits: VerdictCounts,
    /// Sales that the ledger has and Redis has lost as a whole.
    pub missing_sales: u64,
    /// What needs somebody, the most urgent first, at most 100.
    pub matters: Vec<Matter>,
}

impl Health {
    /// Puts together what the audit board says, what the list says about sales that are `noteworthy`, and the rest.
    pub fn of(redis: RedisRoom, missing_sales: u64, board: Board, noteworthy: &[SaleSummary]) -> Self {
        let Board { sales, counts, writer, unreachable, cluster, .. } = board;
        let on_board = sales.iter().flat_map(matters_on_board);
        let mut matters: Vec<Matter> = on_board.chain(noteworthy.iter().filter_map(matter_on_list)).collect();
        // Sales of a reason stay in their order, the newest first.
        matters.sort_by_key(|matter| matter.reason);
        matters.truncate(MAX_MATTERS);
        Self {
            redis,
            cluster,
            writer,
            ledger_answers: unreachable.is_none(),
            lag_events: sales.iter().map(|audited| audited.status.lag_events).sum(),
            lag_seconds: sales.iter().map(|audited| audited.status.lag_seconds).fold(0.0, f64::max),
            audits: counts,
            missing_sales,
            matters,
        }
    }

    /// The number of things that are wrong with the whole of it, sales apart.
    pub fn problems(&self) -> u64 {
        let problems = [
            self.redis != RedisRoom::Free,
            self.cluster.is_some(),
            self.writer.is_none(),
            !self.ledger_answers,
            self.audits.broken > 0,
            self.missing_sales > 0,
        ];
        problems.into_iter().map(u64::from).sum()
    }
}

fn matters_on_board(Audited { status, audit, .. }: &Audited) -> impl Iterator<Item = Matter> {
    let is_broken = audit.as_ref().is_some_and(|audit| audit.verdict == Verdict::Broken);
    let matters = [
        is_broken.then_some((Reason::Broken, 0)),
        (status.dead_letters > 0).then_some((Reason::DeadLetters, status.dead_letters)),
        status.alarm.then_some((Reason::Lag, status.lag_events)),
    ];
    let (kind, sale) = (status.kind.clone(), status.sale.clone());
    let matter = move |(reason, number)| Matter { reason, kind: kind.clone(), sale: sale.clone(), number };
    matters.into_iter().flatten().map(matter)
}

fn matter_on_list(sale: &SaleSummary) -> Option<Matter> {
    let (reason, number) = match sale.state {
        SaleState::Suspended => (Reason::Suspended, 0),
        SaleState::SoldOut => (Reason::SoldOut, 0),
        SaleState::Open if sale.is_low() => (Reason::Low, sale.left.unwrap_or(0)),
        _ => return None,
    };
    Some(Matter { reason, kind: sale.kind.clone(), sale: sale.sale.clone(), number })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Audit, EventId, ledger::SaleStatus};
    use serde_json::json;

    fn audited(sale: &str, dead_letters: u64, lag_events: u64, audit: Option<Audit>) -> Audited {
        let (kind, sale, lag_seconds) = ("raffle".to_owned(), sale.to_owned(), lag_events as f64 / 2.0);
        let alarm = lag_events > 5;
        let status = SaleStatus { kind, sale, dead_letters, lag_events, lag_seconds, alarm, ..SaleStatus::default() };
        Audited { status, opened_at: None, audit }
    }

    fn summary(sale: &str, state: &str, left: u64, low: bool) -> SaleSummary {
        let sale = json!({
            "kind": "raffle", "sale": sale, "state": state, "total": 10, "left": left, "opened_at": 0, "crowd": false,
            "lag_events": 0, "low": low,
        });
        serde_json::from_value(sale).expect("a sale")
    }

    #[test]
    fn the_most_urgent_comes_first_and_what_is_as_it_should_be_not_at_all() {
        let broken = Audit { verdict: Verdict::Broken, ..Audit::of(Vec::new(), EventId::default(), 1) };
        let board = Board {
            sales: vec![
                audited("lags", 0, 6, None),
                audited("fine", 0, 1, Some(Audit::of(Vec::new(), EventId::default(), 1))),
                audited("robbed", 3, 0, Some(broken)),
            ],
            counts: VerdictCounts { broken: 1, holds: 1, ..VerdictCounts::default() },
            writer: Some("shop-1".to_owned()),
            ..Board::default()
        };
        let list = [
            summary("few", "open", 2, true),
            summary("gone", "sold_out", 0, true),
            summary("lost", "suspended", 0, false),
            summary("many", "open", 9, false),
            summary("over", "closed", 0, true),
        ];
        let health = Health::of(RedisRoom::Free, 0, board.clone(), &list);
        let matters: Vec<_> = health.matters.iter().map(|one| (one.reason.name(), &*one.sale, one.number)).collect();
        assert_eq!(
            matters,
            [
                ("broken", "robbed", 0),
                ("suspended", "lost", 0),
                ("dead_letters", "robbed", 3),
                ("lag", "lags", 6),
                ("sold_out", "gone", 0),
                ("low", "few", 2),
            ]
        );
        assert_eq!((health.lag_events, health.lag_seconds, health.problems()), (7, 3.0, 1));
        let nobody = Board { writer: None, unreachable: Some("why".to_owned()), ..board };
        assert_eq!(Health::of(RedisRoom::Full, 2, nobody, &[]).problems(), 5);
    }
}
