//! The feed of attempts: newest first, filtered, and still while somebody reads.

use super::{
    Sale,
    rows::{Kind, Row, Rows},
};
use crate::{
    i18n, nodes,
    sales::red_packet::words::words,
    ui::{
        field::button,
        format::{count, money},
        icons::{Icon, icon},
        moment::moment,
        node::{El, each, el, item, live, maybe},
        platform::{self, Style},
        ready::ready,
        work::{after, effect},
    },
};
use leptos::prelude::*;
use std::time::Duration;

/// Rows that are shown at once.
const SHOWN: usize = 60;
/// How often the rows change at most: faster than anybody reads, slow enough for the page to breathe.
const EVERY: Duration = Duration::from_millis(100);
const FILTER: &str = "feed-user";

pub fn feed(sale: Sale) -> El {
    let (words, shared) = (words(), i18n::words());
    let feed = Feed::new(sale);
    let ready = ready();
    let paused = move || {
        let (held, news) = feed.read(|feed| (feed.held(), feed.rows.seen - feed.read));
        if held { (words.paused)(count(news)) } else { String::new() }
    };
    let pause = button("quiet toggle", || false, move || feed.change(|feed| feed.paused = !feed.paused));
    let hold = move |hold: bool| move |_| feed.change(|feed| feed.touched = hold);
    let filter = move |_| feed.change(|feed| feed.user = platform::typed(FILTER).to_ascii_lowercase());
    let toggles = Kind::ALL.map(|kind| toggle(feed, kind).into());
    let heads = [
        (shared.time, ""),
        (shared.user, ""),
        (shared.outcome, ""),
        (words.packet, "figure"),
        (shared.amount, "figure"),
    ];
    let heads = heads.map(|(name, class)| el("th").attr("scope", "col").class(class).text(name).into());
    let rows = each(move || {
        let row = |row: &Row| {
            let row = row.clone();
            item(row.serial, move || line(row))
        };
        feed.0.with(|feed| feed.shown.iter().map(row).collect())
    });
    let empty = maybe(move || {
        let empty = feed.read(|feed| feed.shown.is_empty());
        empty.then(|| item("empty", move || el("p").class("empty").text(words.feed_empty)))
    });
    el("section").class("card feed").attr("aria-labelledby", "feed-title").with(nodes![
        el("div").class("bar").with(nodes![
            el("h2").attr("id", "feed-title").text(words.feed),
            el("span").class("paused").attr("role", "status").with(nodes![live(paused)]),
            pause
                .live("aria-pressed", move || yes(feed.read(|feed| feed.paused)))
                .with(nodes![icon(Icon::Pause), words.pause]),
        ]),
        el("div")
            .class("bar filters")
            .attr("role", "group")
            .attr("aria-label", words.filter)
            .with(toggles.into())
            .with(nodes![
                el("input")
                    .attr("id", FILTER)
                    .attr("type", "search")
                    .attr("aria-label", words.filter_user)
                    .attr("placeholder", words.filter_user)
                    .attr("autocomplete", "off")
                    .when("disabled", move || !ready.get())
                    .on("input", filter),
            ]),
        el("div")
            .class("scroll")
            .attr("role", "region")
            .attr("aria-label", words.feed_rows)
            .attr("tabindex", "0")
            .on("mouseenter", hold(true))
            .on("mouseleave", hold(false))
            .on("focusin", hold(true))
            .on("focusout", hold(false))
            .with(nodes![
                el("table").with(nodes![
                    el("thead").with(nodes![el("tr").with(heads.into())]),
                    el("tbody").with(nodes![rows]),
                ]),
                empty,
            ]),
        el("p").class("legend").text(words.feed_sample),
    ])
}

/// What the feed knows and shows.
#[derive(Default)]
struct State {
    rows: Rows,
    shown: Vec<Row>,
    /// How many rows had come when the reader last saw them move.
    read: u64,
    /// By the button, or because mouse or focus rest on the rows.
    paused: bool,
    touched: bool,
    /// Kinds that are switched off, by their place in [`Kind::ALL`].
    off: [bool; 4],
    /// Part of a user's name, in small letters.
    user: String,
    /// A change is due already.
    due: bool,
}

impl State {
    fn held(&self) -> bool {
        self.paused || self.touched
    }

    /// Picks the rows that the filter lets through; none that came after the reader's hold.
    fn sift(&mut self) {
        if !self.held() {
            self.read = self.rows.seen;
        }
        let wanted = |row: &Row| {
            !self.off[row.kind as usize]
                && row.serial < self.read
                && (self.user.is_empty() || row.user.to_ascii_lowercase().contains(&self.user))
        };
        self.shown = self.rows.pick(SHOWN, wanted);
    }
}

#[derive(Clone, Copy)]
struct Feed(RwSignal<State>);

impl Feed {
    fn new(sale: Sale) -> Self {
        let mut state = State::default();
        sale.snapshot.with_untracked(|frame| state.rows.absorb(frame));
        state.sift();
        let feed = Self(RwSignal::new(state));
        effect(move || feed.absorb(sale));
        feed
    }

    /// Takes over what a frame brings, and shows it soon.
    fn absorb(self, sale: Sale) {
        let due = self.0.try_update_untracked(|feed| {
            sale.snapshot.with(|frame| feed.rows.absorb(frame));
            feed.rows.seen != feed.read && !std::mem::replace(&mut feed.due, true)
        });
        if due == Some(true) {
            // The page may be gone by then.
            after(EVERY, move || {
                _ = self.0.try_update(|feed| {
                    feed.due = false;
                    if !feed.held() {
                        feed.sift();
                    }
                });
            });
        }
    }

    fn read<T>(self, read: fn(&State) -> T) -> T {
        self.0.with(read)
    }

    /// Changes what is shown, by an act of the reader.
    fn change(self, change: impl FnOnce(&mut State)) {
        self.0.update(|feed| {
            change(feed);
            feed.sift();
        });
    }
}

fn toggle(feed: Feed, kind: Kind) -> El {
    let place = kind as usize;
    let flip = move || feed.change(|feed| feed.off[place] = !feed.off[place]);
    let pressed = move || yes(!feed.read(|feed| feed.off)[place]);
    button("toggle", || false, flip).live("aria-pressed", pressed).with(nodes![sign(kind)])
}

/// An outcome, in a sign and a word.
fn sign(kind: Kind) -> El {
    let (words, shared) = (words(), i18n::words());
    let (class, sign, word) = match kind {
        Kind::Won => ("sign won", Icon::Packet, words.won),
        Kind::Repeat => ("sign", Icon::Again, shared.repeat),
        Kind::SoldOut => ("sign", Icon::Empty, words.sold_out),
        Kind::Expired => ("sign", Icon::Clock, words.expired),
    };
    el("span").class(class).with(nodes![icon(sign), word])
}

fn line(row: Row) -> El {
    let figure = |text: Option<String>| el("td").class("figure").with(nodes![text]);
    el("tr").with(nodes![
        el("td").with(nodes![moment(row.at, Style::Clock)]),
        el("td").class("who").text(row.user),
        el("td").with(nodes![sign(row.kind)]),
        figure(row.packet.map(|(packet, _)| ["#", &packet.to_string()].concat())),
        figure(row.packet.map(|(_, cents)| money(cents))),
    ])
}

fn yes(yes: bool) -> String {
    if yes { "true" } else { "false" }.to_owned()
}
