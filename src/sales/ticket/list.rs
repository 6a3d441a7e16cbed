//! `/tickets`: which ticket sales there are, asked for again every other second while somebody looks, and a form to
//! open another.

mod open;

use super::{
    SaleLine,
    api::TicketListRequest,
    page::{Standing, badge},
};
use crate::{
    error::{Error, Result},
    nodes,
    sales::ticket::words::words,
    ui::{
        ask::{asked, watch},
        format::{count, segment},
        meter::meter,
        moment::moment,
        node::{El, Item, Node, each, el, item, live, maybe},
        notice::unseen,
        page::page,
        platform::Style,
        title::set_title,
    },
};
use leptos::prelude::*;
use std::{sync::Arc, time::Duration};

const EVERY: Duration = Duration::from_secs(2);

/// `/tickets`
pub fn tickets_page() -> Node {
    page(|| Some(String::new()), |_| asked(TicketListRequest {}), home)
}

fn home(lines: Result<Vec<SaleLine>>) -> El {
    let words = words();
    set_title(words.kind.name);
    el("main").attr("id", "main").class("home").attr("tabindex", "-1").with(nodes![
        el("div").class("intro").with(nodes![el("h1").text(words.list_title), el("p").text(words.list_intro)]),
        list(lines),
        open::open(),
    ])
}

#[derive(Clone, Copy)]
struct Lines {
    lines: RwSignal<Vec<SaleLine>>,
    error: RwSignal<Option<Error>>,
}

fn list(first: Result<Vec<SaleLine>>) -> El {
    let words = words();
    let error = RwSignal::new(first.as_ref().err().cloned());
    let list = Lines { lines: RwSignal::new(first.unwrap_or_default()), error };
    watch(
        EVERY,
        || TicketListRequest {},
        move |answer| {
            let (lines, error) = match answer {
                Ok(lines) => (Some(lines), None),
                Err(error) => (None, Some(error)),
            };
            if list.error.with_untracked(|shown| *shown != error) {
                list.error.set(error);
            }
            if let Some(lines) = lines {
                list.lines.set(lines);
            }
        },
    );
    let entries = each(move || list.lines.with(|lines| lines.iter().map(|line| entry(list, line)).collect()));
    let empty = maybe(move || {
        let empty = list.lines.with(Vec::is_empty) && error.with(Option::is_none);
        empty.then(|| item("empty", move || el("p").class("empty").text(words.list_empty)))
    });
    el("section").class("sales").attr("aria-labelledby", "sales-title").with(nodes![
        el("h2").attr("id", "sales-title").text(words.list_sales),
        unseen(error),
        empty,
        el("ul").class("entries").with(nodes![entries]),
    ])
}

fn entry(list: Lines, line: &SaleLine) -> Item {
    let words = words();
    let line = line.clone();
    item(line.sale.clone(), move || {
        let SaleLine { sale, seats, opened_at, hall, .. } = line;
        let address = ["/tickets/", &segment(&sale)].concat();
        let id: Arc<str> = sale.as_str().into();
        let of = |read: fn(&SaleLine) -> u64| {
            let id = id.clone();
            move || list.lines.with(|lines| lines.iter().find(|line| *line.sale == *id).map(read).unwrap_or_default())
        };
        let (free, held, sold) =
            (of(|line| line.remaining.into()), of(|line| line.held.into()), of(|line| line.sold.into()));
        let standing = of(|line| Standing::of(line.state, line.remaining.into()) as u64);
        let left = {
            let free = free.clone();
            move || (words.free_of)(count(free()), count(seats.into()))
        };
        let gone = move || (words.held_and_sold)(count(held()), count(sold()));
        // The router decodes a link's address once too often for an id with a percent sign.
        let relation = if sale.contains('%') { "external" } else { "" };
        el("li").class("card entry").with(nodes![
            el("div").class("bar").with(nodes![
                el("a").attr("href", address).attr("rel", relation).attr("translate", "no").text(sale),
                badge(move || Standing::ALL[standing() as usize]),
            ]),
            meter("meter", words.free, move || (free(), seats.into()), left.clone()),
            el("div").class("sub").with(nodes![
                el("span").text(hall.map_or(words.own_hall, words.hall_name)),
                el("span").with(nodes![live(left)]),
                el("span").with(nodes![live(gone)]),
                el("span").class("aside").with(nodes![moment(opened_at, Style::Full)]),
            ]),
        ])
    })
}
