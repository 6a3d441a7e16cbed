//! Snapshots of stock sales. They are consistent in Redis, and have the ledger's quantity from just before, so that the
//! quantity on the way to the ledger is exact.

use crate::{
    life::fields::life,
    refused_sample::refused_sample,
    runs,
    stock::{
        history::{self, requests},
        scripts::{KIND, SNAPSHOT},
        service::Stock,
    },
};
use ledger::absence::archived_or_lost;
use model::{
    EventId, check_id,
    error::Result,
    stock::{Declined, Deduction, OTHERS_NAMED, Outcomes, Rebuild, SaleGroup, Snapshot, State, Units},
};
use store::{
    fields::Fields,
    reply::ReplyCode,
    stream::{Entry, number_field},
};

/// The number of newest deductions, and of sampled attempts, in a snapshot.
const LATEST: usize = 32;
const SAMPLE: usize = 16;
/// The number of values of a deduction in its event.
const VALUES: usize = 4;

impl Stock {
    /// A consistent snapshot of all data of the page.
    ///
    /// # Errors
    /// `bad_request`, `unknown_sale`, `unavailable`.
    pub async fn snapshot(&self, sale: &str) -> Result<Snapshot> {
        check_id("sale", sale)?;
        self.snapshot_with(sale, self.recorded.now(sale).await).await
    }

    /// The same snapshot with the ledger's quantity, which was read before. So the ledger has no entry that Redis does
    /// not have.
    pub(super) async fn snapshot_with(&self, sale: &str, ledger: Option<i64>) -> Result<Snapshot> {
        let mut reply = self.store.eval(&SNAPSHOT, (KIND, sale), &[LATEST, SAMPLE]).await?;
        if reply.code != ReplyCode::Done {
            return archived_or_lost(Err(reply.code.refusal(&SNAPSHOT, sale)), &self.store, &self.ledger, KIND, sale)
                .await;
        }
        let meta: Fields = reply.next_value()?;
        let stats: Fields = reply.next_value()?;
        let cached: Option<i64> = reply.next_value()?;
        let (ttl_ms, paused_ms): (i64, i64) = (reply.next_value()?, reply.next_value()?);
        let event_id: EventId = reply.next_value::<String>()?.parse()?;
        let events: Vec<Entry> = reply.next_value()?;
        let attempts: Vec<Entry> = reply.next_value()?;
        let crowd: Option<String> = reply.next_value()?;

        let now = self.clock.now();
        let life = life(&meta, now);
        let group = Some(meta.text("group")).filter(|group| !group.is_empty()).map(|group| {
            let mut others = self.store.others_of_group(KIND, sale);
            others.truncate(OTHERS_NAMED);
            SaleGroup { id: group.to_owned(), others }
        });
        let sum = meta.number("sum");
        Ok(Snapshot {
            sale: sale.to_owned(),
            state: State::of(meta.text("state"), life.phase(now)),
            life,
            opened_at: meta.number("opened_at"),
            ttl_s: meta.count("ttl_ms") / 1_000,
            low_mark: meta.text("low_mark").parse().ok(),
            limit_per_user: meta.text("limit_per_user").parse().ok(),
            hold_s: meta.text("hold_ms").parse().ok().map(|ms: u64| ms / 1_000),
            group,
            held: meta.text("held").parse().ok(),
            crossings: stats.count("crossings"),
            low_at: meta.text("low_at").parse().ok(),
            left: positive(sum),
            oversold: positive(-sum),
            cached: cached.map(positive),
            ttl_ms: u64::try_from(ttl_ms).ok(),
            ledger,
            pending: ledger.map(|ledger| sum - ledger),
            paused_ms: history::paused_ms(paused_ms),
            units: Units {
                opened: meta.count("quantity"),
                deducted: stats.count("deducted"),
                returned: stats.count("returned"),
                confirmed: stats.count("confirmed"),
                expired: stats.count("expired"),
                restocked: stats.count("restocked"),
                corrected: stats.number("corrected"),
            },
            rebuilds: stats.count("rebuilds"),
            rebuilt: rebuilt(meta.text("rebuilds")),
            outcomes: Outcomes {
                won: stats.count("won"),
                repeat: stats.count("repeat"),
                not_enough: stats.count("not_enough"),
                limit_reached: stats.count("limit_reached"),
                closed: stats.count("closed"),
                not_open: stats.count("not_open"),
                paused: stats.count("paused"),
                ended: stats.count("ended"),
            },
            latest: latest(&events),
            declined: refused_sample(&attempts, SAMPLE, declined),
            calls: stats.count("calls"),
            crowd: crowd.map(|json| runs::read(&json, now)).transpose()?,
            event_id,
        })
    }
}

fn positive(number: i64) -> u64 {
    u64::try_from(number).unwrap_or(0)
}

/// The newest rebuilds, one line each. The last line may be cut.
fn rebuilt(lines: &str) -> Vec<Rebuild> {
    let rebuild = |line: &str| {
        let mut words = line.split(' ');
        let (at, server, quantity) = (words.next()?, words.next()?, words.next()?);
        Some(Rebuild {
            at: at.parse().ok()?,
            server: server.to_owned(),
            quantity: positive(quantity.parse().ok()?),
            ledger_difference: words.next().and_then(|difference| difference.parse().ok()),
        })
    };
    // Every line ends with a newline. Text after the last newline is cut off.
    let whole = lines.rsplit_once('\n').map_or("", |(whole, _)| whole);
    whole.lines().filter_map(rebuild).collect()
}

/// The newest deductions. An entry that cannot be read is left out; it is a dead letter, which the ledger reports.
fn latest(events: &[Entry]) -> Vec<Deduction> {
    let mut latest = Vec::with_capacity(LATEST);
    for entry in events {
        let (Ok(at), Ok(requests)) = (number_field(entry, "at"), requests(entry, VALUES)) else { continue };
        let wanted = LATEST - latest.len();
        let newest = requests.into_iter().enumerate().rev().take(wanted);
        latest.extend(newest.map(|(place, request)| Deduction {
            id: format!("{}/{place}", entry.0),
            user: request.user,
            quantity: positive(request.quantity),
            left: positive(request.left),
            at,
        }));
    }
    latest
}

fn declined(code: ReplyCode) -> Option<Declined> {
    match code {
        ReplyCode::Repeat => Some(Declined::Repeat),
        ReplyCode::NotEnough => Some(Declined::NotEnough),
        ReplyCode::LimitReached => Some(Declined::LimitReached),
        ReplyCode::Closed => Some(Declined::Closed),
        ReplyCode::NotOpen => Some(Declined::NotOpen),
        ReplyCode::Paused => Some(Declined::Paused),
        ReplyCode::Expired => Some(Declined::Ended),
        ReplyCode::OtherUser | ReplyCode::OtherRequest => Some(Declined::Reused),
        _ => None,
    }
}
