//! `/`: every sale of every kind, and the forms that open one.

use super::{SaleList, SaleSummary, api::list, filter::Filter, words::words};
use crate::{
    components::{
        Badge, FirstCall, Icon, LoadAlert, Loaded, LocalTime, Meter, SaleLink, StateBadge, TimeStyle, Tone,
        format::count, use_hydrated, use_polling, use_scroll_restoration,
    },
    domain::SaleState,
    error::{Error, Result},
    i18n,
    sales::{KINDS, Registration, kind_of},
};
use leptos::{either::Either, html, prelude::*};
use leptos_meta::Title;
use leptos_router::{components::Form, hooks::use_url};
use std::time::Duration;

const REFRESH: Duration = Duration::from_secs(2);

async fn load(filter: Filter) -> Result<SaleList> {
    let Filter { kind, state, id, after } = filter;
    list(kind, state, id, None, after).await
}

/// The list of sales.
#[component]
pub fn SalesPage() -> impl IntoView {
    // The address of this page alone: it stays as it was when the reader goes on to another page.
    let url = use_url();
    let filter = Memo::new(move |_| url.with(|url| Filter::parse(url.search())));
    // Once: from then on the page follows its address by itself, and what is typed into its forms stays.
    let first = Resource::new(|| (), move |()| load(filter.get_untracked()));
    view! { <Loaded resource=first let:first><Sales first filter /></Loaded> }
}

#[component]
fn Sales(first: SaleList, filter: Memo<Filter>) -> impl IntoView {
    let words = words();
    let sales = RwSignal::new(first);
    let error = RwSignal::new(None::<Error>);
    let restore_scroll = use_scroll_restoration();
    let refresh = use_polling(
        REFRESH,
        FirstCall::AfterInterval,
        move || load(filter.get_untracked()),
        move |answer| match answer {
            Ok(news) => {
                error.set(None);
                sales.set(news);
                restore_scroll();
            }
            Err(why) => error.set(Some(why)),
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
                <h2 id="sales-title">{words.sales}</h2>
                <FilterForm filter />
                <LoadAlert error />
                <Show when=is_empty>
                    <p class="empty">
                        {move || if filter.with(Filter::is_filtering) { words.no_match } else { words.empty }}
                    </p>
                </Show>
                <ul class="entries">
                    <For
                        each=keys
                        key=|sale| (sale.kind.clone(), sale.sale.clone())
                        children=move |sale| view! { <Entry sales first=sale /> }
                    />
                </ul>
                <Pages sales filter />
            </section>
            <OpenSale chosen=filter.get_untracked().kind />
        </main>
    }
}

/// Which sales are listed; works without JavaScript too.
#[component]
fn FilterForm(filter: Memo<Filter>) -> impl IntoView {
    let (words, shared) = (words(), i18n::words());
    let id_field = NodeRef::<html::Input>::new();
    let [kind_field, state_field]: [NodeRef<html::Select>; 2] = Default::default();
    // Links, back and forward lead to other filters; what was typed before hydration stays.
    Effect::watch(
        move || filter.get(),
        move |Filter { kind, state, id, .. }, _, _| {
            if let Some(input) = id_field.get_untracked() {
                input.set_value(id.as_deref().unwrap_or_default());
            }
            for (field, value) in [(kind_field, kind), (state_field, state)] {
                if let Some(select) = field.get_untracked() {
                    select.set_value(value.as_deref().unwrap_or_default());
                }
            }
        },
        false,
    );
    let Filter { kind, state, id, .. } = filter.get_untracked();
    let option = |value: &'static str, name: &'static str, chosen: &Option<String>| {
        view! {
            <option value=value selected=chosen.as_deref() == Some(value)>
                {name}
            </option>
        }
    };
    view! {
        <Form action="/" attr:class="list-filters" attr:role="search">
            <label>
                <span>{words.filter_id}</span>
                <input
                    type="search"
                    name="id"
                    node_ref=id_field
                    value=id.unwrap_or_default()
                    autocomplete="off"
                    spellcheck="false"
                />
            </label>
            <label>
                <span>{words.filter_kind}</span>
                <select name="kind" node_ref=kind_field>
                    <option value="">{words.all_kinds}</option>
                    {KINDS.iter().map(|entry| option(entry.info.id, (entry.pages.words)().name, &kind)).collect_view()}
                </select>
            </label>
            <label>
                <span>{words.filter_state}</span>
                <select name="state" node_ref=state_field>
                    <option value="">{words.all_states}</option>
                    {SaleState::ALL
                        .map(|listed| option(listed.name(), (shared.state_name)(listed), &state))
                        .collect_view()}
                </select>
            </label>
            <button type="submit">{words.filter}</button>
            <Show when=move || filter.with(Filter::is_filtering)>
                <a href="/">{words.clear_filter}</a>
            </Show>
        </Form>
    }
}

/// One sale. What changes is read from the list; the rest is made once.
#[component]
fn Entry(sales: RwSignal<SaleList>, first: SaleSummary) -> impl IntoView {
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
    let left_of = Signal::derive(move || (words.left_of)(count(left.get()), count(total.get())));
    let summary = registration.pages.summary;
    let lag = move || now.with(|sale| sale.lag_events).filter(|lag| *lag > 0).map(words.lag);
    Either::Right(view! {
        <li class="card entry">
            <div class="bar">
                <SaleLink kind=kind sale=sale />
                <span class="badges">
                    <Show when=move || now.with(|sale| sale.crowd)>
                        <Badge tone=Tone::Bad icon=icondata_lu::LuUsers text=words.crowd_running />
                    </Show>
                    <StateBadge state=Signal::derive(move || now.with(|sale| sale.state)) />
                </span>
            </div>
            <Meter label=words.left value=left max=total text=left_of />
            <div class="sub">
                <span>{(registration.pages.words)().name}</span>
                <span>{left_of}</span>
                {move || now.with(summary).into_iter().map(|part| view! { <span>{part}</span> }).collect_view()}
                <span>{lag}</span>
            </div>
            <div class="aside">
                {i18n::words().opened_at} " " <LocalTime at=opened_at style=TimeStyle::Full />
            </div>
        </li>
    })
}

/// The way to older sales, and back to the newest.
#[component]
fn Pages(sales: RwSignal<SaleList>, filter: Memo<Filter>) -> impl IntoView {
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
    let hydrated = use_hydrated();
    let first = chosen.and_then(|kind| kind_of(&kind)).unwrap_or(&KINDS[0]);
    let chosen = RwSignal::new(first.info.id);
    let choice = move |entry: &'static Registration| {
        let id = entry.info.id;
        view! {
            <button
                type="button"
                aria-pressed=move || (chosen.get() == id).to_string()
                disabled=move || !hydrated.get()
                on:click=move |_| chosen.set(id)
            >
                {(entry.pages.words)().name}
            </button>
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
            {move || kind_of(chosen.get()).map(|entry| (entry.pages.open_form)())}
        </section>
    }
}
