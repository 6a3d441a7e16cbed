//! How the whole of it is doing, and what needs somebody.

mod api;

use crate::{
    SaleState, Verdict,
    cluster::PartialCluster,
    ledger::{Audited, Board, SaleName, VerdictCounts, Webhook},
    list::SaleSummary,
};
pub use api::HealthApi;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// The most matters that are listed.
pub const MAX_MATTERS: u32 = 100;

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

/// Why a sale, or a webhook, needs somebody.
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
    /// Rows were not accepted by a webhook in time, and were given up.
    Undelivered,
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
            Self::Undelivered => "undelivered",
            Self::Lag => "lag",
            Self::SoldOut => "sold_out",
            Self::Low => "low",
        }
    }
}

/// What needs somebody.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(untagged)]
#[schemars(rename = "MatterSubject")]
pub enum Subject {
    /// A sale.
    Sale(SaleName),
    /// A webhook.
    Webhook {
        /// The id of the webhook.
        webhook: String,
    },
}

/// Something that needs somebody.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Matter {
    /// Why.
    pub reason: Reason,
    /// The sale, or for `undelivered` the webhook.
    pub subject: Subject,
    /// The dead letters, the events that wait, or the items that are left; 0 for other reasons.
    pub number: u64,
}

impl Matter {
    fn of_sale(reason: Reason, sale: SaleName, number: u64) -> Self {
        Self { reason, subject: Subject::Sale(sale), number }
    }
}

/// What is known of the parts of the whole.
#[derive(Debug)]
pub struct Findings {
    /// Whether Redis takes what is new.
    pub redis: RedisRoom,
    /// The number of sales that the ledger has and Redis has lost as a whole.
    pub missing_sales: u64,
    /// The first page of the audit board.
    pub board: Board,
    /// The sales on the list that are suspended, sold out or low.
    pub noteworthy: Vec<SaleSummary>,
    /// The sales with dead letters, and how many each has.
    pub dead_letters: Vec<(SaleName, u64)>,
    /// All webhooks.
    pub webhooks: Vec<Webhook>,
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
    /// What needs somebody, the most urgent first, at most 100. Of a full list of sales, the newest 2,000 are looked at.
    pub matters: Vec<Matter>,
}

