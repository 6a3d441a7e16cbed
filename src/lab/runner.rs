//! Runs strategies in turn, each with the same crowd: attempts arrive in the seeded order, and each of so many workers
//! takes the next one as soon as it has the answer to its last.

use super::{
    Figures, MOST_SECONDS, Progress, Report, Settings, Told,
    arrivals::arrivals,
    home::Lab,
    state::State,
    strategies::{Storage, Strategy, chosen},
    verdict::{Finding, Holdings},
    wire::{Counts, Wire},
};
use anyhow::{Context, Result};
use hdrhistogram::Histogram;
use std::{
    sync::{
        Arc,
        atomic::{AtomicUsize, Ordering::Relaxed},
    },
    time::Duration,
};
use tokio::{
    sync::{Barrier, Mutex, watch},
    task::JoinSet,
    time::{Instant, MissedTickBehavior},
};
use tokio_util::sync::CancellationToken;

/// How often progress is told.
const TELL_EVERY: Duration = Duration::from_millis(100);
/// The longest latency that is told apart, in microseconds.
const LONGEST_US: u64 = 600_000_000;

/// Runs the strategies of these settings. Dropped, it stops.
///
/// # Errors
/// `bad_request` for settings beyond their limits; one sentence: Redis or the database failed, and during what.
pub async fn run(lab: &Lab, settings: &Settings, progress: &watch::Sender<Progress>) -> Result<Report> {
    settings.check()?;
    let strategies = chosen(&settings.strategies)?;
    let (run, attempts) = (lab.new_id(), Arc::<[u32]>::from(arrivals(settings)));
    let mut figures = Vec::new();
    for (nth, strategy) in (1..).zip(&strategies) {
        let (of, attempts_of_all) = (strategies.len() as u32, attempts.len() as u64);
        progress.send_replace(Progress {
            strategy: strategy.id.to_owned(),
            nth,
            of,
            answered: 0,
            attempts: attempts_of_all,
        });
        let measured = measure(lab, strategy, &run, settings, &attempts, progress).await;
        figures.push(measured.with_context(|| format!("The strategy {} could not be run", strategy.id))?);
    }
    Ok(Report { settings: settings.clone(), database: lab.database().engine().to_owned(), strategies: figures })
}

/// What a worker brings back.
struct Answers {
    told: Holdings,
    latencies: Histogram<u64>,
    counts: Counts,
}

impl Answers {
    fn new() -> Result<Self> {
        Ok(Self {
            told: Holdings::new(),
            latencies: Histogram::new_with_bounds(1, LONGEST_US, 3)?,
            counts: Counts::default(),
        })
    }

    fn add(&mut self, other: Self) -> Result<()> {
        for (user, won) in other.told {
            *self.told.entry(user).or_default() += won;
        }
        self.latencies.add(&other.latencies)?;
        self.counts = self.counts.plus(other.counts);
        Ok(())
    }
}

async fn measure(
    lab: &Lab,
    strategy: &'static Strategy,
    run: &str,
    settings: &Settings,
    attempts: &Arc<[u32]>,
    progress: &watch::Sender<Progress>,
) -> Result<Figures> {
    let delay = Duration::from_millis(settings.delay_ms.into());
    let mut state = lab.state(strategy, run, delay, lab.database()).await?;
    let measured = measure_on(&mut state, lab, strategy, settings, attempts, progress).await;
    // Also after a failure; what failed is the news then.
    let cleaned = state.clean_up().await;
    let figures = measured?;
    cleaned?;
    Ok(figures)
}

