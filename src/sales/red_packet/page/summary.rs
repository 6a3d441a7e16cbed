//! What red packets show outside their page.

use super::{RedPacketPage, open::OpenRedPacket};
use crate::{
    components::format::money,
    sales::{KindPages, list::SaleSummary, red_packet::words::words},
};
use leptos::prelude::*;

/// The pages, for the registry.
pub const PAGES: KindPages = KindPages {
    words: || &words().kind,
    sale_page: || view! { <RedPacketPage /> }.into_any(),
    open_form: || view! { <OpenRedPacket /> }.into_any(),
    summary,
};

fn summary(sale: &SaleSummary) -> Vec<String> {
    let (total, claimed) = (sale.number("total_cents"), sale.number("claimed_cents"));
    vec![(words().money_of)(money(total - claimed), money(total))]
}