impl Health {
    /// Puts together what was found.
    pub fn of(findings: Findings) -> Self {
        let Findings { redis, missing_sales, board, noteworthy, dead_letters, webhooks } = findings;
        let Board { sales, counts, writer, unreachable, cluster, .. } = board;
        let aside = dead_letters.into_iter().map(|(sale, number)| Matter::of_sale(Reason::DeadLetters, sale, number));
        let mut matters: Vec<Matter> = sales.iter().flat_map(matters_on_board).collect();
        matters.extend(noteworthy.iter().filter_map(matter_on_list));
        matters.extend(aside.chain(webhooks.into_iter().filter_map(matter_of_webhook)));
        // Those of a reason stay in their order, the newest sales first.
        matters.sort_by_key(|matter| matter.reason);
        matters.truncate(MAX_MATTERS as usize);
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

fn matters_on_board(audited: &Audited) -> impl Iterator<Item = Matter> {
    let Audited { status, audit, .. } = audited;
    let is_broken = audit.as_ref().is_some_and(|audit| audit.verdict == Verdict::Broken);
    let matters = [is_broken.then_some((Reason::Broken, 0)), status.alarm.then_some((Reason::Lag, status.lag_events))];
    let sale = audited.name();
    matters.into_iter().flatten().map(move |(reason, number)| Matter::of_sale(reason, sale.clone(), number))
}

fn matter_on_list(sale: &SaleSummary) -> Option<Matter> {
    let (reason, number) = match sale.state {
        SaleState::Suspended => (Reason::Suspended, 0),
        SaleState::SoldOut => (Reason::SoldOut, 0),
        SaleState::Open if sale.is_low() => (Reason::Low, sale.left.unwrap_or(0)),
        _ => return None,
    };
    Some(Matter::of_sale(reason, sale.name(), number))
}

fn matter_of_webhook(Webhook { id, dead_letters, .. }: Webhook) -> Option<Matter> {
    let matter =
        || Matter { reason: Reason::Undelivered, subject: Subject::Webhook { webhook: id }, number: dead_letters };
    (dead_letters > 0).then(matter)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Audit, EventId, ledger::SaleStatus};
    use serde_json::json;

    fn audited(sale: &str, lag_events: u64, audit: Option<Audit>) -> Audited {
        let (kind, sale, lag_seconds) = ("raffle".to_owned(), sale.to_owned(), lag_events as f64 / 2.0);
        let alarm = lag_events > 5;
        let status = SaleStatus { kind, sale, lag_events, lag_seconds, alarm, ..SaleStatus::default() };
        Audited { status, opened_at: None, audit }
    }

    fn summary(sale: &str, state: &str, left: u64, low: bool) -> SaleSummary {
        let sale = json!({
            "kind": "raffle", "sale": sale, "state": state, "total": 10, "left": left, "opened_at": 0, "crowd": false,
            "lag_events": 0, "low": low,
        });
        serde_json::from_value(sale).expect("a sale")
    }

    fn webhook(id: &str, dead_letters: u64) -> Webhook {
        Webhook {
            id: id.to_owned(),
            url: String::new(),
            kinds: Vec::new(),
            outcomes: Vec::new(),
            created_at: 0,
            behind: 0,
            stalled_sales: 0,
            reason: None,
            dead_letters,
        }
    }

    fn called(matter: &Matter) -> &str {
        match &matter.subject {
            Subject::Sale(sale) => &sale.sale,
            Subject::Webhook { webhook } => webhook,
        }
    }

    #[test]
    fn the_most_urgent_comes_first_and_what_is_as_it_should_be_not_at_all() {
        let broken = Audit { verdict: Verdict::Broken, ..Audit::of(Vec::new(), EventId::default(), 1) };
        let board = Board {
            sales: vec![
                audited("lags", 6, None),
                audited("fine", 1, Some(Audit::of(Vec::new(), EventId::default(), 1))),
                audited("robbed", 0, Some(broken)),
            ],
            counts: VerdictCounts { broken: 1, holds: 1, ..VerdictCounts::default() },
            writer: Some("shop-1".to_owned()),
            ..Board::default()
        };
        let noteworthy = vec![
            summary("few", "open", 2, true),
            summary("gone", "sold_out", 0, true),
            summary("lost", "suspended", 0, false),
            summary("many", "open", 9, false),
            summary("over", "closed", 0, true),
        ];
        let findings = || Findings {
            redis: RedisRoom::Free,
            missing_sales: 0,
            board: board.clone(),
            noteworthy: Vec::new(),
            dead_letters: Vec::new(),
            webhooks: Vec::new(),
        };
        let health = Health::of(Findings {
            noteworthy,
            dead_letters: vec![(SaleName { kind: "raffle".to_owned(), sale: "robbed".to_owned() }, 3)],
            webhooks: vec![webhook("works", 0), webhook("shop", 4)],
            ..findings()
        });
        let matters: Vec<_> = health.matters.iter().map(|one| (one.reason.name(), called(one), one.number)).collect();
        assert_eq!(
            matters,
            [
                ("broken", "robbed", 0),
                ("suspended", "lost", 0),
                ("dead_letters", "robbed", 3),
                ("undelivered", "shop", 4),
                ("lag", "lags", 6),
                ("sold_out", "gone", 0),
                ("low", "few", 2),
            ]
        );
        assert_eq!((health.lag_events, health.lag_seconds, health.problems()), (7, 3.0, 1));
        let nobody = Board { writer: None, unreachable: Some("why".to_owned()), ..board.clone() };
        let problems = Findings { redis: RedisRoom::Full, missing_sales: 2, board: nobody, ..findings() };
        assert_eq!(Health::of(problems).problems(), 5);
    }
}
