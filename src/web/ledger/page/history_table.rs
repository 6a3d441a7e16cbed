//! The rows of the history: a table of one page.

use crate::{
    base_path::under_base,
    components::{LoadAlert, LocalTime, OrderLink, SaleLink, TimeStyle, UserLink, format::money},
    i18n,
    ledger::{
        page::{
            follow::{FollowAlert, FollowSwitch, use_follow},
            history::History,
            sums::Sums,
        },
        query::{ExportFormat, LedgerQuery, PATH},
        words::{outcome_name, words},
    },
};
use leptos::{ev::MouseEvent, prelude::*};
use model::ledger::{HistoryCursor, Row};

/// The rows that the search finds, a page at a time, with links to the newest, to older ones and to a file of all of them.
#[component]
pub fn HistoryTable(
    /// The rows that are shown.
    history: History,
    /// The row whose details are shown.
    open: Memo<Option<HistoryCursor>>,
) -> impl IntoView {
    let words = words();
    let History { page, query, .. } = history;
    let follow = use_follow(history);
    // Not while the number is unknown.
    let found = move || {
        let is_known = history.errors.get().is_none();
        is_known.then(|| page.with(|page| (words.rows_found)(page.total, page.total_is_at_least)))
    };
    let is_empty = move || page.with(|page| page.rows.is_empty()) && history.errors.get().is_none();
    let none_found = move || if query.read().is_narrowed() { words.nothing_found } else { words.empty };
    let newest = move || under_base(query.read().url_after(None));
    let older = move || {
        page.with(|page| page.next).map(|next| {
            view! {
                <nav class="pages" aria-label=words.pages>
                    <a class="button" href=under_base(query.read().url_after(Some(next)))>
                        {words.older_rows}
                    </a>
                </nav>
            }
        })
    };
    let reload = move |event: MouseEvent| {
        // If the address does not change, nothing else would load them.
        if untrack(|| history.is_newest()) {
            event.prevent_default();
            history.reload();
        }
    };
    let export = move |name: &'static str, format: ExportFormat| {
        view! {
            <a class="button" rel="external" download="" href=move || under_base(query.read().export_url(format))>
                {name}
            </a>
        }
    };
    let notes = move || {
        query.read().notes_url().map(|url| {
            view! {
                <a class="button" rel="external" download="" href=under_base(url)>
                    {words.export_notes}
                </a>
            }
        })
    };
    view! {
        <section class="card history" aria-labelledby="history-title">
            <div class="bar">
                <h2 id="history-title" tabindex="-1" node_ref=history.title>
                    {words.history}
                </h2>
                <span class="aside found" role="status" aria-live=move || if follow.is_on() { "off" } else { "polite" }>
                    {found}
                </span>
                <Show when=move || query.read().is_narrowed()>
                    <a class="button" href=under_base(PATH)>
                        {words.clear_search}
                    </a>
                </Show>
                <FollowSwitch follow />
                <a class="button" href=newest on:click=reload>
                    {words.newest}
                </a>
                {export(words.export_csv, ExportFormat::Csv)}
                {export(words.export_jsonl, ExportFormat::JsonLines)}
                {notes}
            </div>
            <Sums page />
            <LoadAlert error=Signal::derive(move || history.errors.get()) />
            <FollowAlert follow />
            <div node_ref=history.rows>
                <Rows history open />
                <Show when=is_empty>
                    <p class="empty">{none_found}</p>
                </Show>
            </div>
            {older}
        </section>
    }
}

#[component]
fn Rows(
    /// The rows that are shown.
    history: History,
    /// The row whose details are shown.
    open: Memo<Option<HistoryCursor>>,
) -> impl IntoView {
    let (words, shared) = (words(), i18n::words());
    let heads = [
        ("at", shared.time),
        ("outcome", shared.outcome),
        ("user", shared.user),
        ("item", words.item),
        ("cents", shared.amount),
        ("sale", shared.sale),
        ("order-id", words.order.label),
        ("request", words.request_id.label),
        ("event", words.event_id),
    ];
    // A table that a style sheet lays out as blocks is no longer one for screen readers, hence the roles.
    view! {
        <table role="table" aria-label=words.history_rows>
            <thead role="rowgroup">
                <tr role="row">
                    {heads
                        .map(|(class, name)| {
                            view! {
                                <th class=class role="columnheader">
                                    {name}
                                </th>
                            }
                        })
                        .collect_view()}
                </tr>
            </thead>
            <tbody role="rowgroup">
                <For each=move || history.page.with(|page| page.rows.clone()) key=|row| row.id let(row)>
                    <HistoryRow row query=history.query open />
                </For>
            </tbody>
        </table>
    }
}

#[component]
fn HistoryRow(
    /// The row.
    row: Row,
    /// What the rows were searched by, for the link to the details.
    query: RwSignal<LedgerQuery>,
    /// The row whose details are shown.
    open: Memo<Option<HistoryCursor>>,
) -> impl IntoView {
    let details = words().row_details;
    let Row { id, kind, sale, event_id, at, outcome, user, request_id, item, cents, currency, order, .. } = row;
    let order = order.map(|order| view! { <OrderLink order sale=sale.clone() /> });
    let is_win = i18n::kind_info(&kind).is_some_and(|info| info.win == outcome);
    let class = if is_win { "outcome win" } else { "outcome" };
    let outcome = outcome_name(&kind, &outcome);
    let item = item.map(|item| i18n::item_name(&kind, item));
    let (sale_title, user_title) = (sale.clone(), user.clone());
    let user = user.map(|user| view! { <UserLink user /> });
    view! {
        <tr role="row" aria-current=move || (open.get() == Some(id)).then_some("true")>
            <td class="at" role="cell">
                <LocalTime at style=TimeStyle::Full />
            </td>
            <td class=class role="cell">
                {outcome}
            </td>
            <td class="user" role="cell" title=user_title>
                {user}
            </td>
            <IdCell class="item" id=item.unwrap_or_default() />
            <td class="cents" role="cell">
                {(cents != 0).then(|| money(cents, currency))}
            </td>
            <td class="sale" role="cell" title=sale_title>
                <SaleLink kind sale />
            </td>
            <td class="order-id" role="cell">
                {order}
            </td>
            <IdCell class="request" id=request_id.unwrap_or_default() />
            <td class="event" role="cell">
                <a href=move || under_base(query.read().url_with_row(id)) title=details data-noscroll>
                    {event_id.to_string()}
                </a>
            </td>
        </tr>
    }
}

/// An id, cut off if it is too long; its title has all of it.
#[component]
fn IdCell(
    /// The class of the cell, which names its column.
    class: &'static str,
    /// The whole id; empty if the row has none.
    id: String,
) -> impl IntoView {
    let title = id.clone();
    view! {
        <td class=class role="cell" title=title>
            {id}
        </td>
    }
}
