//! A sale in the list, as a card.

use crate::kind_of;
use crate::{
    components::{Ago, Badge, Meter, SaleLink, Sparkline, StateBadge, Tone},
    i18n,
    list::{
        let_loose::LetLoose,
        page::listed::{ListedSale, use_listed_sale},
        words::words,
    },
};
use leptos::{either::Either, prelude::*};
use model::{
    Millis,
    list::{SaleList, SaleSummary},
};

/// Shows one sale. Changing facts are read from the list; the rest is rendered once.
#[component]
pub fn Entry(
    /// The sales on this page of the list, refreshed regularly.
    sales: RwSignal<SaleList>,
    /// The sale as first listed, for facts that never change.
    first: SaleSummary,
    /// How many bytes of its id are seen, at the end.
    seen: Signal<Option<usize>>,
    /// The time, for its state and for how long ago it was opened.
    time: Signal<Millis>,
) -> impl IntoView {
    let words = words();
    let SaleSummary { kind, sale, opened_at, .. } = first.clone();
    let Some(registration) = kind_of(&kind) else { return Either::Left(()) };
    let listed = use_listed_sale(sales, first, time);
    let ListedSale { now, state, title, left, total, left_of, recent, .. } = listed;
    let summary = registration.pages.summary;
    let let_loose = registration.info.is_demo(&sale).then(|| {
        let total = total.get_untracked();
        view! { <LetLoose kind=registration sale=sale.clone() total disabled=listed.is_busy() /> }
    });
    Either::Right(view! {
        <li class="card entry">
            <div class="bar">
                <SaleLink kind=kind sale=sale with_name=true title seen />
                <span class="badges">
                    <Show when=move || now.with(|sale| sale.crowd)>
                        <Badge tone=Tone::Gold icon=icondata_lu::LuUsers text=words.crowd_running />
                    </Show>
                    <StateBadge state />
                </span>
            </div>
            <Meter
                label=words.left
                value=Signal::derive(move || left.get().unwrap_or(0))
                max=Signal::derive(move || total.get().unwrap_or(0))
                text=left_of
            />
            <div class="sub">
                <span class="left">{left_of}</span>
                <span>{(registration.pages.words)().name}</span>
                {move || now.with(summary).into_iter().map(|part| view! { <span>{part}</span> }).collect_view()}
                <span>{move || listed.turn()}</span>
                <span>{move || listed.lag()}</span>
            </div>
            <div class="aside">
                <span>{i18n::words().opened_at} " " <Ago at=opened_at now=time /></span>
                <Sparkline values=recent top=Signal::derive(move || total.get().unwrap_or(0) as f64) />
            </div>
            {let_loose}
        </li>
    })
}
