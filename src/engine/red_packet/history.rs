//! What the ledger records for a red packet sale, and how it uses the kind.

use crate::{
    expiry::settle,
    life::history::{GivenPlan, given_plan, interpret},
    red_packet::{
        scripts::{Holding, LASTING, holding},
        service::RedPackets,
    },
    terms::{RecordField, RecordedTerms},
};
use futures::future::BoxFuture;
use ledger::kind::{Change, DeadLetters, Interpretation, Interpreter, LastingParts, LedgerKind, Recovered};
use model::{
    Audit, Cents, Millis,
    error::Result,
    red_packet::{Claim, outcome},
};
use serde::{Deserialize, Serialize};
use std::sync::Arc;
use store::stream::{Entry, Read, Unreadable, event_type, number_field, packed, text_field};

/// The terms on which a sale was opened, as stored in the ledger: everything needed to rebuild it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct StoredTerms {
    /// The money of the sale.
    pub total_cents: Cents,
    /// Number of packets.
    pub count: u64,
    /// The name of the splitter.
    pub splitter: String,
    /// The seed of the split.
    pub seed: u64,
    /// Life of the sale, in seconds.
    pub life_s: u64,
    /// Cents spanned by a column of the histogram.
    pub bucket_cents: Cents,
    /// When it was opened.
    pub opened_at: Millis,
    /// When it expires.
    pub expires_at: Millis,
    /// The plan with which it was opened: start, end, texts, currency.
    #[serde(default, skip_serializing_if = "GivenPlan::is_empty")]
    pub plan: GivenPlan,
}

impl RecordedTerms for StoredTerms {
    fn fields(&self) -> Result<Vec<RecordField>> {
        let Self { total_cents, count, splitter, seed, life_s, bucket_cents, opened_at, expires_at, .. } = self;
        Ok(vec![
            ("total_cents", total_cents.to_string().into_bytes()),
            ("count", count.to_string().into_bytes()),
            ("splitter", splitter.clone().into_bytes()),
            ("seed", seed.to_string().into_bytes()),
            ("life_s", life_s.to_string().into_bytes()),
            ("bucket_cents", bucket_cents.to_string().into_bytes()),
            ("opened_at", opened_at.to_string().into_bytes()),
            ("expires_at", expires_at.to_string().into_bytes()),
        ])
    }
}

impl LedgerKind for RedPackets {
    fn interpreter<'a>(&'a self, _sale: &'a str) -> BoxFuture<'a, Result<Interpreter>> {
        let interpreter: Interpreter = Arc::new(|entry| {
            read(entry).map_err(|Unreadable(why)| why)?.ok_or_else(|| {
                format!(
                    "red packet sales have no event \"{}\"",
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

    fn settle<'a>(&'a self, sale: &'a str) -> BoxFuture<'a, ()> {
        Box::pin(settle(self, sale, self.clock.now()))
    }

    fn sweep(&self) -> BoxFuture<'_, Result<u64>> {
        Box::pin(self.sweep())
    }
}

/// Interprets an entry; `None` if its event is unknown.
fn read(entry: &Entry) -> Read<Option<Interpretation>> {
    let at = number_field(entry, "at")?;
    let one = |outcome, cents| vec![Change { outcome, cents, ..Change::default() }];
    let reading = match event_type(entry)? {
        b"opened" => {
            let stored = stored_terms(entry)?;
            let terms = serde_json::to_string(&stored).ok();
            Interpretation { at, changes: one(outcome::OPENED, stored.total_cents), terms, ..Interpretation::default() }
        }
        b"claimed" => Interpretation { at, changes: won(entry)?, ..Interpretation::default() },
        b"refunded" => {
            let changes = one(outcome::REFUNDED, number_field(entry, "cents")?);
            Interpretation { at, changes, closes: true, ..Interpretation::default() }
        }
        b"closed" => {
            let mut changes = one(outcome::CLOSED, 0);
            changes.extend(one(outcome::REFUNDED, number_field(entry, "cents")?));
            Interpretation { at, changes, closes: true, ..Interpretation::default() }
        }
        b"recovered" => Interpretation { at, changes: one(outcome::RECOVERED, 0), ..Interpretation::default() },
        _ => return interpret(entry),
    };
    Ok(Some(reading))
}

fn won(entry: &Entry) -> Read<Vec<Change>> {
    let claims = claims(entry)?;
    let requests = winning_requests(entry)?;
    if claims.len() != requests.len() {
        let (claims, requests) = (claims.len(), requests.len());
        return Err(Unreadable(format!("entry {} has {claims} claims by {requests} requests", entry.0)));
    }
    let lines = claims.into_iter().zip(requests).map(|(claim, request_id)| Change {
        outcome: outcome::WON,
        user: Some(claim.user),
        request_id: Some(request_id),
        item: Some(claim.packet.to_string()),
        cents: claim.cents,
        ..Change::default()
    });
    Ok(lines.collect())
}

fn stored_terms(entry: &Entry) -> Read<StoredTerms> {
    let number = |name| number_field(entry, name);
    Ok(StoredTerms {
        total_cents: number("total_cents")?,
        count: number("count")?.cast_unsigned(),
        splitter: text_field(entry, "splitter")?.to_owned(),
        seed: text_field(entry, "seed")?
            .parse()
            .map_err(|_| Unreadable(format!("the `seed` of entry {} is not a number", entry.0)))?,
        life_s: number("life_s")?.cast_unsigned(),
        bucket_cents: number("bucket_cents")?,
        opened_at: number("at")?,
        expires_at: number("expires_at")?,
        plan: given_plan(entry)?,
    })
}

/// The claims of one "claimed" event, in the order in which they were won.
///
/// # Errors
/// If the entry cannot be read.
pub fn claims(entry: &Entry) -> Read<Vec<Claim>> {
    let at = number_field(entry, "at")?;
    let words: Vec<String> = packed(entry, "data")?;
    words
        .chunks_exact(2)
        .map(|words| {
            let Holding { packet, cents } = holding(&words[1])?;
            Ok(Claim { user: words[0].clone(), packet, cents, at })
        })
        .collect()
}

/// The request ids that won the claims of one "claimed" event, in the same order.
///
/// # Errors
/// If the entry cannot be read.
pub fn winning_requests(entry: &Entry) -> Read<Vec<String>> {
    let requests: Vec<String> = packed(entry, "requests")?;
    let places: Vec<usize> = packed(entry, "places")?;
    let request = |place: usize| place.checked_sub(1).and_then(|index| requests.get(index)).cloned();
    places
        .into_iter()
        .map(|place| request(place).ok_or_else(|| Unreadable(format!("entry {} has no request {place}", entry.0))))
        .collect()
}
