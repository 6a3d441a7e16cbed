//! Consistent snapshots of red packet sales.

use crate::{
    life::fields::life,
    red_packet::{
        history::claims,
        scripts::{Holding, KIND, SNAPSHOT, holding},
        service::RedPackets,
    },
    refused_sample::refused_sample,
    runs,
};
use ledger::absence::archived_or_lost;
use model::{
    EventId, check_id,
    error::Result,
    life::Phase,
    red_packet::{Claim, Declined, HISTOGRAM_BUCKETS, Histogram, Outcomes, Snapshot, Splitter, State},
};
use store::{fields::Fields, reply::ReplyCode, stream::Entry};

/// The number of newest claims, and of sampled attempts, in a snapshot.
const LATEST: usize = 32;
const SAMPLE: usize = 16;

impl RedPackets {
    /// A consistent snapshot of all data of the page.
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
        let meta: Fields = reply.next_value()?;
        let stats: Fields = reply.next_value()?;
        let pending: u64 = reply.next_value()?;
        let event_id: EventId = reply.next_value::<String>()?.parse()?;
        let events: Vec<Entry> = reply.next_value()?;
        let attempts: Vec<Entry> = reply.next_value()?;
        let crowd: Option<String> = reply.next_value()?;

        let now = self.clock.now();
        let total_cents = meta.number("total_cents");
        let (claimed, claimed_cents) = (stats.count("won"), stats.number("claimed_cents"));
        let refunded_cents = meta.number("refunded_cents");
        let life = life(&meta, now);
        Ok(Snapshot {
            sale: sale.to_owned(),
            state: state(meta.text("state"), life.phase(now)),
            life,
            splitter: Splitter::from_name(meta.text("splitter")).unwrap_or(Splitter::Equal),
            total_cents,
            count: meta.count("count"),
            opened_at: meta.number("opened_at"),
            expires_at: meta.number("expires_at"),
            pending,
            pending_cents: total_cents - claimed_cents - refunded_cents,
            claimed,
            claimed_cents,
            refunded: meta.count("refunded"),
            refunded_cents,
            outcomes: Outcomes {
                won: claimed,
                repeat: stats.count("repeat"),
                sold_out: stats.count("sold_out"),
                expired: stats.count("expired"),
                closed: stats.count("closed"),
                not_open: stats.count("not_open"),
                paused: stats.count("paused"),
            },
            luckiest: luckiest(&meta),
            histogram: histogram(&meta, &stats),
            latest: latest(&events),
            declined: refused_sample(&attempts, SAMPLE, declined),
            calls: stats.count("calls"),
            crowd: crowd.map(|json| runs::read(&json, now)).transpose()?,
            event_id,
        })
    }
}

/// The newest claims. An entry that cannot be read is left out; it is a dead letter, which the ledger reports.
fn latest(events: &[Entry]) -> Vec<Claim> {
    let claims = events.iter().filter_map(|entry| claims(entry).ok());
    claims.flat_map(|claims| claims.into_iter().rev()).take(LATEST).collect()
}

/// The shown outcome of an attempt that changed nothing.
fn declined(code: ReplyCode) -> Option<Declined> {
    match code {
        ReplyCode::Repeat => Some(Declined::Repeat),
        ReplyCode::SoldOut => Some(Declined::SoldOut),
        ReplyCode::Expired => Some(Declined::Expired),
        ReplyCode::Closed => Some(Declined::Closed),
        ReplyCode::NotOpen => Some(Declined::NotOpen),
        ReplyCode::Paused => Some(Declined::Paused),
        _ => None,
    }
}

fn luckiest(meta: &Fields) -> Option<Claim> {
    let user = meta.get("best_user")?.to_owned();
    let Holding { packet, cents } = holding(meta.text("best_packet")).ok()?;
    Some(Claim { user, packet, cents, at: meta.number("best_at") })
}

fn histogram(meta: &Fields, stats: &Fields) -> Histogram {
    let column = |column| stats.count(&format!("amount:{column}"));
    Histogram { width: meta.number("bucket_cents"), counts: (0..HISTOGRAM_BUCKETS).map(column).collect() }
}

pub(super) fn state(name: &str, phase: Phase) -> State {
    match name {
        "opening" => State::Opening,
        "refunded" => State::Refunded,
        "suspended" => State::Suspended,
        "closed" => State::Closed,
        "open" | "paused" => match phase {
            Phase::Scheduled => State::Scheduled,
            Phase::Open => State::Open,
            Phase::Paused => State::Paused,
            Phase::Ended => State::Expired,
        },
        // Only a newer program writes other states, and it refuses attempts by this program.
        _ => State::Suspended,
    }
}
