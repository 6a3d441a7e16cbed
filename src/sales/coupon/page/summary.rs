//! What coupons show outside their page.

use super::{CouponPage, crowd::CROWD, open::OpenCoupons};
use crate::{
    components::format::count,
    sales::{KindPages, coupon::words::words, list::SaleSummary},
};
use leptos::prelude::*;

/// The pages, for the registry.
pub const PAGES: KindPages = KindPages {
    words: || &words().kind,
    sale_page: || view! { <CouponPage /> }.into_any(),
    open_form: || view! { <OpenCoupons /> }.into_any(),
    crowd: CROWD,
    summary,
};

fn summary(sale: &SaleSummary) -> Vec<String> {
    let number = |name| count(sale.number(name).unsigned_abs());
    vec![(words().claimed_and_redeemed)(number("claimed"), number("redeemed"))]
}
