//! A user's page: what the user has now at all sales, what it adds up to, and the history behind it.

use crate::{
    base_path::under_base,
    components::{
        Alert, CopyButton, FirstCall, FormErrors, Loaded, LocalTime, Notice, OutageBanner, PageData, RequestIds,
        SaleLink, TimeStyle, USERS, format::money, use_freshness, use_id_in, use_page_search, use_polling, user_url,
    },
    i18n,
    kind::ItemsAtSale,
    kind_of,
    ledger::{
        api::{search, status},
        page::common_currency,
        query::LedgerQuery,
        words::words as ledger_words,
    },
    people::{
        api,
        item_action::{ItemKey, use_item_request_ids},
        lag::{Lag, LagNotice},
        lines::{Line, LineView, Timeline},
        sums::SumsTable,
        words::words,
    },
};
use futures::future;
use leptos::{html, prelude::*};
use leptos_meta::Title;
use model::{
    error::Result,
    ledger::{HistoryCursor, Holdings, Page, SaleHoldings, Search, Status},
    url::{link_rel, parameter, with_query},
};
use serde::{Deserialize, Serialize};
use std::time::Duration;

/// How often the page is brought up to date.
const INTERVAL: Duration = Duration::from_secs(3);
/// The rows of the history on a page.
const ROWS: u32 = 50;

/// What the address asks for.
#[derive(Clone, Debug, PartialEq, Eq)]
struct UserQuery {
    user: String,
    /// The sales after this place; the first ones if `None`.
    sales_after: Option<HistoryCursor>,
    /// The history after this row; the newest rows if `None`.
    after: Option<HistoryCursor>,
}

impl UserQuery {
    fn parse(user: String, query: &str) -> Self {
        let cursor = |name: &str| parameter(query, name).and_then(|text| text.parse().ok());
        Self { user, sales_after: cursor("sales_after"), after: cursor("after") }
    }

    fn url(&self) -> String {
        let cursor = |cursor: Option<HistoryCursor>| cursor.map(|cursor| cursor.to_string());
        let parameters = [("sales_after", cursor(self.sales_after)), ("after", cursor(self.after))];
        with_query(&user_url(&self.user), parameters)
    }
}

/// What the page shows.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
struct UserData {
    holdings: Holdings,
    history: Page,
    /// How far the ledger is; `None` if Redis did not answer.
    status: Option<Status>,
}

async fn load(query: UserQuery) -> Result<UserData> {
    let UserQuery { user, sales_after, .. } = query.clone();
    let (holdings, history, status) =
        future::join3(api::user(user, sales_after), history_of(query), status(None)).await;
    Ok(UserData { holdings: holdings?, history: history?, status: status.ok() })
}

/// Brings it up to date. What the user has is read from many rows, so only if there is another one.
async fn refresh(query: UserQuery, before: UserData) -> Result<UserData> {
    let (history, status) = future::join(history_of(query.clone()), status(None)).await;
    let history = history?;
    // Older rows do not tell whether there are newer ones, except by their number.
    let tells = query.after.is_none() || !history.total_is_at_least;
    let newest = |page: &Page| (page.total, page.rows.first().map(|row| row.id));
    let holdings = if tells && newest(&history) == newest(&before.history) {
        before.holdings
    } else {
        api::user(query.user, query.sales_after).await?
    };
    Ok(UserData { holdings, history, status: status.ok() })
}

async fn history_of(UserQuery { user, after, .. }: UserQuery) -> Result<Page> {
    search(None, None, Some(user), None, None, None, None, None, Some(ROWS), after).await
}

/// `/users/<user>`
#[component]
pub fn UserPage() -> impl IntoView {
    let (user, address) = (use_id_in(USERS.to_owned()), use_page_search());
    let query = Memo::new(move |_| UserQuery::parse(user.get(), &address.read()));
    let data = PageData::new(move || query.get(), load);
    view! {
        <Loaded data let:first>
            <User query=query.get_untracked() first />
        </Loaded>
    }
}

