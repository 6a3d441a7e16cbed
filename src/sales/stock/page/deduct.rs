//! The form for the reader's own attempt, and for giving back what it got.

use super::Sale;
use crate::{
    components::{
        Alert, Button, FormValues, Icon, REQUEST_ID, RequestIdField, SubmitButton, TextField, USER, UserNameField,
        use_attempt_form, use_focus_handover, use_own_attempts, use_user_name,
    },
    sales::stock::{
        Outcome,
        api::{DeductStockRequest, GiveBackStockRequest},
        words::words,
    },
};
use leptos::{ev::SubmitEvent, html, prelude::*};

/// Deducts for the reader.
#[component]
pub fn DeductForm(
    /// The sale on the page, kept up to date by the live view.
    sale: Sale,
    /// Why nothing can be deducted any more.
    ended: Signal<Option<&'static str>>,
) -> impl IntoView {
    let words = words();
    let user_name = use_user_name();
    let deduct = ServerAction::<DeductStockRequest>::new();
    let give_back = ServerAction::<GiveBackStockRequest>::new();
    let attempts = use_own_attempts(deduct.into(), |form| Some((form.text(USER), form.number("quantity").ok()?)));
    let (refused, errors) = (attempts.refused(ended), attempts.errors);
    errors.follow(give_back.into());
    // The request of the latest attempt, and whether it can be given back.
    let form = use_attempt_form();
    let sent = form.sent();
    let wanted = sent.map_or_else(|| "1".to_owned(), |values| values.text("quantity"));
    let request = StoredValue::new(sent.and_then(|values| values.optional(REQUEST_ID)));
    let mine = RwSignal::new(None::<String>);
    Effect::new(move || {
        let outcome = attempts.answer.get().map(|answer| answer.outcome);
        if let Some(Outcome::Won { .. } | Outcome::Repeat { .. }) = outcome {
            mine.set(request.get_value());
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
        let values = FormValues::read(&event);
        let quantity = match values.number("quantity") {
            Ok(quantity) => quantity,
            Err(error) => return errors.set(Some(error)),
        };
        give_back.clear();
        let user = user_name.read();
        let request_id = attempts.begin((user.clone(), quantity));
        request.set_value(Some(request_id.clone()));
        deduct.dispatch(DeductStockRequest { sale: sale.id(), user, quantity, request_id: Some(request_id) });
    };
    let (button, told) = (NodeRef::<html::Button>::new(), NodeRef::<html::Div>::new());
    let is_mine = use_focus_handover(Memo::new(move |_| mine.with(Option::is_some)), button, told);
    let message = move || given.get().and_then(Result::ok).map(words.given_back);
    view! {
        <section class="card claim" aria-labelledby="deduct-title">
            <h2 id="deduct-title">{words.try_it}</h2>
            <form method="post" action="#deduct-title" on:submit=submit>
                <RequestIdField />
                <UserNameField user_name errors />
                <TextField name="quantity" words=words.wanted value=wanted numeric=true errors />
                <SubmitButton
                    class="strong grab"
                    native=true
                    disabled=Signal::derive(move || refused.get().is_some())
                    pending=attempts.pending
                    attr:aria-describedby="deduct-ended"
                >
                    <Icon icon=icondata_lu::LuShoppingCart />
                    {words.deduct}
                </SubmitButton>
            </form>
            <p class="ended" id="deduct-ended">
                {refused}
            </p>
            <div class="answers" role="status" tabindex="-1" node_ref=told>
                <For each=move || attempts.answer.get() key=|answer| answer.attempt let:answer>
                    <p class="answer">{(words.outcome)(answer.outcome)}</p>
                </For>
                <p>{message}</p>
            </div>
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
            <Alert errors attempt=true />
        </section>
    }
    .into_any()
}
