//! Returns what is left of an expired sale; asks first, since it cannot be undone.

use super::Sale;
use crate::{
    components::{Alert, Button, FormErrors, format::money},
    domain::SaleState,
    sales::red_packet::{self, api, words::words},
};
use leptos::{html, prelude::*, task::spawn_local};

/// Offered while a sale is expired and not refunded.
#[component]
pub fn Refund(sale: Sale) -> impl IntoView {
    let words = words();
    let asked = RwSignal::new(false);
    let waiting = RwSignal::new(false);
    let result = RwSignal::new(None::<red_packet::Refund>);
    let errors = FormErrors::default();
    let is_expired = Memo::new(move |_| sale.state() == SaleState::Expired);

    let confirm = NodeRef::<html::Button>::new();
    Effect::new(move || {
        if let Some(confirm) = confirm.get() {
            _ = confirm.focus();
        }
    });
    let send = move || {
        waiting.set(true);
        errors.clear();
        let id = sale.id();
        spawn_local(async move {
            let answer = api::refund(id).await;
            // The page may be gone by the time of the answer.
            if waiting.try_set(false).is_some() {
                return;
            }
            asked.set(false);
            match answer {
                Ok(refund) => result.set(Some(refund)),
                Err(error) => errors.set(Some(error)),
            }
        });
    };
    let question = move || {
        let (cents, packets) = sale.read(|sale| (sale.pending_cents, sale.pending));
        (words.refund_question)(money(cents), packets)
    };
    let sentence = move || {
        result.get().map(|refund| match refund {
            red_packet::Refund::Refunded { refunded_cents } => (words.refunded_now)(money(refunded_cents)),
            red_packet::Refund::Repeat { refunded_cents } => (words.refunded_before)(money(refunded_cents)),
            red_packet::Refund::NotExpired { .. } => words.not_expired.to_owned(),
        })
    };
    view! {
        <div class="sale-actions">
            <Show when=move || is_expired.get()>
                <Show
                    when=move || asked.get()
                    fallback=move || view! { <Button on_click=move || asked.set(true)>{words.refund}</Button> }
                >
                    <div class="actions">
                        <span>{question}</span>
                        <Button class="strong" node_ref=confirm disabled=waiting on_click=send>
                            {words.refund_yes}
                        </Button>
                        <Button on_click=move || asked.set(false)>{words.refund_no}</Button>
                    </div>
                </Show>
            </Show>
            <span role="status">{sentence}</span>
            <Alert errors />
        </div>
    }
}
