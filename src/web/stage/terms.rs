//! The terms of a sale, on its page, whatever its kind.

use crate::{
    components::{Definition, LocalTime, TimeStyle},
    i18n,
};
use leptos::prelude::*;
use model::Millis;

/// Shows a card with the fixed properties of a sale.
#[component]
pub fn TermsCard(
    /// The heading, by default "Terms".
    #[prop(default = i18n::words().terms)]
    title: &'static str,
    /// The terms: each a `Definition`, or an `OpenedAt`.
    children: Children,
) -> impl IntoView {
    view! {
        <section class="card" aria-labelledby="terms-title">
            <h2 id="terms-title">{title}</h2>
            <dl class="terms">{children()}</dl>
        </section>
    }
}

/// Shows the opening time of a sale, among its terms.
#[component]
pub fn OpenedAt(
    /// The instant, in epoch milliseconds.
    at: Millis,
) -> impl IntoView {
    view! {
        <Definition term=i18n::words().opened_at>
            <LocalTime at style=TimeStyle::Full />
        </Definition>
    }
}
