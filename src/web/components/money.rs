//! Amounts in the currency of a page's sale.

use crate::components::format::money;
use leptos::prelude::*;
use model::{Cents, life::Currency};

/// The currency of the sale of a page, as a context. It never changes.
#[derive(Clone, Copy)]
struct SaleCurrency(Currency);

/// Provides the currency of the sale to the parts of its page.
pub fn provide_currency(currency: Currency) {
    provide_context(SaleCurrency(currency));
}

/// Returns the currency of the page's sale; on a page without a sale, yuan.
pub fn use_currency() -> Currency {
    use_context().map_or(Currency::CNY, |SaleCurrency(currency)| currency)
}

/// Returns a formatter of amounts in the currency of the page's sale.
pub fn use_money() -> impl Fn(Cents) -> String + Copy + Send + Sync + 'static {
    let currency = use_currency();
    move |cents| money(cents, currency)
}
