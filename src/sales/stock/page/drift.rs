//! What an operator does to the quantity, and to cache and ledger to see them drift apart and together.

use super::Sale;
use crate::{
    components::{Alert, Button, FormErrors, FormValues, SubmitButton, TextField, use_request_ids},
    error::Result,
    sales::stock::{
        Adjusted, DEFAULT_PAUSE_S,
        api::{CorrectStockRequest, ExpireStockRequest, PauseStockRequest, RestockRequest},
        words::words,
    },
};
use leptos::{ev::SubmitEvent, prelude::*};

/// Lets the cached quantity expire, and pauses the ledger's writer.
#[component]
pub fn DriftButtons(sale: Sale) -> impl IntoView {
    let words = words();
    let errors = FormErrors::default();
    let expire = ServerAction::<ExpireStockRequest>::new();
    let pause = ServerAction::<PauseStockRequest>::new();
    errors.follow(expire.into());
    errors.follow(pause.into());
    let is_paused = Memo::new(move |_| sale.read(|sale| sale.paused_ms.is_some()));
    let expired = move || expire.value().get().and_then(Result::ok).map(words.expired);
    let paused = move || pause.value().get().and_then(Result::ok).map(words.paused);
    view! {
        <section class="card drift" aria-labelledby="drift-title">
            <h2 id="drift-title">{words.drift}</h2>
            <div class="actions">
                <Button on_click=move || {
                    errors.clear();
                    pause.clear();
                    expire.dispatch(ExpireStockRequest { sale: sale.id() });
                }>{words.expire}</Button>
                <Button on_click=move || {
                    errors.clear();
                    expire.clear();
                    let seconds = if is_paused.get_untracked() { 0 } else { DEFAULT_PAUSE_S };
                    pause.dispatch(PauseStockRequest { sale: sale.id(), seconds: Some(seconds) });
                }>{move || if is_paused.get() { words.resume } else { words.pause }}</Button>
            </div>
            <p role="status">{expired} {paused}</p>
            <Alert errors />
        </section>
    }
    .into_any()
}

/// Restocks, and corrects the quantity to what was counted.
#[component]
pub fn AdjustForms(sale: Sale) -> impl IntoView {
    let words = words();
    let errors = FormErrors::default();
    let restock = ServerAction::<RestockRequest>::new();
    let correct = ServerAction::<CorrectStockRequest>::new();
    let request_ids = use_request_ids::<String>();
    errors.follow(restock.into());
    errors.follow(correct.into());
    let told = RwSignal::new(None::<String>);
    let settle = move |answer: Option<Result<Adjusted>>| {
        let Some(answer) = answer else { return };
        request_ids.settle(&answer);
        told.set(answer.ok().map(words.adjusted));
    };
    let (restocked, corrected) = (restock.value(), correct.value());
    Effect::new(move || {
        let answer = restocked.get();
        untrack(|| settle(answer));
    });
    Effect::new(move || {
        let answer = corrected.get();
        untrack(|| settle(answer));
    });
    let is_busy = move || restock.pending().get_untracked() || correct.pending().get_untracked();
    // What the operator has seen when counting.
    let expected = sale.snapshot.with_untracked(|sale| sale.left);
    let expected = RwSignal::new(expected);
    let submit = move |event: SubmitEvent, name: &'static str| {
        let values = FormValues::read(&event);
        if is_busy() {
            return;
        }
        errors.clear();
        told.set(None);
        match values.number::<u64>(name) {
            Ok(number) if name == "restock" => {
                let request_id = Some(request_ids.id(format!("restock {number}")));
                restock.dispatch(RestockRequest { sale: sale.id(), quantity: number, request_id });
            }
            Ok(counted) => {
                let expected = expected.get_untracked();
                let request_id = Some(request_ids.id(format!("correct {expected} {counted}")));
                let expected = Some(expected);
                correct.dispatch(CorrectStockRequest { sale: sale.id(), counted, expected, request_id });
            }
            Err(error) => errors.set(Some(error)),
        }
    };
    // Whoever begins to type has counted now.
    let begin = move |_| expected.set(sale.snapshot.with_untracked(|sale| sale.left));
    view! {
        <section class="card adjust" aria-labelledby="adjust-title">
            <h2 id="adjust-title">{words.restock_title}</h2>
            <form class="form-grid" on:submit=move |event| submit(event, "restock")>
                <TextField name="restock" words=words.restock_quantity value="1000" numeric=true errors />
                <div class="actions">
                    <SubmitButton class="">{words.restock}</SubmitButton>
                </div>
            </form>
            <h3>{words.correct_title}</h3>
            <form class="form-grid" on:submit=move |event| submit(event, "counted") on:focusin=begin>
                <TextField name="counted" words=words.counted numeric=true errors />
                <div class="actions">
                    <SubmitButton class="">{words.correct}</SubmitButton>
                </div>
            </form>
            <p role="status">{told}</p>
            <Alert errors />
        </section>
    }
    .into_any()
}
