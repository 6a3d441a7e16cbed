//! The form for the reader's own attempt, and for confirming and giving back what it got.

use crate::{
    components::{
        Button, LocalTime, TextField, TimeStyle, use_attempt_form, use_focus_handover, use_own_attempts,
        use_request_ids, use_user_name,
    },
    stage::{AttemptAnswer, AttemptAnswers, AttemptCard},
    stock::{
        api::{ConfirmStockRequest, DeductStockRequest, GiveBackStockRequest},
        page::{Sale, group::GroupItems},
        words::words,
    },
};
use leptos::{ev::SubmitEvent, html, prelude::*};
use model::{
    Millis,
    form::REQUEST_ID,
    stock::{
        ConfirmAnswer, Confirmed, DeductAnswer, DeductionState, FormAttempt, GivenBack, ItemsWon, Outcome,
        ReturnAnswer, Wanted,
    },
};

/// What the latest attempt got and the reader still has.
#[derive(Clone, Debug, PartialEq, Eq)]
struct Mine {
    request_id: String,
    units: u64,
    /// The deadline by which it has to be confirmed, if it still has to be; the first of several.
    due: Option<Millis>,
    /// The further sales of which it got items, too. All are confirmed and given back together.
    others: Vec<String>,
}

impl Mine {
    /// What the answer to an attempt has got; `None` if it got nothing, or has it no more.
    fn of(request_id: String, attempt: &FormAttempt, answer: &DeductAnswer) -> Option<Self> {
        let of_one = |due| Self { request_id: request_id.clone(), units: attempt.quantity, due, others: Vec::new() };
        match answer {
            DeductAnswer::One(Outcome::Held { due, .. }) => Some(of_one(Some(*due))),
            DeductAnswer::One(Outcome::Repeat { state: DeductionState::Held, due, .. }) => Some(of_one(*due)),
            DeductAnswer::One(
                Outcome::Won { .. }
                | Outcome::Repeat { state: DeductionState::Deducted | DeductionState::Confirmed, .. },
            ) => Some(of_one(None)),
            DeductAnswer::One(_) | DeductAnswer::Refused { .. } => None,
            DeductAnswer::Items { items, .. } => {
                let is_gone = |state| matches!(state, DeductionState::Returned | DeductionState::Expired);
                if items.iter().any(|item| is_gone(item.state)) {
                    return None;
                }
                let held = items.iter().filter(|item| item.state == DeductionState::Held);
                let others = attempt.others.iter().map(|item| item.sale.clone()).collect();
                Some(Self { due: held.filter_map(|item| item.due).min(), others, ..of_one(None) })
            }
        }
    }

