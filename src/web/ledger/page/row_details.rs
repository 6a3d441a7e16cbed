//! All fields of one row. The address names the row, so this works without JavaScript too.

use crate::{
    base_path::under_base,
    components::{
        CopyButton, Definition, FirstCall, Icon, LoadAlert, LocalTime, OrderLink, SaleLink, TimeStyle, UserLink,
        focus_next_frame, format::money, hand_focus_on, use_latest_answer, use_while_visible,
    },
    i18n,
    ledger::{
        api,
        page::history::{History, RETRY},
        query::LedgerQuery,
        words::{outcome_name, words},
    },
};
use leptos::{html, prelude::*};
use model::{
    Millis,
    error::{Code, Result},
    iso,
    ledger::{HistoryCursor, Row, Search},
};

/// The details of the row that the address names, if any.
#[component]
pub fn RowDetails(
    /// What the address asks for.
    query: Memo<LedgerQuery>,
    /// The row that it names.
    row: Memo<Option<HistoryCursor>>,
    /// The rows that are shown.
    history: History,
    /// That row, as it came with the page.
    first: Option<Row>,
) -> impl IntoView {
    let shown = RwSignal::new(first);
    let (card, heading) = (NodeRef::<html::Section>::new(), NodeRef::<html::H2>::new());
    // Why it could not be loaded; then it is asked for again, as is one that did not come with the page.
    let is_missing = row.with_untracked(Option::is_some) && shown.with_untracked(Option::is_none);
    let first_error = if is_missing { history.errors.get_untracked() } else { None };
    let (error, tries) = (RwSignal::new(first_error), RwSignal::new(0_u32));
    let asked = StoredValue::new(row.get_untracked());
    let latest = use_latest_answer(
        Memo::new(move |_| (row.get(), tries.get())),
        move |(id, _)| {
            let found = id.and_then(|id| history.find(id));
            async move {
                match (id, found) {
                    (None, _) => Ok(None),
                    (Some(_), Some(row)) => Ok(Some(row)),
                    (Some(id), None) => api::row(id).await,
                }
            }
        },
        move |answer: Result<Option<Row>>| {
            error.set(answer.as_ref().err().cloned());
            match answer {
                Ok(Some(found)) => {
                    shown.set(Some(found));
                    // The reader who has opened it may be elsewhere when it comes at last.
                    if row.get_untracked() != asked.get_value() {
                        focus_next_frame(heading);
                    }
                }
                Ok(None) => hand_focus_on(card, history.title, || shown.set(None)),
                Err(_) => {}
            }
            asked.set_value(row.get_untracked());
        },
    );
    use_while_visible(RETRY, FirstCall::AfterInterval, move || {
        let has_failed =
            error.with_untracked(|error| error.as_ref().is_some_and(|error| error.code != Code::BadRequest));
        if has_failed && !latest.is_pending_untracked() {
            tries.update(|tries| *tries += 1);
        }
    });
    let words = words();
    let details = move |row: Row| {
        view! {
            <section class="card row-details" aria-labelledby="row-title" node_ref=card>
                <div class="bar">
                    <h2 id="row-title" tabindex="-1" node_ref=heading>
                        {words.row_details}
                    </h2>
                    <a class="button quiet" href=move || under_base(query.with(LedgerQuery::url)) data-noscroll>
                        <Icon icon=icondata_lu::LuX />
                        {words.close_details}
                    </a>
                </div>
                <Fields row />
            </section>
        }
    };
    view! {
        <LoadAlert error />
        {move || shown.get().map(details)}
    }
}

#[component]
fn Fields(
    /// The row to show, every field of it.
    row: Row,
) -> impl IntoView {
    let (words, shared) = (words(), i18n::words());
    let Row {
        id,
        kind,
        sale,
        event_id,
        place,
        at,
        outcome,
        user,
        request_id,
        item,
        cents,
        currency,
        order,
        holder,
        reason,
        recorded,
    } = row;
    let of_sale = LedgerQuery::of_sale(&sale).search;
    let outcome = outcome_name(&kind, &outcome);
    let kind_name = i18n::kind_name(&kind).map_or_else(|| kind.clone(), str::to_owned);
    let item = item.map(|item| i18n::item_name(&kind, item));
    let user = user.map(|user| view! { <Definition term=shared.user><UserLink user /></Definition> });
    let request = request_id.map(|request_id| {
        let url = LedgerQuery::from(Search { request_id: Some(request_id.clone()), ..of_sale }).url();
        view! {
            <Definition term=words.request_id.label>
                <a href=under_base(url) translate="no">
                    {request_id.clone()}
                </a>
                <CopyButton label=words.copy_request_id text=request_id />
            </Definition>
        }
    });
    let order_sale = sale.clone();
    let order = order.map(|order| {
        let url = LedgerQuery::of_order(&sale, order.clone()).url();
        view! {
            <Definition term=words.order.label>
                <OrderLink order=order.clone() sale=order_sale.clone() />
                <CopyButton label=words.copy_order text=order />
                " "
                <a href=under_base(url)>{words.rows_of_order}</a>
            </Definition>
        }
    });
    let holder = holder
        .filter(|holder| !holder.is_empty())
        .map(|holder| view! { <Definition term=words.holder><span translate="no">{holder}</span></Definition> });
    let reason =
        reason.map(|reason| view! { <Definition term=words.reason><span translate="no">{reason}</span></Definition> });
    view! {
        <dl class="tiles">
            <Definition term=shared.outcome>{outcome}</Definition>
            <Definition term=shared.sale>
                <SaleLink kind sale />
            </Definition>
            <Definition term=words.kind>{kind_name}</Definition>
            {user}
            {item.map(|item| view! { <Definition term=words.item>{item}</Definition> })}
            {holder}
            {reason}
            {(cents != 0).then(|| view! { <Definition term=shared.amount>{money(cents, currency)}</Definition> })}
            {request}
            {order}
            <Definition term=shared.time>
                <Instant at />
            </Definition>
            <Definition term=words.recorded_at>
                <Instant at=event_id.millis.cast_signed() />
            </Definition>
            <Definition term=words.event_id>
                <code>{event_id.to_string()}</code>
            </Definition>
            <Definition term=words.place>{place.to_string()}</Definition>
            <Definition term=words.row_id>
                <code>{id.to_string()}</code>
            </Definition>
            <Definition term=words.recorded>{recorded.to_string()}</Definition>
        </dl>
    }
}

/// In the reader's zone to the second, and in UTC to the millisecond.
#[component]
fn Instant(
    /// The instant, in epoch milliseconds.
    at: Millis,
) -> impl IntoView {
    view! {
        <LocalTime at style=TimeStyle::Full />
        " "
        <code class="aside">{iso(at)}</code>
    }
}
