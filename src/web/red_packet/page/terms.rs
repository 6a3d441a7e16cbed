//! The terms of the sale.

use crate::{
    components::{Definition, LocalTime, TimeStyle, format::countdown, use_now},
    i18n,
    red_packet::{page::Sale, words::words},
    stage::{OpenedAt, TermsCard},
};
use leptos::prelude::*;

/// Shows the split of the money, and the end of the sale.
#[component]
pub fn Terms(
    /// The sale, whose terms never change.
    sale: Sale,
    /// The reason why no packet is left to get.
    ended: Signal<Option<&'static str>>,
) -> impl IntoView {
    let (words, shared) = (words(), i18n::words());
    let (splitter, opened_at, expires_at) =
        sale.snapshot.with_untracked(|sale| (sale.splitter, sale.opened_at, sale.expires_at));
    let now = use_now();
    let time_left = move || match now.get() {
        0 => None,
        _ if ended.get().is_some() => None,
        now => u64::try_from(expires_at - now).ok().map(|left| (shared.time_left)(countdown(left, shared.days))),
    };
    view! {
        <TermsCard>
            <Definition term=words.splitter>{(words.splitter_name)(splitter)}</Definition>
            <OpenedAt at=opened_at />
            <Definition term=words.expires_at>
                <LocalTime at=expires_at style=TimeStyle::Full />
                <span class="left">{time_left}</span>
            </Definition>
        </TermsCard>
    }
}
