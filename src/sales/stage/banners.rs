//! Messages over the stage: the verdict of a run that has just ended, and why the page may be out of date.

use super::{StageSale, words::words};
use crate::{
    components::{Alert, Button, Icon, Notice, Outage, OutageBanner, hand_focus_on},
    crowd::{
        Status,
        panel::{Findings, VerifiedRun},
        words::words as crowd_words,
    },
    domain::{Millis, SaleState, Verdict},
    ledger::status::{LedgerAlerts, SaleLedger, SuspendedNotice},
    live::event_stream::{Connection, LiveStream},
};
use leptos::{html, prelude::*};

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
    let place = NodeRef::<html::Div>::new();
    view! {
        <div class="banners" tabindex="-1" node_ref=place>
            <OutageBanner outage=use_outage(sale.stream) />
            <Alert errors=sale.crowd.errors />
            // The button sends a form that may be out of sight.
            <div class="notices" role="alert">
                <Show when=move || sale.crowd.errors.is_placed()>
                    <Notice>{crowd_words().wrong_setting}</Notice>
                </Show>
            </div>
            <Show when=move || state.get() == SaleState::Suspended>
                <SuspendedNotice sale=sale.id.get_value() />
            </Show>
            <LedgerAlerts ledger sale=sale.id.get_value() />
            <VerdictBanner sale place />
        </div>
    }
}

/// Since when the figures stand still, and what can still be done.
fn use_outage(LiveStream { connection, heard_at }: LiveStream) -> Signal<Option<Outage>> {
    let words = words();
    let connection = Memo::new(move |_| connection.get());
    let outage = RwSignal::new(None::<Outage>);
    Effect::new(move || {
        let (title, advice) = match connection.get() {
            Connection::Live => return outage.set(None),
            Connection::Connecting => return,
            Connection::StoreDown => (words.redis_down, words.redis_down_advice),
            Connection::Lost => (words.server_gone, words.server_gone_advice),
        };
        let now = js_sys::Date::now() as Millis;
        outage.update(|outage| {
            let since = outage.map_or(now, |outage| outage.since);
            *outage = Some(Outage { title, advice, since, as_of: heard_at.get_value().unwrap_or(now) });
        });
    });
    outage.into()
}

/// The verdict of the latest run, if it was not known when the page began, until it is dismissed or another run starts.
#[component]
fn VerdictBanner(
    /// What the stage knows of the sale.
    sale: StageSale,
    /// The place of all messages, to which the focus goes from one that is dismissed.
    place: NodeRef<html::Div>,
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
    let dismiss = move || {
        let run = untrack(|| crowd.read(|status| status.run.clone()));
        hand_focus_on(place, place, || dismissed.set(Some(run)));
    };
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
