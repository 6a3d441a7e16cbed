//! The list as a dense table, where there are more sales than cards can show at a glance.

use crate::{
    base_path::under_base,
    closing::{BulkActions, Chosen},
    components::{format::count, use_hydrated},
    i18n,
    list::{
        filter::Filter,
        page::{column::class_of, row::Row},
        words::words,
    },
};
use leptos::{html, prelude::*};
use model::{
    Millis,
    list::{Column, SaleList, SaleSummary, SaleTotals},
};
use std::collections::BTreeMap;

/// Shows the sales as rows, with a title for each column that sorts by it, and their sums below them.
#[component]
pub fn SalesTable(
    /// The sales on this page of the list, refreshed regularly.
    sales: RwSignal<SaleList>,
    /// The rows in their order.
    rows: Memo<Vec<SaleSummary>>,
    /// The applied filter, with the order.
    filter: Signal<Filter>,
    /// The ends of generated ids that are seen.
    short_ids: Memo<BTreeMap<String, String>>,
    /// The time, for how long ago sales were opened.
    time: Signal<Millis>,
    /// Loads the list again.
    refresh: Callback<()>,
    /// The table, for who asks whether it is being read.
    place: NodeRef<html::Div>,
) -> impl IntoView {
    let words = words();
    let hydrated = use_hydrated();
    let chosen = Chosen::new(sales, rows);
    let totals = Memo::new(move |_| sales.with(|list| list.totals));
    view! {
        <BulkActions chosen refresh />
        <div class="sales-table" node_ref=place>
            <table aria-labelledby="sales-title">
                <thead>
                    <tr>
                        <td class="tick">
                            <input
                                type="checkbox"
                                aria-label=words.choose_all
                                title=words.choose_all
                                disabled=move || !hydrated.get()
                                prop:checked=move || chosen.are_all()
                                prop:indeterminate=move || chosen.are_some()
                                on:change:target=move |event| chosen.choose_all(event.target().checked())
                            />
                        </td>
                        {Column::ALL.map(|column| view! { <Title column filter /> }).collect_view()}
                        <th scope="col" class="trend">
                            {words.trend}
                        </th>
                        <th scope="col" class="facts">
                            {words.facts}
                        </th>
                        <td class="menu"></td>
                    </tr>
                </thead>
                <tbody>
                    <For
                        each=move || rows.get()
                        key=|sale| (sale.kind.clone(), sale.sale.clone())
                        children=move |sale| {
                            let id = sale.sale.clone();
                            let seen = Signal::derive(move || short_ids.with(|short| short.get(&id).map(String::len)));
                            view! { <Row sales first=sale seen time chosen /> }
                        }
                    />
                </tbody>
                {move || totals.get().map(|totals| view! { <Totals totals /> })}
            </table>
        </div>
    }
}

/// Shows the title of a column, as a link to the list sorted by it. Archived sales have their own order.
#[component]
fn Title(
    /// The column.
    column: Column,
    /// The applied filter, with the order.
    filter: Signal<Filter>,
) -> impl IntoView {
    let words = words();
    let title = match column {
        Column::Sale => words.sale,
        Column::Kind => words.filter_kind,
        Column::State => words.filter_state,
        Column::Left => words.left,
        Column::Total => words.items,
        Column::Given => words.given_out,
        Column::OpenedAt => i18n::words().opened_at,
    };
    let direction = move || match filter.with(Filter::order)? {
        sort if sort.column != column => None,
        sort if sort.descending => Some("descending"),
        _ => Some("ascending"),
    };
    let can_be_sorted = Memo::new(move |_| filter.with(|filter| filter.order().is_some()));
    let link = move || {
        can_be_sorted.get().then(|| {
            view! {
                <a
                    class="sort"
                    href=move || under_base(filter.with(|filter| filter.url_sorted_by(column)))
                    data-noscroll
                    prop:replace=true
                >
                    {title}
                </a>
            }
        })
    };
    view! {
        <th scope="col" class=class_of(column) aria-sort=direction>
            {link}
            {move || (!can_be_sorted.get()).then_some(title)}
        </th>
    }
}

/// Shows the sums of all sales that match, whatever the page.
#[component]
fn Totals(
    /// The sums.
    totals: SaleTotals,
) -> impl IntoView {
    let SaleTotals { sales, live, total, left, .. } = totals;
    let cell = |column: Column| {
        let sum = match column {
            Column::Left => Some(left),
            Column::Total => Some(total),
            Column::Given => Some(total.saturating_sub(left)),
            Column::Sale | Column::Kind | Column::State | Column::OpenedAt => None,
        };
        view! { <td class=class_of(column)>{sum.map(count)}</td> }
    };
    view! {
        <tfoot>
            <tr>
                <td class="tick"></td>
                <th scope="row" class=class_of(Column::Sale)>
                    {(words().totals)(sales, live)}
                </th>
                {Column::ALL.into_iter().filter(|column| *column != Column::Sale).map(cell).collect_view()}
                <td class="trend"></td>
                <td class="facts"></td>
                <td class="menu"></td>
            </tr>
        </tfoot>
    }
}
