//! How the claimed amounts are distributed.

use super::Sale;
use crate::{
    components::format::{count, money},
    domain::Cents,
    i18n,
    sales::red_packet::{Histogram, words::words},
};
use leptos::prelude::*;

/// Claimed packets by amount, as bars and as a table.
#[component]
pub fn AmountHistogram(sale: Sale) -> impl IntoView {
    let (words, shared) = (words(), i18n::words());
    let histogram = Memo::new(move |_| sale.read(|sale| sale.histogram.clone()));
    let highest =
        Memo::new(move |_| histogram.with(|Histogram { counts, .. }| counts.iter().copied().max().unwrap_or(0)));
    // Fixed once the sale is open, so bars and rows are made once.
    let columns = Memo::new(move |_| {
        histogram.with(|Histogram { counts, width }| Columns { number: counts.len(), width: *width })
    });
    let packets = move |column: usize| histogram.with(|histogram| histogram.counts.get(column).copied().unwrap_or(0));
    let bar = move |column: usize| {
        let share = move || (packets(column) * 1_000).checked_div(highest.get()).unwrap_or(0);
        view! { <span style=move || format!("--share:{}", share())></span> }
    };
    let bars = move || (0..columns.get().number).map(bar).collect_view();
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
            <div class="plot">
                <span class="most">{move || (words.packets_at_most)(highest.get())}</span>
                <div aria-hidden="true">
                    <div class="bars">{bars}</div>
                    <div class="ends">
                        <span>{move || columns.get().span(0).0}</span>
                        <span>{move || columns.get().span(columns.get().number.saturating_sub(1)).1}</span>
                    </div>
                </div>
                <Show when=move || highest.get() == 0>
                    <p class="empty">{words.histogram_empty}</p>
                </Show>
            </div>
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
