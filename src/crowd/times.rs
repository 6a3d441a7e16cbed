//! Latencies and rates: over the last tick, the last interval of the history, and the whole run.

use crate::crowd::Point;
use hdrhistogram::Histogram;
use std::time::Duration;

/// The history of a run has at most this many points.
const MOST_POINTS: usize = 120;

/// Latencies in microseconds.
pub(super) struct Times {
    /// Since the last mark.
    pub recent: Histogram<u32>,
    pub all: Histogram<u32>,
    marked: Duration,
    pub finished: Option<Duration>,
    pub per_s: u64,
    pub history: Vec<Point>,
    /// Ticks per point of the history, and the data collected for the next point.
    ticks_a_point: u32,
    gathered: Histogram<u32>,
    gathered_ticks: u32,
    gathered_since: Duration,
    /// The counts of all answers at the latest point.
    counted: Vec<u64>,
}

impl Times {
    pub fn new() -> Self {
        let recent =
            Histogram::new_with_bounds(1, 60_000_000, 3).unwrap_or_else(|_| unreachable!("the bounds are right"));
        Self {
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
            counted: Vec::new(),
        }
    }

    /// Ends a tick; `counts` are those of all answers by now.
    pub fn mark(&mut self, now: Duration, counts: &[u64]) {
        let stretch = (now - self.marked).as_secs_f64();
        if stretch > 0.0 {
            self.per_s = (self.recent.len() as f64 / stretch) as u64;
        }
        self.marked = now;
        let same_bounds = self.all.add(&self.recent).and_then(|()| self.gathered.add(&self.recent));
        debug_assert!(same_bounds.is_ok(), "the histograms have the same bounds");
        self.recent.reset();
        self.gathered_ticks += 1;
        if self.gathered_ticks >= self.ticks_a_point {
            self.point(now, counts);
        }
    }

    pub fn finish(&mut self, now: Duration, counts: &[u64]) {
        if self.gathered_ticks > 0 {
            self.point(now, counts);
        }
        self.finished = Some(now);
    }

    fn point(&mut self, now: Duration, counts: &[u64]) {
        let stretch = (now - self.gathered_since).as_secs_f64().max(1e-6);
        self.history.push(Point {
            at_ms: now.as_millis() as u64,
            per_s: (self.gathered.len() as f64 / stretch) as u64,
            p50_us: self.gathered.value_at_quantile(0.5),
            p99_us: self.gathered.value_at_quantile(0.99),
            answers: counts.iter().enumerate().map(|(at, count)| count - self.counted.get(at).unwrap_or(&0)).collect(),
        });
        self.counted = counts.to_vec();
        self.gathered.reset();
        self.gathered_ticks = 0;
        self.gathered_since = now;
        if self.history.len() > MOST_POINTS {
            self.halve();
        }
    }

    /// Merges points in pairs. Rates are averaged and counts added; of two latencies the higher one is kept, so that no
    /// peak is lost.
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
                    answers: first.answers.iter().zip(&second.answers).map(|(first, second)| first + second).collect(),
                },
                single => single[0].clone(),
            })
            .collect();
        self.ticks_a_point *= 2;
    }
}
