//! The page of one ticket sale. The server renders all of it; from then on each message of the event stream says which
//! seats changed, and replaces the figures that all parts read from.

mod attempts;
mod booking;
mod choose;
mod crowd;
mod demand;
mod head;
mod map;
mod my_orders;
mod open;
mod orders;
mod sale;
mod seat_card;
mod seat_list;
mod selection;
mod source;
mod stock;
mod summary;

pub use summary::PAGES;

use super::{INFO, SeatingPlan, Snapshot, api, words::words};
use crate::{
    components::{self, url::segment, use_sale_id},
    crowd::panel::{self, CrowdPanel},
    error::Result,
    ledger::audit_section::AuditSection,
    live::event_stream::use_event_stream,
};
use attempts::Attempts;
use booking::Booking;
use choose::{ChooseSeats, HoldBar};
use demand::HottestSections;
use head::Head;
use leptos::prelude::*;
use leptos_meta::Title;
use map::SeatMap;
use orders::Orders;
use sale::Sale;
use seat_card::SeatCard;
use seat_list::SeatList;
use serde::{Deserialize, Serialize};
use source::Source;
use stock::Stock;

/// What the page needs before anything can be shown.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
struct Loaded {
    snapshot: Snapshot,
    plan: SeatingPlan,
}

async fn load(sale: String) -> Result<Loaded> {
    let plan = api::hall(sale.clone()).await?;
    Ok(Loaded { snapshot: api::snapshot(sale).await?, plan })
}

/// `/tickets/<id>`
#[component]
pub fn TicketPage() -> impl IntoView {
    let id = use_sale_id("/tickets/");
    let sale = Resource::new(move || id.get(), load);
    view! { <components::Loaded resource=sale children=|loaded| view! { <SalePage loaded /> } /> }
}

#[component]
fn SalePage(loaded: Loaded) -> impl IntoView {
    let words = words();
    let sale = Sale::new(loaded);
    let connection = use_event_stream(
        move || format!("/live/ticket/{}?after={}", segment(&sale.id()), sale.event_id()),
        move |message| {
            if let Ok(snapshot) = serde_json::from_str(message) {
                sale.show(snapshot);
            }
        },
    );
    let (map, booking) = (map::Handle::new(), Booking::new(sale));
    view! {
        <Title text=format!("{} {}", words.kind.name, sale.id()) />
        <main
            id="main"
            class="ticket-sale"
            tabindex="-1"
            data-event-id=move || sale.snapshot.with(|sale| sale.event_id.to_string())
        >
            <Head sale connection />
            <SeatMap sale handle=map>
                <SeatCard sale />
            </SeatMap>
            <div class="buy">
                <ChooseSeats booking />
                <Orders sale />
            </div>
            <SeatList sale map />
            <Stock sale />
            <HottestSections sale />
            <CrowdPanel sale=sale.id() status=sale.crowd.into() form=crowd::CROWD />
            <Attempts sale />
            <AuditSection kind=INFO.id sale=sale.id() empty=words.not_audited crowd_running=panel::is_running(sale.crowd.into()) />
            <Source sale />
            <HoldBar booking />
        </main>
    }
}
