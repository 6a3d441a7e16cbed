//! What an operator can do: change the quantity, and make cache and ledger drift apart.

use crate::{
    components::{Alert, Button, FormErrors, SubmitButton, TextField, use_focus_handover, use_request_ids},
    stock::{
        api::{self, ExpireStockRequest, PauseStockRequest},
        page::Sale,
        words::words,
    },
};
use leptos::{
    ev::{Event, SubmitEvent},
    html,
    prelude::*,
};
use model::{
    error::Result,
    form::FormValues,
    stock::{DEFAULT_PAUSE_S, Paused, check_counted, check_quantity},
};

/// Lets the cached quantity expire, and pauses the ledger's writer.
#[component]
pub fn DriftButtons(
    /// The sale on the page, kept up to date by the live view.
    sale: Sale,
) -> impl IntoView {
    let words = words();
    let errors = FormErrors::default();
    let expire = ServerAction::<ExpireStockRequest>::new();
    let pause = ServerAction::<PauseStockRequest>::new();
    errors.follow(expire.into());
    errors.follow(pause.into());
    let is_paused = Memo::new(move |_| sale.read(|sale| sale.paused_ms.is_some()));
    let (button, told) = (NodeRef::<html::Button>::new(), NodeRef::<html::P>::new());
    // A pause outlasts the end of a sale, and keeps it from being archived. The live view may say that it is over before
    // the answer does.
    let cannot_pause = Memo::new(move |_| sale.is_closed.get() && !is_paused.get());
    let cannot_pause = use_focus_handover(cannot_pause, button, told);
    let expired = move || expire.value().get().and_then(Result::ok).map(words.expired);
    // The stage says how long a pause still takes; when it is over, there is no more to say of it.
    Effect::new(move |was: Option<bool>| {
        let is_paused = is_paused.get();
        let was_started = matches!(pause.value().get_untracked(), Some(Ok(Paused::Paused { .. })));
        if was == Some(true) && !is_paused && was_started {
            pause.clear();
        }
        is_paused
    });
    let paused = move || pause.value().get().and_then(Result::ok).map(words.paused);
    view! {
        <section class="card drift" aria-labelledby="drift-title">
            <h2 id="drift-title">{words.drift}</h2>
            <div class="actions">
                <Button disabled=sale.is_closed pending=expire.pending() on_click=move || {
                    errors.clear();
                    pause.clear();
                    expire.dispatch(ExpireStockRequest { sale: sale.id() });
                }>{words.expire}</Button>
                <Button node_ref=button disabled=cannot_pause pending=pause.pending() on_click=move || {
                    errors.clear();
                    expire.clear();
                    let seconds = if is_paused.get_untracked() { 0 } else { DEFAULT_PAUSE_S };
                    pause.dispatch(PauseStockRequest { sale: sale.id(), seconds: Some(seconds) });
                }>{move || if is_paused.get() { words.resume } else { words.pause }}</Button>
            </div>
            <p role="status" tabindex="-1" node_ref=told>
                {expired}
                " "
                {paused}
            </p>
            <Alert errors />
        </section>
    }
    .into_any()
}

/// A change of the quantity.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Adjustment {
    Restock { quantity: u64 },
    Correct { counted: u64, expected: i64 },
}

fn read_quantity(values: &FormValues) -> Result<u64> {
    let quantity = values.number("quantity")?;
    check_quantity(quantity).map(|()| quantity)
}

fn read_counted(values: &FormValues) -> Result<u64> {
    let counted = values.number("counted")?;
    check_counted(counted).map(|()| counted)
}

/// Restocks, and corrects the quantity to what was counted.
#[component]
pub fn AdjustForms(
    /// The sale on the page, kept up to date by the live view.
    sale: Sale,
) -> impl IntoView {
    let words = words();
    let (restock_errors, correct_errors) = (FormErrors::default(), FormErrors::default());
    let request_ids = use_request_ids::<Adjustment>();
    let adjust = Action::new(move |adjustment: &Adjustment| {
        let (sale, adjustment) = (sale.id(), *adjustment);
        let request_id = Some(request_ids.id(adjustment));
        async move {
            let answer = match adjustment {
                Adjustment::Restock { quantity } => api::restock(sale, quantity, request_id).await,
                Adjustment::Correct { counted, expected } => {
                    api::correct(sale, counted, Some(expected), request_id).await
                }
            };
            (adjustment, answer)
        }
    });
    let (pending, answer) = (adjust.pending(), adjust.value());
    let message =
        move || answer.get().and_then(|(_, answer)| answer.ok()).map(|answer| (words.adjusted)(answer.outcome));
    let counted = NodeRef::<html::Input>::new();
    // What there should be by what the operator saw when they started to type the counted quantity.
    let left = move || untrack(|| sale.read(|sale| sale.left.cast_signed() - sale.oversold.cast_signed()));
    let seen = StoredValue::new(None);
    Effect::new({
        let at_first = left();
        // If it was typed before hydration.
        move || {
            if counted.get().is_some_and(|field| !field.value().is_empty()) {
                seen.set_value(Some(at_first));
            }
        }
    });
    let on_input = move |event: Event| {
        correct_errors.recheck(&event, read_counted);
        let is_empty = counted.get_untracked().is_some_and(|field| field.value().is_empty());
        seen.update_value(|seen| *seen = if is_empty { None } else { seen.or_else(|| Some(left())) });
    };
    Effect::new(move || {
        let Some((adjustment, answer)) = answer.get() else { return };
        let is_known = request_ids.settle(&answer);
        if is_known && matches!(adjustment, Adjustment::Correct { .. }) {
            // The next correction starts from the next count.
            counted.get_untracked().inspect(|field| field.set_value(""));
            seen.set_value(None);
        }
        let errors = match adjustment {
            Adjustment::Restock { .. } => restock_errors,
            Adjustment::Correct { .. } => correct_errors,
        };
        errors.set(answer.err());
        errors.focus();
    });
    let begin = move |adjustment: Option<Adjustment>| {
        adjust.clear();
        if let Some(adjustment) = adjustment {
            adjust.dispatch(adjustment);
        }
    };
    let restock = move |event: SubmitEvent| {
        begin(restock_errors.read(&event, read_quantity).map(|quantity| Adjustment::Restock { quantity }));
    };
    let correct = move |event: SubmitEvent| {
        let expected = seen.get_value().unwrap_or_else(left);
        begin(correct_errors.read(&event, read_counted).map(|counted| Adjustment::Correct { counted, expected }));
    };
    view! {
        <section class="card adjust" aria-labelledby="adjust-title">
            <h2 id="adjust-title">{words.restock_title}</h2>
            <form class="form-grid" on:submit=restock on:input=move |event| restock_errors.recheck(&event, read_quantity)>
                <TextField name="quantity" id="restock" words=words.restock_quantity value="1000" numeric=true errors=restock_errors />
                <div class="actions">
                    <SubmitButton class="" disabled=sale.is_closed pending>{words.restock}</SubmitButton>
                </div>
                <Alert errors=restock_errors />
            </form>
            <h3>{words.correct_title}</h3>
            <form class="form-grid" on:submit=correct on:input=on_input>
                <TextField name="counted" words=words.counted numeric=true node_ref=counted errors=correct_errors />
                <div class="actions">
                    <SubmitButton class="" disabled=sale.is_closed pending>{words.correct}</SubmitButton>
                </div>
                <Alert errors=correct_errors />
            </form>
            <p role="status">{message}</p>
        </section>
    }
    .into_any()
}
