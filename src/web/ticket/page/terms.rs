//! The terms of the sale.

use crate::{
    components::{Definition, format::count},
    life::{LifeTerms, PageLife},
    stage::{OpenedAt, TermsCard},
    ticket::{page::Sale, words::words},
};
use leptos::prelude::*;

/// Shows the number of seats, the limit per user, and the duration of a hold.
#[component]
pub fn Terms(
    /// The sale, whose terms never change.
    sale: Sale,
    /// Its start, its end and its currency.
    life: PageLife,
) -> impl IntoView {
    let words = words();
    let (opened_at, limit, hold_s, extendable) =
        sale.live.snapshot.with_untracked(|sale| (sale.opened_at, sale.limit_per_user, sale.hold_s, sale.extendable));
    let hold = (words.hold_for)(hold_s);
    let hold = if extendable { (words.hold_extendable)(hold) } else { hold };
    let seats = sale.hall.with_value(|hall| hall.seats());
    view! {
        <TermsCard>
            <Definition term=words.seats>{count(seats.into())}</Definition>
            <Definition term=words.limit>{count(limit.into())}</Definition>
            <Definition term=words.hold>{hold}</Definition>
            <OpenedAt at=opened_at />
            <LifeTerms life />
        </TermsCard>
    }
}
