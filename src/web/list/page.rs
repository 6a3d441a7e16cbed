//! `/`: all sales of all kinds, and the forms that open one.

mod column;
mod demonstrations;
mod entry;
mod filter_form;
mod listed;
mod missing;
mod open;
mod recent;
mod row;
mod table;

use crate::{
    base_path::under_base,
    components::{
        FirstCall, Icon, LoadAlert, Loaded, Notice, OutageBanner, PageData, RecoverCommand, focus_next_frame,
        use_attention, use_freshness, use_now, use_page_search, use_polling, use_scroll_restoration,
    },
    kind_of,
    list::{
        api::list_by,
        demonstration::{Demonstration, demonstrations_among, load_demonstrations},
        filter::Filter,
        page::{
            demonstrations::Demonstrations, entry::Entry, filter_form::FilterForm, missing::Missing, open::OpenSale,
            table::SalesTable,
        },
        words::words,
    },
    open_form::LIKE,
};
use futures::future::join;
use leptos::{either::Either, prelude::*};
use leptos_meta::Title;
use model::{
    error::{Code, Error, Result},
    lab::duel,
    ledger::SaleName,
    list::{ListQuery, SaleList, SaleSummary},
    url::parameter,
};
use serde::{Deserialize, Serialize};
use std::time::Duration;

const REFRESH: Duration = Duration::from_secs(2);
/// The most sales of the reader's own that are shown as cards; more are a table.
const MOST_CARDS: usize = 12;

/// A page of the list, the applied filter, and the demonstrations above the list.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
struct Listed {
    list: SaleList,
    applied: Filter,
    /// The filter in the address, if it is invalid and therefore not applied.
    refused: Option<Filter>,
    /// `None` if they could not be loaded: archived sales are listed even while Redis is down.
    demos: Option<Vec<Demonstration>>,
}

impl Listed {
    async fn load(applied: Filter, refused: Option<Filter>) -> Result<Self> {
        let list = load_page(applied.clone());
        let (list, demos) = if applied.is_whole() {
            let list = list.await?;
            let demos = match &list.next {
                None => Some(demonstrations_among(&newest_first(list.sales.clone()))),
                Some(_) => load_demonstrations().await.ok(),
            };
            (list, demos)
        } else {
            let (list, demos) = join(list, load_demonstrations()).await;
            (list?, demos.ok())
        };
        Ok(Self { list, applied, refused, demos })
    }
}

/// Loads the list with this filter. If the filter is invalid, perhaps known from an earlier attempt, loads the list
/// without one.
async fn load(filter: Filter, refused: Option<Filter>) -> Result<Listed> {
    if refused.as_ref() != Some(&filter) {
        match Listed::load(filter.clone(), None).await {
            Err(error) if error.code == Code::BadRequest => {}
            listed => return listed,
        }
    }
    Listed::load(Filter::default(), Some(filter)).await
}

async fn load_page(filter: Filter) -> Result<SaleList> {
    // A name that is none is for the server to refuse.
    let sort = filter.order().map(|order| filter.sort.clone().unwrap_or_else(|| order.name()));
    let Filter { kind, state, id, after, .. } = filter;
    list_by(ListQuery { kind, state, text: id, sort, after, ..ListQuery::default() }).await
}

fn newest_first(mut sales: Vec<SaleSummary>) -> Vec<SaleSummary> {
    sales.sort_by_key(|sale| std::cmp::Reverse(sale.opened_at));
    sales
}

/// Shows the list of sales.
#[component]
pub fn SalesPage() -> impl IntoView {
    let search = use_page_search();
    let filter = Memo::new(move |_| search.with(|search| Filter::parse(search)));
    let like = Memo::new(move |_| {
        let name = search.with(|search| parameter(search, LIKE))?;
        let (kind, sale) = name.split_once(':')?;
        Some(SaleName { kind: kind.to_owned(), sale: sale.to_owned() })
    });
    // Loaded once: afterwards, the page follows its address by itself, and text in its forms stays.
    let first = PageData::new(|| (), move |()| load(filter.get_untracked(), None));
    view! { <Loaded data=first let:first><Sales first filter like /></Loaded> }
}

