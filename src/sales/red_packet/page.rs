//! The page of one red packet sale: its first paint comes from the server whole, then every frame of
//! the live view replaces the snapshot that all parts read from.

mod claim;
mod crowd;
mod feed;
mod figures;
mod head;
mod histogram;
mod ledger;
mod open;
mod queues;
mod refund;
mod rows;
mod source;
mod summary;

pub use head::badge;
pub use summary::PAGES;

use super::{Snapshot, State, api::SnapshotRequest};
use crate::{
    crowd::{Status, panel::CrowdPanel},
    error::Result,
    i18n,
    ledger::audit_section::AuditSection,
    live::browser::{Link, follow},
    sales::{Millis, ScriptInfo, red_packet::words::words},
    ui::{
        ask::ask,
        format::segment,
        node::{Node, live},
        platform,
        title::set_title,
        work::{effect, every},
    },
    wire,
};
use leptos::prelude::*;
use leptos_router::{hooks::use_location, location::Url};
use serde::{Deserialize, Serialize};
use std::time::Duration;

/// What the page needs before anything can be shown.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
struct Loaded {
    snapshot: Snapshot,
    script: ScriptInfo,
}

async fn load(sale: String) -> Result<Loaded> {
    Ok(Loaded { snapshot: super::api::snapshot(sale).await?, script: super::api::script().await? })
}

/// `/red-packets/<id>`
#[component]
pub fn RedPacketPage() -> impl IntoView {
    // Not from the route's parameters: they are decoded twice, and an id may have a percent sign.
    let path = use_location().pathname;
    let id = Memo::new(move |known: Option<&String>| {
        let id = path.with(|path| path.strip_prefix("/red-packets/").map(Url::unescape));
        id.or_else(|| known.cloned()).unwrap_or_default()
    });
    let data = Resource::new(move || id.get(), load);
    view! { <crate::components::Loaded resource=data let:data>{sale_page(data)}</crate::components::Loaded> }
}

/// A sale on the page: what is known of it, and how it is heard of.
#[derive(Clone, Copy)]
pub struct Sale {
    snapshot: RwSignal<Snapshot>,
    /// The snapshot's crowd, apart: it changes at times of its own.
    crowd: RwSignal<Option<Status>>,
    link: RwSignal<Link>,
    /// The browser's clock, once a second while somebody looks; zero before there is a browser.
    now: RwSignal<Millis>,
}

/// What the badge says: the state, with "sold out" and "just expired" seen from here.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Standing {
    Opening,
    Open,
    SoldOut,
    Expired,
    Refunded,
    Suspended,
}

impl Standing {
    pub const ALL: [Self; 6] =
        [Self::Opening, Self::Open, Self::SoldOut, Self::Expired, Self::Refunded, Self::Suspended];

    pub fn of(state: State, pending: u64) -> Self {
        match state {
            State::Opening => Self::Opening,
            State::Open if pending == 0 => Self::SoldOut,
            State::Open => Self::Open,
            State::Expired => Self::Expired,
            State::Refunded => Self::Refunded,
            State::Suspended => Self::Suspended,
        }
    }
}

impl Sale {
    fn new(mut snapshot: Snapshot) -> Self {
        let crowd = RwSignal::new(snapshot.crowd.take());
        let id = snapshot.sale.clone();
        let snapshot = RwSignal::new(snapshot);
        let now = RwSignal::new(0);
        let address = move || {
            let after = snapshot.with_untracked(|sale| sale.event_id.to_string());
            ["/live/red-packet/", &segment(&id), "?after=", &after].concat()
        };
        let link = RwSignal::new(Link::Connecting);
        let sale = Self { snapshot, crowd, link, now };
        follow(link, address, move |frame| {
            if let Ok(frame) = wire::read(frame.as_bytes()) {
                sale.show(frame);
            }
        });
        sale
    }

    /// Part of the snapshot. `fn` and not `Fn`: one piece of machine code serves all parts of a type.
    fn read<T>(self, read: fn(&Snapshot) -> T) -> T {
        self.snapshot.with(read)
    }

    /// Part of the snapshot as text.
    fn text(self, read: fn(&Snapshot) -> String) -> Node {
        live(move || self.read(read))
    }

    fn standing(self) -> Standing {
        self.read(|sale| Standing::of(sale.state, sale.pending))
    }

    fn id(self) -> String {
        self.snapshot.with_untracked(|sale| sale.sale.clone())
    }

    /// Shows a snapshot, unless a newer one is shown already. The page may be gone by then.
    fn show(self, mut snapshot: Snapshot) {
        if self.snapshot.try_with_untracked(|shown| shown.event_id <= snapshot.event_id) != Some(true) {
            return;
        }
        let crowd = snapshot.crowd.take();
        if self.crowd.with_untracked(|shown| *shown != crowd) {
            self.crowd.set(crowd);
        }
        self.snapshot.set(snapshot);
    }

    /// Fetches a snapshot: for what happens without an event, and after acts of our own.
    fn refresh(self) {
        let id = self.id();
        ask(SnapshotRequest { sale: id }, move |answer| {
            if let Ok(snapshot) = answer {
                self.show(snapshot);
            }
        });
    }
}

fn sale_page(Loaded { snapshot, script }: Loaded) -> impl IntoView {
    set_title([i18n::words().sale, " ", &snapshot.sale].concat());
    let sale = Sale::new(snapshot);
    keep_time(sale);
    let crowd_running =
        Signal::derive(move || sale.crowd.with(|crowd| crowd.as_ref().is_some_and(|crowd| !crowd.phase.is_over())));
    view! {
        <main id="main" class="fight" tabindex="-1" data-event-id=move || sale.read(|sale| sale.event_id.to_string())>
            {Node::from(head::head(sale))}
            {Node::from(queues::queues(sale))}
            {Node::from(claim::claim(sale))}
            {Node::from(figures::figures(sale))}
            <CrowdPanel sale=sale.id() status=sale.crowd.into() form=crowd::CROWD />
            {Node::from(feed::feed(sale))}
            {Node::from(histogram::histogram(sale))}
            <AuditSection kind="red_packet" sale=sale.id() empty=words().not_audited crowd_running />
            {Node::from(source::source(sale, script))}
        </main>
    }
}

/// Ticks once a second, and asks again when the time of a sale that counts as open is over: nothing
/// happens in Redis at that moment, so no event tells.
fn keep_time(sale: Sale) {
    const TICK: Duration = Duration::from_secs(1);
    /// Between two questions: the server's clock may be behind this one.
    const PATIENCE: Millis = 3_000;
    effect(move || {
        let asked = StoredValue::new(0);
        let tick = move || {
            if platform::hidden() {
                return;
            }
            let now = platform::now();
            sale.now.set(now);
            let over = sale.snapshot.with_untracked(|sale| sale.state == State::Open && sale.expires_at < now);
            if over && asked.get_value() + PATIENCE < now {
                asked.set_value(now);
                sale.refresh();
            }
        };
        tick();
        every(TICK, tick);
    });
}
