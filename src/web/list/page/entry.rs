//! A sale in the list.

use crate::kind_of;
use crate::{
    components::{
        Ago, Badge, Meter, SaleLink, Sparkline, StateBadge, Tone,
        format::{count, countdown},
        use_entry,
    },
    i18n, life,
    list::{let_loose::LetLoose, page::recent::with_latest, words::words},
};
use leptos::{either::Either, prelude::*};
use model::{
    Millis, SaleState,
    list::{SaleList, SaleSummary},
};

/// Shows one sale. Changing facts are read from the list; the rest is rendered once.
#[component]
pub fn Entry(
    /// The sales on this page of the list, refreshed regularly.
    sales: RwSignal<SaleList>,
    /// The sale as first listed, for facts that never change.
    first: SaleSummary,
    /// The time, for how long ago it was opened.
    time: Signal<Millis>,
) -> impl IntoView {
    let words = words();
    let SaleSummary { kind, sale, opened_at, .. } = first.clone();
    let Some(registration) = kind_of(&kind) else { return Either::Left(()) };
    let now = use_entry(first, {
        let (kind, sale) = (kind.clone(), sale.clone());
        move || sales.with(|list| list.sales.iter().find(|one| one.sale == sale && one.kind == kind).cloned())
    });
    let left = Signal::derive(move || now.with(|sale| sale.left));
    let total = Signal::derive(move || now.with(|sale| sale.total));
    let left_of = Signal::derive(move || match left.get().zip(total.get()) {
        Some((left, total)) => (words.left_of)(count(left), count(total)),
        None => words.no_limit.to_owned(),
    });
    let recent = use_recent(sales, left);
    let summary = registration.pages.summary;
    let state = Signal::derive(move || now.with(|sale| state_at(sale, time.get())));
    let title = Signal::derive(move || now.with(|sale| sale.title.clone()));
    let is_busy = Signal::derive(move || {
        now.with(|sale| sale.crowd) || !matches!(state.get(), SaleState::Scheduled | SaleState::Open)
    });
    let turn = move || now.with(|sale| turn_in(sale, state.get(), time.get()));
    let let_loose = registration.info.is_demo(&sale).then(|| {
        let total = total.get_untracked();
        view! { <LetLoose kind=registration sale=sale.clone() total disabled=is_busy /> }
    });
    let lag = move || now.with(|sale| sale.lag_events).filter(|lag| *lag > 0).map(words.lag);
    Either::Right(view! {
        <li class="card entry">
            <div class="bar">
                <SaleLink kind=kind sale=sale with_name=true title />
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
                <span>{turn}</span>
                <span>{lag}</span>
            </div>
            <div class="aside">
                <span>{i18n::words().opened_at} " " <Ago at=opened_at now=time /></span>
                <Sparkline values=recent top=Signal::derive(move || total.get().unwrap_or(0) as f64) />
            </div>
            {let_loose}
        </li>
    })
}

/// Returns the state of a sale at this time, as the list may be some seconds old; as listed while the time is unknown.
fn state_at(sale: &SaleSummary, now: Millis) -> SaleState {
    let has_come = |at: Option<Millis>| at.is_some_and(|at| at <= now);
    match sale.state {
        SaleState::Scheduled | SaleState::Open | SaleState::SoldOut | SaleState::Paused if has_come(sale.ends_at) => {
            SaleState::Expired
        }
        SaleState::Scheduled if has_come(sale.opens_at) => SaleState::Open,
        state => state,
    }
}

/// Returns the time until the start of a scheduled sale, or until the end of a running one, in words.
fn turn_in(sale: &SaleSummary, state: SaleState, now: Millis) -> Option<String> {
    let words = life::words();
    let left = |at: Option<Millis>| {
        let left = u64::try_from(at? - now).ok().filter(|_| now > 0)?;
        Some(countdown(left.div_ceil(1_000) * 1_000, i18n::words().days))
    };
    match state {
        SaleState::Scheduled => left(sale.opens_at).map(words.opens_in),
        SaleState::Open | SaleState::SoldOut | SaleState::Paused => left(sale.ends_at).map(words.ends_in),
        _ => None,
    }
}

/// Returns the number of items left, at each of the latest loads of the list.
fn use_recent(sales: RwSignal<SaleList>, left: Signal<Option<u64>>) -> Signal<Vec<f64>> {
    let recent = Memo::new(move |before: Option<&Vec<f64>>| {
        sales.track();
        with_latest(before.cloned().unwrap_or_default(), left.get_untracked())
    });
    recent.into()
}
