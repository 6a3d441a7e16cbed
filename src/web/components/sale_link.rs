//! Addresses of sale pages, links to them, and the sale in the current address.

use crate::{
    base_path::under_base,
    components::use_id_in,
    i18n::{kind_info, sale_title},
};
use leptos::{either::Either, prelude::*};
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
    /// How many bytes of the id are seen, at its end; all by default. The rest is for screen readers, for the tip of the
    /// browser, and for who copies the text.
    #[prop(into, optional)]
    seen: Signal<Option<usize>>,
) -> impl IntoView {
    let href = kind_info(&kind).map(|kind| sale_url(kind, &sale));
    let rel = href.as_deref().and_then(link_rel);
    let id = StoredValue::new(sale);
    let name = Memo::new(move |_| {
        let name = || id.with_value(|id| title.with(|title| sale_title(id, title)));
        with_name.then(name).flatten()
    });
    let name = move || name.get().map(|name| view! { <span class="sale-name">{name}</span> " " });
    let parts = move || {
        let length = seen.get()?;
        id.with_value(|id| {
            let (rest, short) = id.split_at_checked(id.len().checked_sub(length)?)?;
            Some((rest.to_owned(), short.to_owned()))
        })
    };
    let text = move || match parts() {
        Some((rest, short)) => Either::Left(view! {
            <span class="id-rest">{rest}</span>
            {short}
        }),
        None => Either::Right(id.get_value()),
    };
    view! {
        <a href=href.map(under_base) rel=rel translate="no" title=move || parts().map(|_| id.get_value())>
            {name}
            {text}
        </a>
    }
}

/// Returns the id of the sale on a page of this kind.
pub fn use_sale_id(kind: &'static KindInfo) -> Memo<String> {
    use_id_in(format!("/{}/", kind.pages))
}
