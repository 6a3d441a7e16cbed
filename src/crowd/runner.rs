//! Runs crowds: simulated users, each with a place in the row, going the way of every attempt.
//!
//! A run lives in one process, what is known of it in Redis: any server answers for it and may stop it.

use super::{Judgement, Orders, Phase, Point, Started, Status};
use crate::{
    error::{Code, Error, Result},
    sales::{
        Millis, Verdict,
        red_packet::{
            Outcome, Outcomes,
            service::{RedPackets, key},
        },
    },
    server::{clock::Clock, ids::Ids},
    store::{Store, command, keys},
};
use hdrhistogram::Histogram;
use std::{
    sync::{
        Arc, Mutex, PoisonError,
        atomic::{AtomicBool, AtomicU32, AtomicU64, Ordering::Relaxed},
    },
    time::Duration,
};
use tokio::time::{Instant, MissedTickBehavior};
use tokio_util::{sync::CancellationToken, task::TaskTracker};

/// How often a run says how it goes.
const TICK: Duration = Duration::from_millis(100);
/// A run that has said nothing for so long has lost its server.
const SILENT_FOR: Millis = 5_000;
/// What is known of a run is kept for a day.
const KEPT_S: u64 = 86_400;
/// The course of a run is told in at most so many points.
const MOST_POINTS: usize = 120;
/// Users whose packets are looked up at a time when a run is judged.
const JUDGED_AT_A_TIME: u32 = 500;

/// Starts, watches and stops crowds.
#[derive(Clone)]
pub struct Crowds {
    store: Store,
    clock: Arc<dyn Clock>,
    ids: Arc<Ids>,
    red_packet: RedPackets,
    /// Cancelled when the server stops.
    shutdown: CancellationToken,
    tasks: TaskTracker,
}

impl Crowds {
    pub fn new(
        store: Store,
        clock: Arc<dyn Clock>,
        ids: Arc<Ids>,
        red_packet: RedPackets,
        shutdown: CancellationToken,
    ) -> Self {
        Self { store, clock, ids, red_packet, shutdown, tasks: TaskTracker::new() }
    }

    /// Lets a crowd loose on a sale.
    ///
    /// # Errors
    /// `bad_request`, `unknown_sale`, `sale_opening`; `busy` while another crowd is at the sale.
    pub async fn start(&self, orders: Orders) -> Result<Started> {
        orders.check()?;
        // Says whether there is such a sale, and whether it is open.
        let sale = self.red_packet.snapshot(&orders.sale).await?;
        if sale.state == crate::sales::red_packet::State::Opening {
            return Err(Error::new(
                Code::SaleOpening,
                "The sale is still being opened; let the crowd loose when it is.",
            ));
        }
        let run = self.ids.id();
        // Gone by itself when this server is: the next crowd need not wait for a dead one.
        let place = key(&orders.sale, "crowd_lock");
        let free: Option<String> = self.store.query("SET", (&place, &run, "NX", "PX", SILENT_FOR)).await?;
        if free.is_none() {
            return Err(Error::new(Code::Busy, "A crowd is at this sale already; stop it or wait until it is done."));
        }
        let crowd = Arc::new(Run::new(run.clone(), orders, self.clock.now()));
        let this = self.clone();
        self.publish(&crowd.status(Phase::Running)).await?;
        self.tasks.spawn(async move { this.run(crowd).await });
        Ok(Started { run })
    }

    /// Where a run stands.
    ///
    /// # Errors
    /// `unknown_run`, `unavailable`.
    pub async fn status(&self, run: &str) -> Result<Status> {
        crate::sales::check_id("run", run)?;
        let json: Option<String> = self.store.query("GET", keys::run(run)).await?;
        match json {
            Some(json) => read(&json, self.clock.now()),
            None => Err(Error {
                code: Code::UnknownRun,
                message: format!("There is no crowd run \"{run}\"; runs are kept for a day."),
                field: Some("run".to_owned()),
            }),
        }
    }

    /// Asks a run to stop, wherever it runs. Answers on their way still count.
    ///
    /// # Errors
    /// `unknown_run`, `unavailable`.
    pub async fn stop(&self, run: &str) -> Result<Status> {
        let status = self.status(run).await?;
        if !status.phase.is_over() {
            let _ok: String = self.store.query("SET", (keys::run_stop(run), 1, "EX", KEPT_S)).await?;
        }
        Ok(status)
    }

