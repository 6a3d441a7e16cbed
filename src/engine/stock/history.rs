//! What the ledger records for a sale of stock, and what else it asks of this kind.

use crate::{
    expiry::settle,
    life::history::{GivenPlan, given_plan, interpret},
    reasons::reasons,
    stock::{
        scripts::{KIND, LASTING},
        service::Stock,
    },
    terms::{RecordField, RecordedTerms},
};
use futures::future::{BoxFuture, FutureExt};
use ledger::kind::{Change, DeadLetters, Interpretation, Interpreter, LastingParts, LedgerKind, Recovered};
use model::{
    Audit, Millis,
    error::Result,
    stock::{MAX_PAUSE_S, outcome},
};
use serde::{Deserialize, Serialize};
use std::sync::Arc;
use store::stream::{Entry, Read, Unreadable, event_type, number_field, packed, text_field};

/// The terms on which a sale was opened, as stored in the ledger: everything needed to rebuild it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct StoredTerms {
    /// The quantity at the opening.
    pub quantity: i64,
    /// How long it stays cached, in milliseconds.
    pub ttl_ms: u64,
    /// The quantity at which the stock is announced as low, if ever.
    pub low_mark: Option<u64>,
    /// The most units that a user may have at once, if there is a limit.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub limit_per_user: Option<u64>,
    /// How long a deduction is held before it is confirmed, in milliseconds, if it needs confirmation.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub hold_ms: Option<u64>,
    /// The group, if it is one of several sales in one attempt.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub group: Option<String>,
    /// When the sale was opened.
    pub opened_at: Millis,
    /// The plan with which it was opened: start, end, texts, currency.
    #[serde(default, skip_serializing_if = "GivenPlan::is_empty")]
    pub plan: GivenPlan,
}

impl StoredTerms {
    /// The deadline of a reservation that was made at this hold time, in hold time; `None` if the sale does not hold.
    pub(super) fn deadline(&self, held_at: Millis) -> Option<Millis> {
        self.hold_ms.map(|hold_ms| held_at.saturating_add_unsigned(hold_ms))
    }
}

impl RecordedTerms for StoredTerms {
    fn fields(&self) -> Result<Vec<RecordField>> {
        let Self { quantity, ttl_ms, low_mark, limit_per_user, hold_ms, group, opened_at, .. } = self;
        let text = |number: &Option<u64>| number.map_or_else(String::new, |number| number.to_string());
        let low_mark = text(low_mark);
        let mut terms = format!("{quantity} {ttl_ms} {low_mark}");
        if limit_per_user.is_some() || hold_ms.is_some() || group.is_some() {
            terms = format!("{terms} {} {}", text(limit_per_user), text(hold_ms));
        }
        if let Some(group) = group {
            terms = format!("{terms} {group}");
        }
        let mut fields = vec![
            ("terms", terms.into_bytes()),
            ("quantity", quantity.to_string().into_bytes()),
            ("ttl_ms", ttl_ms.to_string().into_bytes()),
            ("low_mark", low_mark.into_bytes()),
            ("opened_at", opened_at.to_string().into_bytes()),
        ];
        for (name, term) in [("limit_per_user", limit_per_user), ("hold_ms", hold_ms)] {
            fields.extend(term.map(|term| (name, term.to_string().into_bytes())));
        }
        fields.extend(group.clone().map(|group| ("group", group.into_bytes())));
        Ok(fields)
    }
}

impl LedgerKind for Stock {
    fn interpreter<'a>(&'a self, _sale: &'a str) -> BoxFuture<'a, Result<Interpreter>> {
        let interpreter: Interpreter = Arc::new(|entry| {
            read(entry).map_err(|Unreadable(why)| why)?.ok_or_else(|| {
                format!(
                    "stock sales have no event \"{}\"",
                    String::from_utf8_lossy(event_type(entry).unwrap_or_default())
                )
            })
        });
        Box::pin(async move { Ok(interpreter) })
    }

    fn is_paused<'a>(&'a self, sale: &'a str) -> BoxFuture<'a, Result<bool>> {
        async move { Ok(paused_ms(self.store.query("PTTL", self.store.sale_key(KIND, sale, "paused")).await?).is_some()) }.boxed()
    }

    fn lasting(&self) -> &'static LastingParts {
        &LASTING
    }

    fn audit<'a>(&'a self, sale: &'a str) -> BoxFuture<'a, Result<Audit>> {
        Box::pin(self.audit(sale))
    }

    fn recover<'a>(&'a self, sale: &'a str, dead_letters: DeadLetters) -> BoxFuture<'a, Result<Recovered>> {
        Box::pin(self.recover(sale, dead_letters))
    }

    fn settle<'a>(&'a self, sale: &'a str) -> BoxFuture<'a, ()> {
        Box::pin(settle(self, sale, self.clock.now()))
    }

    /// Only reservations become due: the cached quantity expires in Redis.
    fn sweep(&self) -> BoxFuture<'_, Result<u64>> {
        Box::pin(self.sweep())
    }
}

/// How much longer the writer is paused, according to the key's time to live. A key that lives longer than any pause
/// was set before Redis' clock went back, and does not count.
pub(super) fn paused_ms(left: i64) -> Option<u64> {
    u64::try_from(left).ok().filter(|left| *left <= MAX_PAUSE_S * 1_000)
}

