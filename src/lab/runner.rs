//! Runs strategies in turn, each with the same crowd. Attempts arrive in the seeded order. Each of the `concurrency`
//! workers takes the next attempt as soon as its last one is answered.

use crate::{
    arrivals::arrivals,
    contender::{Contender, chosen},
    failure::OfStrategy,
    home::Lab,
    sale::Sale,
    sessions::Sessions,
    state::StoredState,
    strategies::{Storage, Strategy},
    verdict::{Answers, Finding},
    wire::{Counts, Wire},
};
use anyhow::{Context, Result};
use hdrhistogram::Histogram;
use model::{
    Verdict,
    lab::{
        Figures, MOST_SESSIONS, Report, Settings, Told,
        run::{Course, Now, Progress},
    },
};
use std::{
    sync::{
        Arc, OnceLock,
        atomic::{AtomicUsize, Ordering::Relaxed},
    },
    time::Duration,
};
use tokio::{
    sync::{Barrier, Mutex, watch},
    task::JoinSet,
    time::{Instant, MissedTickBehavior, timeout_at},
};
use tokio_util::sync::CancellationToken;

/// The interval between progress reports.
const TELL_EVERY: Duration = Duration::from_millis(100);
const TELL_EVERY_MS: u64 = TELL_EVERY.as_millis() as u64;
/// How long answers are waited for after the last attempt was made. Where hundreds wait for a lock on a slow network,
/// the last answer would come minutes later.
const LATE: Duration = Duration::from_secs(5);
/// The longest measured latency, in µs. Longer ones count as this value.
const LONGEST_US: u64 = 600_000_000;

/// Runs the strategies of these settings, and leaves no records behind. If a run is stopped, the finished strategies
/// have their figures.
///
/// # Errors
/// `bad_request` for settings beyond their limits; otherwise one sentence about the failure of Redis or the database.
pub async fn run(
    lab: &Lab,
    settings: &Settings,
    progress: &watch::Sender<Progress>,
    stop: &CancellationToken,
) -> Result<Report> {
    run_recorded(lab, settings, progress, stop, None).await
}

/// The same, with every answer of each finished strategy added to `recordings`.
pub(super) async fn run_recorded(
    lab: &Lab,
    settings: &Settings,
    progress: &watch::Sender<Progress>,
    stop: &CancellationToken,
    mut recordings: Option<&mut Vec<Recording>>,
) -> Result<Report> {
    settings.check()?;
    let strategies = chosen(&settings.strategies)?;
    let attempts: Arc<[u32]> = arrivals(settings).into();
    let has_rows = strategies.iter().any(|contender| contender.strategy.storage == Storage::Rows);
    let begin = async {
        if has_rows {
            lab.database().create().await?;
        }
        lab.sweep(&strategies).await.context("The leftovers of earlier runs could not be deleted")
    };
    tokio::select! {
        begun = begin => begun?,
        gone = lab.database().gone(), if has_rows => return Err(gone),
    }
    let mut figures: Vec<Figures> = Vec::new();
    // Records of one stop are never those of another.
    let stops: Vec<(Settings, String)> = settings
        .stops()
        .into_iter()
        .map(|concurrency| (Settings { concurrency, ..settings.clone() }, lab.new_id()))
        .collect();
    let all: Vec<(&(Settings, String), &Contender)> =
        stops.iter().flat_map(|stop| strategies.iter().map(move |contender| (stop, contender))).collect();
    for (nth, ((settings, run), contender)) in (1..).zip(all) {
        let strategy = contender.strategy;
        let crowd = Crowd { settings, attempts: attempts.clone(), is_recorded: recordings.is_some() };
        let now = Now {
            strategy: contender.id.clone(),
            nth,
            of: (stops.len() * strategies.len()) as u32,
            concurrency: settings.concurrency,
            answered: 0,
            attempts: attempts.len() as u64,
        };
        progress.send_modify(|progress| {
            progress.now = Some(now);
            progress.strategies.clone_from(&figures);
            if settings.ramp {
                progress.courses.clear();
            }
            progress.courses.push(Course::new(&contender.id, TELL_EVERY_MS));
        });
        let has_rows = strategy.storage == Storage::Rows;
        // A statement may wait long for a lock, but not for a vanished host: then the whole measurement is dropped
        // where it is.
        let measured = tokio::select! {
            measured = measure(lab, contender, run, &crowd, progress, stop) => measured,
            gone = lab.database().gone(), if has_rows => Err(gone),
        };
        // A dropped measurement cannot say whether it left any records.
        if measured.is_err() {
            lab.leave(run, has_rows);
        }
        match measured.context(OfStrategy(strategy.id))? {
            Some((measured, recording)) => {
                figures.push(measured);
                if let Some(recordings) = &mut recordings {
                    recordings.push(recording);
                }
            }
            None => break,
        }
    }
    progress.send_modify(|progress| {
        progress.now = None;
        progress.strategies.clone_from(&figures);
        if settings.ramp {
            progress.courses.clear();
        }
    });
    Ok(Report { settings: settings.clone(), database: lab.database().engine().to_owned(), strategies: figures })
}

