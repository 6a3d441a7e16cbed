//! What a text may mean: each result with its address, in groups.

use crate::{
    components::{order_url, sale_url, user_url},
    i18n::{kind_info, kind_name, sale_name},
    ledger::query::LedgerQuery,
    people::{finder::PageName, words::words},
};
use model::ledger::{Found, FoundId, SaleName, Search};

/// A result.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Choice {
    /// The name of its group.
    pub group: &'static str,
    /// What was found.
    pub name: String,
    /// What tells it from others; empty if the name does.
    pub detail: String,
    /// Its address, from the root of the server on.
    pub url: String,
}

/// Returns the results for a text: those of what the ledger has found, perhaps for another text, that begin with it, and
/// pages of that name. Without a text, all pages.
pub fn choices(text: &str, found: &Found, pages: &[PageName]) -> Vec<Choice> {
    let words = words();
    let choice = |group, name: &str, detail: String, url| Choice { group, name: name.to_owned(), detail, url };
    let Found { sales, users, orders, requests, codes } = found;
    let begins = |id: &str| !text.is_empty() && id.starts_with(text);
    let is_found = |found: &&FoundId| begins(&found.id);
    let users = users.iter().filter(|user| begins(user));
    let mut choices: Vec<Choice> = users.map(|user| choice(words.users, user, String::new(), user_url(user))).collect();
    let sales = sales.iter().filter(|sale| begins(&sale.sale));
    choices.extend(sales.filter_map(|SaleName { kind, sale }| {
        let name = sale_name(sale);
        let detail: Vec<&str> = name.as_deref().into_iter().chain(kind_name(kind)).collect();
        Some(choice(words.sales, sale, detail.join(" · "), sale_url(kind_info(kind)?, sale)))
    }));
    choices.extend(
        orders
            .iter()
            .filter(is_found)
            .map(|order| choice(words.orders, &order.id, detail(order), order_url(&order.id, Some(&order.sale)))),
    );
    // A code is found in small letters, too.
    let wanted = text.to_lowercase();
    let codes = codes.iter().filter(|code| !wanted.is_empty() && code.id.to_lowercase().starts_with(&wanted));
    choices.extend(codes.map(|code| {
        let url = code.user.as_deref().map_or_else(|| LedgerQuery::of_sale(&code.sale).url(), user_url);
        choice(words.codes, &code.id, detail(code), url)
    }));
    choices.extend(requests.iter().filter(is_found).map(|request| {
        let search = Search { request_id: Some(request.id.clone()), ..Search::default() };
        choice(words.requests, &request.id, detail(request), LedgerQuery::from(search).url())
    }));
    let named = pages.iter().filter(|(_, name)| name.to_lowercase().contains(&wanted));
    choices.extend(named.map(|(path, name)| choice(words.pages, name, String::new(), (*path).to_owned())));
    choices
}

/// The user and the sale.
fn detail(FoundId { sale, user, .. }: &FoundId) -> String {
    user.iter().chain([sale]).cloned().collect::<Vec<_>>().join(" · ")
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::kind_words;
    use leptos::prelude::*;

    const PAGES: [PageName; 2] = [("/", "Sales"), ("/ledger", "Ledger")];

    #[test]
    fn each_result_leads_to_its_page() {
        Owner::new().with(|| {
            provide_context(kind_words());
            let id = |id: &str| FoundId {
                id: id.to_owned(),
                kind: "ticket".to_owned(),
                sale: "s".to_owned(),
                user: Some("ann".to_owned()),
            };
            let found = Found {
                sales: vec![SaleName { kind: "ticket".to_owned(), sale: "a/b".to_owned() }],
                users: vec!["a lee".to_owned(), "b".to_owned()],
                orders: vec![id("a0")],
                requests: vec![id("a 1"), id("A")],
                codes: vec![id("A1")],
            };
            let shown: Vec<(String, String)> =
                choices("a", &found, &PAGES).into_iter().map(|choice| (choice.detail, choice.url)).collect();
            let expected = [
                ("", "/users/a%20lee"),
                ("Tickets", "/tickets/a%2Fb"),
                ("ann · s", "/orders/a0?sale=s"),
                ("ann · s", "/users/ann"),
                ("ann · s", "/ledger?request_id=a+1"),
                ("", "/"),
            ];
            assert_eq!(shown, expected.map(|(detail, url)| (detail.to_owned(), url.to_owned())));
            assert_eq!(choices("", &Found::default(), &PAGES).len(), 2, "all pages, before anything is typed");
        });
    }
}
