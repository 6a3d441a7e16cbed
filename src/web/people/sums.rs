//! What the history of a user adds up to: changes, money and quantities by kind and outcome.

use crate::{
    components::format::{NO_VALUE, count, money},
    i18n,
    ledger::words::outcome_name,
    people::words::words,
};
use leptos::prelude::*;
use model::{ledger::OutcomeSum, life::Currency};

/// Shows the sums as a table, in the order of the kinds and of their outcomes.
#[component]
pub fn SumsTable(
    /// The sums.
    sums: Vec<OutcomeSum>,
    /// The currency of all amounts; `None` if they are in several, which cannot be added up.
    currency: Option<Currency>,
) -> impl IntoView {
    let (words, shared) = (words(), i18n::words());
    let rows = sorted(sums).into_iter().map(|OutcomeSum { kind, outcome, rows, cents, quantity }| {
        let amount = match quantity {
            Some(quantity) => i18n::item_name(&kind, quantity.to_string()),
            None => {
                currency.filter(|_| cents != 0).map_or_else(|| NO_VALUE.to_owned(), |currency| money(cents, currency))
            }
        };
        view! {
            <tr>
                <td>{i18n::kind_name(&kind).map_or_else(|| kind.clone(), str::to_owned)}</td>
                <td>{outcome_name(&kind, &outcome)}</td>
                <td class="figure">{count(rows)}</td>
                <td class="figure">{amount}</td>
            </tr>
        }
    });
    view! {
        <table class="sums">
            <thead>
                <tr>
                    <th scope="col">{words.kind}</th>
                    <th scope="col">{shared.outcome}</th>
                    <th scope="col" class="figure">
                        {words.changes}
                    </th>
                    <th scope="col" class="figure">
                        {shared.amount}
                    </th>
                </tr>
            </thead>
            <tbody>{rows.collect_view()}</tbody>
        </table>
    }
}

/// As in the life of an item. What is not known comes last.
fn sorted(mut sums: Vec<OutcomeSum>) -> Vec<OutcomeSum> {
    let kinds = i18n::kind_names();
    sums.sort_by_key(|sum| {
        let kind = kinds.iter().position(|(id, _)| *id == sum.kind);
        let outcomes = i18n::kind_info(&sum.kind).map_or(&[][..], |info| info.outcomes);
        let outcome = outcomes.iter().position(|outcome| *outcome == sum.outcome);
        (kind.unwrap_or(usize::MAX), outcome.unwrap_or(usize::MAX))
    });
    sums
}
