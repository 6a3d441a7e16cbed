//! The query of the address of a page.

use leptos::prelude::*;
use leptos_router::{hooks::use_location, location::Location};

/// The query of the address of this page, without its question mark. It stays as it was when the reader goes on to a page
/// of another route.
///
/// Not [`use_url`](leptos_router::hooks::use_url), which keeps the query of the first address where only the parameters
/// of the route change, as from sale to sale (leptos_router 0.8.17, `FlatRoutes`).
pub fn use_page_search() -> Memo<String> {
    let Location { pathname, search, .. } = use_location();
    let route = pathname.with_untracked(|path| route_of(path));
    Memo::new(move |shown: Option<&String>| match shown {
        Some(shown) if pathname.with(|path| route_of(path)) != route => shown.clone(),
        _ => search.get(),
    })
}

/// What the addresses of a route have in common: of a sale's, its kind; of others, all of their path.
fn route_of(path: &str) -> Vec<String> {
    let mut segments: Vec<String> = path.split('/').filter(|segment| !segment.is_empty()).map(str::to_owned).collect();
    if let [first, second] = segments.as_mut_slice()
        && first != "lab"
    {
        second.clear();
    }
    segments
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sales_of_a_kind_are_one_route() {
        assert_eq!(route_of("/coupons/a"), route_of("/coupons/b%2Fc"));
        assert_ne!(route_of("/coupons/a"), route_of("/stock/a"));
        assert_ne!(route_of("/lab"), route_of("/lab/step"));
        assert_ne!(route_of("/lab/faults"), route_of("/lab/step"));
        assert_ne!(route_of("/"), route_of("/ledger"));
    }
}