/// The crowd that each strategy of a run meets.
struct Crowd<'a> {
    settings: &'a Settings,
    /// The user of each attempt.
    attempts: Arc<[u32]>,
    /// Whether every answer is recorded.
    is_recorded: bool,
}

/// Every answer of a measurement, in no order.
pub(super) type Recording = Vec<Answered>;

/// An answered attempt.
#[derive(Clone, Copy, Debug)]
pub(super) struct Answered {
    /// The time after the start, in µs.
    pub at_us: u64,
    /// The number of the user.
    pub user: u32,
    /// The answer.
    pub told: Told,
    /// The number of the item, if it was won and the strategy says which one.
    pub item: Option<i64>,
}

/// Reports the number of answered attempts at a time after the start.
fn tell(progress: &watch::Sender<Progress>, after: Duration, answered: &AtomicUsize) {
    let answered = answered.load(Relaxed) as u64;
    progress.send_modify(|progress| {
        if let Some(now) = &mut progress.now {
            now.answered = answered;
        }
        if let Some(course) = progress.courses.last_mut() {
            course.sample(after.as_millis() as u64, answered);
        }
    });
}

/// The measurements of a worker.
struct Work {
    answers: Answers,
    latencies: Histogram<u64>,
    counts: Counts,
    /// Empty unless answers are recorded.
    recording: Recording,
}

impl Work {
    fn new() -> Result<Self> {
        Ok(Self {
            answers: Answers::default(),
            latencies: Histogram::new_with_bounds(1, LONGEST_US, 3)?,
            counts: Counts::default(),
            recording: Recording::new(),
        })
    }

    fn add(&mut self, other: Self) -> Result<()> {
        self.answers.add(other.answers);
        self.latencies.add(&other.latencies)?;
        self.counts = self.counts.plus(other.counts);
        self.recording.extend(other.recording);
        Ok(())
    }
}

/// Runs one strategy. Returns `None` if it was stopped meanwhile.
async fn measure(
    lab: &Lab,
    contender: &Contender,
    run: &str,
    crowd: &Crowd<'_>,
    progress: &watch::Sender<Progress>,
    stop: &CancellationToken,
) -> Result<Option<(Figures, Recording)>> {
    let delay = Duration::from_millis(crowd.settings.delay_ms.into());
    let mut state = lab.state(contender, run, delay, lab.database()).await?;
    let measured = measure_on(&mut state, lab, contender, crowd, progress, stop).await;
    // Cleans up also after a failure. The failure is reported then.
    let cleaned = state.clean_up().await;
    let measured = measured?;
    cleaned?;
    lab.ensure_unswept(run)?;
    Ok(measured)
}

async fn measure_on(
    state: &mut StoredState,
    lab: &Lab,
    contender: &Contender,
    crowd: &Crowd<'_>,
    progress: &watch::Sender<Progress>,
    stop: &CancellationToken,
) -> Result<Option<(Figures, Recording)>> {
    let Crowd { settings, attempts, is_recorded } = crowd;
    let strategy = contender.strategy;
    let delay = Duration::from_millis(settings.delay_ms.into());
    state.prepare(settings.stock).await?;
    let servers: Vec<_> = (0..strategy.servers).map(|_| Arc::new(Mutex::new(()))).collect();
    let mut wires = Vec::new();
    for (place, process) in (0..settings.concurrency).zip(servers.iter().cycle()) {
        wires.push(Wire::open(lab.link(state, process.clone()).await?, format!("{place}-"), delay));
    }

    let sessions = match strategy.storage {
        Storage::Rows => {
            let number = settings.concurrency.min(MOST_SESSIONS);
            Some(Arc::new(Sessions::open(lab.database(), number).await?))
        }
        _ => None,
    };

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
    let queue = Arc::new(Queue {
        attempts: attempts.clone(),
        next: AtomicUsize::new(0),
        answered: AtomicUsize::new(0),
        start: Barrier::new(wires.len() + 1),
        began: OnceLock::new(),
        is_recorded: *is_recorded,
        sessions,
        takes: Duration::from_secs(settings.most_seconds()),
    });
    let mut workers = JoinSet::new();
    for wire in wires {
        workers.spawn(make_attempts(strategy, wire, state.sale.clone(), queue.clone()));
    }

    queue.start.wait().await;
    let began = Instant::now();
    let mut all = Work::new()?;
    let mut tick = tokio::time::interval(TELL_EVERY);
    tick.set_missed_tick_behavior(MissedTickBehavior::Delay);
    loop {
        tokio::select! {
            worker = workers.join_next() => match worker {
                Some(done) => all.add(done??)?,
                None => break,
            },
            // The decider ends before the attempts only with an error. They would then wait for ever.
            Some(ended) = decider.join_next() => { ended??; }
            _ = tick.tick() => tell(progress, began.elapsed(), &queue.answered),
            () = stop.cancelled() => {
                // Stops the workers at any point: all of their records are deleted.
                workers.shutdown().await;
                decider.shutdown().await;
                return Ok(None);
            }
        }
    }
    let took = began.elapsed();
    tell(progress, took, &queue.answered);
    over.cancel();
    while let Some(ended) = decider.join_next().await {
        all.counts = all.counts.plus(ended??);
    }

    if strategy.storage == Storage::Product {
        all.counts.round_trips = state.calls().await?;
        all.counts.commands = all.counts.round_trips;
    }
    let finding = Finding::of(settings.stock, &all.answers, &state.holdings().await?);
    Ok(Some((figures(contender, settings, &all, took, attempts.len(), &finding), all.recording)))
}

