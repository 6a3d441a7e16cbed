//! Events a second into the ledger, with Redis on the same machine, and the lag under a steady load.
//!
//! An event here is one claim with its user, request id, packet and cents. *Drained* is the rate at which the database
//! records a stream that was filled beforehand. *Alone* is the same rate with one claim per entry, as under a light
//! load. The lag is sampled continuously while users claim at a steady rate.

use crate::{Bed, ROUNDS, Spread, claims};
use anyhow::{Context, Result, ensure};
use engine::red_packet::service::RedPackets;
use ledger::{service::LedgerService, writer::Writer};
use model::{OfKind, ledger::Search};
use serde::Serialize;
use std::{
    io::{self, Write},
    sync::{
        Arc,
        atomic::{AtomicU32, Ordering::Relaxed},
    },
    time::Duration,
};
use tokio::time::{Instant, MissedTickBehavior};
use tokio_util::sync::CancellationToken;

/// The length of the steady load, in seconds.
const LOAD_S: u32 = 10;
/// The number of claims in separate entries.
const ALONE: u32 = 100_000;
/// The highest allowed ratio of the times of recording with and without idle sales.
const MOST_BESIDE_IDLE: f64 = 1.5;
/// The number of idle sales beside one that is drained.
const IDLE_SALES: usize = 1_000;
/// The interval of samples of the lag.
const LOOK: Duration = Duration::from_millis(20);

/// The results of the measurement.
#[derive(Debug, Serialize)]
pub(super) struct Figures {
    engine: &'static str,
    events: u32,
    drained_per_s: u64,
    /// The time of the slowest first page of any kind of search on all these rows, in milliseconds.
    slowest_page_ms: f64,
    alone_per_s: u64,
    load_per_s: u64,
    /// The ratio of the times of draining with and without idle sales.
    beside_idle_sales: Spread,
    /// The longest observed wait of an event for the ledger, in seconds.
    longest_lag_s: f64,
}

pub(super) async fn measure(bed: &Bed, events: u32, concurrency: u32, rate: u32) -> Result<Figures> {
    let (store, ledger, kinds) = (bed.store.clone(), bed.ledger.clone(), bed.kinds.for_ledger());
    let service = LedgerService::new(store, ledger, kinds, bed.clock.clone(), u64::MAX);
    let writer = || service.writer("bench".to_owned());

    let drained_per_s = drain(bed, &mut writer(), events, concurrency).await?;
    let slowest_page_ms = slowest_page(bed).await?;
    let alone_per_s = drain(bed, &mut writer(), ALONE.min(events), 1).await?;
    let beside_idle_sales = beside_idle_sales(bed, &mut writer(), ALONE.min(events), concurrency).await?;

    let sale = bed.open(rate * LOAD_S).await?;
    let stop = CancellationToken::new();
    let writing = tokio::spawn(writer().run(stop.clone()));
    let watching = tokio::spawn(longest_lag(service.clone(), sale.clone(), stop.clone()));
    let load_per_s = load(&bed.red_packet, &sale, rate).await?;
    stop.cancel();
    let longest_lag_s = watching.await??;
    writing.await?;
    let mut last = writer();
    last.catch_up().await?;
    last.give_up().await;
    check(bed, &service, &sale).await?;
    Ok(Figures {
        engine: bed.ledger.engine(),
        events,
        drained_per_s,
        slowest_page_ms,
        alone_per_s,
        beside_idle_sales,
        load_per_s,
        longest_lag_s,
    })
}

/// Fills a stream and drains it into the ledger. Returns events per second.
async fn drain(bed: &Bed, writer: &mut Writer, events: u32, concurrency: u32) -> Result<u64> {
    let sale = bed.open(events).await?;
    claims::stampede(&bed.red_packet, &sale, events, concurrency).await?;
    let start = Instant::now();
    writer.catch_up().await?;
    let per_s = f64::from(events) / start.elapsed().as_secs_f64();
    writer.give_up().await;
    bed.clean_up(&sale).await?;
    Ok(per_s as u64)
}

/// Drains a stream alone and beside idle sales, in turn. Returns the ratio of the two times.
async fn beside_idle_sales(bed: &Bed, writer: &mut Writer, events: u32, concurrency: u32) -> Result<Spread> {
    let mut ratios = Vec::with_capacity(ROUNDS);
    for _ in 0..ROUNDS {
        let alone = drain(bed, writer, events, concurrency).await?;
        let mut idle = Vec::with_capacity(IDLE_SALES);
        for _ in 0..IDLE_SALES {
            idle.push(bed.open(1).await?);
        }
        writer.catch_up().await?;
        let beside = drain(bed, writer, events, concurrency).await?;
        for sale in idle {
            bed.clean_up(&sale).await?;
        }
        ratios.push(alone as f64 / beside as f64);
    }
    let spread = Spread::of(ratios);
    ensure!(
        spread.median <= MOST_BESIDE_IDLE,
        "Beside {IDLE_SALES} idle sales the same claims take {} times as long as alone; the limit is {MOST_BESIDE_IDLE}.",
        spread.median
    );
    Ok(spread)
}

