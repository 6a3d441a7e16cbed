//! `/`: every sale of every kind, and the forms that open one.

use super::{ListQuery, SaleList, SaleSummary, api::list_by, filter::Filter, let_loose::LetLoose, words::words};
use crate::{
    components::{
        Badge, Button, FilterSelect, FirstCall, FormValues, Icon, LoadAlert, Loaded, LocalTime, Meter, Notice,
        OutageBanner, PageData, QueryForm, RecoverCommand, SaleLink, Sparkline, StateBadge, TimeStyle, Tone,
        format::count, keep_in_tab, use_freshness, use_page_search, use_polling, use_scroll_restoration,
    },
    domain::{MAX_ID_BYTES, SaleState},
    error::{Code, Error, Result},
    i18n,
    ledger::{MissingSales, SaleName},
    sales::{KINDS, Registration, kind_of},
};
use leptos::{either::Either, html, prelude::*};
use leptos_meta::Title;
use serde::{Deserialize, Serialize};
use std::time::Duration;

const REFRESH: Duration = Duration::from_secs(2);
/// Values of the curve on a card: two minutes.
const RECENT: usize = 60;

/// A page of the list, and the filter by which it was made.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
struct Listed {
    list: SaleList,
    applied: Filter,
    /// The filter in the address, where it is not valid, so nothing of it is applied.
    refused: Option<Filter>,
}

/// Loads the list by this filter, or without one if this is not valid, as may be known from the last time.
async fn load(filter: Filter, refused: Option<Filter>) -> Result<Listed> {
    if refused.as_ref() != Some(&filter) {
        match load_page(filter.clone()).await {
            Err(error) if error.code == Code::BadRequest => {}
            list => return Ok(Listed { list: list?, applied: filter, refused: None }),
        }
    }
    let applied = Filter::default();
    Ok(Listed { list: load_page(applied.clone()).await?, applied, refused: Some(filter) })
}

async fn load_page(Filter { kind, state, id, after }: Filter) -> Result<SaleList> {
    list_by(ListQuery { kind, state, id, after, ..ListQuery::default() }).await
}

/// The list of sales.
#[component]
pub fn SalesPage() -> impl IntoView {
    let search = use_page_search();
    let filter = Memo::new(move |_| search.with(|search| Filter::parse(search)));
    // Once: from then on the page follows its address by itself, and what is typed into its forms stays.
    let first = PageData::new(|| (), move |()| load(filter.get_untracked(), None));
    view! { <Loaded data=first let:first><Sales first filter /></Loaded> }
}

#[component]
fn Sales(
    /// What was loaded with the page.
    first: Listed,
    /// What the address asks for.
    filter: Memo<Filter>,
) -> impl IntoView {
    let words = words();
    let (applied, refused) = (RwSignal::new(first.applied), RwSignal::new(first.refused));
    let sales = RwSignal::new(first.list);
    let error = RwSignal::new(None::<Error>);
    let freshness = use_freshness(true);
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
                    restore_scroll();
                }
                Err(why) => error.set(Some(why)),
            }
        },
    );
    Effect::watch(move || filter.get(), move |_, _, _| refresh.run(()), false);
    let keys = move || sales.with(|list| list.sales.clone());
    let is_empty = move || sales.with(|list| list.sales.is_empty());
    view! {
        <Title text=words.sales />
        <main id="main" class="home" tabindex="-1">
            <div class="intro">
                <h1>{words.title}</h1>
                <p>{words.intro}</p>
            </div>
            <section class="sales" aria-labelledby="sales-title">
                <div class="bar">
                    <h2 id="sales-title">{words.sales}</h2>
                    <a class="to-open" href="#open-title">{words.open_title}</a>
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
                <Show when=is_empty>
                    <p class="empty">{move || none_found(&applied.read(), sales.with(|list| list.lost))}</p>
                </Show>
                <ul class="entries">
                    <For
                        each=keys
                        key=|sale| (sale.kind.clone(), sale.sale.clone())
                        children=move |sale| view! { <Entry sales first=sale /> }
                    />
                </ul>
                <Pages sales filter=applied.into() />
            </section>
            <OpenSale chosen=filter.get_untracked().kind />
        </main>
    }
}

