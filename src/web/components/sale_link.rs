//! Addresses of sale pages, links to them, and the sale in the current address.

use crate::{
    base_path::under_base,
    components::use_id_in,
    i18n::{kind_info, sale_title},
};
use leptos::prelude::*;
use model::{
    KindInfo,
    life::Texts,
    url::{link_rel, segment},
};

/// Returns the address of a sale's page.
pub fn sale_url(kind: &KindInfo, sale: &str) -> String {
    format!("/{}/{}", kind.pages, segment(sale))
}

/// Shows a link with the sale's id as its text.
#[component]
pub fn SaleLink(
    /// The kind, as in keys; the id of an unknown kind is shown without a link.
    #[prop(into)]
    kind: String,
    /// The id of the sale, which is also the text.
    #[prop(into)]
    sale: String,
    /// Shows the readable name of a sale with a generated id, before the id.
    #[prop(optional)]
    with_name: bool,
    /// The title of the sale, which is shown as such a name.
    #[prop(into, optional)]
    title: Signal<Texts>,
) -> impl IntoView {
    let href = kind_info(&kind).map(|kind| sale_url(kind, &sale));
    let rel = href.as_deref().and_then(link_rel);
    let name = Memo::new({
        let sale = sale.clone();
        move |_| title.with(|title| if with_name { sale_title(&sale, title) } else { None })
    });
    let name = move || name.get().map(|name| view! { <span class="sale-name">{name}</span> " " });
    view! {
        <a href=href.map(under_base) rel=rel translate="no">
            {name}
            {sale}
        </a>
    }
}

/// Returns the id of the sale on a page of this kind.
pub fn use_sale_id(kind: &'static KindInfo) -> Memo<String> {
    use_id_in(format!("/{}/", kind.pages))
}
