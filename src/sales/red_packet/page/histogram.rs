//! How the claimed amounts are distributed.

use super::Sale;
use crate::{
    components::{
        Bars,
        format::{count, money},
    },
    domain::Cents,
    i18n,
    sales::red_packet::{Histogram, words::words},
};
use leptos::prelude::*;

/// Claimed packets by amount, as bars and as a table.
#[component]
pub fn AmountHistogram(
    /// The sale on the page, kept up to date by the live view.
    sale: Sale,
) -> impl IntoView {
    let (words, shared) = (words(), i18n::words());
    let histogram = Memo::new(move |_| sale.read(|sale| sale.histogram.clone()));
    // Fixed once the sale is open, so bars and rows are made once.
    let columns = Memo::new(move |_| {
        histogram.with(|Histogram { counts, width }| Columns { number: counts.len(), width: *width })
    });
    let packets = move |column: usize| histogram.with(|histogram| histogram.counts.get(column).copied().unwrap_or(0));
    let ends = Signal::derive(move || {
        let columns = columns.get();
        (columns.span(0).0, columns.span(columns.number.saturating_sub(1)).1)
    });
    let row = move |columns: Columns, column: usize| {
        let (from, to) = columns.span(column);
        view! {
            <tr>
                <td>{from} " – " {to}</td>
                <td class="figure">{move || count(packets(column))}</td>
            </tr>
        }
    };
    let rows = move || {
        let columns = columns.get();
        (0..columns.number).map(|column| row(columns, column)).collect_view()
    };
    view! {
        <section class="card histogram" aria-labelledby="histogram-title">
            <h2 id="histogram-title">{words.histogram}</h2>
            <Bars
                number=Signal::derive(move || columns.get().number)
                value=packets
                most=words.packets_at_most
                ends
                empty=words.histogram_empty
            />
            <details>
                <summary>{shared.as_table}</summary>
                <table>
                    <thead>
                        <tr>
                            <th scope="col">{shared.amount}</th>
                            <th scope="col" class="figure">
                                {words.packets}
                            </th>
                        </tr>
                    </thead>
                    <tbody>{rows}</tbody>
                </table>
            </details>
        </section>
    }
    .into_any()
}

/// The columns of a histogram.
#[derive(Clone, Copy, PartialEq)]
struct Columns {
    number: usize,
    /// Cents that one column spans.
    width: Cents,
}

impl Columns {
    /// The least and the greatest amount of a column.
    fn span(self, column: usize) -> (String, String) {
        let column = column as Cents;
        (money(column * self.width + 1), money((column + 1) * self.width))
    }
}
