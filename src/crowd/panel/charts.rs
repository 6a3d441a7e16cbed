//! The course of a run: attempts a second, and how long users waited.

use super::part;
use crate::{
    crowd::{Point, Status},
    ui::{
        draw::{self, Line},
        drawing::drawing,
        format::{count, micros, tenths},
        platform::Surface,
    },
    words::words,
};
use leptos::{html::Details, prelude::*};

/// Rows of the table beside the charts; the course has up to four times as many points.
const TABLE_ROWS: usize = 30;

pub fn charts(status: Memo<Option<Status>>) -> AnyView {
    let words = words();
    let history = part(status, |status| status.history.clone());
    let column = move |read: fn(&Point) -> u64| history.with(|points| points.iter().map(|point| read(point) as f64).collect::<Vec<_>>());
    let rates = move |surface: &Surface| {
        let per_s = column(|point| point.per_s);
        let line = Line { values: &per_s, colour: "--vermilion", dashed: false, area: true };
        draw::chart(surface, &column(|point| point.at_ms), &[line], draw::rate_label);
    };
    let waits = move |surface: &Surface| {
        let (p50, p99) = (column(|point| point.p50_us), column(|point| point.p99_us));
        let lines = [
            Line { values: &p50, colour: "--jade", dashed: false, area: true },
            Line { values: &p99, colour: "--indigo", dashed: true, area: false },
        ];
        draw::chart(surface, &column(|point| point.at_ms), &lines, draw::micros_label);
    };
    let details = NodeRef::<Details>::new();
    let open = RwSignal::new(false);
    let toggled = move |_| open.set(details.get_untracked().is_some_and(|details| details.open()));
    // Nobody reads a closed table, and a run has a new point ten times a second.
    let rows = move || open.get().then(|| history.with(|points| rows(points)));
    view! {
        <div class="charts">
            <figure>
                <figcaption>{words.chart_rate}</figcaption>
                {drawing("chart", rates)}
            </figure>
            <figure>
                <figcaption>
                    {words.chart_latency}
                    <span class="key p50">"p50"</span> <span class="key p99">"p99"</span>
                </figcaption>
                {drawing("chart", waits)}
            </figure>
        </div>
        <details node_ref=details on:toggle=toggled>
            <summary>{words.as_table}</summary>
            <table>
                <thead>
                    <tr>
                        <th scope="col" class="figure">{words.second}</th>
                        <th scope="col" class="figure">{words.chart_rate}</th>
                        <th scope="col" class="figure">"p50"</th>
                        <th scope="col" class="figure">"p99"</th>
                    </tr>
                </thead>
                <tbody>{rows}</tbody>
            </table>
        </details>
    }
    .into_any()
}

fn rows(points: &[Point]) -> Vec<AnyView> {
    let step = points.len().div_ceil(TABLE_ROWS).max(1);
    let row = |point: &Point| {
        view! {
            <tr>
                <td class="figure">{tenths(point.at_ms / 100)}</td>
                <td class="figure">{count(point.per_s)}</td>
                <td class="figure">{micros(point.p50_us)}</td>
                <td class="figure">{micros(point.p99_us)}</td>
            </tr>
        }
        .into_any()
    };
    points.iter().step_by(step).map(row).collect()
}
