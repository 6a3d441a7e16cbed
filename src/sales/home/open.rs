//! The form that opens a sale and goes to its page.

use crate::{
    error::{Error, Result},
    i18n, nodes,
    sales::red_packet::{Splitter, api::OpenRequest, words::words},
    ui::{
        ask::ask,
        field::{Field, choice, field, number, optional, submit},
        format::{parse_count, parse_money},
        icons::{Icon, icon},
        node::{El, el},
        notice::notice,
        platform,
        sale_link::address,
    },
};
use leptos::prelude::*;
use leptos_router::hooks::use_navigate;

const FIELDS: &[&str] = &["count", "total_cents", "expires_in_s", "seed", "id"];

fn splitter(place: usize) -> Splitter {
    Splitter::ALL.get(place).copied().unwrap_or(Splitter::DoubleMean)
}

/// What was typed, as far as it is numbers; the server knows the limits.
fn typed() -> Result<OpenRequest> {
    let time = |text: &str| if text.is_empty() { Some(0) } else { parse_count(text).filter(|time| *time < 1_000_000) };
    let id = platform::typed("id");
    Ok(OpenRequest {
        id: (!id.is_empty()).then_some(id),
        count: number("count", "count", parse_count)?,
        total_cents: parse_money(&platform::typed("total_cents")).ok_or_else(|| Error::bad("total_cents", ""))?,
        splitter: splitter(platform::chosen("splitter")),
        expires_in_s: Some(
            number("expires_in_s", "expires_in_s", time)? * 3_600 + number("minutes", "expires_in_s", time)? * 60,
        ),
        seed: optional("seed")?,
    })
}

pub fn open() -> El {
    let (words, shared) = (words(), i18n::words());
    let navigate = use_navigate();
    let chosen = RwSignal::new(0);
    let error = RwSignal::new(None::<Error>);
    let waiting = RwSignal::new(false);
    let open = move || {
        if waiting.get_untracked() {
            return;
        }
        let terms = match typed() {
            Ok(terms) => terms,
            Err(why) => return error.set(Some(why)),
        };
        error.set(None);
        waiting.set(true);
        let navigate = navigate.clone();
        ask(terms, move |opened| {
            waiting.set(false);
            match opened {
                Ok(opened) => navigate(&address("red_packet", &opened.sale), Default::default()),
                Err(why) => error.set(Some(why)),
            }
        });
    };
    let line = |name, words, value| field(Field { name, words, value, numeric: name != "id" }, error);
    let names = Splitter::ALL.map(words.splitter_name);
    let means = move |place| (words.splitter_hint)(splitter(place));
    el("section").class("card open").attr("aria-labelledby", "open-title").with(nodes![
        el("h2").attr("id", "open-title").text(words.open_title),
        el("form")
            .class("orders")
            .on("submit", move |event| {
                event.prevent_default();
                open();
            })
            .with(nodes![
                line("count", words.count, "1000"),
                line("total_cents", words.total_yuan, "10000.00"),
                el("div").class("wide").with(nodes![choice("splitter", words.splitter, &names, chosen, means)]),
                line("expires_in_s", words.hours, "24"),
                line("minutes", words.minutes, "0"),
                line("seed", shared.seed, ""),
                line("id", shared.sale_id, ""),
                el("div").class("actions").with(nodes![
                    submit("strong", move || waiting.get()).with(nodes![icon(Icon::Packet), words.open]),
                ]),
                notice(error, FIELDS),
            ]),
    ])
}
