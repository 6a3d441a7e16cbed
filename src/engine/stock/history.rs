//! What the ledger records for a sale of stock, and what else it asks of this kind.

use crate::{
    life::history::{GivenPlan, given_plan, interpret},
    stock::{
        scripts::{LASTING, key},
        service::Stock,
    },
    terms::{RecordField, RecordedTerms},
};
use futures::future::{BoxFuture, FutureExt, ready};
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
    /// When the sale was opened.
    pub opened_at: Millis,
    /// The plan with which it was opened: start, end, texts, currency.
    #[serde(default, skip_serializing_if = "GivenPlan::is_empty")]
    pub plan: GivenPlan,
}

impl RecordedTerms for StoredTerms {
    fn fields(&self) -> Result<Vec<RecordField>> {
        let Self { quantity, ttl_ms, low_mark, opened_at, .. } = self;
        let low_mark = low_mark.map_or_else(String::new, |mark| mark.to_string());
        Ok(vec![
            ("terms", format!("{quantity} {ttl_ms} {low_mark}").into_bytes()),
            ("quantity", quantity.to_string().into_bytes()),
            ("ttl_ms", ttl_ms.to_string().into_bytes()),
            ("low_mark", low_mark.into_bytes()),
            ("opened_at", opened_at.to_string().into_bytes()),
        ])
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
        async move { Ok(paused_ms(self.store.query("PTTL", key(sale, "paused")).await?).is_some()) }.boxed()
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

    /// Nothing is ever due: the cached quantity expires in Redis.
    fn sweep(&self) -> BoxFuture<'_, Result<u64>> {
        ready(Ok(0)).boxed()
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
    let of_requests = |outcome, requests: Vec<OfRequest>| {
        let change = |OfRequest { user, request_id, quantity, .. }| Change {
            outcome,
            user: Some(user),
            request_id: Some(request_id),
            ..counted(quantity)
        };
        requests.into_iter().map(change).collect()
    };
    let mut terms = None;
    let changes = match event {
        Event::Opened(stored) => {
            terms = serde_json::to_string(&stored).ok();
            vec![Change { outcome: outcome::OPENED, ..counted(stored.quantity) }]
        }
        Event::Deducted(requests) => of_requests(outcome::WON, requests),
        Event::Returned(requests) => of_requests(outcome::RETURNED, requests),
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
    Adjusted { outcome: &'static str, delta: i64, request_id: String },
    Closed,
    Recovered,
}

/// What a request deducted or gave back.
#[derive(Clone, Debug)]
pub(super) struct OfRequest {
    pub user: String,
    pub request_id: String,
    pub quantity: i64,
    /// How much was left after it; 0 if it was given back.
    pub left: i64,
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
            opened_at: number_field(entry, "at")?,
            plan: given_plan(entry)?,
        }),
        b"deducted" => Event::Deducted(requests(entry, 4)?),
        b"returned" => Event::Returned(requests(entry, 3)?),
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
        }),
        _ => None,
    };
    let is_whole = words.len().is_multiple_of(values);
    let requests: Option<Vec<OfRequest>> = words.chunks_exact(values).map(request).collect();
    requests.filter(|_| is_whole).ok_or_else(|| Unreadable(format!("the `data` of entry {} is not whole", entry.0)))
}
