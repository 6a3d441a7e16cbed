//! The page of one stock sale. The server renders it whole; then every frame of the live view brings another snapshot for
//! all parts of the page.

mod attempts;
mod chart;
mod crowd;
mod deduct;
mod drift;
mod group;
mod item_actions;
mod loads;
mod miniature;
mod open;
mod quantity;
mod terms;

use crate::{
    components::ScriptCard,
    kind::KindPages,
    life::{self, copied_plan},
    list::count_of,
    open_form::{OpenSaleRequest, fields_like},
    stage::{Attempts, Details, LiveSale, LoadedSale, Scene, Source, Stage, TakePart, use_stage_sale},
    stock::{
        api::{self, OpenStockRequest},
        page::{
            attempts::AttemptCounts,
            deduct::DeductForm,
            drift::{AdjustForms, DriftButtons},
            loads::Loads,
            open::OpenStock,
            quantity::Quantities,
            terms::Terms,
        },
        words::words,
    },
};
use futures::future;
use leptos::prelude::*;
use model::{
    SaleState, ScriptInfo,
    error::Result,
    list::SaleSummary,
    stock::{INFO, RecordedQuantity, Snapshot},
};

/// The pages, for the registry.
pub const PAGES: KindPages = KindPages {
    words: || &words().kind,
    sale_page: || view! { <StockPage /> }.into_any(),
    order_page: None,
    item_actions: Some(item_actions::item_actions),
    open_form: || view! { <OpenStock /> }.into_any(),
    fields_like: |sale| fields_like(api::snapshot(sale), copy),
    crowd: crowd::CROWD,
    summary,
    miniature: miniature::MINIATURE,
};

fn summary(sale: &SaleSummary) -> Vec<String> {
    let mut lines = vec![(words().deducted_and_returned)(count_of(sale, "deducted"), count_of(sale, "returned"))];
    if sale.details.get("low").and_then(serde_json::Value::as_bool) == Some(true) {
        lines.push(words().is_low.to_owned());
    }
    lines
}

/// `/stock/<id>`
#[component]
pub fn StockPage() -> impl IntoView {
    view! {
        <LoadedSale kind=&INFO load form=crowd::CROWD let:data>
            <SalePage snapshot=data.0 script=data.1 past=data.2 />
        </LoadedSale>
    }
}

async fn load(sale: String) -> Result<(Snapshot, ScriptInfo, Vec<RecordedQuantity>)> {
    let (snapshot, script, past) = future::join3(api::snapshot(sale.clone()), api::script(), api::course(sale)).await;
    // The page says by itself if the ledger does not answer.
    Ok((snapshot?, script?, past.unwrap_or_default()))
}

type Sale = LiveSale<Snapshot>;

/// Returns a request that opens another sale on the same terms.
fn copy(sale: &Snapshot) -> OpenStockRequest {
    let mut request = OpenStockRequest {
        id: None,
        request_id: None,
        quantity: sale.units.opened,
        ttl_s: Some(sale.ttl_s),
        low_mark: sale.low_mark,
        limit_per_user: sale.limit_per_user,
        hold_s: sale.hold_s,
        group: sale.group.as_ref().map(|group| group.id.clone()),
        opens_at: None,
        opens_in_s: None,
        ends_at: None,
        ends_in_s: None,
        title: None,
        description: None,
        currency: None,
    };
    request.set_plan(copied_plan(&sale.life, sale.opened_at));
    request
}

/// The page of a sale that exists.
#[component]
fn SalePage(
    /// The sale when the page was made; frames of the live view update it.
    snapshot: Snapshot,
    /// The script that decides attempts.
    script: ScriptInfo,
    /// How the quantity in the ledger went before.
    past: Vec<RecordedQuantity>,
) -> impl IntoView {
    let words = words();
    let opened_at = snapshot.opened_at;
    let sale = Sale::new(snapshot);
    // What the page has seen of both quantities.
    let course = RwSignal::new(Vec::new());
    // Only in the browser, as the times of frames are those of its clock.
    Effect::new(move |_| chart::begin(course, &past, opened_at));
    let ended = move |state| match state {
        SaleState::Closed => Some(words.sale_closed),
        SaleState::Expired => Some(life::words().sale_ended),
        _ => None,
    };
    let show = move |frame| {
        chart::add(course, &frame);
        sale.show(frame);
    };
    let on_stage = use_stage_sale(sale, &words.kind, crowd::CROWD, ended, show, crowd::newest, move || {
        sale.snapshot.with_untracked(copy)
    });
    view! {
        <Stage sale=on_stage not_audited=words.not_audited>
            <Scene slot>
                <Quantities sale course pointer=on_stage.crowd.pointer />
            </Scene>
            <TakePart slot>
                <DeductForm sale refused=on_stage.refused />
                <DriftButtons sale />
                <Loads sale />
            </TakePart>
            <Attempts slot>
                <AttemptCounts sale />
            </Attempts>
            <Source slot>
                <ScriptCard script calls=Signal::derive(move || sale.read(|sale| sale.calls)) />
            </Source>
            <Details slot>
                <AdjustForms sale />
                <Terms sale life=on_stage.life />
            </Details>
        </Stage>
    }
}
