//! The ledger's lag behind a sale, and its problems: on the sale's own page and on the audit board.

use crate::{
    base_path::under_base,
    components::{
        Definition, FirstCall, LocalTime, Notice, RecoverCommand, TimeStyle,
        format::{NO_VALUE, count, tenths},
        use_polling,
    },
    i18n::Lang,
    ledger::{api, query::LedgerQuery, words::words},
};
use leptos::{either::Either, prelude::*};
use model::{
    EventId, Millis,
    ledger::{Recovering, Recovery, SaleStatus, Status},
};
use std::time::Duration;

const INTERVAL: Duration = Duration::from_secs(1);

/// The ledger as far as one sale is concerned.
#[derive(Clone, Copy)]
pub struct SaleLedger {
    /// How far it is; `None` while nothing is known yet.
    pub status: RwSignal<Option<SaleStatus>>,
    /// Its database does not answer.
    pub unreachable: RwSignal<bool>,
}

/// Asks for the ledger's status every second while the tab is visible. `kind` as in keys; `first` is the status when the
/// page was made, if it was known.
pub fn use_sale_ledger(kind: &'static str, sale: String, first: Option<Status>) -> SaleLedger {
    let ledger = SaleLedger { status: RwSignal::new(None), unreachable: RwSignal::new(false) };
    let show = move |Status { sales, unreachable: why, .. }: Status| {
        ledger.status.set(sales.into_iter().find(|status| status.kind == kind));
        ledger.unreachable.set(why.is_some());
    };
    if let Some(first) = first {
        show(first);
    }
    let sale = StoredValue::new(sale);
    use_polling(
        INTERVAL,
        FirstCall::AfterInterval,
        move || api::status(Some(sale.get_value())),
        move |answer| {
            // The previous status stays until the next answer.
            if let Ok(status) = answer {
                show(status);
            }
        },
    );
    ledger
}

/// The ledger on a sale's page: its lag, and the way to the sale's history.
#[component]
pub fn LedgerCard(
    /// The ledger's lag behind the sale, loaded every second.
    ledger: SaleLedger,
    /// The id of the sale.
    #[prop(into)]
    sale: String,
) -> impl IntoView {
    let words = words();
    view! {
        <section class="card" aria-labelledby="ledger-title">
            <div class="bar">
                <h2 id="ledger-title">{words.title}</h2>
                <a href=under_base(LedgerQuery::of_sale(&sale).url())>{words.history}</a>
            </div>
            <dl class="terms">
                <LagDefinitions status=ledger.status />
            </dl>
        </section>
    }
}

/// What is wrong with the ledger, as far as one sale is concerned.
#[component]
pub fn LedgerAlerts(
    /// The ledger's lag behind the sale, loaded every second.
    ledger: SaleLedger,
    /// The id of the sale.
    #[prop(into)]
    sale: String,
) -> impl IntoView {
    view! {
        <Show when=move || ledger.unreachable.get()>
            <Notice>{words().unreachable}</Notice>
        </Show>
        <LedgerProblems sale status=ledger.status />
    }
}

/// The ledger's lag and the time of the last event that it has, for a `<dl>`.
#[component]
pub fn LagDefinitions(
    /// How far the ledger is with the sale; `None` while nothing is known.
    #[prop(into)]
    status: Signal<Option<SaleStatus>>,
) -> impl IntoView {
    let words = words();
    let lag = move || {
        status.with(|status| {
            status.as_ref().filter(|status| !status.away).map_or_else(
                || NO_VALUE.to_owned(),
                |status| (words.behind_by)(status.lag_events, tenths((status.lag_seconds * 10.0) as u64)),
            )
        })
    };
    let last_event = Memo::new(move |_| status.with(|status| status.as_ref().map(|status| status.applied_event_id)));
    let recorded = move || match last_event.get().filter(|event| *event != EventId::default()) {
        None => Either::Left(NO_VALUE),
        Some(event) => Either::Right(view! {
            <span title=event.to_string()>
                <LocalTime at=event.millis as Millis style=TimeStyle::Full />
            </span>
        }),
    };
    view! {
        <Definition term=words.behind>{lag}</Definition>
        <Definition term=words.last_recorded>{recorded}</Definition>
    }
}

