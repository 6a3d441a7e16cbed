//! Latencies and rates: the recent rate, the time series of the run, and the latencies of the whole run.

use hdrhistogram::Histogram;
use model::crowd::Point;
use std::time::Duration;

/// The most points in the time series of a run.
const MOST_POINTS: usize = 120;
/// The time between the points, until there are too many of them.
const POINT_EVERY: Duration = Duration::from_millis(100);
/// The time between the points of a run that ends so soon that it would otherwise have few points.
pub(super) const SHORTEST_POINT: Duration = Duration::from_millis(10);

/// Latencies in microseconds.
pub(super) struct Times {
    /// The latencies since the last mark.
    pub recent: Histogram<u32>,
    pub all: Histogram<u32>,
    pub finished: Option<Duration>,
    pub per_s: u64,
    /// The beginning of the interval of the rate, and the attempts by then.
    measured_at: Duration,
    measured: u64,
    course: Series,
    /// The same time series in short steps; `None` once the run takes longer than they last.
    beginning: Option<Series>,
}

impl Times {
    pub fn new() -> Self {
        Self {
            recent: latencies(),
            all: latencies(),
            finished: None,
            per_s: 0,
            measured_at: Duration::ZERO,
            measured: 0,
            course: Series::new(POINT_EVERY),
            beginning: Some(Series::new(SHORTEST_POINT)),
        }
    }

    /// The time series of the run. It has long steps while the run goes on, as a few attempts in a short step say
    /// little of the rate.
    pub fn history(&self) -> &[Point] {
        let whole = self.beginning.as_ref().filter(|_| self.finished.is_some());
        &whole.unwrap_or(&self.course).points
    }

    /// Takes the latencies since the last mark, if a point is due. `counts` are the current counts of all answers.
    /// Returns the time of the next mark.
    pub fn mark(&mut self, now: Duration, counts: &[u64]) -> Duration {
        if self.beginning.is_some() || now - self.measured_at >= POINT_EVERY {
            self.absorb(now, counts);
        }
        now + if self.beginning.is_some() { SHORTEST_POINT } else { POINT_EVERY }
    }

    /// Notes that an attempt that began at `begun` found Redis down.
    pub fn note_redis_down(&mut self, begun: Duration) {
        for course in [Some(&mut self.course), self.beginning.as_mut()].into_iter().flatten() {
            let since = course.redis_down_since.map_or(begun, |since| since.min(begun));
            course.redis_down_since = Some(since);
        }
    }

    fn absorb(&mut self, now: Duration, counts: &[u64]) {
        add(&mut self.all, &self.recent);
        let stretch = now - self.measured_at;
        if stretch >= POINT_EVERY {
            self.per_s = ((self.all.len() - self.measured) as f64 / stretch.as_secs_f64()) as u64;
            (self.measured_at, self.measured) = (now, self.all.len());
        }
        self.course.add(now, &self.recent, counts);
        if let Some(beginning) = &mut self.beginning {
            beginning.add(now, &self.recent, counts);
        }
        // Its steps would have been merged.
        self.beginning.take_if(|beginning| beginning.step > SHORTEST_POINT);
        self.recent.reset();
    }

    /// Takes the last latencies.
    pub fn finish(&mut self, now: Duration, counts: &[u64]) {
        self.absorb(now, counts);
        for course in [Some(&mut self.course), self.beginning.as_mut()].into_iter().flatten() {
            course.end(now, counts);
        }
        self.finished = Some(now);
    }
}

/// The points of a run at equal intervals.
struct Series {
    step: Duration,
    points: Vec<Point>,
    /// The latencies of the next point, and the beginning of its interval.
    gathered: Histogram<u32>,
    since: Duration,
    /// The start of the first attempt of the next point that found Redis down.
    redis_down_since: Option<Duration>,
    /// The counts of all answers at the latest point.
    counted: Vec<u64>,
}

impl Series {
    fn new(step: Duration) -> Self {
        let (points, counted, since) = (Vec::new(), Vec::new(), Duration::ZERO);
        Self { step, points, gathered: latencies(), since, redis_down_since: None, counted }
    }

    fn add(&mut self, now: Duration, recent: &Histogram<u32>, counts: &[u64]) {
        add(&mut self.gathered, recent);
        if now - self.since >= self.step {
            self.point(now, counts);
        }
    }

    fn end(&mut self, now: Duration, counts: &[u64]) {
        // An attempt may have been counted without a latency.
        if counts.iter().sum::<u64>() > self.counted.iter().sum() {
            let is_short = now - self.since < self.step / 2;
            self.point(now, counts);
            if is_short {
                self.join_last();
            }
        }
    }

