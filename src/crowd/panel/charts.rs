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
    let (words, shared) = (words(), i18n::words());
    let column = move |read: fn(&Point) -> u64| {
        Signal::derive(move || {
            crowd.status.with(|status| {
                let points = status.iter().flat_map(|status| &status.history);
                points.map(|point| read(point) as f64).collect::<Vec<_>>()
            })
        })
    };
    let at = column(|point| point.at_ms);
    let rate = vec![ChartLine::new("rate", "", column(|point| point.per_s))];
    let latency = vec![
        ChartLine::new("p50", "p50", column(|point| point.p50_us)),
        ChartLine::new("p99", "p99", column(|point| point.p99_us)),
    ];
    let pointer = RwSignal::new(None);
    // Nobody reads a closed table, and a run has a new point ten times a second.
    let is_open = RwSignal::new(false);
    let rows = move || if is_open.get() { table_rows(crowd) } else { Vec::new() };
    view! {
        <div class="course-charts">
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
            <details on:toggle:target=move |event| is_open.set(event.target().open())>
                <summary>{shared.as_table}</summary>
                <table>
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
                    <tbody>
                        <For each=rows key=|point| point.at_ms children=row />
                    </tbody>
                </table>
            </details>
        </div>
    }
}

/// `12.3 s`
fn seconds(at_ms: f64) -> String {
    format!("{} s", tenths(at_ms as u64 / 100))
}

fn table_rows(crowd: CrowdControl) -> Vec<Point> {
    let points = crowd.read(|status| status.history.clone());
    let step = points.len().div_ceil(TABLE_ROWS).max(1);
    points.into_iter().step_by(step).collect()
}

fn row(point: Point) -> impl IntoView {
    let cells = [tenths(point.at_ms / 100), count(point.per_s), micros(point.p50_us), micros(point.p99_us)];
    view! { <tr>{cells.map(|cell| view! { <td class="figure">{cell}</td> })}</tr> }
}
