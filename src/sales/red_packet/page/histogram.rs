//! How the claimed amounts are distributed.

use super::Sale;
use crate::{
    i18n, nodes,
    sales::{Cents, red_packet::words::words},
    ui::{
        format::{count, money},
        node::{El, el, item, live, maybe},
    },
};
use leptos::prelude::*;

pub fn histogram(sale: Sale) -> El {
    let (words, shared) = (words(), i18n::words());
    let most = move || sale.read(|sale| sale.histogram.counts.iter().copied().max().unwrap_or_default());
    // Columns and their width: fixed once the sale is open, so the bars are made once.
    let shape = move || sale.read(|sale| (sale.histogram.counts.len(), sale.histogram.width));
    let bars = maybe(move || {
        let (columns, width) = shape();
        Some(item(width as u64, move || bars(sale, columns, width)))
    });
    let empty =
        maybe(move || (most() == 0).then(|| item("empty", move || el("p").class("empty").text(words.histogram_empty))));
    let table = maybe(move || {
        let (columns, width) = shape();
        Some(item(width as u64, move || table(sale, columns, width)))
    });
    el("section").class("card histogram").attr("aria-labelledby", "histogram-title").with(nodes![
        el("h2").attr("id", "histogram-title").text(words.histogram),
        el("div").class("plot").with(nodes![
            el("span").class("most").with(nodes![live(move || (words.packets_at_most)(most()))]),
            bars,
            empty,
        ]),
        el("details").with(nodes![el("summary").text(shared.as_table), table]),
    ])
}

/// Packets in a column.
fn held(sale: Sale, column: usize) -> u64 {
    sale.snapshot.with(|sale| sale.histogram.counts.get(column).copied().unwrap_or_default())
}

/// The least and the greatest amount of a column.
fn span(column: usize, width: Cents) -> [String; 2] {
    let column = column as Cents;
    [money(column * width + 1), money((column + 1) * width)]
}

fn bars(sale: Sale, columns: usize, width: Cents) -> El {
    let bar = |column: usize| {
        let height = move || {
            let most = sale.read(|sale| sale.histogram.counts.iter().copied().max().unwrap_or_default());
            let share = (held(sale, column) * 1_000).checked_div(most).unwrap_or_default();
            ["--share:", &share.to_string()].concat()
        };
        el("span").live("style", height).into()
    };
    let [first, _] = span(0, width);
    let [_, last] = span(columns.saturating_sub(1), width);
    el("div").attr("aria-hidden", "true").with(nodes![
        el("div").class("bars").with((0..columns).map(bar).collect()),
        el("div").class("ends").with(nodes![el("span").text(first), el("span").text(last)]),
    ])
}

fn table(sale: Sale, columns: usize, width: Cents) -> El {
    let (words, shared) = (words(), i18n::words());
    let row = |column: usize| {
        let number = move || count(held(sale, column));
        el("tr")
            .with(nodes![
                el("td").text(span(column, width).join(" – ")),
                el("td").class("figure").with(nodes![live(number)]),
            ])
            .into()
    };
    el("table").with(nodes![
        el("thead").with(nodes![el("tr").with(nodes![
            el("th").attr("scope", "col").text(shared.amount),
            el("th").attr("scope", "col").class("figure").text(words.packets),
        ])]),
        el("tbody").with((0..columns).map(row).collect()),
    ])
}
