//! How the claimed amounts are distributed.

use super::Sale;
use crate::{
    sales::Cents,
    ui::format::{count, money},
    words::words,
};
use leptos::prelude::*;

pub fn histogram(sale: Sale) -> AnyView {
    let words = words();
    let counts = Memo::new(move |_| sale.snapshot.with(|sale| sale.histogram.counts.clone()));
    // Columns and their width: fixed once the sale is open, so the bars are made once.
    let shape = Memo::new(move |_| sale.snapshot.with(|sale| (sale.histogram.counts.len(), sale.histogram.width)));
    let most = Memo::new(move |_| counts.with(|counts| counts.iter().copied().max().unwrap_or_default()));
    let held = move |column: usize| counts.with(|counts| counts.get(column).copied().unwrap_or_default());
    let bar = move |column: usize| {
        let height = move || {
            let share = (held(column) * 1_000).checked_div(most.get()).unwrap_or_default();
            ["--share:", &share.to_string()].concat()
        };
        view! { <span style=height></span> }.into_any()
    };
    let bars = move || (0..shape.get().0).map(bar).collect_view();
    let row = move |column: usize, width: Cents| {
        let [from, to] = span(column, width);
        view! { <tr><td>{from} " – " {to}</td><td class="figure">{move || count(held(column))}</td></tr> }.into_any()
    };
    let rows = move || {
        let (columns, width) = shape.get();
        (0..columns).map(|column| row(column, width)).collect_view()
    };
    let end = move |last: bool| {
        let (columns, width) = shape.get();
        if last { span(columns.saturating_sub(1), width)[1].clone() } else { span(0, width)[0].clone() }
    };
    let empty = move || (most.get() == 0).then(|| view! { <p class="empty">{words.histogram_empty}</p> });
    view! {
        <section class="card histogram" aria-labelledby="histogram-title">
            <h2 id="histogram-title">{words.histogram}</h2>
            <div class="plot">
                <span class="most">{move || (words.packets_at_most)(most.get())}</span>
                <div class="bars" aria-hidden="true">{bars}</div>
                <div class="ends" aria-hidden="true"><span>{move || end(false)}</span> <span>{move || end(true)}</span></div>
                {empty}
            </div>
            <details>
                <summary>{words.as_table}</summary>
                <table>
                    <thead>
                        <tr><th scope="col">{words.amount}</th><th scope="col" class="figure">{words.packets}</th></tr>
                    </thead>
                    <tbody>{rows}</tbody>
                </table>
            </details>
        </section>
    }
    .into_any()
}

/// The least and the greatest amount of a column.
fn span(column: usize, width: Cents) -> [String; 2] {
    let column = column as Cents;
    [money(column * width + 1), money((column + 1) * width)]
}
