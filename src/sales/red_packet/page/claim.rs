//! The reader's own attempt.

use super::Sale;
use crate::{
    components::{
        Alert, Icon, RequestIdField, SubmitButton, USER, UserNameField,
        format::{count, money},
        use_own_attempts, use_user_name,
    },
    domain::Cents,
    sales::red_packet::{Outcome, api::ClaimRequest, words::words},
};
use leptos::{ev::SubmitEvent, prelude::*};

/// Claims a packet for the reader.
#[component]
pub fn ClaimForm(
    /// The sale on the page, kept up to date by the live view.
    sale: Sale,
    /// Why nothing can be claimed any more.
    ended: Signal<Option<&'static str>>,
) -> impl IntoView {
    let words = words();
    let user_name = use_user_name();
    let claim = ServerAction::<ClaimRequest>::new();
    let attempts = use_own_attempts(claim.into(), |form| Some(form.text(USER)));
    let submit = move |event: SubmitEvent| {
        event.prevent_default();
        let user = user_name.read();
        let request_id = Some(attempts.begin(user.clone()));
        claim.dispatch(ClaimRequest { sale: sale.id(), user, request_id });
    };
    let (refused, errors) = (attempts.refused(ended), attempts.errors);
    view! {
        <section class="card claim" aria-labelledby="claim-title">
            <h2 id="claim-title">{words.try_it}</h2>
            <form method="post" action="#claim-title" on:submit=submit>
                <RequestIdField />
                <UserNameField user_name errors />
                <SubmitButton
                    class="strong grab"
                    native=true
                    disabled=Signal::derive(move || refused.get().is_some())
                    pending=attempts.pending
                    attr:aria-describedby="claim-ended"
                >
                    <Icon icon=icondata_lu::LuGift />
                    {words.claim}
                </SubmitButton>
            </form>
            <p class="ended" id="claim-ended">
                {refused}
            </p>
            <div class="answers" role="status">
                <For each=move || attempts.answer.get() key=|answer| answer.attempt let:answer>
                    <OutcomeMessage outcome=answer.outcome />
                </For>
            </div>
            <Alert errors attempt=true />
        </section>
    }
    .into_any()
}

/// The outcome of an attempt, as a sentence.
#[component]
fn OutcomeMessage(
    /// The answer to the reader's latest attempt.
    outcome: Outcome,
) -> impl IntoView {
    let words = words();
    let number = |packet: u32| count(packet.into());
    let (class, icon, cents, sentence): (_, _, Option<Cents>, _) = match outcome {
        Outcome::Won { packet, cents } => {
            ("answer won", icondata_lu::LuGift, Some(cents), (words.you_won)(number(packet)))
        }
        Outcome::Repeat { packet, cents } => {
            ("answer", icondata_lu::LuRepeat2, Some(cents), (words.already_yours)(number(packet)))
        }
        Outcome::SoldOut => ("answer", icondata_lu::LuCircleSlash, None, words.too_late.to_owned()),
        Outcome::Expired { .. } => ("answer", icondata_lu::LuClock, None, words.sale_expired.to_owned()),
        Outcome::Closed { .. } => ("answer", icondata_lu::LuLock, None, words.sale_closed.to_owned()),
    };
    view! {
        <div class=class>
            <Icon icon />
            {cents.map(|cents| view! { <b>{money(cents)}</b> })}
            <span>{sentence}</span>
        </div>
    }
}
