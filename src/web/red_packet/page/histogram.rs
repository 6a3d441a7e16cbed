//! The distribution of the claimed amounts.

use crate::{
    components::{
        Bars, ChartTable,
        format::{count, money},
    },
    i18n,
    red_packet::{page::Sale, words::words},
};
use leptos::prelude::*;
use model::{Cents, red_packet::Histogram};

/// Shows the claimed packets by amount, as bars and as a table.
#[component]
pub fn AmountHistogram(
    /// The sale on the page, kept up to date by the live view.
    sale: Sale,
) -> impl IntoView {
    let words = words();
    let histogram = Memo::new(move |_| sale.read(|sale| sale.histogram.clone()));
    let columns = Memo::new(move |_| {
        histogram.with(|Histogram { counts, width }| Columns { number: counts.len(), width: *width })
    });
    let ends = Signal::derive(move || {
        let columns = columns.get();
        (columns.span(0).0, columns.span(columns.number.saturating_sub(1)).1)
    });
    let head = move || {
        view! {
            <th scope="col">{i18n::words().amount}</th>
            <th scope="col" class="figure">
                {words.packets}
            </th>
        }
    };
    let packets = move || histogram.with(|histogram| histogram.counts.iter().copied().enumerate().collect::<Vec<_>>());
    let row = move |(column, packets)| {
        let (from, to) = columns.get_untracked().span(column);
        view! {
            <tr>
                <td>{from} " – " {to}</td>
                <td class="figure">{count(packets)}</td>
            </tr>
        }
    };
    view! {
        <section class="card histogram" aria-labelledby="histogram-title">
            <h2 id="histogram-title">{words.histogram}</h2>
            <Bars
                values=Memo::new(move |_| histogram.with(|histogram| histogram.counts.clone()))
                most=words.packets_at_most
                ends
                empty=words.histogram_empty
            />
            <ChartTable head rows=packets key=|row| *row row />
        </section>
    }
    .into_any()
}

/// The columns of a histogram.
#[derive(Clone, Copy, PartialEq)]
struct Columns {
    number: usize,
    /// The range of a column, in cents.
    width: Cents,
}

impl Columns {
    /// Returns the smallest and the largest amount of a column.
    fn span(self, column: usize) -> (String, String) {
        let column = column as Cents;
        (money(column * self.width + 1), money((column + 1) * self.width))
    }
}
