//! The state of a run in the process that executes it.

use crate::crowd::{pace::Pace, rng::UserRng, times::Times};
use model::{
    KindInfo, Millis,
    crowd::{Counts, Phase, RunConfig, Status, user_name},
    error::Code,
};
use std::{
    collections::BTreeMap,
    sync::{
        Mutex, MutexGuard,
        atomic::{AtomicBool, AtomicU32, AtomicU64, Ordering::Relaxed},
    },
    time::Duration,
};
use store::runtime::locked;
use tokio::time::Instant;

/// Follow-ups are extrapolated once one in this many users has arrived.
const FEW: u32 = 100;

/// A run: its settings, its users, and the answers to their attempts so far.
pub struct Run {
    /// The id of the run.
    pub id: String,
    /// The settings of the run.
    pub config: RunConfig,
    /// The kind of the sale.
    pub(super) kind: &'static KindInfo,
    started_at: Millis,
    /// The number of items left at the start; `None` without a limit.
    left_at_start: Option<u64>,
    pub(super) start: Instant,
    /// Users and their repeats, plus follow-ups.
    attempts: AtomicU64,
    /// The number of attempts that were known before the first one.
    planned: u64,
    pub(super) next_place: AtomicU32,
    pub(super) stopped: AtomicBool,
    /// The arrival times of the users.
    pace: Mutex<Pace>,
    /// Whether another crowd has come to the sale.
    pub(super) superseded: AtomicBool,
    /// The names of the answers, and the count of each.
    answers: &'static [&'static str],
    counts: Vec<AtomicU64>,
    /// The attempts without an answer, by the code of their error.
    unanswered: Mutex<BTreeMap<Code, u64>>,
    times: Mutex<Times>,
}

impl Run {
    pub(super) fn new(
        id: String,
        kind: &'static KindInfo,
        config: RunConfig,
        started_at: Millis,
        left_at_start: Option<u64>,
        answers: &'static [&'static str],
    ) -> Self {
        let repeats = (0..config.users).filter(|&place| clicks_again(&config, place)).count();
        let planned = u64::from(config.users) + repeats as u64;
        Self {
            id,
            kind,
            started_at,
            left_at_start,
            start: Instant::now(),
            attempts: AtomicU64::new(planned),
            planned,
            next_place: AtomicU32::new(0),
            stopped: AtomicBool::new(false),
            pace: Mutex::new(Pace::new(config.arrival)),
            superseded: AtomicBool::new(false),
            answers,
            counts: answers.iter().map(|_| AtomicU64::new(0)).collect(),
            unanswered: Mutex::default(),
            times: Mutex::new(Times::new()),
            config,
        }
    }

    /// The name of a user of this run. The seed and the position alone determine a user's actions.
    pub fn user(&self, place: u32) -> String {
        user_name(&self.id, place)
    }

    /// The id of a user's `nth` request, from which [`Run::place_of`] finds the user again.
    pub fn request(&self, place: u32, nth: u32) -> String {
        format!("{}-{place}-{nth}", self.id)
    }

    /// The position of the user who made this request; `None` if the request does not belong to this run.
    pub fn place_of(&self, request: &str) -> Option<u32> {
        let (place, _) = request.strip_prefix(&self.id)?.strip_prefix('-')?.split_once('-')?;
        place.parse().ok()
    }

    /// Counts a follow-up attempt, which was not planned.
    pub fn one_more(&self) {
        self.attempts.fetch_add(1, Relaxed);
    }

    /// Counts an answer by its index in the scenario's names, or the error that came instead. `took` is its latency.
    pub fn note(&self, answer: std::result::Result<usize, Code>, took: Duration) {
        match answer {
            Ok(place) => _ = self.counts[place].fetch_add(1, Relaxed),
            Err(code) => {
                self.note_unanswered(code);
                if code == Code::Unavailable {
                    self.times().note_redis_down(self.start.elapsed().saturating_sub(took));
                }
            }
        }
        self.times().recent.saturating_record(took.as_micros() as u64);
    }

    /// Counts an attempt without an answer.
    pub(super) fn note_unanswered(&self, code: Code) {
        *self.unanswered().entry(code).or_default() += 1;
    }

    fn unanswered(&self) -> MutexGuard<'_, BTreeMap<Code, u64>> {
        locked(&self.unanswered)
    }

    /// Whether the user at this position clicks twice.
    pub fn clicks_again(&self, place: u32) -> bool {
        clicks_again(&self.config, place)
    }

    /// The arrival of the user at this position, and whether all users arrive together.
    pub(super) fn due(&self, place: u32) -> (Instant, bool) {
        let (due_us, is_burst) = self.pace().due(place);
        (self.start + Duration::from_micros(due_us), is_burst)
    }

    /// Sets the rate to this many users a second from now on.
    pub(super) fn change(&self, per_s: u32) {
        let (users, begun) = (self.config.users, self.next_place.load(Relaxed));
        self.pace().change(users, begun, self.start.elapsed().as_micros() as u64, per_s);
    }

    fn pace(&self) -> MutexGuard<'_, Pace> {
        locked(&self.pace)
    }

    /// Whether the run has been asked to stop.
    pub fn is_stopped(&self) -> bool {
        self.stopped.load(Relaxed)
    }

    fn times(&self) -> MutexGuard<'_, Times> {
        locked(&self.times)
    }

    /// Adds a point to the time series, if one is due. Returns the time of the next call.
    pub(super) fn mark(&self) -> Instant {
        let now = self.start.elapsed();
        let counts = self.counts();
        self.start + self.times().mark(now, &counts)
    }

    pub(super) fn finish(&self) {
        let now = self.start.elapsed();
        let counts = self.counts();
        self.times().finish(now, &counts);
    }

    /// The counts of the answers, and of the attempts without one.
    fn counts(&self) -> Vec<u64> {
        let unanswered = self.unanswered().values().sum();
        self.counts.iter().map(|count| count.load(Relaxed)).chain([unanswered]).collect()
    }

    fn outcomes(&self) -> Counts {
        let counts = self.counts.iter().map(|count| count.load(Relaxed));
        Counts(self.answers.iter().map(|name| (*name).to_owned()).zip(counts).collect())
    }

    /// The status of the run at `now`.
    pub(super) fn status(&self, phase: Phase, now: Millis) -> Status {
        let outcomes = self.outcomes();
        let unanswered = self.unanswered().clone();
        let answered = outcomes.total() + unanswered.values().sum::<u64>();
        let unknown = unanswered.iter().filter(|(code, _)| code.is_outcome_unknown()).map(|(_, times)| times).sum();
        let attempts = self.attempts.load(Relaxed);
        let expected_attempts = if phase == Phase::Running { self.expected(attempts) } else { attempts };
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
            run: self.id.clone(),
            config: self.config.clone(),
            phase,
            started_at: self.started_at,
            reported_at: now,
            left_at_start: self.left_at_start,
            // An ended run took as long as its attempts, a running one has taken until now. The time is rounded up, as
            // no run takes no time.
            elapsed_ms: if phase.is_over() { ran } else { elapsed }.as_micros().div_ceil(1_000) as u64,
            left_ms,
            attempts,
            expected_attempts,
            answered,
            outcomes,
            unknown,
            unanswered,
            per_s: if phase == Phase::Running { times.per_s } else { 0 },
            mean_per_s,
            p50_us: times.all.value_at_quantile(0.5),
            p90_us: times.all.value_at_quantile(0.9),
            p99_us: times.all.value_at_quantile(0.99),
            max_us: times.all.max(),
            history: times.history().to_vec(),
            changes: self.pace().changes(),
            verification: None,
            verdict: None,
        }
    }

    /// The expected number of attempts, if later users make as many follow-ups as those who have arrived.
    fn expected(&self, attempts: u64) -> u64 {
        let users = self.config.users;
        let arrived = self.pace().arrived(users, self.start.elapsed().as_micros() as u64);
        // In a burst, all users arrive at once, so only those taken by a worker count as arrived.
        let come = arrived.min(self.next_place.load(Relaxed)).min(users);
        // Before that, too few users have arrived to extrapolate; after a stop, no more users arrive.
        if come < users.div_ceil(FEW) || self.is_stopped() {
            return attempts;
        }
        let follow_ups = attempts.saturating_sub(self.planned);
        attempts + follow_ups * u64::from(users - come) / u64::from(come)
    }

    /// The estimated time left, in milliseconds: until the last user arrives, and then for the answers outstanding now,
    /// at the mean rate. Later users are assumed to be answered on arrival.
    fn left_ms(&self, left: u64, mean_per_s: u64, ran: Duration) -> u64 {
        let (RunConfig { users, .. }, pace) = (&self.config, self.pace().clone());
        let ran_us = ran.as_micros() as u64;
        let to_come = pace.due(users - 1).0.saturating_sub(ran_us);
        let here = pace.arrived(*users, ran_us);
        // Each later user is assumed to make as many attempts as the others.
        let outstanding = left.saturating_sub((left + self.answered()) * u64::from(users - here) / u64::from(*users));
        to_come / 1_000 + outstanding * 1_000 / mean_per_s
    }

    fn answered(&self) -> u64 {
        self.counts.iter().map(|count| count.load(Relaxed)).sum::<u64>() + self.unanswered().values().sum::<u64>()
    }
}

