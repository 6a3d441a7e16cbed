//! The page of one red packet sale. The server renders it whole; then every frame of the live view replaces the
//! snapshot that all parts read.

mod claim;
mod crowd;
mod feed;
mod figures;
mod head;
mod histogram;
mod open;
mod queues;
mod refund;
mod rows;
mod source;
mod summary;

pub use summary::PAGES;

use super::{INFO, Snapshot, api, words::words};
use crate::{
    components::{Loaded, use_now, use_sale_id},
    crowd::{
        Status,
        panel::{self, CrowdPanel},
    },
    domain::{Millis, SaleState, ScriptInfo},
    error::Result,
    ledger::audit_section::AuditSection,
    live::event_stream::use_event_stream,
};
use claim::ClaimForm;
use feed::Feed;
use figures::Figures;
use futures::future;
use head::Head;
use histogram::AmountHistogram;
use leptos::prelude::*;
use queues::Queues;
use source::Source;

/// `/red-packets/<id>`
#[component]
pub fn RedPacketPage() -> impl IntoView {
    let id = use_sale_id("/red-packets/");
    let data = Resource::new(move || id.get(), load);
    view! {
        <Loaded resource=data let:data>
            <SalePage snapshot=data.0 script=data.1 />
        </Loaded>
    }
}

async fn load(sale: String) -> Result<(Snapshot, ScriptInfo)> {
    future::try_join(api::snapshot(sale), api::script()).await
}

/// The sale on the page, for all of its parts.
#[derive(Clone, Copy)]
struct Sale {
    snapshot: RwSignal<Snapshot>,
    /// The latest crowd there; apart, since the figures change far more often.
    crowd: RwSignal<Option<Status>>,
    /// The browser's clock, once a second; zero before hydration.
    now: Signal<Millis>,
}

impl Sale {
    fn new(mut snapshot: Snapshot) -> Self {
        let crowd = RwSignal::new(snapshot.crowd.take());
        Self { snapshot: RwSignal::new(snapshot), crowd, now: use_now() }
    }

    fn id(self) -> String {
        self.snapshot.with_untracked(|sale| sale.sale.clone())
    }

    /// Part of the snapshot.
    fn read<T>(self, read: impl FnOnce(&Snapshot) -> T) -> T {
        self.snapshot.with(read)
    }

    /// Where the sale stands, with "sold out" told apart.
    fn state(self) -> SaleState {
        self.read(Snapshot::sale_state)
    }

    /// Why nothing can be got here any more; none while something can.
    fn ended(self) -> Option<&'static str> {
        match self.state() {
            SaleState::Closed => Some(words().sale_closed),
            SaleState::Expired | SaleState::Refunded => Some(words().sale_expired),
            SaleState::Opening | SaleState::Open | SaleState::SoldOut | SaleState::Suspended | SaleState::Archived => {
                None
            }
        }
    }

    /// Shows a frame of the live view. Frames come in order and the latest is right, also where Redis has lost
    /// events and the sale has gone back to an earlier one.
    fn show(self, mut frame: Snapshot) {
        let crowd = frame.crowd.take();
        if self.crowd.with_untracked(|shown| *shown != crowd) {
            self.crowd.set(crowd);
        }
        self.snapshot.set(frame);
    }
}

/// The page of a sale that there is.
#[component]
fn SalePage(snapshot: Snapshot, script: ScriptInfo) -> impl IntoView {
    let words = words();
    let sale = Sale::new(snapshot);
    let shown = move || sale.snapshot.with_untracked(|sale| sale.event_id);
    let ended = Memo::new(move |_| sale.ended()).into();
    let connection = use_event_stream(&INFO, &sale.id(), shown, move |frame| sale.show(frame));
    view! {
        <main
            id="main"
            class="red-packet-sale"
            tabindex="-1"
            data-event-id=move || sale.read(|sale| sale.event_id.to_string())
        >
            <Head sale connection />
            <Queues sale />
            <ClaimForm sale ended />
            <Figures sale />
            <CrowdPanel sale=sale.id() status=sale.crowd.into() ended form=crowd::CROWD />
            <Feed sale />
            <AmountHistogram sale />
            <AuditSection
                kind=INFO.id
                sale=sale.id()
                empty=words.not_audited
                crowd_running=panel::is_running(sale.crowd.into())
            />
            <Source sale script />
        </main>
    }
}
