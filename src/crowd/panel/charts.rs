//! The course of a run: attempts a second, and how long users waited.

use super::Crowd;
use crate::{
    crowd::{Point, words::words},
    i18n, nodes,
    ui::{
        draw::{self, Line},
        drawing::drawing,
        format::{count, micros, tenths},
        node::{El, Item, each, el, item},
        platform::{self, Surface},
    },
};
use leptos::prelude::*;

/// Rows of the table beside the charts; the course has up to four times as many points.
const TABLE_ROWS: usize = 30;
const DETAILS: &str = "course-table";

pub fn charts(crowd: Crowd) -> El {
    let (words, shared) = (words(), i18n::words());
    let column = move |read: fn(&Point) -> u64| {
        crowd.0.with(|status| {
            let points = status.iter().flat_map(|status| &status.history);
            points.map(|point| read(point) as f64).collect::<Vec<_>>()
        })
    };
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
    let heads = [words.second, words.chart_rate, "p50", "p99"];
    let heads = heads.map(|name| el("th").attr("scope", "col").class("figure").text(name).into());
    // Nobody reads a closed table, and a run has a new point ten times a second.
    let open = RwSignal::new(false);
    let rows = each(move || if open.get() { rows(crowd) } else { Vec::new() });
    el("div").class("course-charts").with(nodes![
        el("div").class("charts").with(nodes![
            el("figure").with(nodes![el("figcaption").text(words.chart_rate), drawing("chart", rates)]),
            el("figure").with(nodes![
                el("figcaption").with(nodes![
                    words.chart_latency,
                    el("span").class("key p50").text("p50"),
                    el("span").class("key p99").text("p99"),
                ]),
                drawing("chart", waits),
            ]),
        ]),
        el("details").attr("id", DETAILS).on("toggle", move |_| open.set(platform::opened(DETAILS))).with(nodes![
            el("summary").text(shared.as_table),
            el("table")
                .with(nodes![el("thead").with(nodes![el("tr").with(heads.into())]), el("tbody").with(nodes![rows]),]),
        ]),
    ])
}

fn rows(crowd: Crowd) -> Vec<Item> {
    let points = crowd.read(|status| status.history.clone());
    let step = points.len().div_ceil(TABLE_ROWS).max(1);
    let row = |point: Point| {
        item(point.at_ms, move || {
            let cells = [tenths(point.at_ms / 100), count(point.per_s), micros(point.p50_us), micros(point.p99_us)];
            el("tr").with(cells.map(|cell| el("td").class("figure").text(cell).into()).into())
        })
    };
    points.into_iter().step_by(step).map(row).collect()
}
