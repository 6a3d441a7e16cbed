//! Consistent snapshots of red packet sales.

use super::{
    Claim, Declined, HISTOGRAM_BUCKETS, Histogram, Outcomes, Snapshot, Splitter, State,
    history::claims,
    scripts::{Holding, KIND, SNAPSHOT, holding},
    service::RedPackets,
};
use crate::{
    crowd,
    domain::{EventId, Millis, check_id},
    error::Result,
    ledger::absence::archived_or_lost,
    sales::refused_sample::refused_sample,
    store::{reply::ReplyCode, stream::Entry},
};
use std::collections::HashMap;

/// Newest claims and sampled attempts in a snapshot.
const LATEST: usize = 32;
const SAMPLE: usize = 16;

impl RedPackets {
    /// A consistent snapshot of everything that the page shows.
    ///
    /// # Errors
    /// `bad_request`, `unknown_sale`, `unavailable`.
    pub async fn snapshot(&self, sale: &str) -> Result<Snapshot> {
        check_id("sale", sale)?;
        let mut reply = self.store.eval(&SNAPSHOT, (KIND, sale), &[LATEST, SAMPLE]).await?;
        if reply.code != ReplyCode::Done {
            return archived_or_lost(Err(reply.code.refusal(&SNAPSHOT, sale)), &self.store, &self.ledger, KIND, sale)
                .await;
        }
        let meta = Fields(reply.next_value()?);
        let stats = Fields(reply.next_value()?);
        let pending: u64 = reply.next_value()?;
        let event_id: EventId = reply.next_value::<String>()?.parse()?;
        let events: Vec<Entry> = reply.next_value()?;
        let attempts: Vec<Entry> = reply.next_value()?;
        let crowd: Option<String> = reply.next_value()?;

        let now = self.clock.now();
        let total_cents = meta.number("total_cents");
        let (claimed, claimed_cents) = (stats.number("won") as u64, stats.number("claimed_cents"));
        let refunded_cents = meta.number("refunded_cents");
        let expires_at = meta.number("expires_at");
        Ok(Snapshot {
            sale: sale.to_owned(),
            state: state(meta.text("state"), expires_at, now),
            splitter: Splitter::from_name(meta.text("splitter")).unwrap_or(Splitter::Equal),
            total_cents,
            count: meta.number("count") as u64,
            opened_at: meta.number("opened_at"),
            expires_at,
            pending,
            pending_cents: total_cents - claimed_cents - refunded_cents,
            claimed,
            claimed_cents,
            refunded: meta.number("refunded") as u64,
            refunded_cents,
            outcomes: Outcomes {
                won: claimed,
                repeat: stats.number("repeat") as u64,
                sold_out: stats.number("sold_out") as u64,
                expired: stats.number("expired") as u64,
                closed: stats.number("closed") as u64,
            },
            luckiest: luckiest(&meta),
            histogram: histogram(&meta, &stats),
            latest: latest(&events)?,
            declined: refused_sample(&attempts, SAMPLE, declined)?,
            calls: stats.number("calls") as u64,
            crowd: crowd.map(|json| crowd::runner::read(&json, now)).transpose()?,
            event_id,
        })
    }
}

fn latest(events: &[Entry]) -> Result<Vec<Claim>> {
    let mut latest = Vec::with_capacity(LATEST);
    for entry in events {
        let wanted = LATEST - latest.len();
        latest.extend(claims(entry)?.into_iter().rev().take(wanted));
    }
    Ok(latest)
}

/// How an attempt that changed nothing is shown.
fn declined(code: ReplyCode) -> Option<Declined> {
    match code {
        ReplyCode::Repeat => Some(Declined::Repeat),
        ReplyCode::SoldOut => Some(Declined::SoldOut),
        ReplyCode::Expired => Some(Declined::Expired),
        ReplyCode::Closed => Some(Declined::Closed),
        _ => None,
    }
}

fn luckiest(meta: &Fields) -> Option<Claim> {
    let user = meta.0.get("best_user")?.clone();
    let Holding { packet, cents } = holding(meta.text("best_packet")).ok()?;
    Some(Claim { user, packet, cents, at: meta.number("best_at") })
}

fn histogram(meta: &Fields, stats: &Fields) -> Histogram {
    let column = |column| stats.number(&format!("amount:{column}")) as u64;
    Histogram { width: meta.number("bucket_cents"), counts: (0..HISTOGRAM_BUCKETS).map(column).collect() }
}

pub(super) fn state(name: &str, expires_at: Millis, now: Millis) -> State {
    match name {
        "opening" => State::Opening,
        "refunded" => State::Refunded,
        "suspended" => State::Suspended,
        "closed" => State::Closed,
        _ if now >= expires_at => State::Expired,
        _ => State::Open,
    }
}

/// A hash from Redis: field to string.
struct Fields(HashMap<String, String>);

impl Fields {
    fn text(&self, name: &str) -> &str {
        self.0.get(name).map_or("", String::as_str)
    }

    /// A numeric field; 0 if it is missing.
    fn number(&self, name: &str) -> i64 {
        self.text(name).parse().unwrap_or(0)
    }
}
