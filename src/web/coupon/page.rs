//! The page of one coupon sale. The server renders it whole; then every frame of the live view brings another snapshot for
//! all parts of the page.

mod attempts;
mod claim;
mod crowd;
mod held;
mod item_actions;
mod limits;
mod look_up;
mod meters;
mod miniature;
mod minutes;
mod open;
mod terms;
mod upload;

use crate::{
    components::ScriptCard,
    coupon::{
        api::{self, OpenCouponsRequest},
        page::{
            attempts::AttemptCounts, claim::ClaimForm, held::UserCard, limits::LimitsForm, look_up::use_look_up,
            meters::Meters, open::OpenCoupons, terms::Terms, upload::UploadCards,
        },
        words::words,
    },
    kind::KindPages,
    life::{self, copied_plan},
    list::count_of,
    open_form::{OpenSaleRequest, fields_like},
    stage::{Attempts, Details, LiveSale, LoadedSale, Scene, Source, Stage, TakePart, use_stage_sale},
};
use futures::future;
use leptos::prelude::*;
use model::{
    SaleState, ScriptInfo,
    coupon::{INFO, Lists, SUGGESTED_LIMITS, Snapshot},
    error::Result,
    list::SaleSummary,
};

/// The pages, for the registry.
pub const PAGES: KindPages = KindPages {
    words: || &words().kind,
    sale_page: || view! { <CouponPage /> }.into_any(),
    order_page: None,
    item_actions: Some(item_actions::item_actions),
    open_form: || view! { <OpenCoupons /> }.into_any(),
    fields_like: |sale| fields_like(api::snapshot(sale), copy),
    crowd: crowd::CROWD,
    summary,
    miniature: miniature::MINIATURE,
};

fn summary(sale: &SaleSummary) -> Vec<String> {
    vec![(words().claimed_and_redeemed)(count_of(sale, "claimed"), count_of(sale, "redeemed"))]
}

/// `/coupons/<id>`
#[component]
pub fn CouponPage() -> impl IntoView {
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

/// Returns a request that opens another sale with the limits of this one.
fn copy(sale: &Snapshot) -> OpenCouponsRequest {
    let (mut limits, zone) = (sale.limits, Some(sale.time_zone.clone()));
    // Of one whose claims were stopped.
    if limits.total == Some(0) {
        limits.total = SUGGESTED_LIMITS.total;
    }
    // Their entries are those of this sale, and to be uploaded again.
    let lists = Lists::of(sale.lists.own_codes, sale.lists.only_for);
    let mut request = OpenCouponsRequest::new(limits, zone, sale.given_back_counts, sale.validity, lists);
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
) -> impl IntoView {
    let words = words();
    let sale = Sale::new(snapshot);
    let look_up = use_look_up(sale);
    let ended = move |state| match state {
        SaleState::Closed => Some(words.sale_closed),
        SaleState::Expired => Some(life::words().sale_ended),
        SaleState::Opening => Some(words.lists_missing),
        _ => sale.read(Snapshot::is_stopped).then_some(words.claims_stopped),
    };
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
        <Stage sale=on_stage not_audited=words.not_audited>
            <Scene slot>
                <Meters sale look_up crowd=on_stage.crowd />
            </Scene>
            <TakePart slot>
                <ClaimForm sale refused=on_stage.refused look_up />
                <UserCard sale look_up />
            </TakePart>
            <Attempts slot>
                <AttemptCounts sale />
            </Attempts>
            <Source slot>
                <ScriptCard script calls=Signal::derive(move || sale.read(|sale| sale.calls)) />
            </Source>
            <Details slot>
                <UploadCards sale />
                <LimitsForm sale />
                <Terms sale life=on_stage.life />
            </Details>
        </Stage>
    }
}
