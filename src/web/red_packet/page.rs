//! The page of a red packet sale. The server renders all of it; afterwards, every frame of the live view brings another
//! snapshot for all parts of the page.

mod claim;
mod crowd;
mod feed;
mod figures;
mod histogram;
mod miniature;
mod open;
mod queues;
mod refund;
mod rows;
mod terms;

use crate::{
    components::{ScriptCard, format::money},
    kind::KindPages,
    life::copied_plan,
    open_form::{OpenSaleRequest, fields_like},
    red_packet::{
        api::{self, OpenRequest},
        page::{
            claim::ClaimForm, feed::Feed, figures::Figures, histogram::AmountHistogram, open::OpenRedPacket,
            queues::Queues, refund::Refund, terms::Terms,
        },
        words::words,
    },
    stage::{Attempts, Details, LiveSale, LoadedSale, Scene, Source, Stage, TakePart, use_stage_sale},
};
use futures::future;
use leptos::prelude::*;
use model::{
    SaleState, ScriptInfo,
    error::Result,
    list::SaleSummary,
    red_packet::{INFO, Snapshot},
};

/// The pages, for the registry.
pub const PAGES: KindPages = KindPages {
    words: || &words().kind,
    sale_page: || view! { <RedPacketPage /> }.into_any(),
    order_page: None,
    item_actions: None,
    open_form: || view! { <OpenRedPacket /> }.into_any(),
    fields_like: |sale| fields_like(api::snapshot(sale), copy),
    crowd: crowd::CROWD,
    summary,
    miniature: miniature::MINIATURE,
};

fn summary(sale: &SaleSummary) -> Vec<String> {
    let words = words();
    let (total, claimed) = (sale.number("total_cents"), sale.number("claimed_cents"));
    let money = |cents| money(cents, sale.currency);
    vec![match sale.state {
        // Unclaimed packets can no longer be claimed.
        SaleState::Closed | SaleState::Refunded | SaleState::Archived => (words.money_refunded)(money(total - claimed)),
        _ => (words.money_of)(money(total - claimed), money(total)),
    }]
}

/// Shows `/red-packets/<id>`.
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

type Sale = LiveSale<Snapshot>;

/// Returns the reason why no packet is left to get in this state.
fn ended(state: SaleState) -> Option<&'static str> {
    match state {
        SaleState::Closed => Some(words().sale_closed),
        SaleState::Expired | SaleState::Refunded => Some(words().sale_expired),
        _ => None,
    }
}

/// Returns a request that opens another sale on the same terms, split anew.
fn copy(sale: &Snapshot) -> OpenRequest {
    let start = sale.life.opens_at.unwrap_or(sale.opened_at);
    let mut request = OpenRequest {
        id: None,
        request_id: None,
        total_cents: sale.total_cents,
        count: sale.count,
        splitter: sale.splitter,
        expires_in_s: u64::try_from((sale.expires_at - start) / 1_000).ok(),
        seed: None,
        opens_at: None,
        opens_in_s: None,
        title: None,
        description: None,
        currency: None,
    };
    request.set_plan(copied_plan(&sale.life, sale.opened_at));
    request
}

/// Shows the page of an existing sale.
#[component]
fn SalePage(
    /// The sale as rendered; frames of the live view update it.
    snapshot: Snapshot,
    /// The script that decides attempts.
    script: ScriptInfo,
) -> impl IntoView {
    let words = words();
    let sale = Sale::new(snapshot);
    let on_stage = use_stage_sale(
        sale,
        &words.kind,
        crowd::CROWD,
        ended,
        move |frame| sale.show(frame),
        crowd::newest,
        move || sale.snapshot.with_untracked(copy),
    );
    view! {
        <Stage
            sale=on_stage
            not_audited=words.not_audited
            actions=move || view! { <Refund sale /> }
        >
            <Scene slot>
                <Queues sale />
            </Scene>
            <TakePart slot>
                <ClaimForm sale refused=on_stage.refused />
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
                <Terms sale ended=on_stage.ended life=on_stage.life />
            </Details>
        </Stage>
    }
}
