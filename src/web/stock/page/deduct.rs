//! The form for the reader's own attempt, and for confirming and giving back what it got.

use crate::{
    components::{
        Button, LocalTime, TextField, TimeStyle, use_attempt_form, use_focus_handover, use_own_attempts,
        use_request_ids, use_user_name,
    },
    stage::{AttemptAnswer, AttemptAnswers, AttemptCard},
    stock::{
        api::{ConfirmStockRequest, DeductStockRequest, GiveBackStockRequest},
        page::Sale,
        words::words,
    },
};
use leptos::{ev::SubmitEvent, html, prelude::*};
use model::{
    Millis,
    form::REQUEST_ID,
    stock::{Confirmed, DeductionState, GivenBack, Outcome, attempt_of_form},
};

/// What the latest attempt got and the reader still has.
#[derive(Clone, Debug, PartialEq, Eq)]
struct Mine {
    request_id: String,
    units: u64,
    /// The deadline by which it has to be confirmed, if it still has to be.
    due: Option<Millis>,
}

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
    let confirm = ServerAction::<ConfirmStockRequest>::new();
    let attempts = use_own_attempts(deduct.into(), |form| attempt_of_form(form).ok());
    let errors = attempts.errors;
    errors.follow(give_back.into());
    errors.follow(confirm.into());
    let form = use_attempt_form();
    let sent = form.sent();
    let wanted = sent.map_or_else(|| "1".to_owned(), |values| values.text("quantity"));
    // The request of the latest attempt, and what it wanted.
    let request = StoredValue::new(
        sent.and_then(|values| values.optional(REQUEST_ID).zip(attempt_of_form(values).ok().map(|(_, units)| units))),
    );
    let mine = RwSignal::new(None::<Mine>);
    Effect::new(move || {
        let due = match attempts.answer.get().map(|answer| answer.outcome) {
            Some(Outcome::Held { due, .. }) => Some(due),
            Some(Outcome::Repeat { state: DeductionState::Held, due, .. }) => due,
            Some(
                Outcome::Won { .. }
                | Outcome::Repeat { state: DeductionState::Deducted | DeductionState::Confirmed, .. },
            ) => None,
            // The text that is typed now may be another user's.
            None if attempts.errors.get().is_none() => return mine.set(None),
            _ => return,
        };
        mine.set(request.get_value().map(|(request_id, units)| Mine { request_id, units, due }));
    });
    // Meanwhile, another attempt may have got something.
    let change = move |request_id: &str, change: &dyn Fn(&mut Mine) -> bool| {
        mine.update(|mine| {
            *mine = mine.take().and_then(|mut mine| {
                let stays = mine.request_id != request_id || change(&mut mine);
                stays.then_some(mine)
            });
        });
    };
    let (given, confirmed) = (give_back.value(), confirm.value());
    let return_ids = use_request_ids::<Mine>();
    Effect::new(move || {
        let Some(answer) = given.get() else { return };
        return_ids.settle(&answer);
        let Ok(answer) = answer else { return };
        let kept = match answer.outcome {
            GivenBack::Returned { kept, .. } | GivenBack::Repeat { kept, .. } | GivenBack::NotEnough { kept, .. } => {
                kept
            }
            GivenBack::Expired { .. } | GivenBack::UnknownRequest => 0,
        };
        change(&answer.request_id, &|mine| {
            mine.units = kept;
            kept > 0
        });
    });
    Effect::new(move || {
        let Some(Ok(answer)) = confirmed.get() else { return };
        let has_it = matches!(answer.outcome, Confirmed::Confirmed { .. } | Confirmed::Repeat { .. });
        change(&answer.request_id, &|mine| {
            mine.due = None;
            has_it
        });
    });
    let submit = move |event: SubmitEvent| {
        let Some((_, quantity)) = errors.read(&event, attempt_of_form) else { return };
        give_back.clear();
        confirm.clear();
        let user = user_name.read();
        let request_id = attempts.begin((user.clone(), quantity));
        request.set_value(Some((request_id.clone(), quantity)));
        deduct.dispatch(DeductStockRequest { sale: sale.id(), user, quantity, request_id: Some(request_id) });
    };
    let return_units = move |quantity: Option<u64>| {
        let Some(mine) = mine.get_untracked() else { return };
        errors.clear();
        confirm.clear();
        let return_id = quantity.map(|_| return_ids.id(mine.clone()));
        let request_id = mine.request_id;
        give_back.dispatch(GiveBackStockRequest { sale: sale.id(), request_id, quantity, return_id });
    };
    let confirm_it = move || {
        let Some(Mine { request_id, .. }) = mine.get_untracked() else { return };
        errors.clear();
        give_back.clear();
        confirm.dispatch(ConfirmStockRequest { sale: sale.id(), request_id });
    };
    let (buttons, told) = (NodeRef::<html::Div>::new(), NodeRef::<html::Div>::new());
    // Which buttons there are: whether all, a part, and a reservation can be given back or confirmed.
    let offers = Memo::new(move |_| mine.with(|mine| mine.as_ref().map(|mine| (mine.units > 1, mine.due))));
    let offers = use_focus_handover(offers, buttons, told);
    let message = move || {
        let given = given.get().and_then(Result::ok).map(|answer| (words.given_back)(answer.outcome));
        given.or_else(|| confirmed.get().and_then(Result::ok).map(|answer| (words.confirmed)(answer.outcome)))
    };
    let pending = Signal::derive(move || give_back.pending().get() || confirm.pending().get());
    let due = move || offers.get().and_then(|(_, due)| due);
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
            <div node_ref=buttons class="actions" hidden=move || offers.get().is_none()>
                {move || {
                    due().map(|due| {
                        view! {
                            <p>{words.reserved_until} " " <LocalTime at=due style=TimeStyle::Clock /></p>
                            <Button class="strong" pending on_click=confirm_it>
                                {words.confirm}
                            </Button>
                        }
                    })
                }}
                <Show when=move || offers.get().is_some_and(|(is_several, _)| is_several)>
                    <Button pending on_click=move || return_units(Some(1))>
                        {words.give_one_back}
                    </Button>
                </Show>
                <Show when=move || offers.get().is_some()>
                    <Button pending on_click=move || return_units(None)>
                        {words.give_back}
                    </Button>
                </Show>
            </div>
        </AttemptCard>
    }
}

/// The outcome of an attempt, as a sentence.
fn answer(outcome: Outcome) -> impl IntoView {
    let icon = match outcome {
        Outcome::Won { .. } => icondata_lu::LuPackage,
        Outcome::Held { .. } => icondata_lu::LuClock,
        Outcome::Repeat { .. } => icondata_lu::LuRepeat2,
        Outcome::NotEnough { .. } | Outcome::LimitReached { .. } => icondata_lu::LuCircleSlash,
        Outcome::Closed { .. } => icondata_lu::LuLock,
        Outcome::NotOpen { .. } | Outcome::Ended { .. } => icondata_lu::LuClock,
        Outcome::Paused { .. } => icondata_lu::LuPause,
    };
    let is_won = matches!(outcome, Outcome::Won { .. } | Outcome::Held { .. });
    view! { <AttemptAnswer is_won icon sentence=(words().outcome)(outcome) /> }
}
