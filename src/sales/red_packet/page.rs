//! The page of one red packet sale. The server renders it whole; then every frame of the live view replaces the
//! snapshot that all parts read.

mod claim;
mod crowd;
mod feed;
mod figures;
mod histogram;
mod open;
mod queues;
mod refund;
mod rows;
mod summary;
mod terms;

pub use summary::PAGES;

use super::{INFO, Snapshot, api, words::words};
use crate::{
    components::{ScriptCard, use_now},
    crowd::{Status, panel::CrowdControl},
    domain::{Millis, SaleState, ScriptInfo},
    error::{Code, Result},
    i18n,
    live::event_stream::use_event_stream,
    sales::stage::{Attempts, Details, LoadedSale, Scene, Source, Stage, StageSale, TakePart},
};
use claim::ClaimForm;
use feed::Feed;
use figures::Figures;
use futures::future;
use histogram::AmountHistogram;
use leptos::prelude::*;
use queues::Queues;
use refund::Refund;
use terms::Terms;

/// `/red-packets/<id>`
#[component]
pub fn RedPacketPage() -> impl IntoView {
    view! {
        <LoadedSale kind=&INFO load form=crowd::CROWD let:data>
            <SalePage snapshot=data.0 script=data.1 />
        </LoadedSale>
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

    /// The state of the sale, which distinguishes "sold out".
    fn state(self) -> SaleState {
        self.read(Snapshot::sale_state)
    }

    /// Why nothing can be got here any more; `None` while something can.
    fn ended(self) -> Option<&'static str> {
        match self.state() {
            SaleState::Closed => Some(words().sale_closed),
            SaleState::Expired | SaleState::Refunded => Some(words().sale_expired),
            SaleState::Suspended => Some((i18n::words().error)(Code::SaleSuspended)),
            SaleState::Opening | SaleState::Open | SaleState::SoldOut | SaleState::Archived => None,
        }
    }

    /// Opens another sale on the same terms, split anew. Returns its id.
    fn duplicate(self) -> impl Future<Output = Result<String>> + Send {
        let (total_cents, count, splitter, lasts_ms) = self
            .snapshot
            .with_untracked(|sale| (sale.total_cents, sale.count, sale.splitter, sale.expires_at - sale.opened_at));
        let expires_in_s = u64::try_from(lasts_ms / 1_000).ok();
        async move { Ok(api::open(None, None, total_cents, count, splitter, expires_in_s, None).await?.sale) }
    }

    /// Shows a frame of the live view. Frames come in order and the latest is right, even if Redis has lost
    /// events and the sale has gone back to an earlier one.
    fn show(self, mut frame: Snapshot) {
        let crowd = frame.crowd.take();
        if self.crowd.with_untracked(|shown| *shown != crowd) {
            self.crowd.set(crowd);
        }
        self.snapshot.set(frame);
    }
}

/// The page of a sale that exists.
#[component]
fn SalePage(
    /// The sale when the page was made; frames of the live view update it.
    snapshot: Snapshot,
    /// The script that decides attempts.
    script: ScriptInfo,
) -> impl IntoView {
    let words = words();
    let sale = Sale::new(snapshot);
    let (id, total) = sale.snapshot.with_untracked(|sale| (sale.sale.clone(), sale.count));
    let shown = move || sale.snapshot.with_untracked(|sale| sale.event_id);
    let ended = Memo::new(move |_| sale.ended()).into();
    let connection = use_event_stream(&INFO, &id, shown, move |frame| sale.show(frame));
    let on_stage = StageSale {
        kind: &words.kind,
        id: StoredValue::new(id.clone()),
        state: Signal::derive(move || sale.state()),
        left: Memo::new(move |_| Some(sale.read(|sale| sale.pending))).into(),
        total: Some(total).into(),
        connection,
        crowd: CrowdControl::new(id, total, sale.crowd.into(), connection, ended, crowd::CROWD),
        duplicate: Action::new(move |()| sale.duplicate()),
    };
    view! {
        <Stage
            sale=on_stage
            event_id=Signal::derive(move || sale.read(|sale| sale.event_id.to_string()))
            not_audited=words.not_audited
            actions=move || view! { <Refund sale /> }
        >
            <Scene slot>
                <Queues sale />
            </Scene>
            <TakePart slot>
                <ClaimForm sale ended />
            </TakePart>
            <Attempts slot>
                <Feed sale />
            </Attempts>
            <Source slot>
                <ScriptCard script calls=Signal::derive(move || sale.read(|sale| sale.calls)) />
            </Source>
            <Details slot>
                <Figures sale />
                <AmountHistogram sale />
                <Terms sale />
            </Details>
        </Stage>
    }
}
