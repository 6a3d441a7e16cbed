//! The distribution of the claimed amounts.

use crate::{
    components::{
        Bars, ChartTable, Mean,
        axis::{Label, Unit, multiples, round_up},
        format::{count, money, round_money},
    },
    i18n,
    red_packet::{page::Sale, words::words},
};
use leptos::prelude::*;
use model::{Cents, life::Currency, red_packet::Histogram};

/// Shows the claimed packets by amount, as bars and as a table.
#[component]
pub fn AmountHistogram(
    /// The sale on the page, kept up to date by the live view.
    sale: Sale,
) -> impl IntoView {
    let words = words();
    let histogram = Memo::new(move |_| sale.read(|sale| sale.histogram.clone()));
    let columns = Memo::new(move |_| {
        histogram.with(|Histogram { counts, width }| Columns {
            number: counts.len(),
            width: *width,
            currency: sale.currency,
        })
    });
    let mean = Memo::new(move |_| {
        sale.read(|sale| (sale.claimed > 0).then(|| sale.claimed_cents as f64 / sale.claimed as f64))
    });
    let key = move |cents: f64| {
        let text = (words.mean)(sale.money(cents.round() as Cents));
        view! { <span class="key mean">{text}</span> }
    };
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
            <p class="caption">{words.packets_by_amount} {move || mean.get().map(key)}</p>
            <Bars
                values=Memo::new(move |_| histogram.with(|histogram| histogram.counts.clone()))
                unit=Unit::Count
                below=Signal::derive(move || columns.get().amounts())
                mean=Signal::derive(move || mean.get().map(|cents| Mean::Place(cents / columns.get().end())))
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
    currency: Currency,
}

impl Columns {
    /// Returns the smallest and the largest amount of a column.
    fn span(self, column: usize) -> (String, String) {
        let column = column as Cents;
        (money(column * self.width + 1, self.currency), money((column + 1) * self.width, self.currency))
    }

    /// Returns the end of the last column, in cents.
    fn end(self) -> f64 {
        (self.number as Cents * self.width).max(1) as f64
    }

    /// Returns round amounts with their places below the columns.
    fn amounts(self) -> Vec<Label> {
        let step = round_up(self.end() / 3.0);
        let unit = 10_f64.powi(self.currency.digits().into());
        // Without cents, if none has any.
        let write = if step < unit { money } else { round_money };
        let text = |cents: f64| write(cents as Cents, self.currency);
        multiples(step, 0.0, self.end()).into_iter().map(|cents| (cents / self.end(), text(cents))).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn amounts_are_round_and_at_their_places() {
        let amounts = |number, width| Columns { number, width, currency: Currency::CNY }.amounts();
        let texts = |labels: Vec<Label>| labels.into_iter().map(|(_, text)| text).collect::<Vec<_>>();
        assert_eq!(texts(amounts(24, 75)), ["¥0", "¥10"]);
        assert_eq!(amounts(20, 100), [(0.0, "¥0".to_owned()), (0.5, "¥10".to_owned()), (1.0, "¥20".to_owned())]);
        assert_eq!(texts(amounts(24, 5)), ["¥0.00", "¥0.50", "¥1.00"]);
    }
}
