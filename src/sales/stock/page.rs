//! The page of one stock sale. The server renders it whole; then every frame of the live view replaces the snapshot that
//! all parts read.

mod attempts;
mod chart;
mod crowd;
mod deduct;
mod drift;
mod open;
mod quantity;
mod summary;
mod terms;

pub use summary::PAGES;

use super::{INFO, Snapshot, api, words::words};
use crate::{
    components::ScriptCard,
    crowd::{Status, panel::CrowdControl},
    domain::{SaleState, ScriptInfo},
    error::{Code, Result},
    i18n,
    live::event_stream::use_event_stream,
    sales::stage::{Attempts, Details, LoadedSale, Scene, Source, Stage, StageSale, TakePart},
};
use attempts::AttemptCounts;
use deduct::DeductForm;
use drift::{AdjustForms, DriftButtons};
use futures::future;
use leptos::prelude::*;
use quantity::Quantities;
use terms::Terms;

/// `/stock/<id>`
#[component]
pub fn StockPage() -> impl IntoView {
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
    /// The latest crowd there; a signal of its own, because the figures change far more often.
    crowd: RwSignal<Option<Status>>,
    /// The course of both quantities since the page was opened.
    course: RwSignal<Vec<chart::Point>>,
}

impl Sale {
    fn new(mut snapshot: Snapshot) -> Self {
        let crowd = RwSignal::new(snapshot.crowd.take());
        Self { snapshot: RwSignal::new(snapshot), crowd, course: RwSignal::new(Vec::new()) }
    }

    fn id(self) -> String {
        self.snapshot.with_untracked(|sale| sale.sale.clone())
    }

    /// Reads a part of the snapshot.
    fn read<T>(self, read: impl FnOnce(&Snapshot) -> T) -> T {
        self.snapshot.with(read)
    }

    /// The state of the sale, which distinguishes "sold out".
    fn state(self) -> SaleState {
        self.read(Snapshot::sale_state)
    }

    /// Why nothing can be bought here any more; `None` while something can.
    fn ended(self) -> Option<&'static str> {
        match self.state() {
            SaleState::Closed => Some(words().sale_closed),
            SaleState::Suspended => Some((i18n::words().error)(Code::SaleSuspended)),
            _ => None,
        }
    }

    /// Opens another sale on the terms of this one. Returns its id.
    fn duplicate(self) -> impl Future<Output = Result<String>> + Send {
        let (quantity, ttl_s, low_mark) =
            self.snapshot.with_untracked(|sale| (sale.units.opened, sale.ttl_s, sale.low_mark));
        async move { Ok(api::open(None, None, quantity, Some(ttl_s), low_mark).await?.sale) }
    }

    /// Shows a frame of the live view. Frames arrive in order and the latest is right, even if Redis has lost events
    /// and the sale has gone back to an earlier state.
    fn show(self, mut frame: Snapshot) {
        let crowd = frame.crowd.take();
        if self.crowd.with_untracked(|shown| *shown != crowd) {
            self.crowd.set(crowd);
        }
        chart::add(self.course, &frame);
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
    let id = sale.id();
    let total = Memo::new(move |_| sale.read(Snapshot::total));
    let shown = move || sale.snapshot.with_untracked(|sale| sale.event_id);
    let ended = Memo::new(move |_| sale.ended()).into();
    let connection = use_event_stream(&INFO, &id, shown, move |frame| sale.show(frame));
    let on_stage = StageSale {
        kind: &words.kind,
        id: StoredValue::new(id.clone()),
        state: Signal::derive(move || sale.state()),
        left: Memo::new(move |_| Some(sale.read(|sale| sale.left))).into(),
        total: Signal::derive(move || Some(total.get())),
        connection,
        crowd: CrowdControl::new(id, total.get_untracked(), sale.crowd.into(), connection, ended, crowd::CROWD),
        duplicate: Action::new(move |()| sale.duplicate()),
    };
    view! {
        <Stage
            sale=on_stage
            event_id=Signal::derive(move || sale.read(|sale| sale.event_id.to_string()))
            not_audited=words.not_audited
        >
            <Scene slot>
                <Quantities sale />
            </Scene>
            <TakePart slot>
                <DeductForm sale ended />
                <DriftButtons sale />
            </TakePart>
            <Attempts slot>
                <AttemptCounts sale />
            </Attempts>
            <Source slot>
                <ScriptCard script calls=Signal::derive(move || sale.read(|sale| sale.calls)) />
            </Source>
            <Details slot>
                <AdjustForms sale />
                <Terms sale />
            </Details>
        </Stage>
    }
}
