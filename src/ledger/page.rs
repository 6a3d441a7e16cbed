//! The ledger's page: whatever changed in any sale, searched, newest first.

mod bookmarks;
mod history;
mod history_table;
mod search_form;
mod window;

pub use bookmarks::provide_bookmarks;

use super::{Page, Search, api, query::LedgerQuery, words::words};
use crate::{components::Answered, error::Result};
use bookmarks::{Bookmark, Bookmarks};
use history::use_history;
use history_table::HistoryTable;
use leptos::prelude::*;
use leptos_meta::Title;
use leptos_router::hooks::use_url;
use search_form::SearchForm;
use window::PageRequest;

/// `/ledger`
#[component]
pub fn LedgerPage() -> impl IntoView {
    // The address of this page alone: it stays as it was when the reader goes on to another page.
    let url = use_url();
    let query = Memo::new(move |_| url.with(|url| LedgerQuery::parse(url.search())));
    let start = expect_context::<Bookmarks>().start(query.get_untracked());
    let (search, request) = (start.window.query.search.clone(), start.window.first_rendered());
    // Once: from then on the page follows its address by itself.
    let first = Resource::new(|| (), move |()| load(search.clone(), request));
    view! {
        <Answered resource=first let:first>
            <Ledger query start=start.clone() first />
        </Answered>
    }
}

async fn load(search: Search, PageRequest { after, .. }: PageRequest) -> Result<Page> {
    let Search { sale, user, request_id, outcome } = search;
    api::search(sale, user, request_id, outcome, None, after).await
}

#[component]
fn Ledger(query: Memo<LedgerQuery>, start: Bookmark, first: Result<Page>) -> impl IntoView {
    let words = words();
    let history = use_history(query, start, first);
    view! {
        <Title text=words.title />
        <main id="main" class="ledger" tabindex="-1">
            <div class="intro">
                <h1>{words.title}</h1>
                <p>{words.intro}</p>
            </div>
            <SearchForm query history />
            <HistoryTable history />
        </main>
    }
}
