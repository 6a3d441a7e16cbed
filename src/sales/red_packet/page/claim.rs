//! The reader's own try: one button, one answer.

use super::Sale;
use crate::{
    error::{Code, Error},
    i18n, nodes,
    sales::red_packet::{Outcome, api::ClaimRequest, words::words},
    ui::{
        ask::ask,
        field::{Field, field, submit},
        format::{count, money},
        icons::{Icon, icon},
        name::{self, NAME},
        node::{El, el, item, maybe},
        notice::attempt_notice,
        platform,
        work::effect,
    },
};
use leptos::prelude::*;

/// A click that was never answered. Sent again under its own request id, it cannot win twice.
#[derive(Clone)]
struct Unanswered {
    user: String,
    request_id: String,
}

pub fn claim(sale: Sale) -> El {
    let (words, shared) = (words(), i18n::words());
    let waiting = RwSignal::new(false);
    let error = RwSignal::new(None::<Error>);
    // The answer, with the number of the try: the same answer twice is news twice.
    let answer = RwSignal::new((0_u32, None::<Outcome>));
    let unanswered = StoredValue::new(None::<Unanswered>);
    effect(name::keep);
    let grab = move || {
        if waiting.get_untracked() {
            return;
        }
        let user = name::typed();
        let again = unanswered.get_value().filter(|attempt| attempt.user == user);
        let attempt = again.unwrap_or_else(|| Unanswered { user, request_id: platform::random_id() });
        waiting.set(true);
        error.set(None);
        let Unanswered { user, request_id } = attempt.clone();
        ask(ClaimRequest { sale: sale.id(), user, request_id: Some(request_id) }, move |answered| {
            let lost = |error: &Error| matches!(error.code, Code::Unavailable | Code::Network | Code::Internal);
            let keep = answered.as_ref().is_err_and(lost);
            unanswered.set_value(keep.then_some(attempt));
            answer.update(|(tries, outcome)| {
                *tries += 1;
                *outcome = answered.as_ref().ok().copied();
            });
            error.set(answered.err());
            waiting.set(false);
        });
    };
    let result = maybe(move || {
        let (tries, outcome) = answer.get();
        let outcome = outcome?;
        Some(item(u64::from(tries), move || result(outcome)))
    });
    // Never off while it waits: whoever pressed it by keyboard would lose it.
    let button = submit("strong grab", || false).with(nodes![icon(Icon::Packet), words.claim]);
    el("section").class("card claim").attr("aria-labelledby", "claim-title").with(nodes![
        el("h2").attr("id", "claim-title").text(words.try_it),
        el("form")
            .on("submit", move |event| {
                event.prevent_default();
                grab();
            })
            .with(nodes![
                field(Field { name: NAME, words: shared.your_name, value: "me", ..Field::default() }, error),
                button,
            ]),
        el("div").class("answers").attr("role", "status").with(nodes![result]),
        attempt_notice(error, &[NAME]),
    ])
}

fn result(outcome: Outcome) -> El {
    let words = words();
    let number = |packet: u32| count(packet.into());
    let (class, sign, cents, text) = match outcome {
        Outcome::Won { packet, cents } => ("answer won", Icon::Packet, Some(cents), (words.you_won)(number(packet))),
        Outcome::Repeat { packet, cents } => {
            ("answer", Icon::Again, Some(cents), (words.already_yours)(number(packet)))
        }
        Outcome::SoldOut => ("answer", Icon::Empty, None, words.too_late.to_owned()),
        Outcome::Expired { .. } => ("answer", Icon::Clock, None, words.sale_expired.to_owned()),
    };
    let amount = cents.map(|cents| el("b").text(money(cents)));
    el("div").class(class).with(nodes![icon(sign), amount, el("span").text(text)])
}
