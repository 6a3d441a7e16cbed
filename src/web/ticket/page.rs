//! The page of a ticket sale. The server renders all of it. Afterwards, each message of the event stream names the
//! changed seats, and brings another snapshot for the other parts of the page.

mod attempts;
mod availability;
mod blocking;
mod booking;
mod categories;
mod choose;
mod crowd;
mod demand;
mod gaps;
mod map;
mod my_orders;
mod open;
mod orders;
mod preview;
mod sale;
mod seat_card;
mod seat_list;
mod selection;
mod source;
mod terms;

use crate::{
    kind::KindPages,
    life,
    list::count_of,
    open_form::fields_like,
    stage::{Attempts, Details, LoadedSale, Scene, Source, Stage, TakePart, use_stage_sale},
    ticket::{
        api,
        order::OrderPage,
        page::{
            attempts::AttemptCounts,
            availability::Availability,
            blocking::BlockSeats,
            booking::Booking,
            choose::{ChooseSeats, HoldBar},
            demand::HottestSections,
            map::SeatMap,
            open::OpenTicketSale,
            orders::Orders,
            preview::PreviewPage,
            sale::Sale,
            seat_card::SeatCard,
            seat_list::SeatList,
            source::ScriptSource,
            terms::Terms,
        },
        words::words,
    },
};
use futures::future;
use leptos::prelude::*;
use leptos_router::hooks::use_params_map;
use model::{
    SaleState,
    error::Result,
    list::SaleSummary,
    ticket::{INFO, PREVIEW, SeatingPlan, Snapshot, halls::HallName},
};
use serde::{Deserialize, Serialize};

/// The data that the page needs before it can show anything.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
struct SaleData {
    snapshot: Snapshot,
    plan: SeatingPlan,
}

async fn load(sale: String) -> Result<SaleData> {
    let (snapshot, plan) = future::try_join(api::snapshot(sale.clone()), api::hall(sale)).await?;
    Ok(SaleData { snapshot, plan })
}

/// The pages, for the registry.
pub const PAGES: KindPages = KindPages {
    words: || &words().kind,
    sale_page: || view! { <TicketPage /> }.into_any(),
    order_page: Some(|| view! { <OrderPage /> }.into_any()),
    item_actions: None,
    open_form: || view! { <OpenTicketSale /> }.into_any(),
    fields_like: |sale| fields_like(api::snapshot(sale), open::copy),
    crowd: crowd::CROWD,
    summary,
    miniature: map::MINIATURE,
};

fn summary(sale: &SaleSummary) -> Vec<String> {
    let words = words();
    let hall = sale.text("hall").and_then(HallName::from_name);
    vec![
        hall.map_or(words.own_hall, words.hall_name).to_owned(),
        (words.held_and_sold)(count_of(sale, "held"), count_of(sale, "sold")),
    ]
}

/// Shows `/tickets/<id>`, and `/tickets/preview`.
#[component]
pub fn TicketPage() -> impl IntoView {
    let params = use_params_map();
    let is_preview = Memo::new(move |_| params.with(|params| params.get_str("id") == Some(PREVIEW)));
    move || {
        if is_preview.get() {
            return view! { <PreviewPage /> }.into_any();
        }
        view! { <LoadedSale kind=&INFO load form=crowd::CROWD children=|data| view! { <SalePage data /> } /> }
            .into_any()
    }
}

#[component]
fn SalePage(
    /// The sale as rendered, with its hall; frames of the live view update it.
    data: SaleData,
) -> impl IntoView {
    let words = words();
    let sale = Sale::new(data);
    let ended = move |state| match state {
        SaleState::Closed => Some(words.sale_closed),
        SaleState::Expired => Some(life::words().sale_ended),
        _ => None,
    };
    let on_stage = use_stage_sale(
        sale.live,
        &words.kind,
        crowd::CROWD,
        ended,
        move |frame| sale.show(frame),
        crowd::newest,
        move || sale.copy(),
    );
    let map = map::Handle::new();
    let booking = Booking::new(sale, map, on_stage.refused);
    view! {
        <Stage sale=on_stage not_audited=words.not_audited>
            <Scene slot>
                <SeatMap sale handle=map>
                    <SeatCard sale />
                </SeatMap>
            </Scene>
            <TakePart slot>
                <ChooseSeats booking />
                <Orders sale map />
                <SeatList sale map />
                <HoldBar booking />
            </TakePart>
            <Attempts slot>
                <AttemptCounts sale />
            </Attempts>
            <Source slot>
                <ScriptSource sale />
            </Source>
            <Details slot>
                <Availability sale />
                <HottestSections sale />
                <BlockSeats sale />
                <Terms sale life=on_stage.life />
            </Details>
        </Stage>
    }
}
