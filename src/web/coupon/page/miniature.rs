//! The demonstration on the first page: the bar of the limit for all.

use crate::{
    coupon::words::words,
    kind::{Miniature, MiniatureSale},
};
use leptos::prelude::*;

/// The demonstration of coupons.
pub const MINIATURE: Miniature =
    Miniature { sentence: || words().demonstration, picture: |sale| view! { <Bar sale /> }.into_any() };

#[component]
fn Bar(
    /// The sale of the picture.
    sale: MiniatureSale,
) -> impl IntoView {
    let share = Memo::new(move |_| (sale.share() * 1_000.0).round());
    view! {
        <div class="mini-coupons">
            <span style=move || format!("--share:{}", share.get())></span>
        </div>
    }
}