    async fn run(&self, crowd: Arc<Run>) {
        let workers: Vec<_> = (0..crowd.orders.concurrency.min(crowd.orders.users))
            .map(|_| tokio::spawn(worker(crowd.clone(), self.red_packet.clone())))
            .collect();
        let finished = async {
            for worker in workers {
                // A worker that panicked has made attempts whose outcome nobody noted.
                if worker.await.is_err() {
                    crowd.unknown.fetch_add(1, Relaxed);
                }
            }
        };
        tokio::pin!(finished);
        let mut tick = tokio::time::interval_at(crowd.start + TICK, TICK);
        // After a stall, ticks in a bunch would make stretches too short to tell a speed.
        tick.set_missed_tick_behavior(MissedTickBehavior::Delay);
        loop {
            tokio::select! {
                () = &mut finished => break,
                _ = tick.tick() => {
                    crowd.mark();
                    self.say(&crowd.status(Phase::Running)).await;
                    if self.asked_to_stop(&crowd.run).await {
                        crowd.stopped.store(true, Relaxed);
                    }
                }
                () = self.shutdown.cancelled() => return,
            }
        }
        crowd.mark();
        crowd.finish();
        self.say(&crowd.status(Phase::Judging)).await;
        let judgement = tokio::select! {
            judgement = self.judge(&crowd) => judgement,
            () = self.keep_saying(&crowd) => return,
        };
        let phase = if crowd.stopped.load(Relaxed) { Phase::Stopped } else { Phase::Done };
        let mut status = crowd.status(phase);
        status.verdict = Some(judgement.verdict);
        status.judgement = Some(judgement);
        tracing::info!(
            run = status.run, sale = status.orders.sale, attempts = status.answered, per_s = status.mean_per_s,
            p99_us = status.p99_us, verdict = ?status.verdict, "a crowd is done"
        );
        self.say(&status).await;
        let _free: Result<i64> = self.store.query("DEL", key(&crowd.orders.sale, "crowd_lock")).await;
    }

    /// Says that the run is being judged until that is done or the server stops.
    async fn keep_saying(&self, crowd: &Run) {
        let mut tick = tokio::time::interval(TICK);
        loop {
            tokio::select! {
                _ = tick.tick() => self.say(&crowd.status(Phase::Judging)).await,
                () = self.shutdown.cancelled() => return,
            }
        }
    }

    /// Tells Redis how the run goes; where Redis does not hear it now, the next tick says more.
    async fn say(&self, status: &Status) {
        if let Err(error) = self.publish(status).await {
            tracing::warn!(run = status.run, %error, "the crowd's status could not be published");
        }
    }

    async fn publish(&self, status: &Status) -> Result<()> {
        let json = serde_json::to_string(status).map_err(|error| Error::new(Code::Internal, error.to_string()))?;
        let sale = &status.orders.sale;
        let mut pipeline = redis::Pipeline::with_capacity(3);
        let mut set = |key: String| {
            let mut set = command("SET");
            set.arg((key, &json, "EX", KEPT_S));
            pipeline.add_command(set);
        };
        set(keys::run(&status.run));
        set(key(sale, "crowd"));
        let mut renew = command("PEXPIRE");
        renew.arg((key(sale, "crowd_lock"), SILENT_FOR));
        pipeline.add_command(renew);
        let _: (String, String, i64) = self.store.pipeline(&pipeline).await?;
        Ok(())
    }

    async fn asked_to_stop(&self, run: &str) -> bool {
        self.store.query("EXISTS", keys::run_stop(run)).await.unwrap_or(false)
    }

    /// Compares what was acknowledged with what is there.
    async fn judge(&self, crowd: &Run) -> Judgement {
        match self.compare(crowd).await {
            Ok(judgement) => judgement,
            Err(error) => Judgement {
                verdict: Verdict::Unknown,
                oversold: 0,
                doubled: 0,
                lost: 0,
                unexpected: 0,
                expected_cents: 0,
                found_cents: 0,
                reason: Some(error.message),
            },
        }
    }

