//! The terms of the sale.

use crate::{
    components::{
        Definition,
        format::{count, countdown},
    },
    i18n,
    life::{LifeTerms, PageLife},
    stage::{OpenedAt, TermsCard},
    stock::{
        page::{Sale, group::GroupTerm},
        words::words,
    },
};
use leptos::prelude::*;

/// The quantity at the opening, how long it stays cached, the low mark, the limit, the time to confirm, and the group.
#[component]
pub fn Terms(
    /// The sale, whose terms never change.
    sale: Sale,
    /// Its start, its end and its currency.
    life: PageLife,
) -> impl IntoView {
    let (words, shared) = (words(), i18n::words());
    let (opened_at, quantity, ttl_s, low_mark) =
        sale.snapshot.with_untracked(|sale| (sale.opened_at, sale.units.opened, sale.ttl_s, sale.low_mark));
    let (limit, hold_s) = sale.snapshot.with_untracked(|sale| (sale.limit_per_user, sale.hold_s));
    view! {
        <TermsCard>
            <Definition term=words.opened_with>{count(quantity)}</Definition>
            <Definition term=words.kept_for>{countdown(ttl_s * 1_000, shared.days)}</Definition>
            <Definition term=words.low_mark.label>
                {low_mark.map_or_else(|| words.no_low_mark.to_owned(), count)}
            </Definition>
            <Definition term=words.limit_per_user.label>
                {limit.map_or_else(|| words.no_limit.to_owned(), count)}
            </Definition>
            <Definition term=words.confirm_within>
                {hold_s.map_or_else(|| words.no_hold.to_owned(), |hold_s| countdown(hold_s * 1_000, shared.days))}
            </Definition>
            <GroupTerm sale />
            <OpenedAt at=opened_at />
            <LifeTerms life />
        </TermsCard>
    }
}