/// Whether the user at this position clicks twice. This holds for a share of `repeat_rate`, derived from the seed.
fn clicks_again(config: &RunConfig, place: u32) -> bool {
    UserRng::new(config.seed, place).chance(config.repeat_rate)
}

#[cfg(test)]
mod tests {
    use super::*;
    use model::crowd::{Arrival, place_of_user};

    static INFO: KindInfo = KindInfo {
        id: "none",
        segment: "none",
        pages: "none",
        demo: "none",
        outcomes: &[],
        win: "none",
        ownership: model::Ownership::NOTHING,
    };

    #[tokio::test]
    async fn users_to_come_are_expected_to_do_as_those_who_came() {
        let config = RunConfig {
            sale: "s".to_owned(),
            users: 200,
            concurrency: 50,
            repeat_rate: 0.0,
            arrival: Arrival::BURST,
            seed: 1,
            behavior: None,
        };
        let run = Run::new("run-1".to_owned(), &INFO, config, 0, None, &[]);
        let expected = || run.status(Phase::Running, 0).expected_attempts;
        run.one_more();
        assert_eq!(expected(), 201, "nobody has come");
        run.next_place.store(50, Relaxed);
        (1..25).for_each(|_| run.one_more());
        assert_eq!(expected(), 300, "fifty made 25 follow-ups, a hundred and fifty are to come");
        // A worker takes a position beyond the last to find that there is none.
        run.next_place.store(250, Relaxed);
        assert_eq!(expected(), 225);
        run.next_place.store(50, Relaxed);
        run.stopped.store(true, Relaxed);
        assert_eq!(expected(), 225, "nobody comes any more");
        assert_eq!(place_of_user(&run.id, &run.user(17)), Some(17));
        assert_eq!(["ann", "u17", "u17-2", "ux-1"].map(|user| place_of_user(&run.id, user)), [None; 4]);
    }
}