    async fn compare(&self, crowd: &Run) -> Result<Judgement> {
        let sale = &crowd.orders.sale;
        let mut lost = 0;
        let mut unexpected = 0;
        for first in (0..crowd.orders.users).step_by(JUDGED_AT_A_TIME as usize) {
            let places = first..crowd.orders.users.min(first + JUDGED_AT_A_TIME);
            let users: Vec<String> = places.clone().map(|place| crowd.user(place)).collect();
            let holdings = self.red_packet.holdings(sale, &users).await?;
            for (place, holding) in places.zip(holdings) {
                match (crowd.heard[place as usize].load(Relaxed), holding) {
                    (HEARD_NOTHING, None) | (HEARD_UNKNOWN, _) => {}
                    (HEARD_NOTHING, Some(_)) => unexpected += 1,
                    (packet, holding) => lost += u64::from(holding.is_none_or(|held| held.packet != packet)),
                }
            }
        }
        let audit = self.red_packet.audit(sale).await?;
        if audit.verdict == Verdict::Unknown {
            return Err(Error::new(Code::Unavailable, audit.reason.unwrap_or_default()));
        }
        let found = |name: &str| audit.invariants.iter().find(|invariant| invariant.name == name);
        let excess =
            |name: &str| found(name).map_or(0, |invariant| (invariant.found - invariant.expected).max(0) as u64);
        let (expected_cents, found_cents) = found("money").map_or((0, 0), |money| (money.expected, money.found));
        let doubled = crowd.doubled.load(Relaxed) + excess("doubled") + excess("twice");
        let oversold = excess("packets");
        let lost = lost + excess("lost");
        let unexpected = unexpected + excess("unexpected");
        let clean = oversold + doubled + lost + unexpected == 0 && audit.verdict == Verdict::Holds;
        let verdict = if clean { Verdict::Holds } else { Verdict::Broken };
        Ok(Judgement { verdict, oversold, doubled, lost, unexpected, expected_cents, found_cents, reason: None })
    }
}

/// Reads a published status; one that says it runs but has been silent has lost its server.
///
/// # Errors
/// `unavailable` when it cannot be read.
pub fn read(json: &str, now: Millis) -> Result<Status> {
    let mut status: Status = serde_json::from_str(json)
        .map_err(|error| Error::new(Code::Unavailable, format!("The crowd's status cannot be read: {error}.")))?;
    let last_word = status.started_at + status.elapsed_ms as Millis;
    if !status.phase.is_over() && now - last_word > SILENT_FOR {
        status.phase = Phase::Lost;
        status.left_ms = None;
    }
    Ok(status)
}

/// What a user knows of its packet: nothing, not whether it has one, or the packet's number.
const HEARD_NOTHING: u32 = 0;
const HEARD_UNKNOWN: u32 = u32::MAX;

/// A run, in the process that runs it: 4 bytes for each user, whatever else happens.
struct Run {
    run: String,
    orders: Orders,
    started_at: Millis,
    start: Instant,
    attempts: u64,
    next_place: AtomicU32,
    stopped: AtomicBool,
    heard: Vec<AtomicU32>,
    doubled: AtomicU64,
    won: AtomicU64,
    repeat: AtomicU64,
    sold_out: AtomicU64,
    expired: AtomicU64,
    unknown: AtomicU64,
    times: Mutex<Times>,
}

/// Latencies in microseconds.
struct Times {
    /// Since the last mark.
    recent: Histogram<u32>,
    all: Histogram<u32>,
    marked: Duration,
    finished: Option<Duration>,
    per_s: u64,
    history: Vec<Point>,
    /// Ticks that make one point of the history, and what is gathered for the next.
    ticks_a_point: u32,
    gathered: Histogram<u32>,
    gathered_ticks: u32,
    gathered_since: Duration,
}

