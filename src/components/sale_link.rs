//! The way to a sale's page.

use super::format::segment;
use leptos::prelude::*;

/// The address of a sale's page, by the kind as it stands in keys.
pub fn sale_url(kind: &str, sale: &str) -> String {
    let folder = if kind == "ticket" { "tickets" } else { "red-packets" };
    format!("/{folder}/{}", segment(sale))
}

/// A link that bears the sale's name.
#[component]
pub fn SaleLink(#[prop(into)] kind: String, #[prop(into)] sale: String) -> impl IntoView {
    // The router decodes a link's address once too often for an id with a percent sign.
    let rel = sale.contains('%').then_some("external");
    let href = sale_url(&kind, &sale);
    view! {
        <a href=href rel=rel translate="no">
            {sale}
        </a>
    }
}
