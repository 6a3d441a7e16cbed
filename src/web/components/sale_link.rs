//! Addresses of and links to the pages of sales, and the sale that an address names.

use crate::i18n::{kind_info, sale_name};
use leptos::prelude::*;
use leptos_router::hooks::use_location;
use model::{
    KindInfo,
    url::{decode_segment, link_rel, segment},
};

/// The address of a sale's page.
pub fn sale_url(kind: &KindInfo, sale: &str) -> String {
    format!("/{}/{}", kind.pages, segment(sale))
}

/// A link that bears the sale's id.
#[component]
pub fn SaleLink(
    /// The kind, as in keys; the id of an unknown kind is not a link.
    #[prop(into)]
    kind: String,
    /// The id of the sale, which is also the text.
    #[prop(into)]
    sale: String,
    /// With the readable name of a sale whose id nobody chose, before the id.
    #[prop(optional)]
    with_name: bool,
) -> impl IntoView {
    let href = kind_info(&kind).map(|kind| sale_url(kind, &sale));
    let rel = href.as_deref().and_then(link_rel);
    let name = with_name.then(|| sale_name(&sale)).flatten();
    let name = name.map(|name| view! { <span class="sale-name">{name}</span> " " });
    view! {
        <a href=href rel=rel translate="no">
            {name}
            {sale}
        </a>
    }
}

/// The id of the sale that a page of this kind is about.
///
/// Not from the route's parameters: they are decoded twice, and an id may have a percent sign.
pub fn use_sale_id(kind: &'static KindInfo) -> Memo<String> {
    let (path, folder) = (use_location().pathname, format!("/{}/", kind.pages));
    Memo::new(move |before: Option<&String>| {
        let id = path.with(|path| path.strip_prefix(&folder).map(decode_segment));
        // The address changes before the page is left.
        id.or_else(|| before.cloned()).unwrap_or_default()
    })
}
