//! The reader's own attempt, and what it got given back.

use super::Sale;
use crate::{
    components::{
        Alert, Button, FormErrors, FormValues, Icon, SubmitButton, TextField, UserNameField, use_request_ids,
        use_user_name,
    },
    error::Result,
    sales::stock::{
        Outcome,
        api::{DeductStockRequest, GiveBackStockRequest},
        words::words,
    },
};
use leptos::{ev::SubmitEvent, prelude::*};

/// What an attempt came to.
#[derive(Clone)]
struct Answer {
    /// Counts attempts: the same outcome again is news again, for screen readers too.
    attempt: usize,
    outcome: Outcome,
}

/// Buys for the reader.
#[component]
pub fn DeductForm(
    sale: Sale,
    /// Why nothing can be bought any more.
    ended: Signal<Option<&'static str>>,
) -> impl IntoView {
    let words = words();
    let user_name = use_user_name();
    let request_ids = use_request_ids();
    let errors = FormErrors::default();
    let deduct = ServerAction::<DeductStockRequest>::new();
    let give_back = ServerAction::<GiveBackStockRequest>::new();
    let (pending, attempts, result, input) = (deduct.pending(), deduct.version(), deduct.value(), deduct.input());
    errors.follow(deduct.into());
    errors.follow(give_back.into());
    // An attempt that was never answered may be sent again, whatever has become of the sale.
    let is_unsure = RwSignal::new(false);
    // The request of the latest attempt, and whether it can be given back.
    let request = StoredValue::new(String::new());
    let mine = RwSignal::new(None::<String>);
    Effect::new(move || {
        result.with(|result| {
            if let Some(result) = result {
                is_unsure.set(!request_ids.settle(result));
                if matches!(result, Ok(Outcome::Won { .. } | Outcome::Repeat { .. })) {
                    mine.set(Some(request.get_value()));
                }
            }
        });
    });
    let given = give_back.value();
    Effect::new(move || {
        if given.with(|given| matches!(given, Some(Ok(_)))) {
            mine.set(None);
        }
    });
    let refused = Memo::new(move |_| ended.get().filter(|_| !is_unsure.get() && !pending.get()));
    let answer = move || {
        let outcome = result.get()?.ok()?;
        Some(Answer { attempt: attempts.get(), outcome })
    };
    let submit = move |event: SubmitEvent| {
        let values = FormValues::read(&event);
        // The button itself stays enabled: whoever pressed it by keyboard would lose the focus.
        if pending.get_untracked() || input.with_untracked(Option::is_some) {
            return;
        }
        errors.clear();
        let quantity = match values.number("quantity") {
            Ok(quantity) => quantity,
            Err(error) => return errors.set(Some(error)),
        };
        give_back.clear();
        let user = user_name.read();
        let request_id = request_ids.id((user.clone(), quantity));
        request.set_value(request_id.clone());
        deduct.dispatch(DeductStockRequest { sale: sale.id(), user, quantity, request_id: Some(request_id) });
    };
    let told = move || given.get().and_then(Result::ok).map(words.given_back);
    view! {
        <section class="card claim" aria-labelledby="deduct-title">
            <h2 id="deduct-title">{words.try_it}</h2>
            <form on:submit=submit>
                <UserNameField user_name errors />
                <TextField name="quantity" words=words.wanted value="1" numeric=true errors />
                <SubmitButton
                    class="strong grab"
                    disabled=Signal::derive(move || refused.get().is_some())
                    attr:aria-describedby="deduct-ended"
                >
                    <Icon icon=icondata_lu::LuShoppingCart />
                    {words.deduct}
                </SubmitButton>
            </form>
            <p class="ended" id="deduct-ended">
                {refused}
            </p>
            <div class="answers" role="status">
                <For each=answer key=|answer| answer.attempt let:answer>
                    <p class="answer">{(words.outcome)(answer.outcome)}</p>
                </For>
                <p>{told}</p>
            </div>
            <Show when=move || mine.with(Option::is_some)>
                <Button on_click=move || {
                    if let Some(request_id) = mine.get_untracked() {
                        errors.clear();
                        give_back.dispatch(GiveBackStockRequest { sale: sale.id(), request_id });
                    }
                }>{words.give_back}</Button>
            </Show>
            <Alert errors attempt=true />
        </section>
    }
    .into_any()
}
