//! The ledger's lag behind a sale, and its problems: on the sale's own page and on the audit board.

use super::{SaleStatus, Status, api, query::LedgerQuery, words::words};
use crate::components::{
    Definition, FirstCall, Notice,
    format::{count, tenths},
    use_polling,
};
use leptos::prelude::*;
use std::time::Duration;

const INTERVAL: Duration = Duration::from_secs(1);
/// The command that restores a sale in Redis.
const RECOVER: &str = "stampede recover SALE";
/// Shown while nothing is known yet.
const UNKNOWN: &str = "–";

/// The ledger on a sale's page, polled every second while the tab is visible.
#[component]
pub fn LedgerStatus(
    /// The kind of the sale, as in keys.
    kind: &'static str,
    #[prop(into)] sale: String,
    /// The sale is suspended until it is recovered.
    #[prop(into)]
    suspended: Signal<bool>,
) -> impl IntoView {
    let words = words();
    let history = LedgerQuery::of_sale(sale.clone()).url();
    let status = RwSignal::new(None);
    let unreachable = RwSignal::new(false);
    let sale = StoredValue::new(sale);
    use_polling(
        INTERVAL,
        FirstCall::AtOnce,
        move || api::status(Some(sale.get_value())),
        move |answer| {
            // The previous status stays until the next answer.
            let Ok(Status { sales, unreachable: why, .. }) = answer else { return };
            status.set(sales.into_iter().find(|status| status.kind == kind));
            unreachable.set(why.is_some());
        },
    );
    view! {
        <div class="behind">
            <h3>{words.title}</h3>
            <dl class="terms">
                <LagDefinitions status />
            </dl>
            <a href=history>{words.history}</a>
            <Show when=move || unreachable.get()>
                <Notice>{words.unreachable}</Notice>
            </Show>
            <Show when=move || suspended.get()>
                <SuspendedNotice />
            </Show>
            <LedgerProblems status />
        </div>
    }
}

/// The ledger's lag and the last event that it has, for a `<dl>`.
#[component]
pub fn LagDefinitions(#[prop(into)] status: Signal<Option<SaleStatus>>) -> impl IntoView {
    let words = words();
    let lag = move || {
        status.with(|status| {
            status.as_ref().map_or_else(
                || UNKNOWN.to_owned(),
                |status| (words.behind_by)(status.lag_events, tenths((status.lag_seconds * 10.0) as u64)),
            )
        })
    };
    let last_event = move || {
        status.with(|status| {
            status.as_ref().map_or_else(|| UNKNOWN.to_owned(), |status| status.applied_event_id.to_string())
        })
    };
    view! {
        <Definition term=words.behind>{lag}</Definition>
        <Definition term=words.last_event>
            <code>{last_event}</code>
        </Definition>
    }
}

/// Problems of the sale in the ledger, if there are any.
#[component]
pub fn LedgerProblems(#[prop(into)] status: Signal<Option<SaleStatus>>) -> impl IntoView {
    let words = words();
    let read = move |find: fn(&SaleStatus) -> Option<u64>| {
        Memo::new(move |_| status.with(|status| status.as_ref().and_then(find)))
    };
    let is_lost = Memo::new(move |_| status.with(|status| status.as_ref().is_some_and(|status| status.lost)));
    let long_stream = read(|status| status.alarm.then_some(status.stream_length));
    let dead_letters = read(|status| Some(status.set_aside).filter(|number| *number > 0));
    view! {
        <div class="ledger-alerts">
            <Show when=move || is_lost.get()>
                <RecoverNotice sentence=words.not_in_redis />
            </Show>
            {move || long_stream.get().map(|length| view! { <Notice>{(words.long_stream)(count(length))}</Notice> })}
            {move || dead_letters.get().map(|number| view! { <Notice>{(words.dead_letters)(number)}</Notice> })}
        </div>
    }
}

/// Says that the sale is suspended, and how to recover it.
#[component]
pub fn SuspendedNotice() -> impl IntoView {
    view! { <RecoverNotice sentence=words().suspended /> }
}

#[component]
fn RecoverNotice(
    /// Followed by the command.
    sentence: &'static str,
) -> impl IntoView {
    view! {
        <Notice>
            {sentence} " " <code>{RECOVER}</code>
        </Notice>
    }
}