    /// Merges the last point into the one before. Otherwise a few answers within a moment would be drawn as a high
    /// rate.
    fn join_last(&mut self) {
        let Some([first, last]) = self.points.last_chunk() else { return };
        let begun = self.points.iter().rev().nth(2).map_or(0, |point| point.at_ms);
        let (before, after) = (first.at_ms - begun, last.at_ms - first.at_ms);
        let per_s = (first.per_s * before + last.per_s * after) / (before + after).max(1);
        let joined = first.joined(last, per_s);
        self.points.truncate(self.points.len() - 2);
        self.points.push(joined);
    }

    fn point(&mut self, now: Duration, counts: &[u64]) {
        let stretch = (now - self.since).as_secs_f64().max(1e-6);
        self.points.push(Point {
            at_ms: now.as_millis() as u64,
            per_s: (self.gathered.len() as f64 / stretch) as u64,
            p50_us: self.gathered.value_at_quantile(0.5),
            p99_us: self.gathered.value_at_quantile(0.99),
            answers: counts.iter().enumerate().map(|(at, count)| count - self.counted.get(at).unwrap_or(&0)).collect(),
            redis_down_since_ms: self.redis_down_since.take().map(|since| since.as_millis() as u64),
        });
        self.counted = counts.to_vec();
        self.gathered.reset();
        self.since = now;
        if self.points.len() > MOST_POINTS {
            self.halve();
        }
    }

    /// Merges points in pairs, and averages their rates.
    fn halve(&mut self) {
        self.points = self
            .points
            .chunks(2)
            .map(|pair| match pair {
                [first, second] => first.joined(second, u64::midpoint(first.per_s, second.per_s)),
                single => single[0].clone(),
            })
            .collect();
        self.step *= 2;
    }
}

fn latencies() -> Histogram<u32> {
    Histogram::new_with_bounds(1, 60_000_000, 3).unwrap_or_else(|_| unreachable!("the bounds are right"))
}

fn add(to: &mut Histogram<u32>, from: &Histogram<u32>) {
    let same_bounds = to.add(from);
    debug_assert!(same_bounds.is_ok(), "the histograms have the same bounds");
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A run that makes an attempt each millisecond, and gets each answer in one millisecond.
    fn run(of: Duration) -> Times {
        let (mut times, mut count) = (Times::new(), 0);
        for ms in 1..=of.as_millis() as u64 {
            times.recent.record(1_000).expect("a latency");
            count += 1;
            if ms % SHORTEST_POINT.as_millis() as u64 == 0 {
                times.mark(Duration::from_millis(ms), &[count]);
            }
        }
        times.finish(of, &[count]);
        times
    }

    #[test]
    fn a_few_answers_at_the_end_are_part_of_the_last_point() {
        let mut series = Series::new(Duration::from_millis(100));
        let mut recent = latencies();
        (0..100).for_each(|_| recent.saturating_record(50));
        series.add(Duration::from_millis(100), &recent, &[100]);
        recent.reset();
        (0..20).for_each(|_| recent.saturating_record(70));
        series.add(Duration::from_millis(102), &recent, &[120]);
        series.end(Duration::from_millis(102), &[120]);
        let points: Vec<_> =
            series.points.iter().map(|point| (point.at_ms, point.per_s, point.answers.clone())).collect();
        assert_eq!(points, [(102, 1_176, vec![120])]);
    }

    #[test]
    fn a_point_says_since_when_redis_was_down() {
        let mut times = Times::new();
        times.mark(Duration::from_millis(100), &[5, 0]);
        // The point keeps the first start of the attempts that are given up at the same time, also when points are
        // merged.
        for begun in [180, 150, 190] {
            times.note_redis_down(Duration::from_millis(begun));
        }
        for ms in (200..=30_000).step_by(100) {
            times.mark(Duration::from_millis(ms), &[5, 3]);
        }
        let since =
            |times: &Times| times.history().iter().filter_map(|point| point.redis_down_since_ms).collect::<Vec<_>>();
        assert_eq!(since(&times), [150]);
    }

    #[test]
    fn a_run_has_a_course_however_short_or_long_it_is() {
        for (ms, points, first) in
            [(4, 1, 4), (45, 5, 10), (1_200, 120, 10), (1_250, 13, 100), (12_000, 120, 100), (30_000, 76, 400)]
        {
            let times = run(Duration::from_millis(ms));
            let history = times.history();
            let at: Vec<u64> = history.iter().map(|point| point.at_ms).collect();
            assert_eq!((history.len(), at[0], at.last()), (points, first, Some(&ms)), "{ms}: {at:?}");
            assert_eq!(history.iter().map(|point| point.answers[0]).sum::<u64>(), ms, "{ms}");
            assert!(history.iter().all(|point| (999..=1_000).contains(&point.per_s)), "{ms}: {history:?}");
            assert_eq!((times.all.len(), times.per_s), (ms, if ms < 100 { 0 } else { 1_000 }), "{ms}");
        }
    }
}
