//! The head of the page: which sale, on what terms, where it stands, and whether the page is live.

use super::Sale;
use crate::{
    components::{Definition, LocalTime, TimeStyle, format::count},
    domain::SaleState,
    i18n,
    ledger::status::SuspendedNotice,
    live::event_stream::Connection,
    sales::{
        head::SaleHead,
        ticket::{Snapshot, words::words},
    },
};
use leptos::prelude::*;

/// The name and terms of the sale, and how it and the connection stand.
#[component]
pub fn Head(
    sale: Sale,
    /// The event stream's.
    connection: Signal<Connection>,
) -> impl IntoView {
    let (words, shared) = (words(), i18n::words());
    let (opened_at, limit, hold_s) =
        sale.snapshot.with_untracked(|sale| (sale.opened_at, sale.limit_per_user, sale.hold_s));
    let seats = sale.hall.with_value(|hall| hall.seats());
    let state = Memo::new(move |_| sale.snapshot.with(Snapshot::sale_state));
    view! {
        <SaleHead kind=&words.kind sale=sale.id() state connection>
            <dl class="terms">
                <Definition term=words.seats>{count(seats.into())}</Definition>
                <Definition term=words.limit>{count(limit.into())}</Definition>
                <Definition term=words.hold>{(words.hold_for)(hold_s)}</Definition>
                <Definition term=shared.opened_at>
                    <LocalTime at=opened_at style=TimeStyle::Full />
                </Definition>
            </dl>
            <Show when=move || state.get() == SaleState::Suspended>
                <SuspendedNotice />
            </Show>
        </SaleHead>
    }
}
