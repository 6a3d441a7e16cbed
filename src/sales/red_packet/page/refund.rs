//! Giving back what is left of an expired sale: asked for twice, since it cannot be undone.

use super::{Sale, Standing};
use crate::{
    error::Error,
    sales::red_packet::{Refund, api},
    ui::{format, notice::notice, ready::ready},
    words::words,
};
use leptos::{html::Button, prelude::*, task::spawn_local};

pub fn refund(sale: Sale) -> AnyView {
    let words = words();
    let ready = ready();
    let standing = sale.standing();
    let asked = RwSignal::new(false);
    let waiting = RwSignal::new(false);
    let answer = RwSignal::new(None::<Refund>);
    let error = RwSignal::new(None::<Error>);
    let confirm = NodeRef::<Button>::new();
    Effect::new(move |_| {
        if asked.get() && let Some(button) = confirm.get() {
            _ = button.focus();
        }
    });
    let question = sale.text(move |sale| {
        (crate::words::words().refund_question)(format::money(sale.pending_cents), sale.pending)
    });
    let send = move |_| {
        if waiting.get_untracked() {
            return;
        }
        waiting.set(true);
        error.set(None);
        spawn_local(async move {
            match api::refund(sale.id()).await {
                Ok(refund) => answer.set(Some(refund)),
                Err(why) => error.set(Some(why)),
            }
            asked.set(false);
            waiting.set(false);
            sale.refresh();
        });
    };
    let offer = move || {
        if standing.get() != Standing::Expired {
            return ().into_any();
        }
        if !asked.get() {
            let ask = move |_| asked.set(true);
            let off = move || !ready.get();
            return view! { <button type="button" disabled=off on:click=ask>{words.refund}</button> }.into_any();
        }
        view! {
            <span>{question}</span>
            <button type="button" class="strong" node_ref=confirm disabled=waiting on:click=send>{words.refund_yes}</button>
            <button type="button" on:click=move |_| asked.set(false)>{words.refund_no}</button>
        }
        .into_any()
    };
    let said = move || {
        answer.get().map(|refund| match refund {
            Refund::Refunded { refunded_cents } => (words.refunded_now)(format::money(refunded_cents)),
            Refund::Repeat { refunded_cents } => (words.refunded_before)(format::money(refunded_cents)),
            Refund::NotExpired { .. } => words.not_expired.to_owned(),
        })
    };
    view! {
        <div class="refund">
            {offer}
            <span role="status">{said}</span>
            {notice(error, &[])}
        </div>
    }
    .into_any()
}
