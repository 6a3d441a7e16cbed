//! Both quantities since the page was opened: the reader sees them drift apart and meet again. Before that, what the newest
//! deductions left.

use crate::{
    components::{ChartLine, LineChart, format::count, local_clock},
    domain::Millis,
    i18n,
    sales::stock::{Deduction, Snapshot, words::words},
};
use leptos::prelude::*;

/// The most points that are kept, and the shortest time between them.
const MOST: usize = 240;
const APART: Millis = 250;
/// How far back the course begins, so that what happens now is not squeezed by what was long ago.
const RECENT: Millis = 600_000;
/// Rows of the table beside the chart.
const TABLE_ROWS: usize = 24;

/// Both quantities at one time; Redis has none while it is not cached.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Point {
    at: Millis,
    cached: Option<u64>,
    /// Unknown before the page was opened.
    ledger: Option<u64>,
}

/// Begins with what the newest deductions left, which the page comes with.
pub fn begin(course: RwSignal<Vec<Point>>, sale: &Snapshot) {
    let now = js_sys::Date::now() as Millis;
    if course.with_untracked(Vec::is_empty) {
        course.set(past(&sale.latest, now));
    }
}

/// What deductions left, oldest first; they are told newest first. `now` comes after all of them, also where the server's
/// clock is ahead.
fn past(latest: &[Deduction], now: Millis) -> Vec<Point> {
    let point = |deduction: &Deduction| Point { at: deduction.at.min(now), cached: Some(deduction.left), ledger: None };
    let recent = latest.iter().rev().filter(|deduction| deduction.at > now - RECENT);
    let mut points: Vec<Point> = recent.map(point).collect();
    // Of those at the same time, the last.
    points.reverse();
    points.dedup_by_key(|point| point.at);
    points.reverse();
    points
}

/// Adds a frame.
pub fn add(course: RwSignal<Vec<Point>>, frame: &Snapshot) {
    let at = js_sys::Date::now() as Millis;
    let ledger = frame.ledger.and_then(|left| u64::try_from(left).ok());
    course.update(|points| push(points, at, frame.cached, ledger));
}

fn push(points: &mut Vec<Point>, at: Millis, cached: Option<u64>, ledger: Option<u64>) {
    let ledger = ledger.or(points.last().and_then(|point| point.ledger));
    // The newest point is replaced while it is close to the one before.
    if let [.., before, newest] = &points[..]
        && newest.at - before.at < APART
    {
        points.pop();
    }
    points.push(Point { at, cached, ledger });
    if points.len() > MOST {
        points.remove(0);
    }
}

/// The chart; empty before the first frame.
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
        ChartLine::new("cached", words.in_redis, column(|point| figure(point.cached))),
        ChartLine::new("recorded", words.in_ledger, column(|point| figure(point.ledger))),
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

/// What the chart leaves out is no number.
fn figure(quantity: Option<u64>) -> f64 {
    quantity.map_or(f64::NAN, |quantity| quantity as f64)
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
            <td class="figure">{point.cached.map_or_else(|| words().not_cached.to_owned(), count)}</td>
            <td class="figure">{point.ledger.map_or_else(|| words().unknown.to_owned(), count)}</td>
        </tr>
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_course_begins_with_what_the_newest_deductions_left() {
        let deduction = |at, left| Deduction { id: String::new(), user: String::new(), quantity: 1, left, at };
        let points = past(
            &[deduction(900, 6), deduction(300, 7), deduction(300, 8), deduction(100, 9), deduction(-RECENT, 10)],
            500,
        );
        let left: Vec<_> = points.iter().map(|point| (point.at, point.cached, point.ledger)).collect();
        assert_eq!(left, [(100, Some(9), None), (300, Some(7), None), (500, Some(6), None)]);
    }

    #[test]
    fn points_that_are_close_are_one_and_the_oldest_go() {
        let mut points = Vec::new();
        for nth in 0..1_000 {
            push(&mut points, nth * 100, Some(nth.unsigned_abs()), (nth % 2 == 0).then_some(7));
        }
        assert_eq!((points.len(), points[MOST - 1].cached, points[MOST - 1].ledger), (MOST, Some(999), Some(7)));
        let gaps: Vec<Millis> = points.windows(2).take(MOST - 2).map(|pair| pair[1].at - pair[0].at).collect();
        assert!(gaps.iter().all(|gap| *gap >= APART), "{gaps:?}");
    }
}