/// Requests the first page of each kind of search, twice. Returns the time of the slowest one in the second round.
async fn slowest_page(bed: &Bed) -> Result<f64> {
    let newest = bed.ledger.search(&Search::default(), Some(1), None).await?;
    let row = newest.rows.first().context("The ledger is empty.")?;
    let (sale, user, request_id) = (Some(row.sale.clone()), row.user.clone(), row.request_id.clone());
    let outcome = |outcome: &str| Some(outcome.to_owned());
    let none = Search::default();
    let searches = [
        none.clone(),
        Search { sale: sale.clone(), ..none.clone() },
        Search { outcome: outcome("won"), ..none.clone() },
        Search { outcome: outcome("opened"), ..none.clone() },
        Search { sale: sale.clone(), outcome: outcome("won"), ..none.clone() },
        Search { user: user.clone(), ..none.clone() },
        Search { request_id: request_id.clone(), ..none.clone() },
        Search { sale, user, request_id, outcome: outcome("won"), ..none },
    ];
    let mut slowest = 0_f64;
    for round in 0..2 {
        for search in &searches {
            let start = Instant::now();
            let page = bed.ledger.search(search, None, None).await?;
            ensure!(!page.rows.is_empty(), "A search found nothing: {search:?}.");
            if round == 1 {
                slowest = slowest.max(start.elapsed().as_secs_f64() * 1_000.0);
            }
        }
    }
    Ok(slowest)
}

/// Claims at a steady rate, by users with due times. Returns the actual rate a second.
async fn load(red_packet: &RedPackets, sale: &str, rate: u32) -> Result<u64> {
    const WORKERS: u32 = 256;
    let next = Arc::new(AtomicU32::new(0));
    let start = Instant::now();
    let workers: Vec<_> = (0..WORKERS)
        .map(|_| {
            let (red_packet, sale, next) = (red_packet.clone(), sale.to_owned(), next.clone());
            tokio::spawn(async move {
                loop {
                    let user = next.fetch_add(1, Relaxed);
                    if user >= rate * LOAD_S {
                        return anyhow::Ok(());
                    }
                    tokio::time::sleep_until(start + Duration::from_secs(1) * user / rate).await;
                    red_packet.claim(&sale, format!("loaded-{user}"), Some(format!("load-{user}"))).await?;
                }
            })
        })
        .collect();
    for worker in workers {
        worker.await??;
    }
    Ok((f64::from(rate * LOAD_S) / start.elapsed().as_secs_f64()) as u64)
}

async fn longest_lag(service: LedgerService, sale: String, stop: CancellationToken) -> Result<f64> {
    let mut tick = tokio::time::interval(LOOK);
    tick.set_missed_tick_behavior(MissedTickBehavior::Delay);
    let mut longest = 0_f64;
    while !stop.is_cancelled() {
        tick.tick().await;
        for line in service.status(Some(&sale)).await?.sales {
            longest = longest.max(line.lag_seconds);
        }
    }
    Ok(longest)
}

/// Audits the sale, as the figures are worthless if anything was lost.
async fn check(bed: &Bed, service: &LedgerService, sale: &str) -> Result<()> {
    let audit = service.audit(bed.red_packet.info().id, sale).await?;
    let broken: Vec<_> = audit.invariants.iter().filter(|invariant| !invariant.holds()).collect();
    ensure!(audit.verdict == model::Verdict::Holds, "The audit after the load does not hold: {broken:?}.");
    bed.clean_up(sale).await
}

pub(super) fn print(figures: &Figures, out: &mut dyn Write) -> io::Result<()> {
    let beside = format!("drained beside {IDLE_SALES} idle sales");
    let lag = format!("longest lag at {} events/s", figures.load_per_s);
    writeln!(out, "{} events into {}\n", figures.events, figures.engine)?;
    writeln!(out, "{:<44} {:>12}/s", "drained, up to 256 events an entry", figures.drained_per_s)?;
    writeln!(out, "{:<44} {:>12.1} ms", "slowest first page of a search on them", figures.slowest_page_ms)?;
    writeln!(out, "{:<44} {:>12}/s", "drained, one event an entry", figures.alone_per_s)?;
    writeln!(out, "{beside:<44} {:>12} times as long", figures.beside_idle_sales)?;
    writeln!(out, "{lag:<44} {:>12.2} s", figures.longest_lag_s)
}
