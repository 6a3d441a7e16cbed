//! What ticket sales show outside their page.

use super::{TicketPage, crowd::CROWD, open::OpenTicketSale};
use crate::{
    components::format::count,
    sales::{
        KindPages,
        list::SaleSummary,
        ticket::{halls::HallName, words::words},
    },
};
use leptos::prelude::*;

/// The pages, for the registry.
pub const PAGES: KindPages = KindPages {
    words: || &words().kind,
    sale_page: || view! { <TicketPage /> }.into_any(),
    open_form: || view! { <OpenTicketSale /> }.into_any(),
    crowd: CROWD,
    summary,
};

fn summary(sale: &SaleSummary) -> Vec<String> {
    let words = words();
    let figure = |name: &str| count(sale.number(name).unsigned_abs());
    let hall = sale.text("hall").and_then(HallName::from_name);
    vec![hall.map_or(words.own_hall, words.hall_name).to_owned(), (words.held_and_sold)(figure("held"), figure("sold"))]
}
