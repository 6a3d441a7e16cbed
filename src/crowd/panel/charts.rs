//! The course of a run: attempts a second, and how long users waited.

use super::CrowdControl;
use crate::{
    components::{
        ChartLine, LineChart,
        format::{count, micros, tenths},
    },
    crowd::{Point, words::words},
    i18n,
};
use leptos::prelude::*;

/// Rows of the table beside the charts; the course has up to four times as many points.
const TABLE_ROWS: usize = 30;

/// Two charts, and the same as a table.
#[component]
pub fn Charts(crowd: CrowdControl) -> impl IntoView {
    let shared = i18n::words();
    let history = Memo::new(move |_| crowd.read(|status| status.history.clone()));
    // Nobody reads a closed table, and a run has a new point ten times a second.
    let is_open = RwSignal::new(false);
    let rows = move || if is_open.get() { history.with(|history| table_rows(history)) } else { Vec::new() };
    view! {
        <div class="course-charts">
            <CourseCharts history />
            <details on:toggle:target=move |event| is_open.set(event.target().open())>
                <summary>{shared.as_table}</summary>
                <table>
                    <CourseHead />
                    <tbody>
                        <For each=rows key=|point| point.at_ms children=row />
                    </tbody>
                </table>
            </details>
        </div>
    }
}

/// The course of a run that is over, as a table.
#[component]
pub fn CourseTable(history: Vec<Point>) -> impl IntoView {
    view! {
        <table>
            <CourseHead />
            <tbody>{table_rows(&history).into_iter().map(row).collect_view()}</tbody>
        </table>
    }
}

#[component]
fn CourseHead() -> impl IntoView {
    let words = words();
    view! {
        <thead>
            <tr>
                {[words.second, words.chart_rate, "p50", "p99"]
                    .map(|name| {
                        view! {
                            <th scope="col" class="figure">
                                {name}
                            </th>
                        }
                    })}
            </tr>
        </thead>
    }
}

/// The course of a run in two charts.
#[component]
pub fn CourseCharts(#[prop(into)] history: Signal<Vec<Point>>) -> impl IntoView {
    let words = words();
    let column = move |read: fn(&Point) -> u64| {
        Signal::derive(move || history.with(|points| points.iter().map(|point| read(point) as f64).collect::<Vec<_>>()))
    };
    let at = column(|point| point.at_ms);
    let rate = vec![ChartLine { class: "rate", name: "", values: column(|point| point.per_s) }];
    let latency = vec![
        ChartLine { class: "p50", name: "p50", values: column(|point| point.p50_us) },
        ChartLine { class: "p99", name: "p99", values: column(|point| point.p99_us) },
    ];
    let pointer = RwSignal::new(None);
    view! {
        <div class="charts">
            <figure>
                <figcaption>{words.chart_rate}</figcaption>
                <LineChart at lines=rate label={|value| count(value as u64)} time=seconds pointer />
            </figure>
            <figure>
                <figcaption>
                    {words.chart_latency} <span class="key p50">"p50"</span> <span class="key p99">"p99"</span>
                </figcaption>
                <LineChart at lines=latency label={|value| micros(value as u64)} time=seconds pointer />
            </figure>
        </div>
    }
}

/// `12.3 s`
fn seconds(at_ms: f64) -> String {
    format!("{} s", tenths(at_ms as u64 / 100))
}

fn table_rows(points: &[Point]) -> Vec<Point> {
    let step = points.len().div_ceil(TABLE_ROWS).max(1);
    points.iter().copied().step_by(step).collect()
}

fn row(point: Point) -> impl IntoView {
    let cells = [tenths(point.at_ms / 100), count(point.per_s), micros(point.p50_us), micros(point.p99_us)];
    view! { <tr>{cells.map(|cell| view! { <td class="figure">{cell}</td> })}</tr> }
}
