//! The terms of the sale.

use crate::{
    components::{Definition, LocalTime, TimeStyle, format::count},
    coupon::{page::Sale, words::words},
    life::{LifeTerms, PageLife},
    stage::{OpenedAt, TermsCard},
};
use leptos::prelude::*;
use model::{
    Millis,
    coupon::{Snapshot, Validity},
};

/// In which time zone days begin, whether coupons that were given back count, when coupons can be redeemed, how many own
/// codes are left, and for how many users the sale is.
#[component]
pub fn Terms(
    /// The sale, of whose terms only the limits ever change.
    sale: Sale,
    /// Its start, its end and its currency.
    life: PageLife,
) -> impl IntoView {
    let words = words();
    let (opened_at, zone, counts, Validity { valid_from, valid_until }) = sale
        .snapshot
        .with_untracked(|sale| (sale.opened_at, sale.time_zone.clone(), sale.given_back_counts, sale.validity));
    let instant = |term: &'static str, at: Option<Millis>| {
        at.map(|at| {
            view! {
                <Definition term>
                    <LocalTime at style=TimeStyle::Full />
                </Definition>
            }
        })
    };
    let lists = sale.snapshot.with_untracked(|sale| sale.lists);
    let codes_left =
        move || (words.codes_left)(count(sale.read(Snapshot::codes_left).unwrap_or_default()), count(lists.own_codes));
    view! {
        <TermsCard>
            <Definition term=words.time_zone.label>{zone}</Definition>
            <Definition term=words.given_back>
                {if counts { words.given_back_counts } else { words.given_back_frees }}
            </Definition>
            {(lists.own_codes > 0)
                .then(|| view! { <Definition term=words.own_codes>{codes_left}</Definition> })}
            {(lists.only_for > 0)
                .then(|| view! { <Definition term=words.only_for>{(words.users)(lists.only_for)}</Definition> })}
            {instant(words.valid_from, valid_from)}
            {instant(words.valid_until, valid_until)}
            <OpenedAt at=opened_at />
            <LifeTerms life />
        </TermsCard>
    }
}
