//! What the ledger records for a sale of coupons, and how it uses the kind.

use super::{ByLimit, outcome, scripts::maxima, service::Coupons};
use crate::{
    domain::{Audit, Millis},
    error::Result,
    ledger::kind::{Change, Interpretation, Interpreter, LedgerKind, Recovered},
    store::stream::{Entry, Read, Unreadable, event_type, number_field, packed, text_field},
};
use futures::future::{BoxFuture, FutureExt, ready};
use serde::{Deserialize, Serialize};
use std::sync::Arc;

/// The terms on which a sale was opened, as stored in the ledger: everything needed to rebuild it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct StoredTerms {
    /// The limits at the beginning.
    pub limits: ByLimit,
    /// The time zone in which days begin.
    pub time_zone: String,
    /// The key of the codes.
    pub code_key: String,
    /// Whether coupons that were given back still count.
    pub given_back_counts: bool,
    /// When the sale was opened.
    pub opened_at: Millis,
}

impl LedgerKind for Coupons {
    fn interpreter<'a>(&'a self, _sale: &'a str) -> BoxFuture<'a, Result<Interpreter>> {
        let interpreter: Interpreter = Arc::new(|entry| {
            read(entry).map_err(|Unreadable(why)| why)?.ok_or_else(|| {
                format!(
                    "coupon sales have no event \"{}\"",
                    String::from_utf8_lossy(event_type(entry).unwrap_or_default())
                )
            })
        });
        Box::pin(async move { Ok(interpreter) })
    }

    fn audit<'a>(&'a self, sale: &'a str) -> BoxFuture<'a, Result<Audit>> {
        Box::pin(self.audit(sale))
    }

    fn recover<'a>(&'a self, sale: &'a str) -> BoxFuture<'a, Result<Recovered>> {
        Box::pin(self.recover(sale))
    }

    /// Nothing is ever due: a day ends by itself, with the first claim of the next.
    fn sweep(&self) -> BoxFuture<'_, Result<u64>> {
        ready(Ok(0)).boxed()
    }
}

/// Interprets an entry; `None` if its event is unknown.
fn read(entry: &Entry) -> Read<Option<Interpretation>> {
    let at = number_field(entry, "at")?;
    let Some(event) = read_event(entry)? else { return Ok(None) };
    let one = |outcome| vec![Change { outcome, ..Change::default() }];
    let coupons = |outcome, coupons: Vec<OfCoupon>| {
        let change = |OfCoupon { user, code, request_id }| Change {
            outcome,
            user: Some(user),
            request_id: Some(request_id),
            item: Some(code),
            ..Change::default()
        };
        coupons.into_iter().map(change).collect()
    };
    let mut terms = None;
    let changes = match event {
        Event::Opened(stored) => {
            terms = serde_json::to_string(&stored).ok();
            one(outcome::OPENED)
        }
        Event::Claimed(claimed) => coupons(outcome::WON, claimed),
        Event::Redeemed(ended) => coupons(outcome::REDEEMED, ended),
        Event::Returned(ended) => coupons(outcome::RETURNED, ended),
        Event::Limits(limits) => {
            vec![Change { outcome: outcome::LIMITS, item: Some(limits.to_text()), ..Change::default() }]
        }
        Event::Closed => one(outcome::CLOSED),
        Event::Recovered => one(outcome::RECOVERED),
    };
    Ok(Some(Interpretation { at, changes, terms, ..Interpretation::default() }))
}

/// The content of an event.
pub(super) enum Event {
    Opened(StoredTerms),
    Claimed(Vec<OfCoupon>),
    Redeemed(Vec<OfCoupon>),
    Returned(Vec<OfCoupon>),
    Limits(ByLimit),
    Closed,
    Recovered,
}

/// What happened to a coupon.
#[derive(Clone)]
pub(super) struct OfCoupon {
    pub user: String,
    pub code: String,
    pub request_id: String,
}

/// Values of an attempt in a `claimed` event.
const VALUES: usize = 3;

/// Reads an entry; `None` if its event is unknown.
///
/// # Errors
/// If it does not have the form that the scripts write.
pub(super) fn read_event(entry: &Entry) -> Read<Option<Event>> {
    Ok(Some(match event_type(entry)? {
        b"opened" => Event::Opened(StoredTerms {
            limits: limits(entry)?,
            time_zone: text_field(entry, "time_zone")?.to_owned(),
            code_key: text_field(entry, "code_key")?.to_owned(),
            given_back_counts: number_field(entry, "given_back_counts")? != 0,
            opened_at: number_field(entry, "at")?,
        }),
        b"claimed" => Event::Claimed(claims(entry)?),
        b"redeemed" => Event::Redeemed(ended(entry)?),
        b"returned" => Event::Returned(ended(entry)?),
        b"limits" => Event::Limits(limits(entry)?),
        b"closed" => Event::Closed,
        b"recovered" => Event::Recovered,
        _ => return Ok(None),
    }))
}

fn limits(entry: &Entry) -> Read<ByLimit> {
    let words: Vec<String> = packed(entry, "limits")?;
    maxima(&words).ok_or_else(|| Unreadable(format!("the `limits` of entry {} cannot be read", entry.0)))
}

/// The winners of a `claimed` event, in the order in which they won.
pub(super) fn claims(entry: &Entry) -> Read<Vec<OfCoupon>> {
    let attempts: Vec<String> = packed(entry, "data")?;
    let places: Vec<usize> = packed(entry, "places")?;
    let claim = |place: usize| {
        let values = attempts.chunks_exact(VALUES).nth(place.checked_sub(1)?)?;
        Some(OfCoupon { user: values[0].clone(), request_id: values[1].clone(), code: values[2].clone() })
    };
    let is_whole = attempts.len().is_multiple_of(VALUES);
    let claims: Option<Vec<OfCoupon>> = places.into_iter().map(claim).collect();
    claims.filter(|_| is_whole).ok_or_else(|| Unreadable(format!("entry {} names attempts that it has not", entry.0)))
}

fn ended(entry: &Entry) -> Read<Vec<OfCoupon>> {
    let words: Vec<String> = packed(entry, "data")?;
    if !words.len().is_multiple_of(VALUES) {
        return Err(Unreadable(format!("the `data` of entry {} is not whole", entry.0)));
    }
    let coupon = |values: &[String]| OfCoupon {
        user: values[0].clone(),
        code: values[1].clone(),
        request_id: values[2].clone(),
    };
    Ok(words.chunks_exact(VALUES).map(coupon).collect())
}
