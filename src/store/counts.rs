//! What this process has done, counted for its metrics. A batch adds to each count once, however many attempts it has.

use crate::{
    reply::{AttemptReply, ReplyCode},
    runtime::locked,
    script::Script,
};
use model::error::Result;
use std::{
    collections::{BTreeMap, HashMap},
    sync::{
        Arc, Mutex, PoisonError, RwLock,
        atomic::{AtomicU64, Ordering::Relaxed},
    },
    time::Duration,
};

/// The upper bounds of durations, in microseconds: from a call to a near Redis up to more than its time limit.
const MICROSECONDS: [u64; 15] = [
    100, 250, 500, 1_000, 2_500, 5_000, 10_000, 25_000, 50_000, 100_000, 250_000, 500_000, 1_000_000, 2_500_000,
    5_000_000,
];
/// The upper bounds of the number of attempts in a batch.
const ATTEMPTS: [u64; 9] = [1, 2, 4, 8, 16, 32, 64, 128, 256];
/// The room for the counts of any histogram: one for each bound, and one for what is larger.
const BUCKETS: usize = MICROSECONDS.len() + 1;

/// The outcome of attempts that were answered with an error, and certainly not made.
const NOT_TRIED: &str = "not_tried";

/// How many values were at most as large as each bound.
pub struct Histogram {
    /// How many make up the unit that is reported, such as a million microseconds a second. As a divisor, so that bounds
    /// are reported as the numbers they are: 0.025.
    per_unit: f64,
    bounds: &'static [u64],
    counts: [AtomicU64; BUCKETS],
    sum: AtomicU64,
}

/// The values of a histogram, in the unit that is reported.
#[derive(Clone, Debug, PartialEq)]
pub struct Distribution {
    /// The sum of all values.
    pub sum: f64,
    /// The number of values.
    pub count: u64,
    /// The upper bounds, and the number of values beyond the previous one. The last is infinite.
    pub buckets: Vec<(f64, u64)>,
}

impl Histogram {
    /// A histogram of durations, reported in seconds.
    pub fn of_durations() -> Self {
        Self::new(1e6, &MICROSECONDS)
    }

    fn of_attempts() -> Self {
        Self::new(1.0, &ATTEMPTS)
    }

    fn new(per_unit: f64, bounds: &'static [u64]) -> Self {
        Self { per_unit, bounds, counts: Default::default(), sum: AtomicU64::new(0) }
    }

    /// Adds durations, all at once.
    pub fn add_durations(&self, durations: impl IntoIterator<Item = Duration>) {
        self.add(durations.into_iter().map(|duration| u64::try_from(duration.as_micros()).unwrap_or(u64::MAX)));
    }

    fn add(&self, values: impl IntoIterator<Item = u64>) {
        let (mut counts, mut sum) = ([0; BUCKETS], 0_u64);
        for value in values {
            counts[self.bounds.partition_point(|bound| *bound < value)] += 1;
            sum = sum.wrapping_add(value);
        }
        for (total, count) in self.counts.iter().zip(counts).filter(|(_, count)| *count > 0) {
            total.fetch_add(count, Relaxed);
        }
        self.sum.fetch_add(sum, Relaxed);
    }

    /// The values so far.
    pub fn read(&self) -> Distribution {
        let bounds = self.bounds.iter().map(|bound| *bound as f64 / self.per_unit).chain([f64::INFINITY]);
        let buckets: Vec<(f64, u64)> = bounds.zip(self.counts.iter().map(|count| count.load(Relaxed))).collect();
        let count = buckets.iter().map(|(_, count)| count).sum();
        Distribution { sum: self.sum.load(Relaxed) as f64 / self.per_unit, count, buckets }
    }
}

/// The counts of one script.
struct ScriptCounts {
    script: &'static Script,
    /// By the address of the Redis.
    calls: RwLock<BTreeMap<String, Histogram>>,
    batches: Histogram,
    /// The answers to attempts, in the order of [`ReplyCode::ALL`].
    answers: Box<[AtomicU64]>,
    not_tried: AtomicU64,
    unknown: AtomicU64,
}

impl ScriptCounts {
    fn of(script: &'static Script) -> Self {
        Self {
            script,
            calls: RwLock::default(),
            batches: Histogram::of_attempts(),
            answers: ReplyCode::ALL.iter().map(|_| AtomicU64::new(0)).collect(),
            not_tried: AtomicU64::new(0),
            unknown: AtomicU64::new(0),
        }
    }

    fn called(&self, node: &str, took: Duration) {
        if let Some(calls) = self.calls.read().unwrap_or_else(PoisonError::into_inner).get(node) {
            return calls.add_durations([took]);
        }
        let mut calls = self.calls.write().unwrap_or_else(PoisonError::into_inner);
        calls.entry(node.to_owned()).or_insert_with(Histogram::of_durations).add_durations([took]);
    }

    fn kind(&self) -> &'static str {
        self.script.name.split('/').next().unwrap_or_default()
    }

    /// The name of an outcome. What a script gives away was won.
    fn outcome(&self, code: ReplyCode) -> String {
        match code {
            ReplyCode::Done if self.script.grows() => "won".to_owned(),
            code => code.name().replace(' ', "_"),
        }
    }
}

/// What is counted for a kind of sale rather than for a script.
pub(super) struct KindCounts {
    /// The time from their arrival to their answer.
    pub answered: Histogram,
    /// The attempts that were refused because too many waited.
    pub refused: AtomicU64,
}

impl Default for KindCounts {
    fn default() -> Self {
        Self { answered: Histogram::of_durations(), refused: AtomicU64::new(0) }
    }
}

