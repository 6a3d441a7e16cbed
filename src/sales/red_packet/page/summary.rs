//! What red packets show outside their page.

use super::{RedPacketPage, crowd::CROWD, open::OpenRedPacket};
use crate::{
    components::format::money,
    domain::SaleState,
    sales::{KindPages, list::SaleSummary, red_packet::words::words},
};
use leptos::prelude::*;

/// The pages, for the registry.
pub const PAGES: KindPages = KindPages {
    words: || &words().kind,
    sale_page: || view! { <RedPacketPage /> }.into_any(),
    open_form: || view! { <OpenRedPacket /> }.into_any(),
    crowd: CROWD,
    summary,
};

fn summary(sale: &SaleSummary) -> Vec<String> {
    let words = words();
    let (total, claimed) = (sale.number("total_cents"), sale.number("claimed_cents"));
    vec![match sale.state {
        // Packets that nobody has claimed can no longer be claimed.
        SaleState::Closed | SaleState::Refunded | SaleState::Archived => (words.money_refunded)(money(total - claimed)),
        _ => (words.money_of)(money(total - claimed), money(total)),
    }]
}
