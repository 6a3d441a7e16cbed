//! The rows of the history: a table of which only the rows near what the reader sees are in the document. The rest is
//! space above and below; all rows have the same height.

use crate::{
    components::{LoadAlert, LocalTime, SaleLink, TimeStyle, format::money},
    i18n,
    ledger::{
        page::{
            follow::{FollowAlert, FollowSwitch, use_follow},
            history::History,
            window::Window,
        },
        query::{ExportFormat, LedgerQuery},
        words::{outcome_name, words},
    },
};
use html_escape::encode_double_quoted_attribute;
use leptos::{ev::MouseEvent, prelude::*};
use model::ledger::{HistoryCursor, Row};
use std::sync::Arc;

/// The rows that the search finds, with links to the newest and to a file of all of them.
#[component]
pub fn HistoryTable(
    /// The rows of the search, as far as they are loaded.
    history: History,
    /// The row whose details are shown.
    open: Memo<Option<HistoryCursor>>,
) -> impl IntoView {
    let words = words();
    let window = history.window;
    let follow = use_follow(history);
    let query = Memo::new(move |_| window.with(|window| window.query.clone()));
    // Not while the number is unknown.
    let found = move || {
        let is_known = history.errors.get().is_none();
        is_known.then(|| window.with(|window| (words.rows_found)(window.total, window.total_is_at_least)))
    };
    let is_empty = move || window.with(|window| window.len == 0) && history.errors.get().is_none();
    let newest = move || query.with(|query| LedgerQuery { after: None, ..query.clone() }.url());
    let reload = move |event: MouseEvent| {
        // If the address does not change, nothing else would load them.
        if query.with_untracked(|query| query.after.is_none()) {
            event.prevent_default();
            history.reload();
        }
    };
    let export = move |name: &'static str, format: ExportFormat| {
        view! {
            <a class="button" rel="external" download="" href=move || query.with(|query| query.export_url(format))>
                {name}
            </a>
        }
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
                <FollowSwitch follow />
                <a class="button" href=newest on:click=reload>
                    {words.newest}
                </a>
                {export(words.export_csv, ExportFormat::Csv)}
                {export(words.export_jsonl, ExportFormat::JsonLines)}
            </div>
            <LoadAlert error=Signal::derive(move || history.errors.get()) />
            <FollowAlert follow />
            <div
                class="scroll rows"
                role="region"
                aria-label=words.history_rows
                tabindex="0"
                node_ref=history.scroller
                on:scroll=move |_| history.follow_scroll()
            >
                <Rows window query open />
                <Show when=is_empty>
                    <p class="empty">{words.nothing_found}</p>
                </Show>
            </div>
            <noscript inner_html=window.with_untracked(older_link)></noscript>
        </section>
    }
}

#[component]
fn Rows(
    /// The rows that are loaded, and those in the document.
    window: RwSignal<Window>,
    /// What the address asks for, for the links to details.
    query: Memo<LedgerQuery>,
    /// The row whose details are shown.
    open: Memo<Option<HistoryCursor>>,
) -> impl IntoView {
    let (words, shared) = (words(), i18n::words());
    // Including the head; -1 if the rows were not counted to the end.
    let count = move || {
        window.with(|window| match window.total_is_at_least {
            true => "-1".to_owned(),
            false => (window.total + 1).to_string(),
        })
    };
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
        <table role="table" aria-rowcount=count>
            <thead role="rowgroup">
                <tr role="row" aria-rowindex="1">
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
                <Space rows=Signal::derive(move || window.with(|window| window.rendered.start)) />
                <For
                    each=move || window.with(|window| window.rows().collect::<Vec<_>>())
                    key=|(place, row)| (*place, row.as_ref().map(|row| row.id))
                    let((place, row))
                >
                    <HistoryRow place row query open />
                </For>
                <Space rows=Signal::derive(move || window.with(|window| window.len - window.rendered.end)) />
            </tbody>
        </table>
    }
}

/// As much space as that many rows take.
#[component]
fn Space(
    /// How many rows are left out.
    rows: Signal<usize>,
) -> impl IntoView {
    view! { <tr class="space" aria-hidden="true" style=move || format!("--rows:{}", rows.get())></tr> }
}

/// A row; an empty one while it is loaded again.
#[component]
fn HistoryRow(
    /// The row's place among all that were found, from 0.
    place: usize,
    /// `None` while it is loaded again.
    row: Option<Arc<Row>>,
    /// What the address asks for, for the link to the details.
    query: Memo<LedgerQuery>,
    /// The row whose details are shown.
    open: Memo<Option<HistoryCursor>>,
) -> impl IntoView {
    let details = words().row_details;
    let this = row.as_ref().map(|row| row.id);
    let current = move || (this.is_some() && open.get() == this).then_some("true");
    let cells = row.map(|row| {
        let Row { id, kind, sale, event_id, at, outcome, user, request_id, item, cents, order, .. } =
            Arc::unwrap_or_clone(row);
        let order = order.map(|order| {
            let url = LedgerQuery::of_order(&sale, order.clone()).url();
            view! {
                <a href=url title=order.clone() translate="no">
                    {order.clone()}
                </a>
            }
        });
        let is_win = i18n::kind_info(&kind).is_some_and(|info| info.win == outcome);
        let class = if is_win { "outcome win" } else { "outcome" };
        let outcome = outcome_name(&kind, &outcome);
        let item = item.map(|item| i18n::item_name(&kind, item));
        let sale_title = sale.clone();
        view! {
            <td class="at" role="cell">
                <LocalTime at style=TimeStyle::Full />
            </td>
            <td class=class role="cell">
                {outcome}
            </td>
            <IdCell class="user" id=user.unwrap_or_default() />
            <IdCell class="item" id=item.unwrap_or_default() />
            <td class="cents" role="cell">
                {(cents != 0).then(|| money(cents))}
            </td>
            <td class="sale" role="cell" title=sale_title>
                <SaleLink kind sale />
            </td>
            <td class="order-id" role="cell">
                {order}
            </td>
            <IdCell class="request" id=request_id.unwrap_or_default() />
            <td class="event" role="cell">
                <a href=move || query.with(|query| query.url_with_row(id)) title=details data-noscroll>
                    {event_id.to_string()}
                </a>
            </td>
        }
    });
    view! {
        <tr role="row" aria-rowindex=(place + 2).to_string() aria-current=current>
            {cells}
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

/// The way to older rows without JavaScript. As HTML, since a browser that runs scripts reads the inside of `noscript`
/// as text, and there would be nothing to hydrate.
fn older_link(window: &Window) -> String {
    let Some(after) = window.next else { return String::new() };
    let url = LedgerQuery { after: Some(after), ..window.query.clone() }.url();
    format!("<a class=\"button\" href=\"{}\">{}</a>", encode_double_quoted_attribute(&url), words().older_rows)
}