async fn measure_on(
    state: &mut State,
    lab: &Lab,
    strategy: &'static Strategy,
    settings: &Settings,
    attempts: &Arc<[u32]>,
    progress: &watch::Sender<Progress>,
) -> Result<Figures> {
    let delay = Duration::from_millis(settings.delay_ms.into());
    state.prepare(settings.stock).await?;
    let servers: Vec<_> = (0..strategy.servers).map(|_| Arc::new(Mutex::new(()))).collect();
    let mut wires = Vec::new();
    for (place, process) in (0..settings.concurrency).zip(servers.iter().cycle()) {
        wires.push(Wire::open(lab.link(state, process.clone()).await?, format!("{place}-"), delay));
    }
    // Those of its opening are not the attempts'.
    let calls_before = lab.calls();

    let over = CancellationToken::new();
    let mut decider = JoinSet::new();
    if let Some(work) = strategy.work {
        let mut wire = Wire::open(lab.link(state, servers[0].clone()).await?, "worker".to_owned(), delay);
        let sale = state.sale.clone();
        let over = over.clone();
        decider.spawn(async move {
            tokio::select! {
                ended = work(&mut wire, &sale) => ended?,
                () = over.cancelled() => {}
            }
            anyhow::Ok(wire.counts())
        });
    }
    let next = Arc::new(AtomicUsize::new(0));
    let answered = Arc::new(AtomicUsize::new(0));
    let start = Arc::new(Barrier::new(wires.len() + 1));
    let mut workers = JoinSet::new();
    for mut wire in wires {
        let (attempts, next, answered, start) = (attempts.clone(), next.clone(), answered.clone(), start.clone());
        let sale = state.sale.clone();
        workers.spawn(async move {
            let mut answers = Answers::new()?;
            start.wait().await;
            let over = Instant::now() + Duration::from_secs(MOST_SECONDS);
            while Instant::now() < over
                && let Some(user) = attempts.get(next.fetch_add(1, Relaxed))
            {
                let user = format!("user-{user}");
                let began = Instant::now();
                let told = (strategy.claim)(&mut wire, &sale, &user).await?;
                answers.latencies.saturating_record(began.elapsed().as_micros() as u64);
                answered.fetch_add(1, Relaxed);
                if told == Told::Won {
                    *answers.told.entry(user).or_default() += 1;
                }
            }
            answers.counts = wire.counts();
            anyhow::Ok(answers)
        });
    }

    start.wait().await;
    let began = Instant::now();
    let mut all = Answers::new()?;
    let mut tick = tokio::time::interval(TELL_EVERY);
    tick.set_missed_tick_behavior(MissedTickBehavior::Delay);
    loop {
        tokio::select! {
            worker = workers.join_next() => match worker {
                Some(answers) => all.add(answers??)?,
                None => break,
            },
            // Before the attempts are over it ends by an error only, and they would wait for ever.
            Some(ended) = decider.join_next() => { ended??; }
            _ = tick.tick() => {
                progress.send_modify(|progress| progress.answered = answered.load(Relaxed) as u64);
            }
        }
    }
    let took = began.elapsed();
    progress.send_modify(|progress| progress.answered = answered.load(Relaxed) as u64);
    over.cancel();
    while let Some(ended) = decider.join_next().await {
        all.counts = all.counts.plus(ended??);
    }

    let Answers { told, latencies, mut counts } = all;
    if strategy.storage == Storage::Product {
        counts.round_trips = lab.calls() - calls_before;
        counts.commands = counts.round_trips;
    }
    let recorded = state.holdings().await?;
    let finding = Finding::of(settings.stock, &told, &recorded);
    let answered = latencies.len();
    let millis = |quantile| round(latencies.value_at_quantile(quantile) as f64 / 1_000.0);
    let each = |count: u64| round(count as f64 / answered.max(1) as f64);
    Ok(Figures {
        name: strategy.id.to_owned(),
        attempts: answered,
        cut_short: answered < attempts.len() as u64,
        per_s: (answered as f64 / took.as_secs_f64()) as u64,
        p50_ms: millis(0.5),
        p99_ms: millis(0.99),
        round_trips: each(counts.round_trips),
        commands: each(counts.commands),
        given: finding.given,
        oversold: finding.oversold,
        doubled: finding.doubled,
        lost: finding.lost,
        retries: counts.retries,
        lowest_stock: counts.lowest_stock,
        verdict: finding.verdict(),
        expected: strategy.expected(),
    })
}

/// To thousandths.
fn round(figure: f64) -> f64 {
    (figure * 1_000.0).round() / 1_000.0
}