/// The counts of a process.
pub struct Counts {
    scripts: HashMap<&'static str, ScriptCounts>,
    kinds: Mutex<BTreeMap<&'static str, Arc<KindCounts>>>,
    reloads: AtomicU64,
}

impl Counts {
    /// No counts yet, of these scripts.
    pub(super) fn of(scripts: &[&'static Script]) -> Self {
        let scripts = scripts.iter().map(|script| (script.name, ScriptCounts::of(script))).collect();
        Self { scripts, kinds: Mutex::default(), reloads: AtomicU64::new(0) }
    }

    /// The counts of attempts at sales of a kind.
    pub(super) fn of_kind(&self, kind: &'static str) -> Arc<KindCounts> {
        locked(&self.kinds).entry(kind).or_default().clone()
    }

    /// Adds a call of a script on the Redis at this address.
    pub(super) fn called(&self, script: &Script, node: &str, took: Duration) {
        if let Some(counts) = self.scripts.get(script.name) {
            counts.called(node, took);
        }
    }

    /// Adds a script that Redis had forgotten.
    pub(super) fn reloaded(&self) {
        self.reloads.fetch_add(1, Relaxed);
    }

    /// Adds a batch of attempts, and what became of it.
    pub(super) fn attempted(&self, script: &Script, attempts: usize, answers: &Result<Vec<AttemptReply>>) {
        let Some(counts) = self.scripts.get(script.name) else { return };
        counts.batches.add([attempts as u64]);
        let answers = match answers {
            Ok(answers) => answers,
            Err(error) => {
                let failed = if error.code.is_outcome_unknown() { &counts.unknown } else { &counts.not_tried };
                failed.fetch_add(attempts as u64, Relaxed);
                return;
            }
        };
        // Few codes occur in a batch.
        let mut codes: Vec<(ReplyCode, u64)> = Vec::with_capacity(4);
        for AttemptReply { code, .. } in answers {
            match codes.iter_mut().find(|(known, _)| known == code) {
                Some((_, count)) => *count += 1,
                None => codes.push((*code, 1)),
            }
        }
        for (all, answers) in ReplyCode::ALL.iter().zip(&counts.answers) {
            if let Some((_, count)) = codes.iter().find(|(code, _)| code == all) {
                answers.fetch_add(*count, Relaxed);
            }
        }
    }

    /// The attempts so far, by kind and outcome. `not_tried` and `unknown` are those that were answered with an error.
    pub fn attempts(&self) -> BTreeMap<(&'static str, String), u64> {
        let mut attempts = BTreeMap::new();
        for counts in self.scripts.values() {
            let answers = ReplyCode::ALL.iter().map(|code| counts.outcome(*code)).zip(&counts.answers);
            let errors = [(NOT_TRIED.to_owned(), &counts.not_tried), ("unknown".to_owned(), &counts.unknown)];
            for (outcome, count) in answers.chain(errors) {
                let count = count.load(Relaxed);
                if count > 0 {
                    *attempts.entry((counts.kind(), outcome)).or_default() += count;
                }
            }
        }
        for (kind, counts) in locked(&self.kinds).iter() {
            let refused = counts.refused.load(Relaxed);
            if refused > 0 {
                *attempts.entry((*kind, NOT_TRIED.to_owned())).or_default() += refused;
            }
        }
        attempts
    }

    /// The attempts so far whose outcome is unknown.
    pub fn unknown_outcomes(&self) -> u64 {
        self.scripts.values().map(|counts| counts.unknown.load(Relaxed)).sum()
    }

    /// How often Redis had forgotten a script, which a call then sent again.
    pub fn script_reloads(&self) -> u64 {
        self.reloads.load(Relaxed)
    }

    /// The seconds that calls took, by script and the address of the Redis.
    pub fn script_seconds(&self) -> BTreeMap<(&'static str, String), Distribution> {
        let mut seconds = BTreeMap::new();
        for (name, counts) in &self.scripts {
            for (node, calls) in counts.calls.read().unwrap_or_else(PoisonError::into_inner).iter() {
                seconds.insert((*name, node.clone()), calls.read());
            }
        }
        seconds
    }

    /// The sizes of batches, by script.
    pub fn batch_attempts(&self) -> BTreeMap<&'static str, Distribution> {
        let read = self.scripts.iter().map(|(name, counts)| (*name, counts.batches.read()));
        read.filter(|(_, distribution)| distribution.count > 0).collect()
    }

    /// The seconds from the arrival of attempts to their answer, by kind.
    pub fn attempt_seconds(&self) -> Vec<(&'static str, Distribution)> {
        locked(&self.kinds).iter().map(|(kind, counts)| (*kind, counts.answered.read())).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_value_counts_up_to_its_bound() {
        let histogram = Histogram::of_attempts();
        histogram.add([1, 2, 3, 256, 257]);
        histogram.add([1]);
        let Distribution { sum, count, buckets } = histogram.read();
        assert_eq!((sum, count), (520.0, 6));
        let found: Vec<_> = buckets.into_iter().filter(|(_, count)| *count > 0).collect();
        assert_eq!(found, [(1.0, 2), (2.0, 1), (4.0, 1), (256.0, 1), (f64::INFINITY, 1)]);
    }

    #[test]
    fn durations_are_reported_in_seconds() {
        let histogram = Histogram::of_durations();
        histogram.add_durations([Duration::from_micros(100), Duration::from_secs(9)]);
        let Distribution { sum, buckets, .. } = histogram.read();
        assert!((sum - 9.0001).abs() < 1e-9);
        assert_eq!((buckets[0], buckets[7], buckets.last()), ((0.0001, 1), (0.025, 0), Some(&(f64::INFINITY, 1))));
    }
}
