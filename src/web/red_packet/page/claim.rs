//! The reader's own attempt.

use crate::{
    components::{format::count, use_money, use_own_attempts, use_user_name},
    life,
    red_packet::{api::ClaimRequest, page::Sale, words::words},
    stage::{AttemptAnswer, AttemptAnswers, AttemptCard},
};
use leptos::{ev::SubmitEvent, prelude::*};
use model::{Cents, form::USER, red_packet::Outcome};

/// Shows the form that claims a packet for the reader.
#[component]
pub fn ClaimForm(
    /// The sale on the page, kept up to date by the live view.
    sale: Sale,
    /// The reason why nothing can be got now.
    refused: Signal<Option<String>>,
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
    view! {
        <AttemptCard id="claim" attempts refused user_name icon=icondata_lu::LuGift label=words.claim submit>
            <AttemptAnswers attempts outcome=answer />
        </AttemptCard>
    }
}

/// Words the outcome of an attempt.
fn answer(outcome: Outcome) -> impl IntoView {
    let (words, money) = (words(), use_money());
    let number = |packet: u32| count(packet.into());
    let is_won = matches!(outcome, Outcome::Won { .. });
    let (icon, cents, sentence): (_, Option<Cents>, _) = match outcome {
        Outcome::Won { packet, cents } => (icondata_lu::LuGift, Some(cents), (words.you_won)(number(packet))),
        Outcome::Repeat { packet, cents } => {
            (icondata_lu::LuRepeat2, Some(cents), (words.already_yours)(number(packet)))
        }
        Outcome::SoldOut => (icondata_lu::LuCircleSlash, None, words.too_late.to_owned()),
        Outcome::Expired { .. } => (icondata_lu::LuClock, None, words.sale_expired.to_owned()),
        Outcome::Closed { .. } => (icondata_lu::LuLock, None, words.sale_closed.to_owned()),
        Outcome::NotOpen { .. } => (icondata_lu::LuClock, None, life::words().sale_not_open.to_owned()),
        Outcome::Paused { reason, .. } => (icondata_lu::LuPause, None, (life::words().sale_paused)(&reason)),
    };
    view! {
        <AttemptAnswer is_won icon sentence>
            {cents.map(|cents| view! { <b>{money(cents)}</b> })}
        </AttemptAnswer>
    }
}
