//! The head of the page: which sale, on what terms, where it stands, and whether what is seen is live.

use super::{Sale, Standing, refund};
use crate::{
    i18n,
    live::sign::sign,
    nodes,
    sales::red_packet::words::words,
    ui::{
        copy::copy_button,
        format,
        icons::{Icon, icon},
        moment::moment,
        node::{El, Node, el, item, live, maybe},
        platform::Style,
        term::term,
    },
};
use leptos::prelude::*;

pub fn head(sale: Sale) -> El {
    let (words, shared) = (words(), i18n::words());
    let (id, splitter, opened_at, expires_at) =
        sale.snapshot.with_untracked(|sale| (sale.sale.clone(), sale.splitter, sale.opened_at, sale.expires_at));
    let left = move || match sale.now.get() {
        0 => String::new(),
        now => u64::try_from(expires_at - now)
            .map_or_else(|_| String::new(), |left| (shared.time_left)(format::countdown(left, shared.days))),
    };
    el("header").class("head").with(nodes![
        el("div").class("title").with(nodes![
            el("h1").text(words.kind.name),
            el("span").class("id").attr("translate", "no").text(id.clone()),
            copy_button(shared.copy_id, id),
            badge(move || sale.standing()),
            sign(sale.link),
        ]),
        el("dl").class("terms").with(nodes![
            term(words.splitter, nodes![(words.splitter_name)(splitter)]),
            term(shared.opened_at, nodes![moment(opened_at, Style::Full)]),
            term(
                words.expires_at,
                nodes![moment(expires_at, Style::Full), el("span").class("left").with(nodes![live(left)])]
            ),
        ]),
        refund::refund(sale),
    ])
}

/// Where a sale stands, in a sign and a word.
pub fn badge(standing: impl Fn() -> Standing + Send + 'static) -> Node {
    let words = words();
    maybe(move || {
        let standing = standing();
        let (class, sign) = match standing {
            Standing::Opening => ("badge", Icon::Clock),
            Standing::Open => ("badge good", Icon::Packet),
            Standing::SoldOut => ("badge gold", Icon::Empty),
            Standing::Expired => ("badge warn", Icon::Clock),
            Standing::Refunded => ("badge", Icon::Again),
            Standing::Suspended => ("badge bad", Icon::Pause),
        };
        let word = (words.standing)(standing);
        Some(item(word, move || el("span").class(class).with(nodes![icon(sign), word])))
    })
}