/// The attempts of a measurement, for its workers.
struct Queue {
    /// The user of each attempt.
    attempts: Arc<[u32]>,
    /// The index of the next attempt.
    next: AtomicUsize,
    /// The number of answered attempts.
    answered: AtomicUsize,
    /// Makes all workers begin at once.
    start: Barrier,
    /// When the first of them began.
    began: OnceLock<Instant>,
    is_recorded: bool,
    /// The connections to the database, for a strategy that uses one.
    sessions: Option<Arc<Sessions>>,
    /// For how long attempts are made.
    takes: Duration,
}

/// A worker: makes one attempt after the other until none is left, or the time is over. What has no answer long after
/// that is left out.
async fn make_attempts(strategy: &'static Strategy, mut wire: Wire, sale: Sale, queue: Arc<Queue>) -> Result<Work> {
    let mut done = Work::new()?;
    queue.start.wait().await;
    let start = *queue.began.get_or_init(Instant::now);
    let over = Instant::now() + queue.takes;
    let attempts = async {
        while Instant::now() < over
            && let Some(&number) = queue.attempts.get(queue.next.fetch_add(1, Relaxed))
        {
            let user = format!("user-{number}");
            let began = Instant::now();
            if let Some(sessions) = &queue.sessions {
                *wire.session() = Some(sessions.take().await?);
            }
            let told = (strategy.claim)(&mut wire, &sale, &user).await?;
            if let (Some(sessions), Some(session)) = (&queue.sessions, wire.session().take()) {
                sessions.give_back(session);
            }
            done.latencies.saturating_record(began.elapsed().as_micros() as u64);
            queue.answered.fetch_add(1, Relaxed);
            done.answers.note(user, told);
            if queue.is_recorded {
                let item = if told == Told::Won { wire.item() } else { None };
                done.recording.push(Answered { at_us: start.elapsed().as_micros() as u64, user: number, told, item });
            }
        }
        anyhow::Ok(())
    };
    if let Ok(ended) = timeout_at(over + LATE, attempts).await {
        ended?;
    }
    done.counts = wire.counts();
    Ok(done)
}

/// The figures of a strategy, from its measurement over this number of attempts.
fn figures(
    contender: &Contender,
    settings: &Settings,
    work: &Work,
    took: Duration,
    attempts: usize,
    finding: &Finding,
) -> Figures {
    let Work { latencies, counts, .. } = work;
    let answered = latencies.len();
    let millis = |quantile| round(latencies.value_at_quantile(quantile) as f64 / 1_000.0);
    let each = |count: u64| round(count as f64 / answered.max(1) as f64);
    let cut_short = answered < attempts as u64;
    // Those who did not come might have got what is left.
    let undersold = if cut_short { 0 } else { finding.undersold };
    let finding = Finding { undersold, ..*finding };
    let verdict = finding.verdict();
    // Nobody knows beforehand what becomes of a program, nor of a strategy that fails only when users meet, while they
    // are few.
    let known = contender.strategy.expected_with(settings);
    let is_open = contender.program.is_some() || settings.ramp && known == Verdict::Broken;
    let expected = if is_open { verdict } else { known };
    Figures {
        name: contender.id.clone(),
        concurrency: settings.concurrency,
        attempts: answered,
        cut_short,
        per_s: (answered as f64 / took.as_secs_f64()) as u64,
        p50_ms: millis(0.5),
        p99_ms: millis(0.99),
        round_trips: each(counts.round_trips),
        commands: each(counts.commands),
        given: finding.given,
        oversold: finding.oversold,
        doubled: finding.doubled,
        lost: finding.lost,
        undersold: finding.undersold,
        retries: counts.retries,
        lowest_stock: counts.lowest_stock,
        verdict,
        expected,
    }
}

/// Rounds to thousandths.
fn round(figure: f64) -> f64 {
    (figure * 1_000.0).round() / 1_000.0
}
