//! The ledger's page: a search through all changes of all sales, newest first. The address has the search and where the
//! rows begin, so older rows are a link, which works without JavaScript too.

mod follow;
mod history;
mod history_table;
mod row_details;
mod search_form;
mod sums;

pub use sums::common_currency;

use crate::{
    components::{Answered, PageData, use_page_search},
    ledger::{
        api,
        page::{history::use_history, history_table::HistoryTable, row_details::RowDetails, search_form::SearchForm},
        query::LedgerQuery,
        words::words,
    },
};
use leptos::prelude::*;
use leptos_meta::Title;
use model::{
    Checks,
    error::{Error, Result},
    ledger::{HistoryCursor, Page, Row, Search},
};

/// `/ledger`
#[component]
pub fn LedgerPage() -> impl IntoView {
    let search = use_page_search();
    let query = Memo::new(move |_| search.with(|search| LedgerQuery::parse(search)));
    let row = Memo::new(move |_| search.with(|search| LedgerQuery::row(search)));
    let (loaded, details) = (query.get_untracked(), row.get_untracked());
    let wanted = loaded.clone();
    // Loaded once: from then on, a new address only loads other rows.
    let first = PageData::new(|| (), move |()| load_first(wanted.clone(), details));
    view! {
        <Answered data=first let:first>
            <Ledger query row loaded=loaded.clone() first />
        </Answered>
    }
}

async fn load(query: LedgerQuery) -> Result<Page> {
    let (mut checks, has_bad_times) = (Checks::default(), !query.bad_times.is_empty());
    for (field, text) in query.bad_times {
        let why = format!("`{field}` is \"{text}\", which is not a time such as 2026-01-31 12:00.");
        checks.note::<()>(Err(Error::bad(field, why)));
    }
    if has_bad_times {
        checks.finish(query.search.check())?;
    }
    let Search { kind, sale, user, request_id, order, outcome, from, to } = query.search;
    api::search(kind, sale, user, request_id, order, outcome, from, to, None, query.after).await
}

/// The first page, and the row whose details the address asks for.
async fn load_first(query: LedgerQuery, row: Option<HistoryCursor>) -> Result<(Page, Option<Row>)> {
    let page = load(query).await?;
    let row = match row {
        Some(id) => api::row(id).await?,
        None => None,
    };
    Ok((page, row))
}

#[component]
fn Ledger(
    /// What the address asks for.
    query: Memo<LedgerQuery>,
    /// The row that the address names; `None` if it names none.
    row: Memo<Option<HistoryCursor>>,
    /// What the first rows were searched by.
    loaded: LedgerQuery,
    /// The first rows, and the row that the address names, as loaded with the page.
    first: Result<(Page, Option<Row>)>,
) -> impl IntoView {
    let words = words();
    let (first, details) = match first {
        Ok((page, row)) => (Ok(page), row),
        Err(error) => (Err(error), None),
    };
    let history = use_history(query, loaded, first);
    view! {
        <Title text=words.title />
        <main id="main" class="ledger" tabindex="-1">
            <div class="intro">
                <h1>{words.title}</h1>
                <p>{words.intro}</p>
            </div>
            <SearchForm query history />
            <RowDetails query row history first=details />
            <HistoryTable history open=row />
        </main>
    }
}