    /// The fields of a request about it: `sale`, or `sales`.
    fn sales(&self, sale: String) -> (Option<String>, Option<Vec<String>>) {
        if self.others.is_empty() {
            return (Some(sale), None);
        }
        (None, Some([sale].into_iter().chain(self.others.iter().cloned()).collect()))
    }
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
    let attempts = use_own_attempts(deduct.into(), |form| FormAttempt::read(form).ok());
    let errors = attempts.errors;
    errors.follow(give_back.into());
    errors.follow(confirm.into());
    let form = use_attempt_form();
    let sent = form.sent();
    let wanted = sent.map_or_else(|| "1".to_owned(), |values| values.text("quantity"));
    // The request of the latest attempt, and what it wanted.
    let request =
        StoredValue::new(sent.and_then(|values| values.optional(REQUEST_ID).zip(FormAttempt::read(values).ok())));
    let mine = RwSignal::new(None::<Mine>);
    Effect::new(move || {
        let Some(answer) = attempts.answer.get().map(|answer| answer.outcome) else {
            // The text that is typed now may be another user's.
            if attempts.errors.get().is_none() {
                mine.set(None);
            }
            return;
        };
        let got = request.with_value(|request| {
            let (request_id, attempt) = request.as_ref()?;
            Mine::of(request_id.clone(), attempt, &answer)
        });
        if got.is_some() {
            mine.set(got);
        }
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
            ReturnAnswer::One(
                GivenBack::Returned { kept, .. } | GivenBack::Repeat { kept, .. } | GivenBack::NotEnough { kept, .. },
            ) => kept,
            ReturnAnswer::One(GivenBack::Expired { .. } | GivenBack::UnknownRequest)
            | ReturnAnswer::Items { .. }
            | ReturnAnswer::Refused { .. } => 0,
        };
        change(&answer.request_id, &|mine| {
            mine.units = kept;
            kept > 0
        });
    });
    Effect::new(move || {
        let Some(Ok(answer)) = confirmed.get() else { return };
        let has_it = matches!(
            answer.outcome,
            ConfirmAnswer::One(Confirmed::Confirmed { .. } | Confirmed::Repeat { .. }) | ConfirmAnswer::Items { .. }
        );
        change(&answer.request_id, &|mine| {
            mine.due = None;
            has_it
        });
    });
    let submit = move |event: SubmitEvent| {
        let Some(read) = errors.read(&event, FormAttempt::read) else { return };
        give_back.clear();
        confirm.clear();
        let attempt = FormAttempt { user: user_name.read(), ..read };
        let request_id = attempts.begin(attempt.clone());
        request.set_value(Some((request_id.clone(), attempt.clone())));
        let (sale, quantity, items) = match attempt.wanted(sale.id()) {
            Wanted::One { sale, quantity } => (Some(sale), Some(quantity), None),
            Wanted::Items(items) => (None, None, Some(items)),
        };
        let request_id = Some(request_id);
        deduct.dispatch(DeductStockRequest { sale, user: attempt.user, quantity, items, request_id });
    };
    let return_units = move |quantity: Option<u64>| {
        let Some(mine) = mine.get_untracked() else { return };
        errors.clear();
        confirm.clear();
        let return_id = quantity.map(|_| return_ids.id(mine.clone()));
        let (sale, sales) = mine.sales(sale.id());
        let request_id = mine.request_id;
        give_back.dispatch(GiveBackStockRequest { sale, sales, request_id, quantity, return_id, reason: None });
    };
    let confirm_it = move || {
        let Some(mine) = mine.get_untracked() else { return };
        errors.clear();
        give_back.clear();
        let (sale, sales) = mine.sales(sale.id());
        confirm.dispatch(ConfirmStockRequest { sale, sales, reason: None, request_id: mine.request_id });
    };
    let (buttons, told) = (NodeRef::<html::Div>::new(), NodeRef::<html::Div>::new());
    // Which buttons there are: whether all, a part, and a reservation can be given back or confirmed.
    let offers = Memo::new(move |_| {
        mine.with(|mine| mine.as_ref().map(|mine| (mine.units > 1 && mine.others.is_empty(), mine.due)))
    });
    let offers = use_focus_handover(offers, buttons, told);
    let message = move || {
        let given = given.get().and_then(Result::ok).map(|answer| (words.return_sentence)(answer.outcome));
        given.or_else(|| confirmed.get().and_then(Result::ok).map(|answer| (words.confirm_sentence)(answer.outcome)))
    };
    let pending = Signal::derive(move || give_back.pending().get() || confirm.pending().get());
    let due = move || offers.get().and_then(|(_, due)| due);
    view! {
        <AttemptCard
            id="deduct"
            attempts
            refused
            user_name
            fields=move || {
                view! {
                    <TextField name="quantity" words=words.wanted value=wanted numeric=true errors />
                    <GroupItems sale />
                }
            }
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
fn answer(answer: DeductAnswer) -> impl IntoView {
    let sentence = (words().deducted_sentence)(&answer);
    let outcome = match answer {
        DeductAnswer::One(outcome) | DeductAnswer::Refused { outcome, .. } => outcome,
        DeductAnswer::Items { outcome, .. } => {
            let is_won = outcome == ItemsWon::Won;
            let icon = if is_won { icondata_lu::LuPackage } else { icondata_lu::LuRepeat2 };
            return view! { <AttemptAnswer is_won icon sentence /> };
        }
    };
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
    view! { <AttemptAnswer is_won icon sentence /> }
}
