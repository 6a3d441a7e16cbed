//! Messages over the stage: the verdict of a run that has just ended, and why the page may be out of date.

use super::{StageSale, words::words};
use crate::{
    components::{Button, Icon, LocalTime, TimeStyle},
    crowd::{
        Status,
        panel::{Findings, VerifiedRun},
    },
    domain::{Millis, SaleState, Verdict},
    ledger::status::{LedgerAlerts, SaleLedger, SuspendedNotice},
    live::event_stream::Connection,
};
use leptos::prelude::*;

/// All of them, one below the other.
#[component]
pub fn Banners(
    /// What the stage knows of the sale.
    sale: StageSale,
    /// The ledger's lag behind the sale, loaded every second.
    ledger: SaleLedger,
) -> impl IntoView {
    let state = Memo::new({
        let state = sale.state;
        move |_| state.get()
    });
    view! {
        <div class="banners">
            <Outage connection=sale.connection />
            <Show when=move || state.get() == SaleState::Suspended>
                <SuspendedNotice sale=sale.id.get_value() />
            </Show>
            <LedgerAlerts ledger sale=sale.id.get_value() />
            <VerdictBanner sale />
        </div>
    }
}

/// Since when the figures stand still, and what can still be done.
#[component]
fn Outage(
    /// How the live view stands.
    connection: Signal<Connection>,
) -> impl IntoView {
    let words = words();
    let connection = Memo::new(move |_| connection.get());
    // When the connection was lost; `None` while there is one.
    let since = RwSignal::new(None::<(Connection, Millis)>);
    Effect::new(move || match connection.get() {
        Connection::Live => since.set(None),
        Connection::Connecting => {}
        lost => since.update(|since| {
            let at = since.map_or_else(|| js_sys::Date::now() as Millis, |(_, at)| at);
            *since = Some((lost, at));
        }),
    });
    let banner = move |(lost, at): (Connection, Millis)| {
        let (title, advice) = match lost {
            Connection::StoreDown => (words.redis_down, words.redis_down_advice),
            _ => (words.server_gone, words.server_gone_advice),
        };
        view! {
            <div class="banner outage">
                <Icon icon=icondata_lu::LuTriangleAlert />
                <div>
                    <b>{title}</b>
                    <p>{words.figures_as_of} " " <LocalTime at style=TimeStyle::Clock /> ". " {advice}</p>
                </div>
            </div>
        }
    };
    view! { <div role="alert">{move || since.get().map(banner)}</div> }
}

/// The verdict of the latest run, if it was not known when the page began, until it is dismissed or another run starts.
#[component]
fn VerdictBanner(
    /// What the stage knows of the sale.
    sale: StageSale,
) -> impl IntoView {
    let words = words();
    let crowd = sale.crowd;
    let verified = |status: &Status| status.verification.is_some().then(|| status.run.clone());
    let dismissed = RwSignal::new(crowd.status.with_untracked(|status| status.as_ref().and_then(verified)));
    let found = Memo::new(move |_| {
        crowd.status.with(|status| {
            let status = status.as_ref().filter(|status| dismissed.with(|run| run.as_ref() != Some(&status.run)))?;
            VerifiedRun::of(status)
        })
    });
    let dismiss = move || dismissed.set(Some(untrack(|| crowd.read(|status| status.run.clone()))));
    let banner = move |found: VerifiedRun| {
        let class = match found.verdict() {
            Verdict::Holds => "banner verdict-banner holds",
            Verdict::Broken => "banner verdict-banner broken",
            Verdict::Unknown => "banner verdict-banner unknown",
        };
        view! {
            <div class=class>
                <Findings found />
                <Button class="quiet" on_click=move || dismiss() {..} aria-label=words.dismiss title=words.dismiss>
                    <Icon icon=icondata_lu::LuX />
                </Button>
            </div>
        }
    };
    view! { <div role="status">{move || found.get().map(banner)}</div> }
}