impl Run {
    fn new(run: String, orders: Orders, started_at: Millis) -> Self {
        let repeats = (0..orders.users).filter(|&place| clicks_again(&orders, place)).count();
        let recent =
            Histogram::new_with_bounds(1, 60_000_000, 3).unwrap_or_else(|_| unreachable!("the bounds are right"));
        let times = Times {
            all: recent.clone(),
            gathered: recent.clone(),
            recent,
            marked: Duration::ZERO,
            finished: None,
            per_s: 0,
            history: Vec::new(),
            ticks_a_point: 1,
            gathered_ticks: 0,
            gathered_since: Duration::ZERO,
        };
        Self {
            run,
            started_at,
            start: Instant::now(),
            attempts: u64::from(orders.users) + repeats as u64,
            next_place: AtomicU32::new(0),
            stopped: AtomicBool::new(false),
            heard: (0..orders.users).map(|_| AtomicU32::new(HEARD_NOTHING)).collect(),
            doubled: AtomicU64::new(0),
            won: AtomicU64::new(0),
            repeat: AtomicU64::new(0),
            sold_out: AtomicU64::new(0),
            expired: AtomicU64::new(0),
            unknown: AtomicU64::new(0),
            times: Mutex::new(times),
            orders,
        }
    }

    /// The same seed brings the same users.
    fn user(&self, place: u32) -> String {
        format!("u{place}-{:x}", self.orders.seed)
    }

    fn outcomes(&self) -> Outcomes {
        Outcomes {
            won: self.won.load(Relaxed),
            repeat: self.repeat.load(Relaxed),
            sold_out: self.sold_out.load(Relaxed),
            expired: self.expired.load(Relaxed),
        }
    }

    fn note(&self, place: u32, answer: &Result<Outcome>, took: Duration) {
        let packet = match answer {
            Ok(Outcome::Won { packet, .. }) => {
                self.won.fetch_add(1, Relaxed);
                *packet
            }
            Ok(Outcome::Repeat { packet, .. }) => {
                self.repeat.fetch_add(1, Relaxed);
                *packet
            }
            Ok(Outcome::SoldOut) => {
                self.sold_out.fetch_add(1, Relaxed);
                HEARD_NOTHING
            }
            Ok(Outcome::Expired { .. }) => {
                self.expired.fetch_add(1, Relaxed);
                HEARD_NOTHING
            }
            Err(_) => {
                self.unknown.fetch_add(1, Relaxed);
                HEARD_UNKNOWN
            }
        };
        if packet != HEARD_NOTHING {
            let heard = &self.heard[place as usize];
            if packet == HEARD_UNKNOWN {
                // A packet that was acknowledged stays acknowledged.
                heard.compare_exchange(HEARD_NOTHING, HEARD_UNKNOWN, Relaxed, Relaxed).ok();
            } else {
                let before = heard.swap(packet, Relaxed);
                if before != HEARD_NOTHING && before != HEARD_UNKNOWN && before != packet {
                    self.doubled.fetch_add(1, Relaxed);
                }
            }
        }
        self.times().recent.saturating_record(took.as_micros() as u64);
    }

    fn times(&self) -> std::sync::MutexGuard<'_, Times> {
        self.times.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Closes a stretch of time.
    fn mark(&self) {
        let now = self.start.elapsed();
        let mut times = self.times();
        let times = &mut *times;
        let stretch = (now - times.marked).as_secs_f64();
        if stretch > 0.0 {
            times.per_s = (times.recent.len() as f64 / stretch) as u64;
        }
        times.marked = now;
        let same_bounds = times.all.add(&times.recent).and_then(|()| times.gathered.add(&times.recent));
        debug_assert!(same_bounds.is_ok(), "the histograms have the same bounds");
        times.recent.reset();
        times.gathered_ticks += 1;
        if times.gathered_ticks >= times.ticks_a_point {
            times.point(now);
        }
    }

    fn finish(&self) {
        let now = self.start.elapsed();
        let mut times = self.times();
        if times.gathered_ticks > 0 {
            times.point(now);
        }
        times.finished = Some(now);
    }

    fn status(&self, phase: Phase) -> Status {
        let outcomes = self.outcomes();
        let unknown = self.unknown.load(Relaxed);
        let answered = outcomes.total() + unknown;
        let times = self.times();
        let elapsed = self.start.elapsed();
        let ran = times.finished.unwrap_or(elapsed);
        let mean_per_s = (answered as f64 / ran.as_secs_f64().max(1e-6)) as u64;
        let left = self.attempts.saturating_sub(answered);
        let left_ms = match phase {
            Phase::Running if mean_per_s > 0 => Some(self.left_ms(left, mean_per_s, ran)),
            _ => None,
        };
        Status {
            run: self.run.clone(),
            orders: self.orders.clone(),
            phase,
            started_at: self.started_at,
            // A run that is over took as long as its attempts; one that is not, until now.
            elapsed_ms: if phase.is_over() { ran } else { elapsed }.as_millis() as u64,
            left_ms,
            attempts: self.attempts,
            answered,
            outcomes,
            unknown,
            per_s: if phase == Phase::Running { times.per_s } else { 0 },
            mean_per_s,
            p50_us: times.all.value_at_quantile(0.5),
            p90_us: times.all.value_at_quantile(0.9),
            p99_us: times.all.value_at_quantile(0.99),
            max_us: times.all.max(),
            history: times.history.clone(),
            judgement: None,
            verdict: None,
        }
    }