#[component]
fn User(
    /// What the address asks for.
    query: UserQuery,
    /// What was loaded with the page.
    first: UserData,
) -> impl IntoView {
    let words = words();
    let data = RwSignal::new(first);
    let freshness = use_freshness(true);
    let asked = StoredValue::new(query.clone());
    let reload = use_polling(
        INTERVAL,
        FirstCall::AfterInterval,
        move || refresh(asked.get_value(), data.get_untracked()),
        move |answer| {
            freshness.note(&answer);
            if let Ok(answer) = answer {
                data.set(answer);
            }
        },
    );
    let holdings = Memo::new(move |_| data.with(|data| data.holdings.clone()));
    let history = Memo::new(move |_| data.with(|data| data.history.clone()));
    let lag = Memo::new(move |_| data.with(|data| Lag::of(data.status.as_ref())));
    let is_unknown = Memo::new(move |_| {
        let has_nothing = holdings.with(|holdings| holdings.sales.is_empty() && holdings.next.is_none());
        has_nothing && history.with(|history| history.total == 0)
    });
    let UserQuery { user, .. } = query.clone();
    let all_rows = LedgerQuery::of_user(user.clone()).url();
    view! {
        <Title text=(words.title_of)(&user) />
        <main id="main" class="person" tabindex="-1">
            <div class="intro">
                <h1>
                    {words.user} " " <span translate="no">{user.clone()}</span>
                </h1>
                <p class="bar">
                    <CopyButton label=words.copy_user text=user.clone() />
                    <a href=under_base(all_rows)>{words.in_ledger}</a>
                </p>
            </div>
            <OutageBanner outage=freshness.outage() />
            <LagNotice lag />
            <Show
                when=move || is_unknown.get()
                fallback=move || {
                    let query = query.clone();
                    view! {
                        <HoldingsCard query=query.clone() holdings reload />
                        <SumsCard history />
                        <HistoryCard query history />
                    }
                }
            >
                <section class="card" aria-labelledby="unknown-title">
                    <h2 id="unknown-title">{words.nothing_of_user}</h2>
                    <p>{words.nothing_of_user_hint}</p>
                    <p class="actions">
                        <a class="button" href=under_base("/")>{i18n::words().back_to_sales}</a>
                    </p>
                </section>
            </Show>
        </main>
    }
}

#[component]
fn HoldingsCard(
    /// What the address asks for.
    query: UserQuery,
    /// What the user has.
    holdings: Memo<Holdings>,
    /// Loads it again.
    reload: Callback<()>,
) -> impl IntoView {
    let words = words();
    let user = StoredValue::new(query.user.clone());
    let (errors, result, told) = (FormErrors::default(), RwSignal::new(None::<String>), NodeRef::<html::P>::new());
    // The line of the item goes, or changes, once the ledger has what was done.
    let done = Callback::new(move |answer: Result<String>| match answer {
        Ok(sentence) => {
            errors.clear();
            result.set(Some(sentence));
            // At once: in the next frame, the button that was pressed would have handed the focus on.
            if let Some(told) = told.get_untracked() {
                _ = told.focus();
            }
            reload.run(());
        }
        Err(error) => {
            result.set(None);
            errors.set(Some(error));
        }
    });
    let request_ids = use_item_request_ids();
    let is_empty = move || holdings.with(|holdings| holdings.sales.is_empty());
    let is_partial = move || holdings.with(|holdings| holdings.is_partial);
    let newest = query.sales_after.is_some().then(|| UserQuery { sales_after: None, ..query.clone() });
    let older = move || {
        let next = holdings.with(|holdings| holdings.next)?;
        Some(UserQuery { sales_after: Some(next), ..query.clone() })
    };
    view! {
        <section class="card" aria-labelledby="holdings-title">
            <h2 id="holdings-title">{words.has_now}</h2>
            <Show when=is_partial>
                <Notice>{words.is_partial}</Notice>
            </Show>
            <Show when=is_empty>
                <p class="empty">{words.has_nothing}</p>
            </Show>
            <ul class="holdings">
                <For
                    each=move || holdings.with(|holdings| holdings.sales.clone())
                    key=|sale| (sale.kind.clone(), sale.sale.clone(), sale.at, sale.count)
                    let(sale)
                >
                    <SaleEntry user=user.get_value() sale done request_ids />
                </For>
            </ul>
            <p role="status" tabindex="-1" node_ref=told>
                {result}
            </p>
            <Alert errors />
            <PageLinks newest older newest_label=words.first_sales older_label=words.more_sales />
        </section>
    }
}

