//! What the rows found add up to: by outcome if all are of one kind, otherwise by kind.

use crate::{
    components::format::money,
    i18n,
    ledger::words::{outcome_name, words},
};
use leptos::prelude::*;
use model::{
    ledger::{OutcomeSum, Page, Row},
    life::Currency,
};

/// A line with the sums of the rows found, on whatever page; nothing if there are no rows.
#[component]
pub fn Sums(
    /// The page of rows that is shown.
    page: RwSignal<Page>,
) -> impl IntoView {
    let words = words();
    let line = Memo::new(move |_| {
        page.with(|page| {
            if page.total_is_at_least {
                words.no_sums.to_owned()
            } else {
                line(&page.sums, common_currency(&page.rows))
            }
        })
    });
    move || {
        let line = line.get();
        let shown = || view! { <p class="aside sums" role="group" aria-label=words.sums>{line.clone()}</p> };
        (!line.is_empty()).then(shown)
    }
}

/// Returns the currency in which all amounts of these rows are; `None` if they are in several, which cannot be added up.
pub fn common_currency(rows: &[Row]) -> Option<Currency> {
    let mut currencies = rows.iter().filter(|row| row.cents != 0).map(|row| row.currency);
    let first = currencies.next().unwrap_or_default();
    currencies.all(|other| other == first).then_some(first)
}

fn line(sums: &[OutcomeSum], currency: Option<Currency>) -> String {
    let words = words();
    let is_of_one_kind = sums.windows(2).all(|pair| pair[0].kind == pair[1].kind);
    let parts: Vec<String> = if is_of_one_kind {
        let mut sums: Vec<&OutcomeSum> = sums.iter().collect();
        sums.sort_by_key(|sum| i18n::kind_info(&sum.kind).map(|info| place(info.outcomes, &sum.outcome)));
        sums.into_iter().map(|sum| part(sum, currency)).collect()
    } else {
        // Those of a kind stand together.
        let of_kinds = sums.chunk_by(|one, other| one.kind == other.kind);
        let part = |of_kind: &[OutcomeSum]| {
            let kind = &of_kind[0].kind;
            (words.rows_of)(i18n::kind_name(kind).unwrap_or(kind), of_kind.iter().map(|sum| sum.rows).sum())
        };
        of_kinds.map(part).collect()
    };
    parts.join(" · ")
}

/// As in the life of an item: what the kind does not know comes last.
fn place(outcomes: &[&str], outcome: &str) -> usize {
    outcomes.iter().position(|known| *known == outcome).unwrap_or(outcomes.len())
}

fn part(OutcomeSum { kind, outcome, rows, cents, quantity }: &OutcomeSum, currency: Option<Currency>) -> String {
    let words = words();
    let name = outcome_name(kind, outcome);
    match quantity {
        Some(quantity) => {
            let quantity = (words.quantity)(i18n::item_name(kind, quantity.to_string()));
            (words.sum_of)(&name, *rows, quantity)
        }
        None => match currency.filter(|_| *cents != 0) {
            Some(currency) => (words.sum_of)(&name, *rows, money(*cents, currency)),
            None => (words.rows_of)(&name, *rows),
        },
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::kind_words;

    fn sum(kind: &str, outcome: &str, rows: u64, cents: i64, quantity: Option<i64>) -> OutcomeSum {
        OutcomeSum { kind: kind.to_owned(), outcome: outcome.to_owned(), rows, cents, quantity }
    }

    #[test]
    fn sums_are_by_outcome_within_a_kind_and_by_kind_otherwise() {
        Owner::new().with(|| {
            provide_context(kind_words());
            let packets = [sum("red_packet", "won", 1_200, 5_000, None), sum("red_packet", "opened", 2, 9_900, None)];
            assert_eq!(line(&packets, Some(Currency::CNY)), "Opened 2 (¥99.00) · Won 1,200 (¥50.00)");
            assert_eq!(line(&packets, None), "Opened 2 · Won 1,200");
            let stock = [sum("stock", "closed", 1, 0, None), sum("stock", "won", 3, 0, Some(12))];
            assert_eq!(line(&stock, Some(Currency::CNY)), "Deducted 3 (quantity 12) · Closed 1");
            assert_eq!(line(&[&packets[..], &stock[..]].concat(), Some(Currency::CNY)), "Red packets 1,202 · Stock 4");
            assert_eq!(line(&[], Some(Currency::CNY)), "");
        });
    }
}
