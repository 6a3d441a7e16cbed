//! The reader's own try: one button, one answer.

use super::Sale;
use crate::{
    error::{Code, Error},
    sales::red_packet::{Outcome, api},
    ui::{
        field::{Field, field, typed},
        format::{count, money},
        icons::{Icon, icon},
        notice::notice,
        platform,
        ready::ready,
    },
    words::words,
};
use leptos::{ev::SubmitEvent, html::Input, prelude::*, task::spawn_local};

/// Where the browser keeps the reader's name.
const NAME: &str = "user";

/// A click that was never answered. Sent again under its own request id, it cannot win twice.
#[derive(Clone)]
struct Unanswered {
    user: String,
    request_id: String,
}

pub fn claim(sale: Sale) -> AnyView {
    let words = words();
    let user = NodeRef::<Input>::new();
    let ready = ready();
    let waiting = RwSignal::new(false);
    let answer = RwSignal::new(None::<Outcome>);
    let error = RwSignal::new(None::<Error>);
    let unanswered = StoredValue::new(None::<Unanswered>);
    Effect::new(move |_| {
        if let Some(input) = user.get() {
            let name = platform::remembered(NAME).unwrap_or_else(new_name);
            platform::remember(NAME, &name);
            input.set_value(&name);
        }
    });
    let grab = move |event: SubmitEvent| {
        event.prevent_default();
        if waiting.get_untracked() {
            return;
        }
        let name = typed(user);
        platform::remember(NAME, &name);
        let again = unanswered.get_value().filter(|attempt| attempt.user == name);
        let attempt = again.unwrap_or_else(|| Unanswered { user: name, request_id: platform::random_id() });
        waiting.set(true);
        error.set(None);
        spawn_local(async move {
            let answered = api::claim(sale.id(), attempt.user.clone(), Some(attempt.request_id.clone())).await;
            let lost = |error: &Error| matches!(error.code, Code::Unavailable | Code::Network | Code::Internal);
            let keep = answered.as_ref().is_err_and(lost);
            unanswered.set_value(keep.then_some(attempt));
            match answered {
                Ok(outcome) => answer.set(Some(outcome)),
                Err(why) => {
                    answer.set(None);
                    error.set(Some(why));
                }
            }
            waiting.set(false);
        });
    };
    let off = move || !ready.get() || waiting.get();
    let result = move || {
        let outcome = answer.get()?;
        let packet = |packet: u32| count(packet.into());
        let (class, sign, amount, text) = match outcome {
            Outcome::Won { packet: no, cents } => ("answer won", Icon::Packet, Some(cents), (words.you_won)(packet(no))),
            Outcome::Repeat { packet: no, cents } => ("answer repeat", Icon::Again, Some(cents), (words.you_have)(packet(no))),
            Outcome::SoldOut => ("answer none", Icon::Empty, None, words.you_are_late.to_owned()),
            Outcome::Expired { .. } => ("answer none", Icon::Clock, None, words.it_expired.to_owned()),
        };
        Some(view! { <div class=class>{icon(sign)} <b>{amount.map(money)}</b> <span>{text}</span></div> })
    };
    view! {
        <section class="card claim" aria-labelledby="claim-title">
            <h2 id="claim-title">{words.me}</h2>
            <form on:submit=grab>
                {field(Field { name: "user", label: words.your_name, value: "me", ..Field::default() }, user, error)}
                <button type="submit" class="strong grab" disabled=off>{icon(Icon::Packet)} {words.grab}</button>
            </form>
            <div class="answers" role="status">{result}</div>
            {notice(error, &["user"])}
        </section>
    }
    .into_any()
}

/// A name that another browser is unlikely to have.
fn new_name() -> String {
    let id = platform::random_id();
    let tail: String = id.chars().rev().take(4).collect();
    ["me-", &tail].concat()
}
