//! The sales with what is left of each, asked for again every other second while somebody looks.

use crate::{
    error::{Error, Result},
    i18n, nodes,
    sales::{
        SaleLine,
        red_packet::{
            self,
            api::ListRequest,
            page::{Standing, badge},
        },
        words::words,
    },
    ui::{
        ask::watch,
        format::{count, money},
        icons::{Icon, icon},
        meter::meter,
        moment::moment,
        node::{El, Item, each, el, item, live, maybe},
        notice::unseen,
        platform::Style,
        sale_link::sale_link,
    },
};
use leptos::prelude::*;
use std::time::Duration;

const EVERY: Duration = Duration::from_secs(2);

#[derive(Clone, Copy)]
struct Lines {
    lines: RwSignal<Vec<SaleLine>>,
    error: RwSignal<Option<Error>>,
}

pub fn list(first: Result<Vec<SaleLine>>) -> El {
    let words = words();
    let error = RwSignal::new(first.as_ref().err().cloned());
    let list = Lines { lines: RwSignal::new(first.unwrap_or_default()), error };
    watch(EVERY, || ListRequest {}, move |answer| list.take(answer));
    let entries = each(move || list.lines.with(|lines| lines.iter().map(|line| entry(list, line)).collect()));
    let empty = maybe(move || {
        let empty = list.lines.with(Vec::is_empty) && error.with(Option::is_none);
        empty.then(|| item("empty", move || el("p").class("empty").text(words.empty)))
    });
    el("section").class("sales").attr("aria-labelledby", "sales-title").with(nodes![
        el("h2").attr("id", "sales-title").text(words.sales),
        unseen(error),
        empty,
        el("ul").class("entries").with(nodes![entries]),
    ])
}

impl Lines {
    fn take(self, answer: Result<Vec<SaleLine>>) {
        let (lines, error) = match answer {
            Ok(lines) => (Some(lines), None),
            Err(error) => (None, Some(error)),
        };
        if self.error.with_untracked(|shown| *shown != error) {
            self.error.set(error);
        }
        if let Some(lines) = lines {
            self.lines.set(lines);
        }
    }

    /// Part of a line, while it is listed.
    fn read<T: Default>(self, sale: &str, read: fn(&SaleLine) -> T) -> T {
        self.lines.with(|lines| lines.iter().find(|line| line.sale == sale).map(read).unwrap_or_default())
    }
}

fn entry(list: Lines, line: &SaleLine) -> Item {
    let (words, shared) = (words(), i18n::words());
    let red_packet = red_packet::words::words();
    let (sale, opened_at) = (line.sale.clone(), line.opened_at);
    let (count_all, total) = (line.count, line.total_cents);
    item(sale.clone(), move || {
        let id: std::sync::Arc<str> = sale.as_str().into();
        let of = |read: fn(&SaleLine) -> u64| {
            let id = id.clone();
            move || list.read(&id, read)
        };
        let (pending, standing) = (of(|line| line.pending), of(|line| Standing::of(line.state, line.pending) as u64));
        let (claimed, crowd) = (of(|line| line.claimed_cents.unsigned_abs()), of(|line| line.crowd.into()));
        let left = {
            let pending = pending.clone();
            move || (red_packet.left_of)(count(pending()), count(count_all))
        };
        let money_left = move || (red_packet.money_of)(money(total - claimed() as i64), money(total));
        let crowd = maybe(move || {
            let badge = move || el("span").class("badge bad").with(nodes![icon(Icon::Crowd), words.crowd_running]);
            (crowd() == 1).then(|| item("crowd", badge))
        });
        el("li").class("card entry").with(nodes![
            el("div").class("bar").with(nodes![
                sale_link("red_packet", &sale),
                el("span").class("badges").with(nodes![crowd, badge(move || Standing::ALL[standing() as usize])]),
            ]),
            meter("meter", red_packet.pending, move || (pending(), count_all), left.clone()),
            el("div")
                .class("sub")
                .with(nodes![el("span").with(nodes![live(left)]), el("span").with(nodes![live(money_left)]),]),
            el("div").class("aside").with(nodes![shared.opened_at, " ", moment(opened_at, Style::Full)]),
        ])
    })
}
