//! What stock shows outside its page.

use super::{StockPage, crowd::CROWD, open::OpenStock};
use crate::{
    components::format::count,
    sales::{KindPages, list::SaleSummary, stock::words::words},
};
use leptos::prelude::*;

/// The pages, for the registry.
pub const PAGES: KindPages = KindPages {
    words: || &words().kind,
    sale_page: || view! { <StockPage /> }.into_any(),
    open_form: || view! { <OpenStock /> }.into_any(),
    crowd: CROWD,
    summary,
};

fn summary(sale: &SaleSummary) -> Vec<String> {
    let number = |name| count(sale.number(name).unsigned_abs());
    let mut lines = vec![(words().deducted_and_returned)(number("deducted"), number("returned"))];
    if sale.details.get("low").and_then(serde_json::Value::as_bool) == Some(true) {
        lines.push(words().is_low.to_owned());
    }
    lines
}
