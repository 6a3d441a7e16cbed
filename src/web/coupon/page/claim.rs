//! The reader's own attempt.

use crate::{
    components::{CopyButton, format::count, use_attempt_form, use_own_attempts, use_user_name},
    coupon::{
        api::ClaimCouponRequest,
        page::{Sale, look_up::LookUp},
        words::words,
    },
    life,
    stage::{AttemptAnswer, AttemptAnswers, AttemptCard},
};
use leptos::{ev::SubmitEvent, prelude::*};
use model::{coupon::Outcome, form::USER};

/// Claims a coupon for the reader.
#[component]
pub fn ClaimForm(
    /// The sale on the page, kept up to date by the live view.
    sale: Sale,
    /// The reason why nothing can be got now.
    refused: Signal<Option<String>>,
    /// Shows what the user holds after a claim.
    look_up: LookUp,
) -> impl IntoView {
    let words = words();
    let user_name = use_user_name();
    let claim = ServerAction::<ClaimCouponRequest>::new();
    let attempts = use_own_attempts(claim.into(), |form| Some(form.text(USER)));
    // The user whose attempt is on its way.
    let sent = use_attempt_form().sent().map(|values| values.text(USER));
    let user = StoredValue::new(sent.unwrap_or_default());
    Effect::new(move || {
        if attempts.answer.with(Option::is_some) {
            untrack(|| look_up.show(user.get_value()));
        }
    });
    let submit = move |event: SubmitEvent| {
        event.prevent_default();
        let name = user_name.read();
        user.set_value(name.clone());
        let request_id = Some(attempts.begin(name.clone()));
        claim.dispatch(ClaimCouponRequest { sale: sale.id(), user: name, request_id });
    };
    view! {
        <AttemptCard id="claim" attempts refused user_name icon=icondata_lu::LuTicketPercent label=words.claim submit>
            <AttemptAnswers attempts outcome=answer />
        </AttemptCard>
    }
}

/// The outcome of an attempt, as a sentence.
fn answer(outcome: Outcome) -> impl IntoView {
    let words = words();
    let is_won = matches!(outcome, Outcome::Won { .. });
    let (icon, code, sentence) = match outcome {
        Outcome::Won { code } => (icondata_lu::LuTicketPercent, Some(code), words.you_won.to_owned()),
        Outcome::Repeat { code, state } => (icondata_lu::LuRepeat2, Some(code), (words.repeated)(state).to_owned()),
        Outcome::Refused { limit, left } => {
            (icondata_lu::LuCircleSlash, None, (words.refused_by)(limit, left.total.map(count)))
        }
        Outcome::Closed { .. } => (icondata_lu::LuLock, None, words.sale_closed.to_owned()),
        Outcome::NotOpen { .. } => (icondata_lu::LuClock, None, life::words().sale_not_open.to_owned()),
        Outcome::Paused { reason, .. } => (icondata_lu::LuPause, None, (life::words().sale_paused)(&reason)),
        Outcome::NotInvited => (icondata_lu::LuCircleSlash, None, words.not_invited.to_owned()),
        Outcome::Ended { .. } => (icondata_lu::LuClock, None, life::words().sale_ended.to_owned()),
    };
    let code = code.map(|code| {
        view! {
            <b class="coupon-code" translate="no">
                {code.clone()}
            </b>
            <CopyButton label=words.copy_code text=code />
        }
    });
    view! {
        <AttemptAnswer is_won icon sentence>
            {code}
        </AttemptAnswer>
    }
}
