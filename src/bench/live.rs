//! The live view of a busy stadium over real connections: the cost of viewers, and the delay of their frames.
//!
//! A whole server listens on loopback. Viewers read its live view as browsers do, while seats are held at a steady
//! rate. *Delay* is the time from the newest event of a frame to the last byte of that frame, by Redis' clock, which is
//! this machine's. The processor time is that of this process, which includes the viewers. The numbers of viewers take
//! turns, so that a machine that slows down slows all of them.

use crate::{Bed, ROUNDS, Spread, median};
use anyhow::{Context, Result, ensure};
use engine::kind::Resources;
use hdrhistogram::Histogram;
use leptos::prelude::LeptosOptions;
use listen::ConnectionLimits;
use model::ticket::{HallChoice, Pick, SeatRequest, Terms, halls::HallName};
use serde::Serialize;
use stampede::server::{Access, AppState, routes};
use std::{
    collections::BTreeMap,
    io::{self, Write},
    net::SocketAddr,
    sync::Arc,
    time::Duration,
};
use store::{lab_redis::LabRedis, runtime::Clock};
use tokio::{
    io::{AsyncBufReadExt, AsyncWriteExt, BufReader},
    net::{TcpListener, TcpStream},
    time::Instant,
};
use tokio_util::sync::CancellationToken;
use web::components::StoreFlags;

const VIEWERS: [usize; 3] = [10, 100, 1_000];
/// The length of each measurement in each round, in seconds.
const WATCH_S: u32 = 5;
/// The reservations a second during the measurement, of one seat each.
const RATE: u32 = 1_000;

/// The results of the measurement.
#[derive(Debug, Serialize)]
pub(super) struct Figures {
    reservations_per_s: u32,
    viewers: Vec<Viewed>,
}

/// The cost of one number of viewers, as medians of the rounds.
#[derive(Debug, Serialize)]
struct Viewed {
    viewers: usize,
    /// The frames a second that each viewer was sent.
    frames_per_s: f64,
    /// The time from an event to the frame that shows it, as percentiles in milliseconds.
    delay_p50_ms: u64,
    delay_p99_ms: u64,
    /// The share of one processor, in per cent, including the reservations and all viewers.
    processor: f64,
    /// The mean delay and processor time of the rounds, divided by those with the fewest viewers; `None` for the
    /// fewest.
    rounds_delay: Option<Spread>,
    rounds_processor: Option<Spread>,
}

/// The cost of one number of viewers in one round.
struct Round {
    frames_per_s: f64,
    delay_p50_ms: f64,
    delay_p99_ms: f64,
    /// Delays are whole milliseconds, so their median has few values. Ratios therefore use the mean.
    delay_mean_ms: f64,
    processor: f64,
}

/// Measures the numbers of viewers in turn, in every round.
///
/// # Errors
/// One sentence: Redis or the server cannot be reached, or a viewer was not sent all events.
pub(super) async fn measure(bed: &Bed) -> Result<Figures> {
    let Bed { store, ledger, clock, ids, .. } = bed;
    let resources = Resources { store: store.clone(), ledger: ledger.clone(), clock: clock.clone(), ids: ids.clone() };
    let leptos = LeptosOptions::builder().output_name("stampede").build();
    let (flags, access, lab) = (StoreFlags::default(), Access::default(), LabRedis::default());
    let state = AppState::new(resources, leptos, flags, access, u64::MAX, lab, None);
    let listener = TcpListener::bind("127.0.0.1:0").await?;
    let address = listener.local_addr()?;
    let server = tokio::spawn(listen::serve(
        listener,
        None,
        routes::app(state.clone()),
        ConnectionLimits::default(),
        state.shutdown.clone(),
    ));

    let mut rounds = VIEWERS.map(|_| Vec::with_capacity(ROUNDS));
    for _ in 0..ROUNDS {
        for (count, rounds) in VIEWERS.into_iter().zip(&mut rounds) {
            rounds.push(watch(bed, address, count).await?);
        }
    }
    state.shutdown.cancel();
    server.await?;
    let fewest = &rounds[0];
    let viewers = VIEWERS.into_iter().zip(&rounds).map(|(count, rounds)| viewed(count, rounds, fewest)).collect();
    Ok(Figures { reservations_per_s: RATE, viewers })
}