    /// Whichever takes longer: the answers still to come at the mean speed, or the last user's arrival.
    fn left_ms(&self, left: u64, mean_per_s: u64, ran: Duration) -> u64 {
        let last_arrives = Duration::from_micros(self.orders.arrival.due_us(self.orders.users - 1));
        (left * 1_000 / mean_per_s).max(last_arrives.saturating_sub(ran).as_millis() as u64)
    }
}

impl Times {
    fn point(&mut self, now: Duration) {
        let stretch = (now - self.gathered_since).as_secs_f64().max(1e-6);
        self.history.push(Point {
            at_ms: now.as_millis() as u64,
            per_s: (self.gathered.len() as f64 / stretch) as u64,
            p50_us: self.gathered.value_at_quantile(0.5),
            p99_us: self.gathered.value_at_quantile(0.99),
        });
        self.gathered.reset();
        self.gathered_ticks = 0;
        self.gathered_since = now;
        if self.history.len() > MOST_POINTS {
            self.halve();
        }
    }

    /// Joins points in pairs. Speeds are averaged; of latencies the worse stays, so no peak is lost.
    fn halve(&mut self) {
        self.history = self
            .history
            .chunks(2)
            .map(|pair| match pair {
                [first, second] => Point {
                    at_ms: second.at_ms,
                    per_s: u64::midpoint(first.per_s, second.per_s),
                    p50_us: first.p50_us.max(second.p50_us),
                    p99_us: first.p99_us.max(second.p99_us),
                },
                single => single[0],
            })
            .collect();
        self.ticks_a_point *= 2;
    }
}

/// One of `concurrency` hands: takes the next place in the row, waits until that user is due, clicks.
async fn worker(crowd: Arc<Run>, red_packet: RedPackets) {
    loop {
        let place = crowd.next_place.fetch_add(1, Relaxed);
        if place >= crowd.orders.users || crowd.stopped.load(Relaxed) {
            return;
        }
        let due = crowd.start + Duration::from_micros(crowd.orders.arrival.due_us(place));
        let begun = if due > Instant::now() {
            if !wait_until(due, &crowd).await {
                return;
            }
            due
        } else if crowd.orders.arrival.kind == super::ArrivalKind::Burst {
            Instant::now()
        } else {
            due
        };
        let click = async |nth: u32| {
            let request_id = format!("{}-{place}-{nth}", crowd.run);
            let answer = red_packet.claim(&crowd.orders.sale, crowd.user(place), Some(request_id)).await;
            crowd.note(place, &answer, begun.elapsed());
        };
        if clicks_again(&crowd.orders, place) {
            // A double click: the second does not wait for the first.
            futures::join!(click(1), click(2));
        } else {
            click(1).await;
        }
    }
}

/// Waits for a user's moment; false when the crowd was stopped meanwhile.
async fn wait_until(due: Instant, crowd: &Run) -> bool {
    loop {
        if crowd.stopped.load(Relaxed) {
            return false;
        }
        let now = Instant::now();
        if now >= due {
            return true;
        }
        tokio::time::sleep_until(due.min(now + TICK)).await;
    }
}

/// Whether the user of this place clicks twice: a share of `repeat_rate`, drawn by the seed.
fn clicks_again(orders: &Orders, place: u32) -> bool {
    // SplitMix64's finalizer: every place is drawn by itself, whichever worker asks.
    let mut bits = orders.seed.wrapping_add(u64::from(place).wrapping_mul(0x9e37_79b9_7f4a_7c15));
    bits = (bits ^ (bits >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    bits = (bits ^ (bits >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    bits ^= bits >> 31;
    ((bits >> 11) as f64) < orders.repeat_rate * (1_u64 << 53) as f64
}
