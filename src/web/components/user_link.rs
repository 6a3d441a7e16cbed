//! Addresses of the pages of users and orders, and links to them.

use crate::base_path::{under_base, use_path};
use leptos::prelude::*;
use model::url::{decode_segment, link_rel, segment, with_query};

/// The folder of the pages of users.
pub const USERS: &str = "/users/";
/// The folder of the pages of orders.
pub const ORDERS: &str = "/orders/";

/// Returns the address of a user's page.
pub fn user_url(user: &str) -> String {
    format!("{USERS}{}", segment(user))
}

/// Returns the address of an order's page. With its sale, the page finds an order that the ledger does not have yet.
pub fn order_url(order: &str, sale: Option<&str>) -> String {
    with_query(&format!("{ORDERS}{}", segment(order)), [("sale", sale)])
}

/// Shows a user's name, which leads to the user's page.
#[component]
pub fn UserLink(
    /// The user.
    #[prop(into)]
    user: String,
) -> impl IntoView {
    let url = user_url(&user);
    let rel = link_rel(&url);
    view! {
        <a href=under_base(url) rel=rel translate="no">
            {user}
        </a>
    }
}

/// Shows an order's id, which leads to the order's page.
#[component]
pub fn OrderLink(
    /// The id of the order.
    #[prop(into)]
    order: String,
    /// The id of its sale.
    #[prop(into)]
    sale: String,
) -> impl IntoView {
    let url = order_url(&order, Some(&sale));
    let rel = link_rel(&url);
    view! {
        <a href=under_base(url) rel=rel title=order.clone() translate="no">
            {order.clone()}
        </a>
    }
}

/// Returns the id at the end of the address of a page in this folder. It stays when the reader goes on to another page.
///
/// It does not come from the route's parameters: they are decoded twice, and an id may contain a percent sign.
pub fn use_id_in(folder: String) -> Memo<String> {
    let path = use_path();
    Memo::new(move |before: Option<&String>| {
        let id = path.with(|path| path.strip_prefix(&folder).map(decode_segment));
        // The address changes before the page is left.
        id.or_else(|| before.cloned()).unwrap_or_default()
    })
}