/// The sales that Redis has lost, as a whole or in part, and how to bring them back.
#[component]
fn Missing(
    /// The sales on this page of the list, refreshed regularly.
    sales: RwSignal<SaleList>,
) -> impl IntoView {
    let words = words();
    let missing = Memo::new(move |_| sales.with(|list| list.missing.clone()));
    let notice = move |MissingSales { count, sales }: MissingSales| {
        let others = count.saturating_sub(sales.len() as u64);
        let links = sales
            .into_iter()
            .map(|SaleName { kind, sale }| view! { " " <SaleLink kind sale with_name=true /> })
            .collect_view();
        view! {
            <Notice>
                <Badge tone=Tone::Bad icon=icondata_lu::LuUnplug text=words.missing />
                " "
                {(words.missing_sales)(count)}
                " "
                <RecoverCommand />
                {links}
                {(others > 0).then(|| view! { " " {(words.missing_others)(others)} })}
            </Notice>
        }
    };
    let suspended = Memo::new(move |_| sales.with(|list| list.suspended));
    let suspended_notice = move |number: u64| {
        view! {
            <Notice>
                <StateBadge state=SaleState::Suspended />
                " "
                {(words.suspended_sales)(number)}
                " "
                <RecoverCommand />
            </Notice>
        }
    };
    view! {
        <div class="notices" role="status">
            {move || Some(missing.get()).filter(|missing| !missing.is_empty()).map(notice)}
            {move || Some(suspended.get()).filter(|number| *number > 0).map(suspended_notice)}
        </div>
    }
}

/// Why the list is empty, and where else there may be something.
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
            <a href=archived.url(None)>{words.search_archived}</a>
        }
    });
    Either::Right((words.no_match, archived))
}

/// Which sales are listed; works without JavaScript too.
#[component]
fn FilterForm(
    /// What the address asks for.
    filter: Memo<Filter>,
) -> impl IntoView {
    let (words, shared) = (words(), i18n::words());
    let id_field = NodeRef::<html::Input>::new();
    // Links, back and forward lead to other filters; what was typed before hydration stays.
    Effect::watch(
        move || filter.with(|filter| filter.id.clone()),
        move |id, _, _| {
            if let Some(input) = id_field.get_untracked() {
                input.set_value(id.as_deref().unwrap_or_default());
            }
        },
        false,
    );
    let address = |form: &FormValues| {
        let [kind, state, id] = ["kind", "state", "id"].map(|field| form.optional(field));
        Some(Filter { kind, state, id, after: None }.url(None))
    };
    let id = filter.with_untracked(|filter| filter.id.clone());
    let kind = Signal::derive(move || filter.with(|filter| filter.kind.clone()));
    let state = Signal::derive(move || filter.with(|filter| filter.state.clone()));
    let kinds = KINDS.iter().map(|entry| (entry.info.id, (entry.pages.words)().name)).collect();
    let states = SaleState::ALL.map(|state| (state.name(), (shared.state_name)(state))).into();
    view! {
        <QueryForm action="/" address {..} class="list-filters" role="search">
            <label>
                <span>{words.filter_id}</span>
                <input
                    type="search"
                    name="id"
                    node_ref=id_field
                    value=id.unwrap_or_default()
                    maxlength=MAX_ID_BYTES
                    autocomplete="off"
                    spellcheck="false"
                />
            </label>
            <FilterSelect name="kind" label=words.filter_kind any=words.all_kinds options=kinds chosen=kind />
            <FilterSelect name="state" label=words.filter_state any=words.all_states options=states chosen=state />
            <button type="submit">{words.filter}</button>
            <Show when=move || filter.with(Filter::is_filtering)>
                <a href="/">{words.clear_filter}</a>
            </Show>
        </QueryForm>
    }
}

