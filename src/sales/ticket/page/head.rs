//! The head of the page: which sale, on what terms, where it stands, and whether what is seen is live.

use super::Sale;
use crate::{
    i18n,
    ledger::{self, board::behind::recover},
    live::sign::sign,
    nodes,
    sales::ticket::{Snapshot, State, words::words},
    ui::{
        copy::copy_button,
        format::count,
        icons::{Icon, icon},
        moment::moment,
        node::{El, Node, el, item, maybe},
        platform::Style,
        term::term,
    },
};
use leptos::prelude::*;

/// Where a sale stands.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Standing {
    Open,
    SoldOut,
    Suspended,
}

impl Standing {
    pub const ALL: [Self; 3] = [Self::Open, Self::SoldOut, Self::Suspended];

    pub fn of(state: State, remaining: u64) -> Self {
        match state {
            State::Suspended => Self::Suspended,
            State::Open if remaining == 0 => Self::SoldOut,
            State::Open => Self::Open,
        }
    }
}

pub fn head(sale: Sale) -> El {
    let (words, shared) = (words(), i18n::words());
    let (id, opened_at, limit, hold_s) =
        sale.snapshot.with_untracked(|sale| (sale.sale.clone(), sale.opened_at, sale.limit_per_user, sale.hold_s));
    let seats = sale.hall.with_value(|hall| hall.seats());
    let suspended = maybe(move || {
        let suspended = sale.read(standing) == Standing::Suspended;
        suspended.then(|| item("suspended", move || recover(ledger::words::words().suspended)))
    });
    el("header").class("head").with(nodes![
        el("div").class("title").with(nodes![
            el("h1").text(words.kind.name),
            el("span").class("id").attr("translate", "no").text(id.clone()),
            copy_button(shared.copy_id, id),
            badge(move || sale.read(standing)),
            sign(sale.link),
        ]),
        el("dl").class("terms").with(nodes![
            term(words.seats, nodes![count(seats.into())]),
            term(words.limit, nodes![count(limit.into())]),
            term(words.hold, nodes![(words.hold_for)(hold_s)]),
            term(shared.opened_at, nodes![moment(opened_at, Style::Full)]),
        ]),
        suspended,
    ])
}

fn standing(sale: &Snapshot) -> Standing {
    Standing::of(sale.state, sale.remaining.values().map(|left| u64::from(*left)).sum())
}

/// Where a sale stands, in a sign and a word.
pub fn badge(standing: impl Fn() -> Standing + Send + 'static) -> Node {
    let words = words();
    maybe(move || {
        let standing = standing();
        let (class, sign) = match standing {
            Standing::Open => ("badge good", Icon::Check),
            Standing::SoldOut => ("badge gold", Icon::Empty),
            Standing::Suspended => ("badge bad", Icon::Pause),
        };
        let word = (words.standing)(standing);
        Some(item(word, move || el("span").class(class).with(nodes![icon(sign), word])))
    })
}
