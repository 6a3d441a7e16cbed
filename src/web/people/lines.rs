//! Lines of things that changed together: the items of an order, or of one change of the history.

use crate::{
    components::{LocalTime, OrderLink, SaleLink, TimeStyle, format::money},
    i18n,
    ledger::words::outcome_name,
};
use leptos::prelude::*;
use model::{
    Cents, Millis,
    ledger::{HistoryCursor, OwnedItem, Row, SaleHoldings},
    life::Currency,
};

/// Things of one sale that changed together.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Line {
    kind: String,
    sale: String,
    /// The stable name of the outcome.
    outcome: String,
    at: Millis,
    /// Their names on screen, each with the person whom it is for.
    items: Vec<String>,
    cents: Cents,
    currency: Currency,
    order: Option<String>,
    request_id: Option<String>,
    /// Why an operator made the change.
    reason: Option<String>,
}

impl Line {
    /// The lines of what a user has at a sale: one for the items of an order, and one for each other item. Each has its
    /// first item.
    pub fn of_sale(SaleHoldings { kind, sale, currency, items, .. }: SaleHoldings) -> Vec<(OwnedItem, Self)> {
        let mut lines: Vec<(OwnedItem, Self)> = Vec::new();
        for first in items {
            let OwnedItem { outcome, at, item, quantity, cents, request_id, order, holder, .. } = first.clone();
            let item = item.or_else(|| quantity.map(|quantity| quantity.to_string()));
            let name = named(&kind, item, holder);
            let line = Self {
                kind: kind.clone(),
                sale: sale.clone(),
                outcome,
                at,
                items: name.into_iter().collect(),
                cents,
                currency,
                order,
                request_id,
                reason: None,
            };
            match lines.last_mut() {
                Some((_, last)) if last.is_with(&line) => last.take(line),
                _ => lines.push((first, line)),
            }
        }
        lines
    }

    /// The lines of rows, the newest first: one for the rows of an order and a request in one event, and one for each
    /// other row. Each has the cursor of its first row.
    pub fn of_rows(rows: Vec<Row>) -> Vec<(HistoryCursor, Self)> {
        let mut lines: Vec<(HistoryCursor, Self)> = Vec::new();
        for row in rows {
            let Row { id, kind, sale, at, outcome, request_id, item, cents, currency, order, holder, reason, .. } = row;
            let name = named(&kind, item, holder);
            let items = name.into_iter().collect();
            let line = Self { kind, sale, outcome, at, items, cents, currency, order, request_id, reason };
            match lines.last_mut() {
                Some((first, last)) if first.event_id == id.event_id && last.is_with(&line) => last.take(line),
                _ => lines.push((id, line)),
            }
        }
        // An order's items are in their own order.
        lines.iter_mut().for_each(|(_, line)| line.items.reverse());
        lines
    }

    fn is_with(&self, other: &Self) -> bool {
        let same = |line: &Self| {
            (line.outcome.clone(), line.at, line.order.clone(), line.sale.clone(), line.request_id.clone())
        };
        self.order.is_some() && same(self) == same(other)
    }

    fn take(&mut self, mut other: Self) {
        self.cents += other.cents;
        self.items.append(&mut other.items);
    }
}

fn named(kind: &str, item: Option<String>, holder: Option<String>) -> Option<String> {
    let name = i18n::item_name(kind, item?);
    Some(match holder.filter(|holder| !holder.is_empty()) {
        Some(holder) => format!("{name} ({holder})"),
        None => name,
    })
}

/// Shows a line.
#[component]
pub fn LineView(
    /// The line.
    line: Line,
    /// Leaves out the sale, of which the page has all lines.
    #[prop(optional)]
    without_sale: bool,
    /// Leaves out the order, of which the page has all lines.
    #[prop(optional)]
    without_order: bool,
) -> impl IntoView {
    let Line { kind, sale, outcome, at, items, cents, currency, order, request_id, reason } = line;
    let outcome = outcome_name(&kind, &outcome);
    let order = order.filter(|_| !without_order);
    let order = order.map(|order| view! { <OrderLink order sale=sale.clone() /> });
    let sale = (!without_sale).then(|| view! { <SaleLink kind sale /> });
    view! {
        <LocalTime at style=TimeStyle::Full />
        <b class="outcome">{outcome}</b>
        {(!items.is_empty()).then(|| view! { <span translate="no">{items.join(", ")}</span> })}
        {(cents != 0).then(|| view! { <span class="cents">{money(cents, currency)}</span> })}
        {sale}
        {order}
        {request_id.map(|request_id| view! { <code class="aside">{request_id}</code> })}
        {reason.map(|reason| view! { <q translate="no">{reason}</q> })}
    }
}

/// Shows the lines of rows, newest first.
#[component]
pub fn Timeline(
    /// The rows, newest first.
    rows: Memo<Vec<Row>>,
    /// Leaves out the sale.
    #[prop(optional)]
    without_sale: bool,
    /// Leaves out the order.
    #[prop(optional)]
    without_order: bool,
) -> impl IntoView {
    view! {
        <ol class="lines timeline">
            <For each=move || Line::of_rows(rows.get()) key=|(id, line)| (*id, line.items.len()) let(line)>
                <li>
                    <LineView line=line.1 without_sale without_order />
                </li>
            </For>
        </ol>
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::kind_words;

    fn row(event: u64, place: i64, outcome: &str, item: &str, order: Option<&str>) -> Row {
        let event_id = model::EventId { millis: event, sequence: 0 };
        Row {
            id: HistoryCursor { event_id, sale_no: 1, place },
            kind: "ticket".to_owned(),
            sale: "s".to_owned(),
            event_id,
            place: 0,
            at: 1,
            outcome: outcome.to_owned(),
            user: None,
            request_id: None,
            item: Some(item.to_owned()),
            cents: 50,
            currency: Currency::CNY,
            order: order.map(str::to_owned),
            holder: (item == "A-1").then(|| "Wang Wei".to_owned()),
            reason: None,
            recorded: 1,
        }
    }

    #[test]
    fn the_rows_of_an_order_in_one_event_are_one_line() {
        Owner::new().with(|| {
            provide_context(kind_words());
            let part = |request: &str, row: Row| Row { request_id: Some(request.to_owned()), ..row };
            let rows = vec![
                part("c-2", row(3, 1, "cancelled", "A-2", Some("o"))),
                part("c-1", row(3, 0, "cancelled", "A-1", Some("o"))),
                row(2, 1, "held", "A-2", Some("o")),
                row(2, 0, "held", "A-1", Some("o")),
                row(2, 2, "held", "B-1", Some("p")),
                row(1, 0, "held", "A-1", Some("p")),
                row(0, 1, "won", "1", None),
                row(0, 0, "won", "2", None),
            ];
            let lines = Line::of_rows(rows);
            let shown: Vec<(String, Cents)> =
                lines.iter().map(|(_, line)| (line.items.join(", "), line.cents)).collect();
            let expected = [
                // Two requests.
                ("A-2", 50),
                ("A-1 (Wang Wei)", 50),
                ("A-1 (Wang Wei), A-2", 100),
                ("B-1", 50),
                ("A-1 (Wang Wei)", 50),
                ("1", 50),
                ("2", 50),
            ];
            assert_eq!(shown, expected.map(|(items, cents)| (items.to_owned(), cents)));
        });
    }
}
