//! The head of the page: which sale, on what terms, where it stands, and how the live connection stands.

use super::{Sale, refund::Refund};
use crate::{
    components::{Definition, LocalTime, TimeStyle, format::countdown},
    i18n,
    live::event_stream::Connection,
    sales::{head::SaleHead, red_packet::words::words},
};
use leptos::prelude::*;

/// Names the sale and says what can change about it.
#[component]
pub fn Head(sale: Sale, connection: Signal<Connection>) -> impl IntoView {
    let (words, shared) = (words(), i18n::words());
    let (splitter, opened_at, expires_at) =
        sale.snapshot.with_untracked(|sale| (sale.splitter, sale.opened_at, sale.expires_at));
    let time_left = move || match sale.now.get() {
        0 => None,
        _ if sale.ended().is_some() => None,
        now => u64::try_from(expires_at - now).ok().map(|left| (shared.time_left)(countdown(left, shared.days))),
    };
    view! {
        <SaleHead kind=&words.kind sale=sale.id() state=Signal::derive(move || sale.state()) connection>
            <dl class="terms">
                <Definition term=words.splitter>{(words.splitter_name)(splitter)}</Definition>
                <Definition term=shared.opened_at>
                    <LocalTime at=opened_at style=TimeStyle::Full />
                </Definition>
                <Definition term=words.expires_at>
                    <LocalTime at=expires_at style=TimeStyle::Full />
                    <span class="left">{time_left}</span>
                </Definition>
            </dl>
            <Refund sale />
        </SaleHead>
    }
}
