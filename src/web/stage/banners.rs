//! Messages over the stage: the verdict of a run that has just ended, and the reason why the page may be out of date.

use crate::{
    components::{Alert, Button, Icon, Notice, Outage, OutageBanner, Tone, hand_focus_on, performance_now, server_now},
    crowd::{
        panel::{Findings, VerifiedRun},
        words::words as crowd_words,
    },
    ledger::status::{LedgerAlerts, SaleLedger, SuspendedNotice},
    life::PauseNotice,
    live::event_stream::{Connection, LiveStream},
    stage::{StageSale, words::words},
};
use leptos::{ev, html, prelude::*};
use leptos_use_event_listener::{UseEventListenerOptions, use_event_listener, use_event_listener_with_options};
use model::{SaleState, crowd::Status};
use wasm_bindgen::JsCast;
use web_sys::{EventTarget, Node, WheelEvent};

/// Shows all messages, one below the other.
#[component]
pub fn Banners(
    /// The sale, as the stage sees it.
    sale: StageSale,
    /// The ledger's lag behind the sale, loaded every second.
    ledger: SaleLedger,
    /// The stage below them.
    stage: NodeRef<html::Div>,
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
            // The form of this button may be out of view.
            <div class="notices" role="alert">
                <Show when=move || sale.crowd.errors.has_kept_from_submitting()>
                    <Notice>{crowd_words().wrong_setting}</Notice>
                </Show>
            </div>
            <Show when=move || state.get() == SaleState::Suspended>
                <SuspendedNotice sale=sale.id.get_value() status=ledger.status />
            </Show>
            <PauseNotice life=sale.life held=sale.held />
            <LedgerAlerts ledger sale=sale.id.get_value() />
            <VerdictBanner sale place stage />
        </div>
    }
}

/// Returns the outage: the time since when the figures stand still, and the actions that are still possible.
fn use_outage(LiveStream { connection, heard_at }: LiveStream) -> Signal<Option<Outage>> {
    let words = words();
    let connection = Memo::new(move |_| connection.get());
    let outage = Memo::new(move |before: Option<&Option<Outage>>| {
        let before = before.copied().flatten();
        let (title, advice) = match connection.get() {
            Connection::Live => return None,
            Connection::Connecting => return before,
            Connection::Waiting => (words.not_live, words.not_live_advice),
            Connection::StoreDown => (words.redis_down, words.redis_down_advice),
            Connection::Silent => (words.silent, words.server_gone_advice),
            Connection::Lost => (words.server_gone, words.server_gone_advice),
        };
        let now = server_now();
        let since = before.map_or(now, |outage| outage.since);
        Some(Outage { title, advice, since, as_of: heard_at.get_value().unwrap_or(now) })
    });
    outage.into()
}

/// The minimum time for which the verdict stays, in milliseconds: nobody is to miss it by zooming the stage meanwhile.
const UNMISSED: f64 = 3_000.0;

/// Shows the verdict of the latest run, if it was unknown when the page began. It stays until it is dismissed, the
/// reader clicks or zooms the stage below it, or another run starts. The crowd's tab keeps it.
#[component]
fn VerdictBanner(
    /// The sale, as the stage sees it.
    sale: StageSale,
    /// The container of all messages; it gets the focus when one is dismissed.
    place: NodeRef<html::Div>,
    /// The stage below it.
    stage: NodeRef<html::Div>,
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
    // The time of its appearance; the verdict of another run appears anew.
    let since = StoredValue::new(None::<f64>);
    let shown = Memo::new(move |_| found.with(Option::is_some).then(|| crowd.read(|status| status.run.clone())));
    Effect::new(move || since.set_value(shown.read().is_some().then(performance_now).flatten()));
    let dismiss_if_outside = move |target: Option<EventTarget>| {
        let is_within = || {
            let node = target.and_then(|target| target.dyn_into::<Node>().ok());
            place.get_untracked().is_some_and(|place| place.contains(node.as_ref()))
        };
        if since.get_value().zip(performance_now()).is_some_and(|(since, now)| now - since >= UNMISSED) && !is_within()
        {
            dismiss();
        }
    };
    _ = use_event_listener(stage, ev::click, move |event| dismiss_if_outside(event.target()));
    // A stage that the wheel zooms prevents it from scrolling the page.
    let on_wheel = move |event: WheelEvent| {
        if event.default_prevented() {
            dismiss_if_outside(event.target());
        }
    };
    _ = use_event_listener_with_options(stage, ev::wheel, on_wheel, UseEventListenerOptions::default().passive(true));
    let banner = move |found: VerifiedRun| {
        let class = match found.tone() {
            Tone::Good => "banner verdict-banner holds",
            Tone::Bad => "banner verdict-banner broken",
            _ => "banner verdict-banner unknown",
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
