//! What the ledger writes of a red packet sale, and what it asks of one.

use super::service::{KIND, RedPackets, claims, winning_requests};
use crate::{
    domain::{Audit, Cents, Millis},
    ledger::book::{Book, Interpreter, Later, Line, Reading, Recovered},
    store::stream::{Entry, Read, Unreadable, event_type, number_field, text_field},
};
use serde::{Deserialize, Serialize};
use std::sync::Arc;

/// Outcomes in the ledger.
pub mod outcome {
    pub const OPENED: &str = "opened";
    pub const WON: &str = "won";
    pub const REFUNDED: &str = "refunded";
    pub const RECOVERED: &str = "recovered";
}

/// What a sale was opened on, as the ledger keeps it: all that it takes to build it anew.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Kept {
    pub total_cents: Cents,
    pub count: u64,
    pub splitter: String,
    pub seed: u64,
    pub life_s: u64,
    pub bucket_cents: Cents,
    pub opened_at: Millis,
    pub expires_at: Millis,
}

impl Book for RedPackets {
    fn kind(&self) -> &'static str {
        KIND
    }

    fn interpreter<'a>(&'a self, _sale: &'a str) -> Later<'a, Interpreter> {
        let interpreter: Interpreter = Arc::new(|entry| {
            read(entry).map_err(|Unreadable(why)| why)?.ok_or_else(|| {
                format!("no event of a red packet sale is called \"{}\"", String::from_utf8_lossy(event_type(entry)))
            })
        });
        Box::pin(async move { Ok(interpreter) })
    }

    fn audit<'a>(&'a self, sale: &'a str) -> Later<'a, Audit> {
        Box::pin(self.audit(sale))
    }

    fn recover<'a>(&'a self, sale: &'a str) -> Later<'a, Recovered> {
        Box::pin(self.recover(sale))
    }

    fn sweep(&self) -> Later<'_, u64> {
        Box::pin(self.sweep())
    }
}

/// `None` where the event is none of ours.
fn read(entry: &Entry) -> Read<Option<Reading>> {
    let at = number_field(entry, "at")?;
    let one = |outcome, cents| vec![Line { outcome, cents, ..Line::default() }];
    let reading = match event_type(entry) {
        b"opened" => {
            let kept = kept(entry)?;
            let terms = serde_json::to_string(&kept).ok();
            Reading { at, lines: one(outcome::OPENED, kept.total_cents), terms, ..Reading::default() }
        }
        b"claimed" => Reading { at, lines: won(entry)?, ..Reading::default() },
        b"refunded" => {
            let lines = one(outcome::REFUNDED, number_field(entry, "cents")?);
            Reading { at, lines, closes: true, ..Reading::default() }
        }
        b"recovered" => Reading { at, lines: one(outcome::RECOVERED, 0), ..Reading::default() },
        _ => return Ok(None),
    };
    Ok(Some(reading))
}

fn won(entry: &Entry) -> Read<Vec<Line>> {
    let claims = claims(entry)?;
    let requests = winning_requests(entry)?;
    if claims.len() != requests.len() {
        let (claims, requests) = (claims.len(), requests.len());
        return Err(Unreadable(format!("entry {} has {claims} claims by {requests} requests", entry.0)));
    }
    let lines = claims.into_iter().zip(requests).map(|(claim, request_id)| Line {
        outcome: outcome::WON,
        user: Some(claim.user),
        request_id: Some(request_id),
        item: Some(claim.packet.to_string()),
        cents: claim.cents,
        ..Line::default()
    });
    Ok(lines.collect())
}

fn kept(entry: &Entry) -> Read<Kept> {
    let number = |name| number_field(entry, name);
    Ok(Kept {
        total_cents: number("total_cents")?,
        count: number("count")?.cast_unsigned(),
        splitter: text_field(entry, "splitter")?.to_owned(),
        seed: text_field(entry, "seed")?
            .parse()
            .map_err(|_| Unreadable(format!("the `seed` of entry {} is no number", entry.0)))?,
        life_s: number("life_s")?.cast_unsigned(),
        bucket_cents: number("bucket_cents")?,
        opened_at: number("at")?,
        expires_at: number("expires_at")?,
    })
}
