//! The page of one ticket sale: its first paint comes from the server whole; then every frame of the live view says
//! which seats changed, and replaces the figures that all parts read from.

mod attempts;
mod basket;
mod card;
mod choose;
mod head;
mod heat;
mod map;
mod mine;
mod path;
mod sale;
mod source;
mod stock;

use super::{
    SeatingPlan, Snapshot,
    api::{HallRequest, TicketAuditRequest, TicketSnapshotRequest},
};
use crate::{
    crowd::panel::ticket_panel,
    error::Result,
    i18n, nodes,
    sales::ticket::words::words,
    ui::{
        ask::asked,
        audit::audit,
        node::{El, Node, el},
        notice::fault,
        page::page,
        platform,
        title::set_title,
        work::{effect, every},
    },
};
pub use head::{Standing, badge};
use leptos::prelude::*;
use leptos_router::{hooks::use_location, location::Url};
pub use sale::Sale;
use sale::free_by_section;
use serde::{Deserialize, Serialize};
use std::time::Duration;

/// What the page needs before anything can be shown.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Loaded {
    snapshot: Snapshot,
    plan: SeatingPlan,
}

async fn load(sale: String) -> Result<Loaded> {
    let plan = asked(HallRequest { sale: sale.clone() }).await?;
    Ok(Loaded { snapshot: asked(TicketSnapshotRequest { sale }).await?, plan })
}

/// `/tickets/<id>`
pub fn ticket_page() -> Node {
    // Not from the route's parameters: they are decoded twice, and an id may have a percent sign.
    let path = use_location().pathname;
    let id = move || path.with(|path| path.strip_prefix("/tickets/").map(Url::unescape));
    page(
        id,
        |sale| Box::pin(load(sale)),
        |loaded| match loaded {
            Ok(loaded) => house(loaded),
            Err(error) => {
                set_title((i18n::words().error_title)(error.code));
                fault(error.code)
            }
        },
    )
}

fn house(loaded: Loaded) -> El {
    let words = words();
    set_title([words.kind.name, " ", &loaded.snapshot.sale].concat());
    let sale = Sale::new(loaded);
    keep_time(sale);
    mine::restore(sale);
    let (map, attempt) = (map::Handle::new(), choose::Try::new(sale));
    let event_id = move || sale.read(|sale| sale.event_id.to_string());
    let main = el("main").attr("id", "main").class("house").attr("tabindex", "-1").live("data-event-id", event_id);
    main.with(nodes![
        head::head(sale),
        map::map(sale, map),
        el("div").class("buy").with(nodes![choose::choose(attempt), basket::basket(sale)]),
        path::path(sale, map),
        stock::stock(sale),
        heat::heat(sale),
        ticket_panel(sale.id(), sale.crowd),
        attempts::attempts(sale),
        audit("ticket", sale.id(), sale.crowd, words.not_audited, |sale| TicketAuditRequest { sale }),
        source::source(sale),
        choose::bar(attempt),
    ])
}

/// Ticks once a second.
fn keep_time(sale: Sale) {
    const TICK: Duration = Duration::from_secs(1);
    effect(move || {
        let seen = StoredValue::new(0);
        let tick = move || {
            if platform::hidden() {
                return;
            }
            sale.now.set(platform::now());
            sale.warmth.update(|warmth| warmth.cool(platform::ticks()));
            let beat = sale.beat.get_untracked();
            if seen.get_value() != beat {
                seen.set_value(beat);
                sale.free.set(sale.hall.with_value(|hall| sale.seats.with_value(|seats| free_by_section(hall, seats))));
            }
        };
        tick();
        every(TICK, tick);
    });
}
