//! The reader's own attempt.

use super::Sale;
use crate::{
    components::{
        Alert, CopyButton, FormErrors, Icon, SubmitButton, UserNameField, format::count, use_request_ids, use_user_name,
    },
    sales::coupon::{Outcome, api::ClaimCouponRequest, words::words},
};
use leptos::{ev::SubmitEvent, prelude::*};

/// What an attempt came to.
#[derive(Clone)]
struct Answer {
    /// Counts attempts, so that the same outcome again is announced again, also by screen readers.
    attempt: usize,
    outcome: Outcome,
}

/// Claims a coupon for the reader.
#[component]
pub fn ClaimForm(
    sale: Sale,
    /// Why nothing can be claimed any more.
    ended: Signal<Option<&'static str>>,
) -> impl IntoView {
    let words = words();
    let user_name = use_user_name();
    let request_ids = use_request_ids();
    let errors = FormErrors::default();
    let claim = ServerAction::<ClaimCouponRequest>::new();
    let (pending, attempts, result, input) = (claim.pending(), claim.version(), claim.value(), claim.input());
    errors.follow(claim.into());
    // An attempt that was never answered may be sent again, whatever has become of the sale.
    let is_unsure = RwSignal::new(false);
    // The user whose attempt is on its way.
    let user = StoredValue::new(String::new());
    Effect::new(move || {
        result.with(|result| {
            if let Some(result) = result {
                is_unsure.set(!request_ids.settle(result));
                if result.is_ok() {
                    untrack(|| sale.show_user(user.get_value()));
                }
            }
        });
    });
    let refused = Memo::new(move |_| ended.get().filter(|_| !is_unsure.get() && !pending.get()));
    let answer = move || {
        let outcome = result.get()?.ok()?;
        Some(Answer { attempt: attempts.get(), outcome })
    };
    let submit = move |event: SubmitEvent| {
        event.prevent_default();
        // The button itself stays enabled: whoever pressed it by keyboard would lose the focus.
        if pending.get_untracked() || input.with_untracked(Option::is_some) {
            return;
        }
        errors.clear();
        let name = user_name.read();
        user.set_value(name.clone());
        let request_id = Some(request_ids.id(name.clone()));
        claim.dispatch(ClaimCouponRequest { sale: sale.id(), user: name, request_id });
    };
    view! {
        <section class="card claim" aria-labelledby="claim-title">
            <h2 id="claim-title">{words.try_it}</h2>
            <form on:submit=submit>
                <UserNameField user_name errors />
                <SubmitButton
                    class="strong grab"
                    disabled=Signal::derive(move || refused.get().is_some())
                    attr:aria-describedby="claim-ended"
                >
                    <Icon icon=icondata_lu::LuTicketPercent />
                    {words.claim}
                </SubmitButton>
            </form>
            <p class="ended" id="claim-ended">
                {refused}
            </p>
            <div class="answers" role="status">
                <For each=answer key=|answer| answer.attempt let:answer>
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
fn OutcomeMessage(outcome: Outcome) -> impl IntoView {
    let words = words();
    let (class, icon, code, sentence) = match outcome {
        Outcome::Won { code } => ("answer won", icondata_lu::LuTicketPercent, Some(code), words.you_won.to_owned()),
        Outcome::Repeat { code } => ("answer", icondata_lu::LuRepeat2, Some(code), words.already_yours.to_owned()),
        Outcome::Refused { limit, left } => {
            let left = left.total.map(count);
            ("answer", icondata_lu::LuCircleSlash, None, (words.refused_by)(limit, left))
        }
        Outcome::Closed { .. } => ("answer", icondata_lu::LuLock, None, words.sale_closed.to_owned()),
    };
    view! {
        <div class=class>
            <Icon icon />
            {code
                .map(|code| {
                    view! {
                        <b class="coupon-code" translate="no">
                            {code.clone()}
                        </b>
                        <CopyButton label=words.copy_code text=code />
                    }
                })}
            <span>{sentence}</span>
        </div>
    }
}