#[component]
fn SaleEntry(
    /// The user.
    user: String,
    /// What the user has at one sale.
    sale: SaleHoldings,
    /// Shows what came of an operator's action.
    done: Callback<Result<String>>,
    /// Returns the ids for what is done about an item.
    request_ids: Callback<ItemKey, RequestIds<()>>,
) -> impl IntoView {
    let words = words();
    let SaleHoldings { kind, sale: id, at, count, cents, currency, quantity, items } = sale.clone();
    let kind_name = i18n::kind_name(&kind).map_or_else(|| kind.clone(), str::to_owned);
    let sum = match quantity {
        Some(quantity) => i18n::item_name(&kind, quantity.to_string()),
        None if cents != 0 => (words.items_worth)(count, money(cents, currency)),
        None => (words.items)(count),
    };
    let left_out = count.saturating_sub(items.len() as u64);
    let of_user_there = Search { user: Some(user), sale: Some(id.clone()), ..Search::default() };
    let of_user_there = LedgerQuery::from(of_user_there).url();
    let item_actions = kind_of(&kind).and_then(|kind| kind.pages.item_actions);
    let of_sale = (kind.clone(), id.clone());
    let request_ids = Callback::new(move |request| {
        let (kind, sale) = of_sale.clone();
        request_ids.run(ItemKey { kind, sale, request })
    });
    let actions = item_actions.map(|of_sale| of_sale(ItemsAtSale { sale: id.clone(), done, request_ids }));
    let lines = Line::of_sale(sale).into_iter();
    view! {
        <li class="holding">
            <div class="bar">
                <h3>
                    <SaleLink kind sale=id with_name=true />
                </h3>
                <span class="aside">{kind_name}</span>
                <b>{sum}</b>
                <span class="aside">
                    {words.last_change} " " <LocalTime at style=TimeStyle::Full />
                </span>
            </div>
            <ul class="lines">
                {lines
                    .map(|(item, line)| {
                        view! {
                            <li>
                                <LineView line without_sale=true />
                                {actions.as_ref().map(|actions| actions(&item))}
                            </li>
                        }
                    })
                    .collect_view()}
            </ul>
            {(left_out > 0)
                .then(|| view! { <p class="aside">{(words.left_out)(left_out)} " " <a href=under_base(of_user_there)>{words.in_ledger}</a></p> })}
        </li>
    }
}

#[component]
fn SumsCard(
    /// The page of the history, which has the sums of all of it.
    history: Memo<Page>,
) -> impl IntoView {
    let words = words();
    let sums = Memo::new(move |_| {
        history.with(|page| (page.sums.clone(), common_currency(&page.rows), page.total_is_at_least))
    });
    view! {
        <section class="card" aria-labelledby="sums-title">
            <h2 id="sums-title">{words.sums}</h2>
            {move || match sums.get() {
                (.., true) => view! { <p class="empty">{ledger_words().no_sums}</p> }.into_any(),
                (sums, currency, false) => view! { <SumsTable sums currency /> }.into_any(),
            }}
        </section>
    }
}

#[component]
fn HistoryCard(
    /// What the address asks for.
    query: UserQuery,
    /// The rows of the page.
    history: Memo<Page>,
) -> impl IntoView {
    let words = words();
    let rows = Memo::new(move |_| history.with(|page| page.rows.clone()));
    let found = move || history.with(|page| (ledger_words().rows_found)(page.total, page.total_is_at_least));
    let newest = query.after.is_some().then(|| UserQuery { after: None, ..query.clone() });
    let older = move || {
        let next = history.with(|history| history.next)?;
        Some(UserQuery { after: Some(next), ..query.clone() })
    };
    view! {
        <section class="card" aria-labelledby="history-title">
            <div class="bar">
                <h2 id="history-title">{words.history}</h2>
                <span class="aside">{found}</span>
            </div>
            <Timeline rows />
            <PageLinks newest older newest_label=ledger_words().newest older_label=ledger_words().older_rows />
        </section>
    }
}

/// Shows links to the first page and to the next one, if there are such.
#[component]
fn PageLinks(
    /// The address of the first page; `None` if it is shown.
    newest: Option<UserQuery>,
    /// The address of the next page.
    older: impl Fn() -> Option<UserQuery> + Send + Sync + 'static,
    /// The text of the link to the first page.
    newest_label: &'static str,
    /// The text of the link to the next page.
    older_label: &'static str,
) -> impl IntoView {
    let link = |query: &UserQuery, label: &'static str| {
        let url = query.url();
        let rel = link_rel(&url);
        view! {
            <a class="button" href=under_base(url) rel=rel>
                {label}
            </a>
        }
    };
    view! {
        <nav class="pages" aria-label=older_label>
            {newest.as_ref().map(|query| link(query, newest_label))}
            {move || older().as_ref().map(|query| link(query, older_label))}
        </nav>
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_the_page_shows_is_in_its_address() {
        let query =
            UserQuery {
                user: "50% 红".to_owned(), sales_after: "1-2-3-4".parse().ok(), after: "5-6-7-8".parse().ok()
            };
        let url = query.url();
        assert_eq!(url, "/users/50%25%20%E7%BA%A2?sales_after=1-2-3-4&after=5-6-7-8");
        assert_eq!(UserQuery::parse(query.user.clone(), url.split_once('?').unwrap().1), query);
        assert_eq!(UserQuery::parse("ann".to_owned(), "after=nowhere").url(), "/users/ann");
    }
}
