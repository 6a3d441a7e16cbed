//! What the ledger records for a sale of coupons, and how it uses the kind.

use crate::{
    coupon::{
        scripts::{LASTING, maxima, maxima_args, maximum, pack},
        service::Coupons,
    },
    life::history::{GivenPlan, given_plan, interpret},
    reasons::reasons,
    terms::{RecordField, RecordedTerms},
};
use futures::future::{BoxFuture, FutureExt, ready};
use ledger::kind::{Change, DeadLetters, Interpretation, Interpreter, LastingParts, LedgerKind, ListPart, Recovered};
use model::{
    Audit, Millis,
    coupon::{
        ByLimit, LimitName, List, Lists, Part, Validity,
        limits::{Edit, SALE, Scope, Table, USER, edit_to_text},
        outcome,
    },
    error::Result,
};
use serde::{Deserialize, Serialize};
use std::sync::Arc;
use store::stream::{Entry, Read, Unreadable, event_type, number_field, packed, text_field};

/// The terms on which a sale was opened, as stored in the ledger: everything needed to rebuild it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct StoredTerms {
    /// Which limits it has.
    pub table: Table,
    /// The limits at the beginning.
    pub limits: ByLimit,
    /// The time zone in which days begin.
    pub time_zone: String,
    /// The key of the codes.
    pub code_key: String,
    /// Whether coupons that were given back still count.
    pub given_back_counts: bool,
    /// When coupons can be redeemed; `None` if an older program has opened the sale.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub validity: Option<Validity>,
    /// For how long lists it was opened.
    #[serde(default, skip_serializing_if = "Lists::is_none")]
    pub lists: Lists,
    /// When the sale was opened.
    pub opened_at: Millis,
    /// The plan with which it was opened: start, end, texts, currency.
    #[serde(default, skip_serializing_if = "GivenPlan::is_empty")]
    pub plan: GivenPlan,
}

impl RecordedTerms for StoredTerms {
    fn fields(&self) -> Result<Vec<RecordField>> {
        let Self { table, limits, time_zone, code_key, given_back_counts, validity, lists, opened_at, .. } = self;
        let given_back_counts = u8::from(*given_back_counts).to_string();
        let mut terms: Vec<String> =
            [time_zone.clone(), given_back_counts.clone()].into_iter().chain(maxima_args(table, limits)).collect();
        if let Some(validity) = validity.filter(|validity| !validity.is_unlimited()) {
            terms.extend(["valid".to_owned(), validity.to_text()]);
        }
        if !lists.is_none() {
            terms.extend(["lists".to_owned(), lists.to_text()]);
        }
        let mut fields: Vec<RecordField> = vec![
            ("terms", terms.join(" ").into_bytes()),
            ("basis", format!("{time_zone} {code_key}").into_bytes()),
            ("given_back_counts", given_back_counts.into_bytes()),
            ("opened_at", opened_at.to_string().into_bytes()),
            ("table", pack(table)),
        ];
        fields.extend(validity.map(|validity| ("validity", validity.to_text().into_bytes())));
        Ok(fields)
    }
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

    fn lasting(&self) -> &'static LastingParts {
        &LASTING
    }

    fn audit<'a>(&'a self, sale: &'a str) -> BoxFuture<'a, Result<Audit>> {
        Box::pin(self.audit(sale))
    }

    fn recover<'a>(&'a self, sale: &'a str, dead_letters: DeadLetters) -> BoxFuture<'a, Result<Recovered>> {
        Box::pin(self.recover(sale, dead_letters))
    }

    /// Nothing is ever due: a day ends by itself, with the first claim of the next.
    fn sweep(&self) -> BoxFuture<'_, Result<u64>> {
        ready(Ok(0)).boxed()
    }
}

