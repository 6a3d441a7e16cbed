//! A run, in the process that runs it: what every kind of sale has.

use super::{super::dice::Dice, times::Times};
use crate::{
    crowd::{Counts, Orders, Phase, Status},
    domain::Millis,
};
use std::{
    sync::{
        Mutex, MutexGuard, PoisonError,
        atomic::{AtomicBool, AtomicU32, AtomicU64, Ordering::Relaxed},
    },
    time::Duration,
};
use tokio::time::Instant;

pub(super) struct Run {
    pub run: String,
    pub orders: Orders,
    started_at: Millis,
    pub start: Instant,
    /// Users and their repeats, and what followed from answers.
    attempts: AtomicU64,
    pub next_place: AtomicU32,
    pub stopped: AtomicBool,
    /// The names of answers, and how often each was given.
    names: &'static [&'static str],
    counts: Vec<AtomicU64>,
    pub unknown: AtomicU64,
    times: Mutex<Times>,
}

impl Run {
    /// `names`: those of the answers, each known by its place here.
    pub fn new(run: String, orders: Orders, started_at: Millis, names: &'static [&'static str]) -> Self {
        let repeats = (0..orders.users).filter(|&place| clicks_again(&orders, place)).count();
        Self {
            run,
            started_at,
            start: Instant::now(),
            attempts: AtomicU64::new(u64::from(orders.users) + repeats as u64),
            next_place: AtomicU32::new(0),
            stopped: AtomicBool::new(false),
            names,
            counts: names.iter().map(|_| AtomicU64::new(0)).collect(),
            unknown: AtomicU64::new(0),
            times: Mutex::new(Times::new()),
            orders,
        }
    }

    /// The same seed brings the same users.
    pub fn user(&self, place: u32) -> String {
        format!("u{place}-{:x}", self.orders.seed)
    }

    /// A request of a user, by which it can be found again.
    pub fn request(&self, place: u32, nth: u32) -> String {
        format!("{}-{place}-{nth}", self.run)
    }

    /// Whose request it is, where it is one of this run.
    pub fn place_of(&self, request: &str) -> Option<u32> {
        let (place, _) = request.strip_prefix(&self.run)?.strip_prefix('-')?.split_once('-')?;
        place.parse().ok()
    }

    /// Another attempt is to be made, that nobody could know of.
    pub fn one_more(&self) {
        self.attempts.fetch_add(1, Relaxed);
    }

    /// Notes an answer by its place among the names; none where it never came.
    pub fn note(&self, answer: Option<usize>, took: Duration) {
        let counter = answer.and_then(|place| self.counts.get(place)).unwrap_or(&self.unknown);
        counter.fetch_add(1, Relaxed);
        self.times().recent.saturating_record(took.as_micros() as u64);
    }

    pub fn clicks_again(&self, place: u32) -> bool {
        clicks_again(&self.orders, place)
    }

    pub fn is_stopped(&self) -> bool {
        self.stopped.load(Relaxed)
    }

    fn times(&self) -> MutexGuard<'_, Times> {
        self.times.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Closes a stretch of time.
    pub fn mark(&self) {
        let now = self.start.elapsed();
        self.times().mark(now);
    }

    pub fn finish(&self) {
        let now = self.start.elapsed();
        self.times().finish(now);
    }

    fn outcomes(&self) -> Counts {
        let counts = self.counts.iter().map(|count| count.load(Relaxed));
        Counts(self.names.iter().map(|name| (*name).to_owned()).zip(counts).collect())
    }

    pub fn status(&self, phase: Phase) -> Status {
        let outcomes = self.outcomes();
        let unknown = self.unknown.load(Relaxed);
        let answered = outcomes.total() + unknown;
        let attempts = self.attempts.load(Relaxed);
        let times = self.times();
        let elapsed = self.start.elapsed();
        let ran = times.finished.unwrap_or(elapsed);
        let mean_per_s = (answered as f64 / ran.as_secs_f64().max(1e-6)) as u64;
        let left = attempts.saturating_sub(answered);
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
            attempts,
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

/// Whether the user of this place clicks twice: a share of `repeat_rate`, drawn by the seed.
fn clicks_again(orders: &Orders, place: u32) -> bool {
    Dice::of(orders.seed, place).happens(orders.repeat_rate)
}
