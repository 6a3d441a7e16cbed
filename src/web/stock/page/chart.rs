//! Both quantities in the last minute, or the last ten: the reader sees them drift apart and meet again. Of the time before
//! the page was opened, the one in the ledger.

use crate::{
    components::{
        Button, ChartLine, ChartTable, LineChart,
        axis::Unit,
        format::{NO_VALUE, count},
        local_clock, server_now,
    },
    i18n,
    stock::words::words,
};
use leptos::prelude::*;
use leptos_use_fn_debounce_throttle::use_throttle_fn;
use model::{
    Millis,
    stock::{RECENT, RecordedQuantity, Snapshot},
};

/// How much of it is shown, unless the reader wants all of it.
const LATELY: Millis = 60_000;
/// The shortest time between two points, in milliseconds.
const APART: Millis = 250;
/// The most rows of the table beside the chart.
const TABLE_ROWS: usize = 240;

/// Both quantities at one time.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Point {
    at: Millis,
    cached: Cached,
    /// `None` before the ledger has answered.
    ledger: Option<u64>,
}

impl Point {
    /// Whether neither quantity differs.
    fn is_like(&self, other: &Self) -> bool {
        (self.cached, self.ledger) == (other.cached, other.ledger)
    }
}

/// What Redis had cached.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
enum Cached {
    /// Nobody knows any more: it was before the page was opened.
    Unknown,
    Nothing,
    Units(u64),
}

impl Cached {
    /// What the chart leaves out is no number.
    fn figure(self) -> f64 {
        match self {
            Self::Unknown | Self::Nothing => f64::NAN,
            Self::Units(units) => units as f64,
        }
    }

    fn text(self) -> String {
        match self {
            Self::Unknown => NO_VALUE.to_owned(),
            Self::Nothing => words().not_cached.to_owned(),
            Self::Units(units) => count(units),
        }
    }
}

/// Begins with what the ledger has of the time before the page was opened.
pub fn begin(course: RwSignal<Vec<Point>>, past: &[RecordedQuantity], opened_at: Millis) {
    if course.with_untracked(Vec::is_empty) {
        course.set(points_until(server_now(), past, opened_at));
    }
}

/// What the ledger has. The newest may be a little ahead of what the page knows of the server's clock, and the oldest
/// is as old as the quarter of a second in which the sale was opened.
fn points_until(now: Millis, past: &[RecordedQuantity], opened_at: Millis) -> Vec<Point> {
    let ahead = past.last().map_or(0, |newest| (newest.at - now).max(0));
    let point = |&RecordedQuantity { at, left }: &_| {
        let at = at.max(opened_at) - ahead;
        Point { at, cached: Cached::Unknown, ledger: Some(left) }
    };
    past.iter().map(point).collect()
}

/// Adds a frame.
pub fn add(course: RwSignal<Vec<Point>>, frame: &Snapshot) {
    let at = server_now();
    let is_known = course.with_untracked(|points| points.last().is_some_and(|point| point.ledger.is_some()));
    let ledger = frame.ledger.filter(|ledger| is_known || is_recorded(*ledger, frame.pending));
    let ledger = ledger.and_then(|left| u64::try_from(left).ok());
    let cached = frame.cached.map_or(Cached::Nothing, Cached::Units);
    course.update(|points| push(points, at, cached, ledger));
}

/// Whether a quantity is one: of a sale that was opened a moment ago, the ledger has nothing yet.
fn is_recorded(ledger: i64, pending: Option<i64>) -> bool {
    ledger != 0 || pending == Some(0)
}

fn push(points: &mut Vec<Point>, at: Millis, cached: Cached, ledger: Option<u64>) {
    let ledger = ledger.or(points.last().and_then(|point| point.ledger));
    let point = Point { at, cached, ledger };
    // The newest point is replaced by one that is close to the one before it, or where it differs from neither neighbour.
    if let [.., before, newest] = &points[..]
        && (at - before.at < APART || (before.is_like(newest) && newest.is_like(&point)))
    {
        points.pop();
    }
    // And so is what lies ahead, as a clock went back.
    while points.last().is_some_and(|newest| newest.at >= at) {
        points.pop();
    }
    points.push(point);
    // The last one before the edge tells what held at the edge.
    let outside = points.partition_point(|point| point.at < at - RECENT);
    points.drain(..outside.saturating_sub(1));
}

/// The points of the last `span` milliseconds, beginning at the edge where anything is known of it.
fn shown(points: &[Point], span: Millis) -> Vec<Point> {
    let edge = points.last().map_or(0, |newest| newest.at - span);
    let (before, within) = points.split_at(points.partition_point(|point| point.at < edge));
    before.last().map(|before| Point { at: edge, ..*before }).into_iter().chain(within.iter().copied()).collect()
}

