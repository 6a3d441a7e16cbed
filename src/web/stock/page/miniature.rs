//! The demonstration on the first page: the quantity left, and how it has fallen.

use crate::{
    components::{Sparkline, format::count},
    kind::{Miniature, MiniatureSale},
    stock::words::words,
};
use leptos::prelude::*;

/// The demonstration of stock.
pub const MINIATURE: Miniature =
    Miniature { sentence: || words().demonstration, picture: |sale| view! { <Quantity sale /> }.into_any() };

#[component]
fn Quantity(
    /// The sale of the picture.
    sale: MiniatureSale,
) -> impl IntoView {
    view! {
        <div class="mini-stock">
            <b>{move || count(sale.total().saturating_sub(sale.given()))}</b>
            <Sparkline values=sale.course top=Signal::derive(move || sale.total() as f64) />
        </div>
    }
}
