//! The terms of the sale.

use crate::{
    components::{Definition, LocalTime, TimeStyle, format::countdown, use_now},
    i18n,
    life::{LifeTerms, PageLife},
    red_packet::{page::Sale, words::words},
    stage::{OpenedAt, TermsCard},
};
use leptos::prelude::*;

/// Shows the split of the money, and the end of the sale.
#[component]
pub fn Terms(
    /// The sale, of whose terms only its times ever change.
    sale: Sale,
    /// Its start, its end and its currency.
    life: PageLife,
    /// The reason why no packet is left to get.
    ended: Signal<Option<&'static str>>,
) -> impl IntoView {
    let (words, shared) = (words(), i18n::words());
    let (splitter, opened_at) = sale.snapshot.with_untracked(|sale| (sale.splitter, sale.opened_at));
    let expires_at = Memo::new(move |_| sale.read(|sale| sale.expires_at));
    let now = use_now();
    let time_left = move || match now.get() {
        0 => None,
        _ if ended.get().is_some() => None,
        now => u64::try_from(expires_at.get() - now).ok().map(|left| (shared.time_left)(countdown(left, shared.days))),
    };
    view! {
        <TermsCard>
            <Definition term=words.splitter>{(words.splitter_name)(splitter)}</Definition>
            <OpenedAt at=opened_at />
            <LifeTerms life has_end=false />
            <Definition term=words.expires_at>
                {move || view! { <LocalTime at=expires_at.get() style=TimeStyle::Full /> }}
                <span class="left">{time_left}</span>
            </Definition>
        </TermsCard>
    }
}
