//! The head of the page: which sale, on what terms, where it stands, and whether the page is live.

use super::Sale;
use crate::{
    components::{Badge, CopyButton, Definition, LocalTime, TimeStyle, Tone, format::count},
    i18n,
    ledger::status::SuspendedNotice,
    live::{ConnectionBadge, event_stream::Connection},
    sales::ticket::{standing::Standing, words::words},
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
    let standing = Memo::new(move |_| sale.snapshot.with(Standing::of_snapshot));
    view! {
        <header class="head">
            <div class="title">
                <h1>{words.kind.name}</h1>
                <span class="id" translate="no">
                    {sale.id()}
                </span>
                <CopyButton label=shared.copy_id text=sale.id() />
                <StandingBadge standing />
                <ConnectionBadge connection />
            </div>
            <dl class="terms">
                <Definition term=words.seats>{count(seats.into())}</Definition>
                <Definition term=words.limit>{count(limit.into())}</Definition>
                <Definition term=words.hold>{(words.hold_for)(hold_s)}</Definition>
                <Definition term=shared.opened_at>
                    <LocalTime at=opened_at style=TimeStyle::Full />
                </Definition>
            </dl>
            <Show when=move || standing.get() == Standing::Suspended>
                <SuspendedNotice />
            </Show>
        </header>
    }
}

/// Where a sale stands, by an icon and a word.
#[component]
pub fn StandingBadge(#[prop(into)] standing: Signal<Standing>) -> impl IntoView {
    move || {
        let standing = standing.get();
        let (tone, icon) = match standing {
            Standing::Open => (Tone::Good, icondata_lu::LuCheck),
            Standing::SoldOut => (Tone::Gold, icondata_lu::LuBan),
            Standing::Suspended => (Tone::Bad, icondata_lu::LuPause),
        };
        view! { <Badge tone icon text=(words().standing)(standing) /> }
    }
}
