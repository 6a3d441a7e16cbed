//! The form for the reader's own attempt, and for giving back what it got.

use crate::{
    components::{Button, TextField, use_attempt_form, use_focus_handover, use_own_attempts, use_user_name},
    stage::{AttemptAnswer, AttemptAnswers, AttemptCard},
    stock::{
        api::{DeductStockRequest, GiveBackStockRequest},
        page::Sale,
        words::words,
    },
};
use leptos::{ev::SubmitEvent, html, prelude::*};
use model::{
    form::REQUEST_ID,
    stock::{DeductionState, Outcome, attempt_of_form},
};

/// Deducts for the reader.
#[component]
pub fn DeductForm(
    /// The sale on the page, kept up to date by the live view.
    sale: Sale,
    /// The reason why nothing can be got now.
    refused: Signal<Option<String>>,
) -> impl IntoView {
    let words = words();
    let user_name = use_user_name();
    let deduct = ServerAction::<DeductStockRequest>::new();
    let give_back = ServerAction::<GiveBackStockRequest>::new();
    let attempts = use_own_attempts(deduct.into(), |form| attempt_of_form(form).ok());
    let errors = attempts.errors;
    errors.follow(give_back.into());
    // The request of the latest attempt, and whether it can be given back.
    let form = use_attempt_form();
    let sent = form.sent();
    let wanted = sent.map_or_else(|| "1".to_owned(), |values| values.text("quantity"));
    let request = StoredValue::new(sent.and_then(|values| values.optional(REQUEST_ID)));
    let mine = RwSignal::new(None::<String>);
    Effect::new(move || {
        match attempts.answer.get().map(|answer| answer.outcome) {
            Some(Outcome::Won { .. } | Outcome::Repeat { state: DeductionState::Deducted, .. }) => {
                mine.set(request.get_value());
            }
            // The text that is typed now may be another user's.
            None if attempts.errors.get().is_none() => mine.set(None),
            _ => {}
        }
    });
    let given = give_back.value();
    let returned = StoredValue::new(None);
    Effect::new(move || {
        // Meanwhile, another attempt may have got something.
        if given.with(|given| matches!(given, Some(Ok(_)))) && mine.get_untracked() == returned.get_value() {
            mine.set(None);
        }
    });
    let submit = move |event: SubmitEvent| {
        let Some((_, quantity)) = errors.read(&event, attempt_of_form) else { return };
        give_back.clear();
        let user = user_name.read();
        let request_id = attempts.begin((user.clone(), quantity));
        request.set_value(Some(request_id.clone()));
        deduct.dispatch(DeductStockRequest { sale: sale.id(), user, quantity, request_id: Some(request_id) });
    };
    let (button, told) = (NodeRef::<html::Button>::new(), NodeRef::<html::Div>::new());
    let is_mine = use_focus_handover(Memo::new(move |_| mine.with(Option::is_some)), button, told);
    let message = move || given.get().and_then(Result::ok).map(|answer| (words.given_back)(answer.outcome));
    view! {
        <AttemptCard
            id="deduct"
            attempts
            refused
            user_name
            fields=move || view! { <TextField name="quantity" words=words.wanted value=wanted numeric=true errors /> }
            icon=icondata_lu::LuShoppingCart
            label=words.deduct
            submit
        >
            <AttemptAnswers attempts outcome=answer node_ref=told>
                <p>{message}</p>
            </AttemptAnswers>
            <Show when=move || is_mine.get()>
                <Button
                    node_ref=button
                    pending=give_back.pending()
                    on_click=move || {
                        if let Some(request_id) = mine.get_untracked() {
                            errors.clear();
                            returned.set_value(Some(request_id.clone()));
                            give_back.dispatch(GiveBackStockRequest { sale: sale.id(), request_id });
                        }
                    }
                >
                    {words.give_back}
                </Button>
            </Show>
        </AttemptCard>
    }
}

/// The outcome of an attempt, as a sentence.
fn answer(outcome: Outcome) -> impl IntoView {
    let icon = match outcome {
        Outcome::Won { .. } => icondata_lu::LuPackage,
        Outcome::Repeat { .. } => icondata_lu::LuRepeat2,
        Outcome::NotEnough { .. } => icondata_lu::LuCircleSlash,
        Outcome::Closed { .. } => icondata_lu::LuLock,
        Outcome::NotOpen { .. } | Outcome::Ended { .. } => icondata_lu::LuClock,
        Outcome::Paused { .. } => icondata_lu::LuPause,
    };
    let is_won = matches!(outcome, Outcome::Won { .. });
    view! { <AttemptAnswer is_won icon sentence=(words().outcome)(outcome) /> }
}
