//! Giving back what is left of an expired sale: asked for twice, since it cannot be undone.

use super::{Sale, Standing};
use crate::{
    error::Error,
    nodes,
    sales::red_packet::{Refund, api::RefundRequest, words::words},
    ui::{
        ask::ask,
        field::button,
        format::money,
        node::{El, el, live},
        notice::notice,
        platform,
        work::{after, effect},
    },
};
use leptos::prelude::*;
use std::time::Duration;

const CONFIRM: &str = "refund-yes";

pub fn refund(sale: Sale) -> El {
    let words = words();
    let asked = RwSignal::new(false);
    let waiting = RwSignal::new(false);
    let said = RwSignal::new(String::new());
    let error = RwSignal::new(None::<Error>);
    effect(move || {
        if asked.get() {
            // A moment later: what is still hidden takes no focus.
            after(Duration::ZERO, || platform::focus(CONFIRM));
        }
    });
    let send = move || {
        waiting.set(true);
        error.set(None);
        ask(RefundRequest { sale: sale.id() }, move |answer| {
            match answer {
                Ok(refund) => said.set(match refund {
                    Refund::Refunded { refunded_cents } => (words.refunded_now)(money(refunded_cents)),
                    Refund::Repeat { refunded_cents } => (words.refunded_before)(money(refunded_cents)),
                    Refund::NotExpired { .. } => words.not_expired.to_owned(),
                }),
                Err(why) => error.set(Some(why)),
            }
            asked.set(false);
            waiting.set(false);
            sale.refresh();
        });
    };
    let question = move || {
        let (cents, number) = sale.read(|sale| (sale.pending_cents, sale.pending));
        (words.refund_question)(money(cents), number)
    };
    let offered = move || sale.standing() == Standing::Expired;
    el("div").class("refund").with(nodes![
        button("", || false, move || asked.set(true))
            .when("hidden", move || !offered() || asked.get())
            .text(words.refund),
        el("div").class("actions").when("hidden", move || !offered() || !asked.get()).with(nodes![
            el("span").with(nodes![live(question)]),
            button("strong", move || waiting.get(), send).attr("id", CONFIRM).text(words.refund_yes),
            button("", || false, move || asked.set(false)).text(words.refund_no),
        ]),
        el("span").attr("role", "status").with(nodes![live(move || said.get())]),
        notice(error, &[]),
    ])
}
