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
    components::{Loaded, use_sale_id},
    crowd::panel::{self, CrowdPanel},
    error::Result,
    ledger::audit_section::AuditSection,
    live::event_stream::use_event_stream,
};
use attempts::Attempts;
use booking::Booking;
use choose::{ChooseSeats, HoldBar};
use demand::HottestSections;
use futures::future;
use head::Head;
use leptos::prelude::*;
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
struct SaleData {
    snapshot: Snapshot,
    plan: SeatingPlan,
}

async fn load(sale: String) -> Result<SaleData> {
    let (snapshot, plan) = future::try_join(api::snapshot(sale.clone()), api::hall(sale)).await?;
    Ok(SaleData { snapshot, plan })
}

/// `/tickets/<id>`
#[component]
pub fn TicketPage() -> impl IntoView {
    let id = use_sale_id("/tickets/");
    let data = Resource::new(move || id.get(), load);
    view! { <Loaded resource=data children=|data| view! { <SalePage data /> } /> }
}

#[component]
fn SalePage(data: SaleData) -> impl IntoView {
    let words = words();
    let sale = Sale::new(data);
    let connection = use_event_stream(&INFO, &sale.id(), move || sale.event_id(), move |frame| sale.show(frame));
    let ended = Memo::new(move |_| sale.ended()).into();
    let (map, booking) = (map::Handle::new(), Booking::new(sale));
    view! {
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
            <CrowdPanel sale=sale.id() status=sale.crowd.into() ended form=crowd::CROWD />
            <Attempts sale />
            <AuditSection kind=INFO.id sale=sale.id() empty=words.not_audited crowd_running=panel::is_running(sale.crowd.into()) />
            <Source sale />
            <HoldBar booking />
        </main>
    }
}