/// The results for one number of viewers, compared with the fewest.
fn viewed(viewers: usize, rounds: &[Round], fewest: &[Round]) -> Viewed {
    let each = |rounds: &[Round], figure: fn(&Round) -> f64| -> Vec<f64> { rounds.iter().map(figure).collect() };
    let middle = |figure| median(each(rounds, figure));
    let compared =
        |figure| (viewers != VIEWERS[0]).then(|| Spread::of_ratios(&each(rounds, figure), &each(fewest, figure)));
    Viewed {
        viewers,
        frames_per_s: (middle(|round| round.frames_per_s) * 10.0).round() / 10.0,
        delay_p50_ms: middle(|round| round.delay_p50_ms) as u64,
        delay_p99_ms: middle(|round| round.delay_p99_ms) as u64,
        processor: middle(|round| round.processor).round(),
        rounds_delay: compared(|round| round.delay_mean_ms),
        rounds_processor: compared(|round| round.processor),
    }
}

async fn watch(bed: &Bed, address: SocketAddr, viewers: usize) -> Result<Round> {
    let hall = HallChoice::Hall(HallName::Stadium);
    let terms = Terms {
        sale: bed.ids.id(),
        hall,
        prices: BTreeMap::new(),
        limit_per_user: 10,
        hold_s: 7_200,
        extendable: false,
        plan: model::life::Plan::default(),
    };
    let sale = bed.tickets.open(terms).await?.sale;
    let stop = CancellationToken::new();
    let mut watching = Vec::with_capacity(viewers);
    for _ in 0..viewers {
        let reader = connect(address, &sale).await?;
        watching.push(tokio::spawn(read(reader, bed.clock.clone(), stop.clone())));
    }
    let (began, used) = (Instant::now(), processor_time()?);
    reserve(bed, &sale).await?;
    let (took, used) = (began.elapsed(), processor_time()? - used);
    stop.cancel();

    let mut delays = Histogram::<u64>::new(3)?;
    for viewer in watching {
        delays.add(viewer.await??)?;
    }
    crate::tickets::clean_up(bed, &sale).await?;
    ensure!(!delays.is_empty(), "No viewer was sent anything.");
    Ok(Round {
        frames_per_s: delays.len() as f64 / viewers as f64 / took.as_secs_f64(),
        delay_p50_ms: delays.value_at_quantile(0.5) as f64,
        delay_p99_ms: delays.value_at_quantile(0.99) as f64,
        delay_mean_ms: delays.mean(),
        processor: used.as_secs_f64() / took.as_secs_f64() * 100.0,
    })
}

/// Holds seats at a steady rate.
async fn reserve(bed: &Bed, sale: &str) -> Result<()> {
    let category = HallName::Stadium.categories()[0].0.to_owned();
    let start = Instant::now();
    let mut pending = tokio::task::JoinSet::new();
    for user in 0..RATE * WATCH_S {
        tokio::time::sleep_until(start + Duration::from_secs(1) * user / RATE).await;
        let (tickets, sale) = (bed.tickets.clone(), sale.to_owned());
        let pick = vec![Pick { category: category.clone(), count: 1, adjacent: false, strict: false }];
        let request = SeatRequest { seats: Vec::new(), pick, holders: Vec::new() };
        pending.spawn(async move { tickets.reserve(&sale, format!("user-{user}"), None, request).await });
    }
    while let Some(outcome) = pending.join_next().await {
        outcome??;
    }
    Ok(())
}