/// Interprets an entry; `None` if its event is unknown.
fn read(entry: &Entry) -> Read<Option<Interpretation>> {
    let at = number_field(entry, "at")?;
    let Some(event) = read_event(entry)? else { return interpret(entry) };
    let delta = number_field(entry, "delta")?;
    let one = |outcome| vec![Change { outcome, ..Change::default() }];
    let reasons = reasons(entry)?;
    let of_requests = |outcome, requests: Vec<OfRequest>| {
        let change = |(OfRequest { user, request_id, quantity, return_id, .. }, reason)| Change {
            outcome,
            user: Some(user),
            request_id: Some(request_id),
            requested: (!return_id.is_empty()).then_some(return_id),
            reason,
            ..counted(quantity)
        };
        requests.into_iter().zip(reasons).map(change).collect()
    };
    let mut terms = None;
    let changes = match event {
        Event::Opened(stored) => {
            terms = serde_json::to_string(&stored).ok();
            vec![Change { outcome: outcome::OPENED, ..counted(stored.quantity) }]
        }
        Event::Deducted(requests) => of_requests(outcome::WON, requests),
        Event::Returned(requests) => of_requests(outcome::RETURNED, requests),
        Event::Confirmed(requests) => of_requests(outcome::CONFIRMED, requests),
        Event::Expired(requests) => of_requests(outcome::EXPIRED, requests),
        Event::Adjusted { outcome, delta, request_id } => {
            vec![Change { outcome, request_id: Some(request_id), ..counted(delta) }]
        }
        Event::Closed => one(outcome::CLOSED),
        Event::Recovered => one(outcome::RECOVERED),
    };
    Ok(Some(Interpretation { at, changes, terms, delta, ..Interpretation::default() }))
}

/// A change of so many units.
fn counted(quantity: i64) -> Change {
    Change { item: Some(quantity.to_string()), quantity: Some(quantity), ..Change::default() }
}

/// The content of an event.
pub(super) enum Event {
    Opened(StoredTerms),
    Deducted(Vec<OfRequest>),
    Returned(Vec<OfRequest>),
    Confirmed(Vec<OfRequest>),
    Expired(Vec<OfRequest>),
    Adjusted { outcome: &'static str, delta: i64, request_id: String },
    Closed,
    Recovered,
}

/// What a request deducted, gave back, or had when it was confirmed or expired.
#[derive(Clone, Debug, Default)]
pub(super) struct OfRequest {
    pub user: String,
    pub request_id: String,
    pub quantity: i64,
    /// How much was left after a deduction; 0 of other changes.
    pub left: i64,
    /// The id of a return; empty if it has none.
    pub return_id: String,
}

/// Reads an entry; `None` if its event is unknown.
///
/// # Errors
/// If it does not have the form that the scripts write.
pub(super) fn read_event(entry: &Entry) -> Read<Option<Event>> {
    Ok(Some(match event_type(entry)? {
        b"opened" => Event::Opened(StoredTerms {
            quantity: number_field(entry, "quantity")?,
            ttl_ms: number_field(entry, "ttl_ms")?.unsigned_abs(),
            low_mark: text_field(entry, "low_mark")?.parse().ok(),
            limit_per_user: optional_number(entry, "limit_per_user")?,
            hold_ms: optional_number(entry, "hold_ms")?,
            group: entry.1.get("group").map(str::to_owned),
            opened_at: number_field(entry, "at")?,
            plan: given_plan(entry)?,
        }),
        b"deducted" => Event::Deducted(requests(entry, 4)?),
        b"returned" => Event::Returned(returns(entry)?),
        b"confirmed" => Event::Confirmed(requests(entry, 3)?),
        b"expired" => Event::Expired(requests(entry, 3)?),
        b"adjusted" => Event::Adjusted {
            outcome: match text_field(entry, "how")? {
                "restocked" => outcome::RESTOCKED,
                "corrected" => outcome::CORRECTED,
                how => return Err(Unreadable(format!("entry {} was adjusted by {how:?}", entry.0))),
            },
            delta: number_field(entry, "delta")?,
            request_id: packed(entry, "request")?
                .pop()
                .ok_or_else(|| Unreadable(format!("entry {} names no request", entry.0)))?,
        },
        b"closed" => Event::Closed,
        b"recovered" => Event::Recovered,
        _ => return Ok(None),
    }))
}

/// A value in the list of an event.
#[derive(Deserialize)]
#[serde(untagged)]
enum Word {
    Number(i64),
    Text(String),
}

/// The requests of an event, in their order.
pub(super) fn requests(entry: &Entry, values: usize) -> Read<Vec<OfRequest>> {
    let words: Vec<Word> = packed(entry, "data")?;
    let request = |words: &[Word]| match words {
        [Word::Text(user), Word::Text(request_id), Word::Number(quantity), left @ ..] => Some(OfRequest {
            user: user.clone(),
            request_id: request_id.clone(),
            quantity: *quantity,
            left: match left {
                [Word::Number(left)] => *left,
                _ => 0,
            },
            return_id: String::new(),
        }),
        _ => None,
    };
    let is_whole = words.len().is_multiple_of(values);
    let requests: Option<Vec<OfRequest>> = words.chunks_exact(values).map(request).collect();
    requests.filter(|_| is_whole).ok_or_else(|| Unreadable(format!("the `data` of entry {} is not whole", entry.0)))
}

/// A field that only sales with such a term have.
fn optional_number(entry: &Entry, name: &str) -> Read<Option<u64>> {
    entry.1.get(name).map(|_| number_field(entry, name).map(i64::unsigned_abs)).transpose()
}

/// The requests of a "returned" event, with the ids of their returns.
fn returns(entry: &Entry) -> Read<Vec<OfRequest>> {
    let mut requests = requests(entry, 3)?;
    if entry.1.bytes("returns").is_some() {
        for (request, id) in requests.iter_mut().zip(packed(entry, "returns")?) {
            request.return_id = id;
        }
    }
    Ok(requests)
}
