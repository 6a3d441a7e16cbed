//! Both quantities since the page was opened: the reader sees them drift apart and meet again. Before that, the one in the
//! ledger.

use crate::{
    components::{
        ChartLine, LineChart,
        format::{NO_VALUE, count},
        local_clock,
    },
    domain::Millis,
    i18n,
    sales::stock::{RecordedQuantity, Snapshot, words::words},
};
use leptos::prelude::*;

/// The most points that are kept, and the shortest time between them.
const MOST: usize = 240;
const APART: Millis = 250;
/// Rows of the table beside the chart.
const TABLE_ROWS: usize = 24;

/// Both quantities at one time.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Point {
    at: Millis,
    cached: Cached,
    /// `None` before the ledger has answered.
    ledger: Option<u64>,
}

/// What Redis had cached.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
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
pub fn begin(course: RwSignal<Vec<Point>>, past: &[RecordedQuantity]) {
    if course.with_untracked(Vec::is_empty) {
        course.set(points_until(js_sys::Date::now() as Millis, past));
    }
}

/// What the ledger has, by the clock of the browser, which may be behind that of Redis.
fn points_until(now: Millis, past: &[RecordedQuantity]) -> Vec<Point> {
    let ahead = past.last().map_or(0, |newest| (newest.at - now).max(0));
    let point =
        |&RecordedQuantity { at, left }: &_| Point { at: at - ahead, cached: Cached::Unknown, ledger: Some(left) };
    past.iter().map(point).collect()
}

/// Adds a frame.
pub fn add(course: RwSignal<Vec<Point>>, frame: &Snapshot) {
    let at = js_sys::Date::now() as Millis;
    let ledger = frame.ledger.and_then(|left| u64::try_from(left).ok());
    let cached = frame.cached.map_or(Cached::Nothing, Cached::Units);
    course.update(|points| push(points, at, cached, ledger));
}

fn push(points: &mut Vec<Point>, at: Millis, cached: Cached, ledger: Option<u64>) {
    let ledger = ledger.or(points.last().and_then(|point| point.ledger));
    // The newest point is replaced while it is close to the one before, and so is what lies ahead, as a clock went back.
    if let [.., before, newest] = &points[..]
        && newest.at - before.at < APART
    {
        points.pop();
    }
    while points.last().is_some_and(|newest| newest.at >= at) {
        points.pop();
    }
    points.push(Point { at, cached, ledger });
    if points.len() > MOST {
        points.remove(0);
    }
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
    let column = move |read: fn(&Point) -> f64| {
        Signal::derive(move || course.with(|points| points.iter().map(read).collect::<Vec<f64>>()))
    };
    let lines = vec![
        ChartLine::new("cached", words.in_redis, column(|point| point.cached.figure())),
        ChartLine::new("recorded", words.in_ledger, column(|point| point.ledger.map_or(f64::NAN, |left| left as f64))),
    ];
    // A closed table is not filled: there is a new point four times a second.
    let is_open = RwSignal::new(false);
    let rows = move || if is_open.get() { course.with(|points| table_rows(points)) } else { Vec::new() };
    view! {
        <figure class="course">
            <LineChart
                at=column(|point| point.at as f64)
                lines
                label=|left| count(left as u64)
                time=|at| local_clock(at as Millis)
                pointer
            >
                {words.over_time}
                <span class="key cached">{words.in_redis}</span>
                <span class="key recorded">{words.in_ledger}</span>
            </LineChart>
            <details on:toggle:target=move |event| is_open.set(event.target().open())>
                <summary>{i18n::words().as_table}</summary>
                <table>
                    <thead>
                        <tr>
                            <th scope="col">{i18n::words().time}</th>
                            <th scope="col" class="figure">
                                {words.in_redis}
                            </th>
                            <th scope="col" class="figure">
                                {words.in_ledger}
                            </th>
                        </tr>
                    </thead>
                    <tbody>
                        <For each=rows key=|point| point.at children=row />
                    </tbody>
                </table>
            </details>
        </figure>
    }
}

/// Points spread evenly over all of them, including the newest.
fn table_rows(points: &[Point]) -> Vec<Point> {
    let step = points.len().div_ceil(TABLE_ROWS).max(1);
    points.iter().rev().step_by(step).rev().copied().collect()
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
        for nth in 0..1_000 {
            push(&mut points, nth * 100, Cached::Units(nth.unsigned_abs()), (nth % 2 == 0).then_some(7));
        }
        let Point { cached, ledger, .. } = points[MOST - 1];
        assert_eq!((points.len(), cached, ledger), (MOST, Cached::Units(999), Some(7)));
        let gaps: Vec<Millis> = points.windows(2).take(MOST - 2).map(|pair| pair[1].at - pair[0].at).collect();
        assert!(gaps.iter().all(|gap| *gap >= APART), "{gaps:?}");
    }

    #[test]
    fn what_the_ledger_has_ends_before_the_page_begins() {
        let past = [RecordedQuantity { at: 1_000, left: 9 }, RecordedQuantity { at: 2_000, left: 8 }];
        let times = |points: &[Point]| points.iter().map(|point| point.at).collect::<Vec<_>>();
        let mut points = points_until(1_500, &past);
        assert_eq!(times(&points), [500, 1_500]);
        push(&mut points, 1_500, Cached::Nothing, None);
        assert_eq!(times(&points), [500, 1_500], "no two points at one time");
        assert_eq!((points[1].cached, points[1].ledger), (Cached::Nothing, Some(8)));
        assert_eq!(times(&points_until(9_000, &past)), [1_000, 2_000]);
    }
}