#[component]
fn Sales(
    /// The data that came with the page.
    first: Listed,
    /// The filter in the address.
    filter: Memo<Filter>,
    /// The sale in the address whose terms a new one is to have.
    like: Memo<Option<SaleName>>,
) -> impl IntoView {
    let words = words();
    let (applied, refused) = (RwSignal::new(first.applied), RwSignal::new(first.refused));
    let sales = RwSignal::new(first.list);
    let demos = RwSignal::new(first.demos.unwrap_or_default());
    let error = RwSignal::new(None::<Error>);
    let freshness = use_freshness(true);
    let open_title = NodeRef::new();
    let restore_scroll = use_scroll_restoration();
    let refresh = use_polling(
        REFRESH,
        FirstCall::AfterInterval,
        move || load(filter.get_untracked(), refused.get_untracked()),
        move |answer| {
            freshness.note(&answer);
            match answer {
                Ok(news) => {
                    error.set(None);
                    applied.set(news.applied);
                    refused.set(news.refused);
                    sales.set(news.list);
                    if let Some(news) = news.demos {
                        demos.set(news);
                    }
                    restore_scroll();
                }
                Err(why) => error.set(Some(why)),
            }
        },
    );
    Effect::watch(move || filter.get(), move |_, _, _| refresh.run(()), false);
    let time = use_now();
    let table = NodeRef::new();
    // A table stays one while the page is open: what is done to its sales does not take it away from who does it.
    let is_table = Memo::new(move |before: Option<&bool>| {
        before == Some(&true) || sales.with(|list| is_long(list, demos.with(Vec::len), &applied.read()))
    });
    let is_read = use_attention(table);
    let shown = Memo::new(move |before: Option<&Shown>| {
        let (applied, is_table) = (applied.get(), is_table.get());
        let mut listed = sales.with(|list| list.sales.clone());
        // The demonstrations are above the cards. Who looks for one finds it here, too.
        if !is_table && applied.is_whole() {
            demos.with(|demos| listed.retain(|sale| !demos.iter().any(|demo| demo.is_of(sale))));
        }
        // While the same sales are listed, none moves from under the pointer.
        let stays = |before: &&Shown| {
            (before.is_table, &before.applied) == (is_table, &applied)
                && (!is_table || is_read.get())
                && are_the_same(&before.sales, &listed)
        };
        match before.filter(stays) {
            Some(before) => before.clone(),
            None => Shown { sales: if is_table { listed } else { in_order(listed) }, is_table, applied },
        }
    });
    let keys = Memo::new(move |_| shown.with(|shown| shown.sales.clone()));
    let short = Memo::new(move |_| sales.with(|list| list.short_ids.clone()));
    let is_empty = move || keys.with(Vec::is_empty);
    let is_cut_short = Memo::new(move |_| sales.with(|list| list.away.as_ref().is_some_and(|away| away.count > 0)));
    view! {
        <Title text=words.sales />
        <main id="main" class="home" tabindex="-1">
            <div class="intro">
                <h1>{words.title}</h1>
                <p>{words.intro}</p>
            </div>
            <section class="to-duel" aria-label=words.duel>
                <p>{words.duel_intro}</p>
                <a class="button strong" href=under_base(duel::PATH)>
                    <Icon icon=icondata_lu::LuSwords />
                    {words.duel}
                </a>
            </section>
            <Demonstrations demos />
            <section class="sales" aria-labelledby="sales-title">
                <div class="bar">
                    <h2 id="sales-title">{words.your_sales}</h2>
                    <a class="to-open" href="#open-title" on:click=move |_| focus_next_frame(open_title)>
                        {words.open_title}
                    </a>
                </div>
                <FilterForm filter />
                <OutageBanner outage=freshness.outage() />
                <LoadAlert error=Signal::derive(move || freshness.unexplained(error.get())) />
                <div role="status">
                    <Show when=move || refused.with(Option::is_some)>
                        <Notice>{words.bad_filter}</Notice>
                    </Show>
                </div>
                <Missing sales />
                <Show when=move || is_empty() && !is_cut_short.get()>
                    <p class="empty">{move || none_found(&applied.read(), sales.with(|list| list.lost))}</p>
                </Show>
                <Show
                    when=move || is_table.get()
                    fallback=move || {
                        let card = move |sale: SaleSummary| {
                            let id = sale.sale.clone();
                            let seen = Signal::derive(move || short.with(|short| short.get(&id).map(String::len)));
                            view! { <Entry sales first=sale seen time /> }
                        };
                        view! {
                            <ul class="entries">
                                <For
                                    each=move || keys.get()
                                    key=|sale| (sale.kind.clone(), sale.sale.clone())
                                    children=card
                                />
                            </ul>
                        }
                    }
                >
                    <SalesTable sales rows=keys filter=applied.into() short_ids=short time refresh place=table />
                </Show>
                <Pages sales filter=applied.into() />
            </section>
            <OpenSale
                chosen=filter.get_untracked().kind
                like
                list_url=Signal::derive(move || filter.with(|filter| filter.url(filter.after.as_deref())))
                title=open_title
            />
        </main>
    }
}

