//! The refund of an expired sale's remaining money; it asks first, as it cannot be undone.

use crate::{
    components::{Alert, ConfirmButton, ConfirmWords, FormErrors, use_focus_handover},
    red_packet::{api::RefundRequest, page::Sale, words::words},
};
use leptos::{html, prelude::*};
use model::{SaleState, red_packet};

/// Shows the refund while a sale is expired and not refunded.
#[component]
pub fn Refund(
    /// The sale on the page, kept up to date by the live view.
    sale: Sale,
) -> impl IntoView {
    let words = words();
    let refund = ServerAction::<RefundRequest>::new();
    let (pending, answer) = (refund.pending(), refund.value());
    let errors = FormErrors::default();
    errors.follow(refund.into());
    let (place, told) = (NodeRef::<html::Div>::new(), NodeRef::<html::Span>::new());
    let is_expired = use_focus_handover(Memo::new(move |_| sale.state() == SaleState::Expired), place, told);
    let on_confirm = move || {
        errors.clear();
        refund.dispatch(RefundRequest { sale: sale.id() });
    };
    let question = Signal::derive(move || {
        let (cents, packets) = sale.read(|sale| (sale.pending_cents, sale.pending));
        (words.refund_question)(sale.money(cents), packets)
    });
    let sentence = move || {
        answer.get().and_then(Result::ok).map(|refund| match refund {
            red_packet::Refund::Refunded { refunded_cents } => (words.refunded_now)(sale.money(refunded_cents)),
            red_packet::Refund::Repeat { refunded_cents } => (words.refunded_before)(sale.money(refunded_cents)),
            red_packet::Refund::NotExpired { .. } => words.not_expired.to_owned(),
        })
    };
    let confirm = ConfirmWords { label: words.refund, yes: words.refund_yes, no: words.refund_no };
    view! {
        <div class="sale-actions" node_ref=place>
            <Show when=move || is_expired.get()>
                <ConfirmButton words=confirm question pending on_confirm />
            </Show>
            <span role="status" tabindex="-1" node_ref=told>
                {sentence}
            </span>
            <Alert errors />
        </div>
    }
}