/// The chart; empty until the browser has taken over.
#[component]
pub fn QuantityChart(
    /// What the page has seen, oldest first.
    course: RwSignal<Vec<Point>>,
    /// The instant that the reader points at on any chart of the page.
    pointer: RwSignal<Option<f64>>,
) -> impl IntoView {
    let words = words();
    let shows_all = RwSignal::new(false);
    // Frames come far more often than points.
    let drawn = RwSignal::new(());
    let draw = use_throttle_fn(move || _ = drawn.try_set(()), APART as f64);
    Effect::new(move || {
        course.track();
        draw();
    });
    let span = Memo::new(move |_| if shows_all.get() { RECENT } else { LATELY });
    let points = Memo::new(move |_| {
        drawn.track();
        course.with_untracked(|points| shown(points, span.get()))
    });
    let column = move |read: fn(&Point) -> f64| {
        Memo::new(move |_| points.with(|points| points.iter().map(read).collect::<Vec<f64>>()))
    };
    let lines = vec![
        ChartLine::new("cached", words.in_redis, column(|point| point.cached.figure())),
        ChartLine::new("recorded", words.in_ledger, column(|point| point.ledger.map_or(f64::NAN, |left| left as f64))),
    ];
    let newest = move || points.with(|points| points.iter().rev().take(TABLE_ROWS).copied().collect::<Vec<_>>());
    let is_cut = Memo::new(move |_| points.with(|points| points.len() > TABLE_ROWS));
    let head = move || {
        view! {
            <th scope="col">{i18n::words().time}</th>
            <th scope="col" class="figure">
                {words.in_redis}
            </th>
            <th scope="col" class="figure">
                {words.in_ledger}
            </th>
        }
    };
    let choice = move |all: bool, label: &'static str| {
        view! {
            <Button
                class="quiet toggle"
                attr:aria-pressed=move || (shows_all.get() == all).to_string()
                on_click=move || shows_all.set(all)
            >
                {label}
            </Button>
        }
    };
    view! {
        <figure class="course">
            <LineChart
                at=column(|point| point.at as f64)
                lines
                unit=Unit::Count
                // All of the time, also of a sale that is younger: then its beginning is empty.
                length=Signal::derive(move || span.get() as f64)
                time=|at| local_clock(at as Millis)
                pointer
            >
                {words.over_time}
                <span class="key cached">{words.in_redis}</span>
                <span class="key recorded">{words.in_ledger}</span>
            </LineChart>
            <div class="spans" role="group" aria-label=words.span>
                {choice(false, words.last_minute)} {choice(true, words.last_ten_minutes)}
            </div>
            <ChartTable
                head
                rows=newest
                key=|point| *point
                row
                remark=Signal::derive(move || is_cut.get().then(|| (words.newest_rows)(TABLE_ROWS)))
            />
        </figure>
    }
}

fn row(point: Point) -> impl IntoView {
    view! {
        <tr>
            <td>{local_clock(point.at)}</td>
            <td class="figure">{point.cached.text()}</td>
            <td class="figure">{point.ledger.map_or_else(|| words().unknown.to_owned(), count)}</td>
        </tr>
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn points_that_are_close_are_one_and_the_oldest_go() {
        let mut points = Vec::new();
        for nth in 0..10_000 {
            push(&mut points, nth * 100, Cached::Units(nth.unsigned_abs()), (nth % 2 == 0).then_some(7));
        }
        let Some(&Point { at, cached, ledger }) = points.last() else { panic!("no points") };
        assert_eq!((at, cached, ledger), (999_900, Cached::Units(9_999), Some(7)));
        let gaps: Vec<Millis> = points.windows(3).map(|three| three[2].at - three[0].at).collect();
        assert!(gaps.iter().all(|gap| *gap >= APART), "{gaps:?}");
        assert!(points[0].at < at - RECENT && points[1].at >= at - RECENT, "{:?}", &points[..2]);
    }

    #[test]
    fn a_change_keeps_its_time_however_late_the_next_one_is() {
        let mut points = Vec::new();
        for (at, units) in [(0, 10), (100, 9), (300_000, 8)] {
            push(&mut points, at, Cached::Units(units), Some(units));
        }
        assert_eq!(points.iter().map(|point| point.at).collect::<Vec<_>>(), [0, 100, 300_000]);
    }

    #[test]
    fn what_stays_the_same_takes_two_points() {
        let mut points = Vec::new();
        for (at, units) in [(0, 5), (1_000, 5), (2_000, 5), (3_000, 4), (4_000, 4), (5_000, 4)] {
            push(&mut points, at, Cached::Units(units), Some(units));
        }
        assert_eq!(points.iter().map(|point| point.at).collect::<Vec<_>>(), [0, 2_000, 3_000, 5_000]);
    }

    #[test]
    fn a_window_begins_at_its_edge() {
        let point = |at, units| Point { at, cached: Cached::Units(units), ledger: Some(units) };
        let points = [point(0, 9), point(50_000, 8), point(100_000, 7)];
        assert_eq!(shown(&points, LATELY), [point(40_000, 9), point(50_000, 8), point(100_000, 7)]);
        assert_eq!(shown(&points, RECENT), points);
        assert_eq!(shown(&[], LATELY), []);
    }

    #[test]
    fn what_the_ledger_has_ends_before_the_page_begins() {
        let past = [RecordedQuantity { at: 1_000, left: 9 }, RecordedQuantity { at: 2_000, left: 8 }];
        let times = |points: &[Point]| points.iter().map(|point| point.at).collect::<Vec<_>>();
        let mut points = points_until(1_500, &past, 0);
        assert_eq!(times(&points), [500, 1_500]);
        push(&mut points, 1_500, Cached::Nothing, None);
        assert_eq!(times(&points), [500, 1_500], "no two points at one time");
        assert_eq!((points[1].cached, points[1].ledger), (Cached::Nothing, Some(8)));
        assert_eq!(times(&points_until(9_000, &past, 1_200)), [1_200, 2_000], "nothing before the sale was opened");
    }

    #[test]
    fn a_sale_is_not_sold_out_before_it_is_recorded() {
        let recorded = [(0, Some(10)), (0, None), (10, Some(0)), (0, Some(0))];
        assert_eq!(recorded.map(|(ledger, pending)| is_recorded(ledger, pending)), [false, false, true, true]);
    }
}
