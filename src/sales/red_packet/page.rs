//! The page of one red packet sale: its first paint comes from the server whole, then every frame of
//! the live view replaces the snapshot that all parts read from.

mod audit;
mod claim;
mod feed;
mod figures;
mod head;
mod histogram;
mod queues;
mod refund;
mod rows;
mod source;

pub use head::badge;

use super::{ScriptInfo, Snapshot, State, api};
use crate::{
    crowd::panel::CrowdPanel,
    error::Result,
    live::browser::{Link, follow},
    sales::Millis,
    ui::{format::segment, notice::fault, platform},
    words::words,
};
use leptos::prelude::*;
use leptos_meta::Title;
use leptos_router::hooks::use_params_map;
use serde::{Deserialize, Serialize};
use std::time::Duration;

/// What the page needs before anything can be shown.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
struct Loaded {
    snapshot: Snapshot,
    script: ScriptInfo,
}

async fn load(sale: String) -> Result<Loaded> {
    Ok(Loaded { snapshot: api::snapshot(sale).await?, script: api::script().await? })
}

/// `/red-packets/<id>`
#[component]
pub fn RedPacketPage() -> impl IntoView {
    let words = words();
    let params = use_params_map();
    let id = Memo::new(move |_| params.with(|params| params.get("id").unwrap_or_default()));
    let loaded = Resource::new_blocking(move || id.get(), load);
    let response = platform::response();
    let page = move || {
        let response = response.clone();
        Suspend::new(async move {
            match loaded.await {
                Ok(loaded) => fight(loaded),
                Err(error) => {
                    let (status, title) = (error.code.status(), (words.error_title)(error.code));
                    response.status(status);
                    view! { <Title text=title /> {fault(title, (words.error)(error.code), status >= 500)} }.into_any()
                }
            }
        })
    };
    let waiting = move || view! { <main id="main" class="fault"><p>{words.loading}</p></main> };
    view! { <Suspense fallback=waiting>{page}</Suspense> }.into_any()
}

/// A sale on the page: what is known of it, and how it is heard of.
#[derive(Clone, Copy)]
pub struct Sale {
    snapshot: RwSignal<Snapshot>,
    link: RwSignal<Link>,
    /// The browser's clock, once a second while somebody looks; none before there is a browser.
    now: RwSignal<Option<Millis>>,
}

/// What the badge says: the state, with "sold out" and "just expired" seen from here.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Standing {
    Opening,
    Open,
    SoldOut,
    Expired,
    Refunded,
}

impl Standing {
    pub fn of(state: State, pending: u64) -> Self {
        match state {
            State::Opening => Self::Opening,
            State::Open if pending == 0 => Self::SoldOut,
            State::Open => Self::Open,
            State::Expired => Self::Expired,
            State::Refunded => Self::Refunded,
        }
    }
}

impl Sale {
    /// Part of the snapshot as text. `fn` and not `Fn`: one piece of machine code serves all texts.
    fn text(self, read: fn(&Snapshot) -> String) -> Signal<String> {
        Memo::new(move |_| self.snapshot.with(read)).into()
    }

    fn number(self, read: fn(&Snapshot) -> u64) -> Signal<u64> {
        Memo::new(move |_| self.snapshot.with(read)).into()
    }

    fn standing(self) -> Memo<Standing> {
        Memo::new(move |_| self.snapshot.with(|sale| Standing::of(sale.state, sale.pending)))
    }

    fn id(self) -> String {
        self.snapshot.with_untracked(|sale| sale.sale.clone())
    }

    /// Shows a snapshot, unless a newer one is shown already.
    fn show(self, snapshot: Snapshot) {
        if self.snapshot.try_with_untracked(|shown| shown.event_id <= snapshot.event_id) == Some(true) {
            self.snapshot.set(snapshot);
        }
    }

    /// Fetches a snapshot: for what happens without an event, and after acts of our own.
    fn refresh(self) {
        let id = self.id();
        leptos::task::spawn_local(async move {
            if let Ok(snapshot) = api::snapshot(id).await {
                self.show(snapshot);
            }
        });
    }
}

fn fight(Loaded { snapshot, script }: Loaded) -> AnyView {
    let words = words();
    let id = snapshot.sale.clone();
    let title = [words.red_packet, " ", &id].concat();
    let snapshot = RwSignal::new(snapshot);
    let link = follow(
        move || {
            let after = snapshot.with_untracked(|sale| sale.event_id.to_string());
            ["/live/red-packet/", &segment(&id), "?after=", &after].concat()
        },
        move |frame| {
            if let Ok(frame) = serde_json::from_str(frame) {
                // Each frame stands on its own, whatever was shown before.
                _ = snapshot.try_set(frame);
            }
        },
    );
    let sale = Sale { snapshot, link, now: RwSignal::new(None) };
    keep_time(sale);
    let crowd = Memo::new(move |_| sale.snapshot.with(|sale| sale.crowd.clone()));
    let event_id = sale.text(|sale| sale.event_id.to_string());
    view! {
        <Title text=title />
        <main id="main" class="fight" tabindex="-1" data-event-id=event_id>
            {head::head(sale)}
            {queues::queues(sale)}
            {claim::claim(sale)}
            {figures::figures(sale)}
            <CrowdPanel sale=sale.id() status=crowd />
            {feed::feed(sale)}
            {histogram::histogram(sale)}
            {audit::audit(sale)}
            {source::source(sale, script)}
        </main>
    }
    .into_any()
}

/// Ticks once a second, and asks again when the time of a sale that counts as open is over: nothing
/// happens in Redis at that moment, so no event tells.
fn keep_time(sale: Sale) {
    const TICK: Duration = Duration::from_secs(1);
    const ASK_EVERY_S: u32 = 3;
    Effect::new(move |_| {
        let waited = StoredValue::new(ASK_EVERY_S);
        let tick = move || {
            if platform::hidden() {
                return;
            }
            let now = platform::now();
            sale.now.set(Some(now));
            let over = sale.snapshot.with_untracked(|sale| sale.state == State::Open && sale.expires_at < now);
            if over {
                waited.update_value(|waited| *waited += 1);
                if waited.get_value() > ASK_EVERY_S {
                    waited.set_value(0);
                    sale.refresh();
                }
            }
        };
        tick();
        if let Ok(ticking) = set_interval_with_handle(tick, TICK) {
            on_cleanup(move || ticking.clear());
        }
    });
}