/// What is listed, in its order.
#[derive(Clone, PartialEq)]
struct Shown {
    sales: Vec<SaleSummary>,
    is_table: bool,
    /// The filter with which it was loaded.
    applied: Filter,
}

/// Returns whether there are too many sales for cards, beside so many demonstrations. A filter that leaves few of them
/// does not turn the table into cards.
fn is_long(list: &SaleList, demonstrations: usize, applied: &Filter) -> bool {
    match list.totals {
        Some(totals) => totals.listed > (MOST_CARDS + demonstrations) as u64,
        None => list.sales.len() > MOST_CARDS || list.next.is_some() || applied.after.is_some(),
    }
}

fn are_the_same(these: &[SaleSummary], those: &[SaleSummary]) -> bool {
    let is_in = |sale: &SaleSummary| those.iter().any(|other| (&other.kind, &other.sale) == (&sale.kind, &sale.sale));
    these.len() == those.len() && these.iter().all(is_in)
}

/// Returns the sales of a page of the list as listed, but demonstrations that are over come last.
fn in_order(mut sales: Vec<SaleSummary>) -> Vec<SaleSummary> {
    let is_demo = |sale: &SaleSummary| kind_of(&sale.kind).is_some_and(|kind| kind.info.is_demo(&sale.sale));
    sales.sort_by_key(|sale| !sale.state.is_live() && is_demo(sale));
    sales
}

/// Shows why the list is empty, and where else to look.
fn none_found(applied: &Filter, lost: bool) -> impl IntoView + use<> {
    let words = words();
    if !applied.is_filtering() {
        return Either::Left(match lost {
            true => Either::Left(view! { {words.lost} " " <RecoverCommand /> }),
            false => Either::Right(words.empty),
        });
    }
    let archived = applied.among_archived().map(|archived| {
        view! {
            " "
            {words.archived_left_out}
            " "
            <a href=under_base(archived.url(None))>{words.search_archived}</a>
        }
    });
    Either::Right((words.no_match, archived))
}

/// Shows the links to the next page of the list, and back to the first.
#[component]
fn Pages(
    /// The sales on this page of the list, refreshed regularly.
    sales: RwSignal<SaleList>,
    /// The applied filter, which the links keep.
    filter: Signal<Filter>,
) -> impl IntoView {
    let words = words();
    let next = Memo::new(move |_| sales.with(|list| list.next.clone()));
    let is_first = move || filter.with(|filter| filter.after.is_none());
    view! {
        <nav class="pages" aria-label=words.pages>
            {move || {
                (!is_first()).then(|| view! { <a href=under_base(filter.with(|filter| filter.url(None)))>{words.first_page}</a> })
            }}
            {move || {
                next.get()
                    .map(|next| view! { <a href=under_base(filter.with(|filter| filter.url(Some(&next))))>{words.next_page}</a> })
            }}
        </nav>
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use model::SaleState;

    fn order(listed: &[(&str, &str, SaleState)]) -> Vec<String> {
        let summary = |(kind, sale, state): &(&str, &str, SaleState)| SaleSummary {
            kind: (*kind).to_owned(),
            sale: (*sale).to_owned(),
            state: *state,
            total: None,
            left: None,
            opened_at: 0,
            now: 0,
            opens_at: None,
            ends_at: None,
            title: model::life::Texts::default(),
            currency: model::life::Currency::CNY,
            crowd: false,
            lag_events: None,
            details: serde_json::Map::new(),
        };
        in_order(listed.iter().map(summary).collect()).into_iter().map(|sale| sale.sale).collect()
    }

    #[test]
    fn demonstrations_step_back_when_they_are_over() {
        use SaleState::{Closed, Open, SoldOut};
        let demos = [
            ("stock", "phone", SoldOut),
            ("ticket", "stadium-2", Open),
            ("ticket", "stadium", Closed),
            ("red_packet", "demo", Open),
        ];
        assert_eq!(order(&demos), ["stadium-2", "demo", "phone", "stadium"]);
        let own = [("stock", "shoes", SoldOut), demos[0], demos[1], demos[3]];
        assert_eq!(order(&own), ["shoes", "stadium-2", "demo", "phone"]);
    }
}