/// Interprets an entry; `None` if its event is unknown.
fn read(entry: &Entry) -> Read<Option<Interpretation>> {
    let at = number_field(entry, "at")?;
    let Some(event) = read_event(entry)? else { return interpret(entry) };
    let one = |outcome| vec![Change { outcome, ..Change::default() }];
    let reasons = reasons(entry)?;
    let coupons = |outcome, coupons: Vec<OfCoupon>| {
        let change = |(coupon, reason): (OfCoupon, Option<String>)| Change {
            outcome,
            requested: coupon.further_to_text(),
            user: Some(coupon.user),
            request_id: Some(coupon.request_id),
            item: Some(coupon.code),
            reason,
            ..Change::default()
        };
        coupons.into_iter().zip(reasons).map(change).collect()
    };
    let (mut terms, mut listed) = (None, None);
    let changes = match event {
        Event::Opened(stored) => {
            terms = serde_json::to_string(&stored).ok();
            one(outcome::OPENED)
        }
        Event::Listed(Part { list, first, entries }) => {
            let last = first + (entries.len() as u64).saturating_sub(1);
            listed = Some(ListPart { list: list.name(), entries });
            vec![Change {
                outcome: outcome::LISTED,
                item: Some(format!("{} {first}-{last}", list.name())),
                ..Change::default()
            }]
        }
        Event::Claimed(claimed) => coupons(outcome::WON, claimed),
        Event::Redeemed(ended) => coupons(outcome::REDEEMED, ended),
        Event::Returned(ended) => coupons(outcome::RETURNED, ended),
        Event::Voided(voided) => coupons(outcome::VOIDED, voided),
        Event::Limits(LimitsEvent { limits, request }) => {
            let (request_id, edit) = request;
            vec![Change {
                outcome: outcome::LIMITS,
                request_id: Some(request_id),
                requested: Some(edit_to_text(&edit)),
                item: Some(limits.to_text()),
                ..Change::default()
            }]
        }
        Event::Closed => one(outcome::CLOSED),
        Event::Recovered => one(outcome::RECOVERED),
    };
    Ok(Some(Interpretation { at, changes, terms, listed, ..Interpretation::default() }))
}

/// The content of an event.
pub(super) enum Event {
    Opened(StoredTerms),
    Listed(Part),
    Claimed(Vec<OfCoupon>),
    Redeemed(Vec<OfCoupon>),
    Returned(Vec<OfCoupon>),
    /// Redemptions that were taken back, each with the request that had redeemed.
    Voided(Vec<OfCoupon>),
    Limits(LimitsEvent),
    Closed,
    Recovered,
}

/// A change of limits.
pub(super) struct LimitsEvent {
    /// What is in force from now on.
    pub limits: ByLimit,
    /// The request, and what it changed.
    pub request: (String, Edit),
}

/// What happened to a coupon.
#[derive(Clone, Default)]
pub struct OfCoupon {
    /// Who claimed it.
    pub user: String,
    /// Its code, as it is spelled.
    pub code: String,
    /// The request that did it.
    pub request_id: String,
    /// For a claim its values of the further scopes, in the order of their places.
    pub further: Vec<String>,
}

impl OfCoupon {
    /// What of a scope it counts for.
    pub fn value_of(&self, scope: Scope) -> &str {
        match scope {
            SALE => "",
            USER => &self.user,
            Scope { place, .. } => {
                place.checked_sub(1 + VALUES).and_then(|nth| self.further.get(nth)).map_or("", |value| value)
            }
        }
    }

    /// Its values of the further scopes, as the ledger keeps them; `None` if there are none.
    fn further_to_text(&self) -> Option<String> {
        (!self.further.is_empty()).then(|| serde_json::to_string(&self.further).unwrap_or_default())
    }

    /// Reads [`Self::further_to_text`].
    pub fn further_from_text(text: Option<&str>) -> Vec<String> {
        text.and_then(|text| serde_json::from_str(text).ok()).unwrap_or_default()
    }
}

/// Words of an attempt that has no values of further scopes, and of an end.
const VALUES: usize = 3;

/// Reads an entry; `None` if its event is unknown.
///
/// # Errors
/// If it does not have the form that the scripts write.
pub(super) fn read_event(entry: &Entry) -> Read<Option<Event>> {
    Ok(Some(match event_type(entry)? {
        b"opened" => Event::Opened(StoredTerms {
            table: table(entry)?,
            limits: limits(entry)?,
            time_zone: text_field(entry, "time_zone")?.to_owned(),
            code_key: text_field(entry, "code_key")?.to_owned(),
            given_back_counts: number_field(entry, "given_back_counts")? != 0,
            validity: validity(entry)?,
            lists: lists(entry)?,
            opened_at: number_field(entry, "at")?,
            plan: given_plan(entry)?,
        }),
        b"listed" => Event::Listed(listed(entry)?),
        b"claimed" => Event::Claimed(claims(entry)?),
        b"redeemed" => Event::Redeemed(ended(entry)?),
        b"returned" => Event::Returned(ended(entry)?),
        b"voided" => Event::Voided(ended(entry)?),
        b"limits" => Event::Limits(LimitsEvent { limits: limits(entry)?, request: edit(entry)? }),
        b"closed" => Event::Closed,
        b"recovered" => Event::Recovered,
        _ => return Ok(None),
    }))
}

