//! A search as the query of an address, and back: what can be shared, and what a form without
//! JavaScript sends.

use crate::{
    ledger::{Cursor, Search},
    ui::format::segment,
};
use leptos_router::location::Url;

/// The page's address.
pub const PATH: &str = "/ledger";

/// What an address asks for.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Wanted {
    pub search: Search,
    /// Where to begin; at the newest where there is none.
    pub after: Option<Cursor>,
}

/// The conditions of a search, by their names in addresses and forms.
pub fn conditions(search: &Search) -> [(&'static str, &Option<String>); 4] {
    [("sale", &search.sale), ("user", &search.user), ("request_id", &search.request_id), ("outcome", &search.outcome)]
}

/// Reads a query, without its question mark. What is empty or of another name does not narrow the search.
pub fn read(query: &str) -> Wanted {
    let mut wanted = Wanted::default();
    for pair in query.split('&') {
        let (name, value) = pair.split_once('=').unwrap_or((pair, ""));
        let spaced: String = value.chars().map(|c| if c == '+' { ' ' } else { c }).collect();
        let value = Url::unescape(&spaced);
        let value = Some(value.trim()).filter(|value| !value.is_empty()).map(str::to_owned);
        match name {
            "sale" => wanted.search.sale = value,
            "user" => wanted.search.user = value,
            "request_id" => wanted.search.request_id = value,
            "outcome" => wanted.search.outcome = value,
            "after" => wanted.after = value.and_then(|value| value.parse().ok()),
            _ => {}
        }
    }
    wanted
}

/// The search for all of a sale.
pub fn of_sale(sale: String) -> Search {
    Search { sale: Some(sale), ..Search::default() }
}

/// The address of a search: `path`, and the conditions that there are.
pub fn write(path: &str, search: &Search) -> String {
    let mut address = path.to_owned();
    let mut mark = if path.contains('?') { "&" } else { "?" };
    for (name, value) in conditions(search) {
        if let Some(value) = value {
            address.extend([mark, name, "=", &segment(value)]);
            mark = "&";
        }
    }
    address
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_written_is_read_again() {
        let search = Search {
            sale: Some("50% & more+=?#".to_owned()),
            user: Some("小梅 W".to_owned()),
            request_id: None,
            outcome: Some("won".to_owned()),
        };
        let address = write(PATH, &search);
        assert_eq!(address, "/ledger?sale=50%25%20%26%20more%2B%3D%3F%23&user=%E5%B0%8F%E6%A2%85%20W&outcome=won");
        assert_eq!(read(address.split_once('?').unwrap().1), Wanted { search, after: None });
        assert_eq!(write(PATH, &Search::default()), PATH);
    }

    #[test]
    fn what_a_form_sends_is_read() {
        let wanted = read("sale=&user=little+Mei&request_id=&outcome=&after=1700000000000-3-7-1&x=y");
        assert_eq!(wanted.search, Search { user: Some("little Mei".to_owned()), ..Search::default() });
        assert_eq!(wanted.after.map(|after| after.to_string()).as_deref(), Some("1700000000000-3-7-1"));
        assert_eq!(read("after=nowhere"), Wanted::default());
    }
}
