//! The rows of the history: a table of which only what is near the reader's eyes is in the document.
//! The rest is space, above and below; rows are all of one height.

use super::{
    History,
    address::{PATH, write},
    window::Window,
};
use crate::{
    i18n,
    ledger::{
        Row,
        words::{outcome_name, words},
    },
    nodes,
    ui::{
        format::money,
        moment::moment,
        node::{El, Node, each, el, escape, item, live, maybe},
        notice::unseen,
        platform::Style,
        sale_link::sale_link,
    },
};
use leptos::prelude::*;
use std::sync::Arc;

/// The element that scrolls.
pub const ID: &str = "rows";

pub fn rows(history: History) -> El {
    let words = words();
    let found = move || history.window.with(|window| (words.rows_found)(window.total, window.total_is_at_least));
    let empty = maybe(move || {
        let empty = history.read(|window| window.rows == 0) && history.error.with(Option::is_none);
        empty.then(|| item("empty", move || el("p").class("empty").text(words.nothing_found)))
    });
    let link = |name: &'static str, path: &'static str| {
        let address = move || history.window.with(|window| write(path, &window.wanted.search));
        el("a").class("button").live("href", address).text(name)
    };
    let export = |name, path| link(name, path).attr("rel", "external").attr("download", "");
    // Where the address stays, nothing else would look again.
    let newest = move |event: leptos::ev::Event| {
        let wanted = history.window.with_untracked(|window| window.wanted.clone());
        if wanted.after.is_none() {
            event.prevent_default();
            history.begin(wanted);
        }
    };
    el("section").class("card history").attr("aria-labelledby", "history-title").with(nodes![
        el("div").class("bar").with(nodes![
            el("h2").attr("id", "history-title").text(words.history),
            el("span").class("aside").attr("role", "status").with(nodes![live(found)]),
            link(words.newest, PATH).on("click", newest),
            export(words.export_csv, "/api/ledger/export?format=csv"),
            export(words.export_jsonl, "/api/ledger/export?format=jsonl"),
        ]),
        unseen(history.error),
        el("div")
            .class("scroll")
            .attr("id", ID)
            .attr("role", "region")
            .attr("aria-label", words.history_rows)
            .attr("tabindex", "0")
            .on("scroll", move |_| history.look())
            .with(nodes![table(history), empty]),
        older(history),
    ])
}

fn table(history: History) -> El {
    let (words, shared) = (words(), i18n::words());
    let count = move || {
        history.read(|window| match window.total_is_at_least {
            true => "-1".to_owned(),
            false => (window.total + 1).to_string(),
        })
    };
    let heads = [
        ("at", shared.time),
        ("outcome", shared.outcome),
        ("user", shared.user),
        ("item", words.item),
        ("cents", shared.amount),
        ("sale", shared.sale),
        ("request", words.request_id.label),
        ("event", words.event_id),
    ];
    let heads = heads.map(|(class, name)| el("th").class(class).attr("role", "columnheader").text(name).into());
    let shown = each(move || {
        let row = |(place, row): (usize, Option<&Arc<Row>>), serial: u64| {
            let (row, key) = (row.cloned(), serial << 32 | (place as u64) << 1 | u64::from(row.is_some()));
            item(key, move || line(place, row))
        };
        history.window.with(|window| window.shown().map(|shown| row(shown, window.serial)).collect())
    });
    let space = |rows: fn(&Window) -> usize| {
        let height = move || ["--rows:", &history.read(rows).to_string()].concat();
        el("tr").class("space").attr("aria-hidden", "true").live("style", height)
    };
    el("table").attr("role", "table").live("aria-rowcount", count).with(nodes![
        el("thead")
            .attr("role", "rowgroup")
            .with(nodes![el("tr").attr("role", "row").attr("aria-rowindex", "1").with(heads.into()),]),
        el("tbody").attr("role", "rowgroup").with(nodes![
            space(|window| window.from),
            shown,
            space(|window| window.rows - window.to),
        ]),
    ])
}

/// A row; an empty one where it is forgotten and on its way again.
fn line(place: usize, row: Option<Arc<Row>>) -> El {
    let line = el("tr").attr("role", "row").attr("aria-rowindex", (place + 2).to_string());
    let Some(row) = row else { return line };
    let cell = |class, inside: Node| el("td").attr("role", "cell").class(class).with(vec![inside]);
    // Cut off where it is too long, so it stands in the title too.
    let id = |class, text: &Option<String>| {
        let text = text.clone().unwrap_or_default();
        cell(class, text.clone().into()).attr("title", text)
    };
    let sale = sale_link(&row.kind, &row.sale);
    let is_number = |item: &str| item.bytes().all(|byte| byte.is_ascii_digit());
    let item = row.item.as_ref().map(|item| if is_number(item) { ["#", item].concat() } else { item.clone() });
    let outcome = outcome_name(&row.outcome).map_or_else(|| row.outcome.clone(), str::to_owned);
    line.with(nodes![
        cell("at", moment(row.at, Style::Full).into()),
        cell(if row.outcome == "won" { "outcome won" } else { "outcome" }, outcome.into()),
        id("user", &row.user),
        id("item", &item),
        cell("cents", money(row.cents).into()),
        cell("sale", sale.into()).attr("title", row.sale.clone()),
        id("request", &row.request_id),
        cell("event", row.event_id.to_string().into()),
    ])
}

/// The way on without JavaScript.
fn older(history: History) -> El {
    let link = history.window.with_untracked(|window| {
        let after = window.next?;
        let mut html = "<a class=\"button\" href=\"".to_owned();
        let mut wanted = write(PATH, &window.wanted.search);
        wanted.extend([if wanted.contains('?') { "&" } else { "?" }, "after=", &after.to_string()]);
        escape(&wanted, &mut html);
        html.extend(["\">", words().older_rows, "</a>"]);
        Some(html)
    });
    el("noscript").html(link.unwrap_or_default())
}