/// One sale. What changes is read from the list; the rest is made once.
#[component]
fn Entry(
    /// The sales on this page of the list, refreshed regularly.
    sales: RwSignal<SaleList>,
    /// The sale as it was first listed, for what never changes.
    first: SaleSummary,
) -> impl IntoView {
    let words = words();
    let SaleSummary { kind, sale, opened_at, .. } = first.clone();
    let Some(registration) = kind_of(&kind) else { return Either::Left(()) };
    let now = Memo::new({
        let (kind, sale) = (kind.clone(), sale.clone());
        move |was: Option<&SaleSummary>| {
            let listed = sales.with(|list| list.sales.iter().find(|one| one.sale == sale && one.kind == kind).cloned());
            listed.or_else(|| was.cloned()).unwrap_or_else(|| first.clone())
        }
    });
    let left = Signal::derive(move || now.with(|sale| sale.left));
    let total = Signal::derive(move || now.with(|sale| sale.total));
    let left_of = Signal::derive(move || match left.get().zip(total.get()) {
        Some((left, total)) => (words.left_of)(count(left), count(total)),
        None => words.no_limit.to_owned(),
    });
    let recent = use_recent(sales, left);
    let summary = registration.pages.summary;
    let is_busy = Signal::derive(move || now.with(|sale| sale.crowd || sale.state != SaleState::Open));
    let let_loose = registration.info.is_demo(&sale).then(|| {
        let total = total.get_untracked();
        view! { <LetLoose kind=registration sale=sale.clone() total disabled=is_busy /> }
    });
    let lag = move || now.with(|sale| sale.lag_events).filter(|lag| *lag > 0).map(words.lag);
    Either::Right(view! {
        <li class="card entry">
            <div class="bar">
                <SaleLink kind=kind sale=sale with_name=true />
                <span class="badges">
                    <Show when=move || now.with(|sale| sale.crowd)>
                        <Badge tone=Tone::Gold icon=icondata_lu::LuUsers text=words.crowd_running />
                    </Show>
                    <StateBadge state=Signal::derive(move || now.with(|sale| sale.state)) />
                </span>
            </div>
            <Meter
                label=words.left
                value=Signal::derive(move || left.get().unwrap_or(0))
                max=Signal::derive(move || total.get().unwrap_or(0))
                text=left_of
            />
            <div class="sub">
                <span class="left">{left_of}</span>
                <span>{(registration.pages.words)().name}</span>
                {move || now.with(summary).into_iter().map(|part| view! { <span>{part}</span> }).collect_view()}
                <span>{lag}</span>
            </div>
            <div class="aside">
                <span>{i18n::words().opened_at} " " <LocalTime at=opened_at style=TimeStyle::Full /></span>
                <Sparkline values=recent top=Signal::derive(move || total.get().unwrap_or(0) as f64) />
            </div>
            {let_loose}
        </li>
    })
}

/// How many items were left, each of the latest times that the list was loaded.
fn use_recent(sales: RwSignal<SaleList>, left: Signal<Option<u64>>) -> Signal<Vec<f64>> {
    let recent = Memo::new(move |before: Option<&Vec<f64>>| {
        sales.track();
        let mut recent = before.cloned().unwrap_or_default();
        recent.extend(left.get_untracked().map(|left| left as f64));
        let old = recent.len().saturating_sub(RECENT);
        recent.drain(..old);
        recent
    });
    recent.into()
}

/// The way to older sales, and back to the newest.
#[component]
fn Pages(
    /// The sales on this page of the list, refreshed regularly.
    sales: RwSignal<SaleList>,
    /// The filter in force, which the links keep.
    filter: Signal<Filter>,
) -> impl IntoView {
    let words = words();
    let next = Memo::new(move |_| sales.with(|list| list.next.clone()));
    let is_first = move || filter.with(|filter| filter.after.is_none());
    view! {
        <nav class="pages" aria-label=words.pages>
            {move || {
                (!is_first()).then(|| view! { <a href=filter.with(|filter| filter.url(None))>{words.newest}</a> })
            }}
            {move || {
                next.get()
                    .map(|next| view! { <a href=filter.with(|filter| filter.url(Some(&next)))>{words.older}</a> })
            }}
        </nav>
    }
}

/// The form that opens a sale of the chosen kind.
#[component]
fn OpenSale(
    /// The kind that is chosen at first.
    chosen: Option<String>,
) -> impl IntoView {
    let words = words();
    // An address that asks for another kind shows its form, whatever was chosen before.
    let key = format!("open-kind:{}", chosen.as_deref().unwrap_or_default());
    let first = chosen.and_then(|kind| kind_of(&kind)).unwrap_or(&KINDS[0]);
    let chosen = RwSignal::new(first.info.id);
    let restore = move |kind: String| {
        if let Some(entry) = kind_of(&kind) {
            chosen.set(entry.info.id);
        }
    };
    keep_in_tab(key, move || chosen.get().to_owned(), restore);
    let choice = move |entry: &'static Registration| {
        let id = entry.info.id;
        view! {
            <Button on_click=move || chosen.set(id) {..} aria-pressed=move || (chosen.get() == id).to_string()>
                {(entry.pages.words)().name}
            </Button>
        }
    };
    view! {
        <section class="card open" aria-labelledby="open-title">
            <div class="bar">
                <h2 id="open-title">
                    <Icon icon=icondata_lu::LuPlus />
                    {words.open_title}
                </h2>
                <div class="group" role="group" aria-label=words.filter_kind>
                    {KINDS.iter().map(choice).collect_view()}
                </div>
            </div>
            // Keyed: another kind's form has fields of its own, and takes over nothing that was typed.
            <For each=move || kind_of(chosen.get()) key=|entry| entry.info.id let:entry>
                {(entry.pages.open_form)()}
            </For>
        </section>
    }
}