/// `None` if an older program has opened the sale.
fn validity(entry: &Entry) -> Read<Option<Validity>> {
    let Some(text) = entry.1.get("validity") else { return Ok(None) };
    let validity = Validity::from_text(text);
    validity.map(Some).ok_or_else(|| Unreadable(format!("the `validity` of entry {} cannot be read", entry.0)))
}

fn lists(entry: &Entry) -> Read<Lists> {
    let Some(text) = entry.1.get("lists") else { return Ok(Lists::default()) };
    Lists::from_text(text).ok_or_else(|| Unreadable(format!("the `lists` of entry {} cannot be read", entry.0)))
}

fn listed(entry: &Entry) -> Read<Part> {
    let list = List::from_name(text_field(entry, "list")?);
    let list = list.ok_or_else(|| Unreadable(format!("the `list` of entry {} cannot be read", entry.0)))?;
    let first = u64::try_from(number_field(entry, "first")?).unwrap_or_default();
    Ok(Part { list, first, entries: packed(entry, "data")? })
}

fn table(entry: &Entry) -> Read<Table> {
    let rows: Vec<(String, String, String)> = packed(entry, "table")?;
    Table::try_from(rows).map_err(|why| Unreadable(format!("the `table` of entry {} has {why}", entry.0)))
}

fn limits(entry: &Entry) -> Read<ByLimit> {
    let words: Vec<String> = packed(entry, "limits")?;
    maxima(&words).ok_or_else(|| Unreadable(format!("the `limits` of entry {} cannot be read", entry.0)))
}

/// The request of a `limits` event, and what it changed.
fn edit(entry: &Entry) -> Read<(String, Edit)> {
    let words: Vec<String> = packed(entry, "data")?;
    let edit = words.split_first().and_then(|(request_id, words)| {
        let pair = |pair: &[String]| {
            let [name, most] = pair else { return None };
            Some((LimitName::from_name(name)?, maximum(most)?))
        };
        Some((request_id.clone(), words.chunks(2).map(pair).collect::<Option<Edit>>()?))
    });
    edit.ok_or_else(|| Unreadable(format!("the `data` of entry {} cannot be read", entry.0)))
}

/// The winners of a `claimed` event, in the order in which they won. Their codes are the own ones of a sale that has such.
///
/// # Errors
/// If it does not have the form that the script writes.
pub fn claims(entry: &Entry) -> Read<Vec<OfCoupon>> {
    let attempts: Vec<String> = packed(entry, "data")?;
    let places: Vec<usize> = packed(entry, "places")?;
    let words = usize::try_from(number_field(entry, "words")?).unwrap_or_default();
    let own: Option<Vec<String>> = entry.1.bytes("own").map(|_| packed(entry, "own")).transpose()?;
    let claim = |(nth, place): (usize, usize)| {
        let [user, request_id, code, further @ ..] = attempts.chunks_exact(words).nth(place.checked_sub(1)?)? else {
            return None;
        };
        let code = own.as_ref().map_or(Some(code), |own| own.get(nth))?;
        let [user, request_id, code] = [user, request_id, code].map(String::clone);
        Some(OfCoupon { user, code, request_id, further: further.to_vec() })
    };
    let is_whole = words >= VALUES && attempts.len().is_multiple_of(words);
    let claims =
        is_whole.then(|| places.into_iter().enumerate().map(claim).collect::<Option<Vec<OfCoupon>>>()).flatten();
    claims.ok_or_else(|| Unreadable(format!("entry {} names attempts that it has not", entry.0)))
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
        further: Vec::new(),
    };
    Ok(words.chunks_exact(VALUES).map(coupon).collect())
}
