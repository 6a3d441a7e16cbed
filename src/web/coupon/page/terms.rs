//! The terms of the sale.

use crate::{
    components::Definition,
    coupon::{page::Sale, words::words},
    life::{LifeTerms, PageLife},
    stage::{OpenedAt, TermsCard},
};
use leptos::prelude::*;

/// In which time zone days begin, and whether coupons that were given back count.
#[component]
pub fn Terms(
    /// The sale, of whose terms only the limits ever change.
    sale: Sale,
    /// Its start, its end and its currency.
    life: PageLife,
) -> impl IntoView {
    let words = words();
    let (opened_at, zone, counts) =
        sale.snapshot.with_untracked(|sale| (sale.opened_at, sale.time_zone.clone(), sale.given_back_counts));
    view! {
        <TermsCard>
            <Definition term=words.time_zone.label>{zone}</Definition>
            <Definition term=words.given_back>
                {if counts { words.given_back_counts } else { words.given_back_frees }}
            </Definition>
            <OpenedAt at=opened_at />
            <LifeTerms life />
        </TermsCard>
    }
}
