//! The query of a page's address.

use leptos::prelude::*;
use leptos_router::{
    hooks::{use_location, use_params_map},
    location::Location,
};

/// Returns the query of this page's address, without its question mark. It stays unchanged when the reader goes on to a
/// page of another route.
///
/// Not [`use_url`](leptos_router::hooks::use_url): if only the parameters of the route change, as from sale to sale, it
/// keeps the query of the first address (leptos_router 0.8.17, `FlatRoutes`).
pub fn use_page_search() -> Memo<String> {
    let Location { pathname, search, .. } = use_location();
    let has_id = use_params_map().with_untracked(|params| params.get("id").is_some());
    let route = pathname.with_untracked(|path| route_of(path, has_id).to_owned());
    Memo::new(move |shown: Option<&String>| match shown {
        Some(shown) if pathname.with(|path| route_of(path, has_id) != route) => shown.clone(),
        _ => search.get(),
    })
}

/// Returns the common part of a route's addresses: the whole path, or all but the id at its end.
fn route_of(path: &str, has_id: bool) -> &str {
    if has_id { path.rsplit_once('/').map_or(path, |(before, _)| before) } else { path }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sales_of_a_kind_are_one_route() {
        let of_a_sale = |path| route_of(path, true);
        assert_eq!(of_a_sale("/coupons/a"), of_a_sale("/coupons/b%2Fc"));
        assert_ne!(of_a_sale("/coupons/a"), of_a_sale("/stock/a"));
        assert_ne!(of_a_sale("/coupons/a"), of_a_sale("/coupons"));
        assert_ne!(route_of("/lab/faults", false), route_of("/lab/step", false));
    }
}
