//! The head of a sale's page, whatever its kind.

use super::closing::SaleActions;
use crate::{
    components::{CopyButton, StateBadge},
    domain::SaleState,
    i18n::{KindWords, words},
    live::{ConnectionBadge, event_stream::Connection},
};
use leptos::prelude::*;
use leptos_meta::Title;

/// Names the sale and says where it and the connection stand; below its terms, what an operator may do about it.
#[component]
pub fn SaleHead(
    kind: &'static KindWords,
    sale: String,
    #[prop(into)] state: Signal<SaleState>,
    /// The live view's.
    connection: Signal<Connection>,
    /// The terms of the sale, and what else only its kind has.
    children: Children,
) -> impl IntoView {
    view! {
        <Title text=format!("{} {sale}", kind.name) />
        <header class="head">
            <div class="title">
                <h1>{kind.name}</h1>
                <span class="id" translate="no">
                    {sale.clone()}
                </span>
                <CopyButton label=words().copy_id text=sale.clone() />
                <StateBadge state />
                <ConnectionBadge connection />
            </div>
            {children()}
            <SaleActions kind=kind.info.id sale state />
        </header>
    }
    .into_any()
}