/// Connects as a browser does, and reads up to the first frame, which is complete.
async fn connect(address: SocketAddr, sale: &str) -> Result<BufReader<TcpStream>> {
    let mut stream = TcpStream::connect(address).await?;
    let path = format!("/live/{}/{sale}", model::ticket::INFO.segment);
    stream.write_all(format!("GET {path} HTTP/1.1\r\nHost: localhost\r\n\r\n").as_bytes()).await?;
    let mut reader = BufReader::with_capacity(64 * 1024, stream);
    let mut line = Vec::new();
    while !line.starts_with(b"data: ") {
        line.clear();
        let read = reader.read_until(b'\n', &mut line).await?;
        ensure!(read > 0, "The server ended a live view.");
    }
    Ok(reader)
}

/// Reads until it is stopped. Returns the delay of each frame, in milliseconds.
async fn read(
    mut reader: BufReader<TcpStream>,
    clock: Arc<dyn Clock>,
    stop: CancellationToken,
) -> Result<Histogram<u64>> {
    let mut delays = Histogram::new(3)?;
    let (mut line, mut written) = (Vec::new(), None);
    loop {
        line.clear();
        tokio::select! {
            read = reader.read_until(b'\n', &mut line) => ensure!(read? > 0, "The server ended a live view."),
            () = stop.cancelled() => return Ok(delays),
        }
        if let Some(id) = line.strip_prefix(b"id: ") {
            let millis = std::str::from_utf8(id)?.split('-').next().context("A frame has no event id.")?;
            written = Some(millis.parse::<i64>()?);
        } else if line.starts_with(b"data: ")
            && let Some(written) = written.take()
        {
            delays.record((clock.now() - written).max(0) as u64)?;
        }
    }
}

/// The processor time that this process has used.
fn processor_time() -> Result<Duration> {
    let used = rustix::time::clock_gettime(rustix::time::ClockId::ProcessCPUTime);
    Ok(Duration::new(used.tv_sec.try_into()?, used.tv_nsec.try_into()?))
}

pub(super) fn print(figures: &Figures, out: &mut dyn Write) -> io::Result<()> {
    writeln!(out, "A stadium with {} reservations a second, in {ROUNDS} rounds\n", figures.reservations_per_s)?;
    writeln!(
        out,
        "{:>8} {:>12} {:>14} {:>14} {:>12}",
        "viewers", "frames/s", "delay p50 ms", "delay p99 ms", "processor %"
    )?;
    for Viewed { viewers, frames_per_s, delay_p50_ms, delay_p99_ms, processor, .. } in &figures.viewers {
        writeln!(out, "{viewers:>8} {frames_per_s:>12.1} {delay_p50_ms:>14} {delay_p99_ms:>14} {processor:>12}")?;
    }
    writeln!(out, "\ncompared with {} viewers:", VIEWERS[0])?;
    for Viewed { viewers, rounds_delay, rounds_processor, .. } in &figures.viewers {
        if let (Some(delay), Some(processor)) = (rounds_delay, rounds_processor) {
            writeln!(out, "{viewers:>8} viewers: mean delay {delay} times, processor {processor} times")?;
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn more_viewers_are_compared_with_the_fewest_round_by_round() {
        let round = |delay_mean_ms, processor| Round {
            frames_per_s: 20.0,
            delay_p50_ms: 1.0,
            delay_p99_ms: 7.0,
            delay_mean_ms,
            processor,
        };
        let few = [(1.0, 20.0), (2.0, 40.0), (1.5, 20.0), (1.0, 25.0), (1.0, 10.0)].map(|(ms, used)| round(ms, used));
        let many = [(2.0, 80.0), (2.0, 80.0), (6.0, 60.0), (3.0, 75.0), (1.0, 40.0)].map(|(ms, used)| round(ms, used));
        let viewers = vec![viewed(VIEWERS[0], &few, &few), viewed(VIEWERS[1], &many, &few)];
        let mut printed = Vec::new();
        print(&Figures { reservations_per_s: RATE, viewers }, &mut printed).expect("memory takes everything");
        let printed = String::from_utf8(printed).expect("text");
        let compared = printed.split("compared with 10 viewers:\n").nth(1);
        let expected = "     100 viewers: mean delay 2.00 (1.00 to 4.00) times, processor 3.00 (2.00 to 4.00) times\n";
        assert_eq!(compared, Some(expected), "{printed}");
    }
}