/// Problems of the sale in the ledger, if there are any.
#[component]
pub fn LedgerProblems(
    /// The id of the sale.
    #[prop(into)]
    sale: String,
    /// How far the ledger is with the sale; `None` while nothing is known.
    #[prop(into)]
    status: Signal<Option<SaleStatus>>,
) -> impl IntoView {
    let words = words();
    let read = move |find: fn(&SaleStatus) -> Option<u64>| {
        Memo::new(move |_| status.with(|status| status.as_ref().and_then(find)))
    };
    let sale = StoredValue::new(sale);
    let is_lost = Memo::new(move |_| status.with(|status| status.as_ref().is_some_and(|status| status.lost)));
    let is_away = Memo::new(move |_| status.with(|status| status.as_ref().is_some_and(|status| status.away)));
    let long_stream = read(|status| status.alarm.then_some(status.stream_length));
    let dead_letters = read(|status| Some(status.dead_letters).filter(|number| *number > 0));
    let missing = read(|status| Some(status.missing_events).filter(|number| *number > 0));
    let recovery = Memo::new(move |_| {
        let recovery = status.with(|status| status.as_ref().and_then(|status| status.recovery.clone()));
        recovery.filter(Recovery::lost_something)
    });
    view! {
        <div class="ledger-alerts">
            <Show when=move || is_lost.get()>
                <RecoverNotice sale=sale.get_value() sentence=words.not_in_redis status />
            </Show>
            {move || is_away.get().then(|| view! { <Notice>{words.away}</Notice> })}
            {move || long_stream.get().map(|length| view! { <Notice>{(words.long_stream)(count(length))}</Notice> })}
            {move || missing.get().map(|number| view! { <Notice>{(words.missing_events)(number)}</Notice> })}
            {move || dead_letters.get().map(|number| view! { <Notice>{(words.dead_letters)(number)}</Notice> })}
            {move || recovery.get().map(|recovery| view! { <LossNotice recovery /> })}
        </div>
    }
}

/// Says what the latest recovery of the sale could not restore.
#[component]
fn LossNotice(
    /// The recovery.
    recovery: Recovery,
) -> impl IntoView {
    let words = words();
    let lost_range = recovery.lost_range();
    let Recovery { at, unseen, lost_wins, given_up, conflicts, described, .. } = recovery;
    let counts = [
        (unseen, words.lost_events),
        (lost_wins, words.lost_wins),
        (given_up, words.given_up),
        (conflicts, words.given_twice),
    ];
    let counts = counts.into_iter().filter(|(number, _)| *number > 0).map(|(number, words)| words(number));
    let counts = counts.collect::<Vec<_>>().join(words.and_also);
    let counts = (!counts.is_empty()).then(|| view! { " · " {words.not_restored} " " {counts} });
    let range = lost_range.map(|(after, event)| {
        let after = after.map(|after| {
            view! {
                <span title=after.to_string()>
                    <LocalTime at=after.millis as Millis style=TimeStyle::Full />
                </span>
                " – "
            }
        });
        let lost = if after.is_some() { words.lost_between } else { words.lost_before };
        view! {
            " · "
            {lost}
            " "
            {after}
            <span title=event.to_string()>
                <LocalTime at=event.millis as Millis style=TimeStyle::Full />
            </span>
        }
    });
    let described = (!described.is_empty()).then(|| {
        let sentences = described.into_iter().map(|sentence| view! { <li>{sentence}</li> }).collect_view();
        // In the words of the server.
        view! { <ul lang=Lang::En.tag()>{sentences}</ul> }
    });
    view! {
        <div>
            <Notice>{words.recovered_at} " " <LocalTime at style=TimeStyle::Full /> {counts} {range}</Notice>
            {described}
        </div>
    }
}

/// Says that the sale is suspended, and who recovers it.
#[component]
pub fn SuspendedNotice(
    /// The id of the sale.
    #[prop(into)]
    sale: String,
    /// How far the ledger is with the sale; `None` while nothing is known.
    #[prop(into)]
    status: Signal<Option<SaleStatus>>,
) -> impl IntoView {
    view! { <RecoverNotice sale sentence=words().suspended status /> }
}

#[component]
fn RecoverNotice(
    /// The id of the sale.
    sale: String,
    /// Followed by the command, unless a server recovers the sale by itself.
    sentence: &'static str,
    /// How far the ledger is with the sale; `None` while nothing is known.
    status: Signal<Option<SaleStatus>>,
) -> impl IntoView {
    let words = words();
    let recovering =
        Memo::new(move |_| status.with(|status| status.as_ref().and_then(|status| status.recovering.clone())));
    let sale = StoredValue::new(sale);
    let by_itself = move |Recovering { reason, again_at, .. }: Recovering| {
        let again = again_at.map(|at| {
            view! {
                " "
                {words.tried_again_at}
                " "
                <LocalTime at style=TimeStyle::Clock />
            }
        });
        let reason = reason.map(|reason| {
            view! {
                " "
                {words.recovery_failed}
                " "
                <span lang=Lang::En.tag()>{reason}</span>
            }
        });
        view! { {words.recovering} {reason} {again} }
    };
    view! {
        <Notice>
            {move || match recovering.get() {
                Some(recovering) => Either::Left(by_itself(recovering)),
                None => Either::Right(view! { {sentence} " " <RecoverCommand sale=Some(sale.get_value()) /> }),
            }}
        </Notice>
    }
}
