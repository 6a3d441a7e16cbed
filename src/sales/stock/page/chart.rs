//! Both quantities over the time that the page has watched: one sees them drift apart, and together again.

use crate::{
    components::{ChartLine, LineChart, format::count, local_clock},
    domain::Millis,
    i18n,
    sales::stock::{Snapshot, words::words},
};
use leptos::prelude::*;

/// Points that are kept, and how far apart they are at least.
const MOST: usize = 240;
const APART: Millis = 250;
/// Rows of the table beside the chart.
const TABLE_ROWS: usize = 24;

/// What the page has seen at one time; Redis has no quantity while it is not cached.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Point {
    at: Millis,
    cached: Option<u64>,
    ledger: u64,
}

/// Adds a frame.
pub fn add(course: RwSignal<Vec<Point>>, frame: &Snapshot) {
    let at = js_sys::Date::now() as Millis;
    let ledger = frame.ledger.and_then(|left| u64::try_from(left).ok());
    course.update(|points| push(points, at, frame.cached, ledger));
}

fn push(points: &mut Vec<Point>, at: Millis, cached: Option<u64>, ledger: Option<u64>) {
    let ledger = ledger.or(points.last().map(|point| point.ledger)).unwrap_or(0);
    // The newest is replaced for as long as it is close to the one before.
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
pub fn Course(
    /// What the page has seen, oldest first.
    course: RwSignal<Vec<Point>>,
) -> impl IntoView {
    let words = words();
    let column = move |read: fn(&Point) -> f64| {
        Signal::derive(move || course.with(|points| points.iter().map(read).collect::<Vec<f64>>()))
    };
    let lines = vec![
        ChartLine::new("cached", words.in_redis, column(|point| point.cached.map_or(f64::NAN, |cached| cached as f64))),
        ChartLine::new("recorded", words.in_ledger, column(|point| point.ledger as f64)),
    ];
    // Nobody reads a closed table, and there is a new point four times a second.
    let is_open = RwSignal::new(false);
    let rows = move || if is_open.get() { course.with(|points| table_rows(points)) } else { Vec::new() };
    view! {
        <figure class="course">
            <figcaption>
                {words.over_time} <span class="key cached">{words.in_redis}</span>
                <span class="key recorded">{words.in_ledger}</span>
            </figcaption>
            <LineChart
                at=column(|point| point.at as f64)
                lines
                label=|left| count(left as u64)
                time=|at| local_clock(at as Millis)
                pointer=RwSignal::new(None)
            />
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

/// Points that are evenly spread over all of them, the newest among them.
fn table_rows(points: &[Point]) -> Vec<Point> {
    let step = points.len().div_ceil(TABLE_ROWS).max(1);
    points.iter().rev().step_by(step).rev().copied().collect()
}

fn row(point: Point) -> impl IntoView {
    view! {
        <tr>
            <td>{local_clock(point.at)}</td>
            <td class="figure">{point.cached.map_or_else(|| words().not_cached.to_owned(), count)}</td>
            <td class="figure">{count(point.ledger)}</td>
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
            push(&mut points, nth * 100, Some(nth.unsigned_abs()), (nth % 2 == 0).then_some(7));
        }
        assert_eq!((points.len(), points[MOST - 1].cached, points[MOST - 1].ledger), (MOST, Some(999), 7));
        let gaps: Vec<Millis> = points.windows(2).take(MOST - 2).map(|pair| pair[1].at - pair[0].at).collect();
        assert!(gaps.iter().all(|gap| *gap >= APART), "{gaps:?}");
    }
}
