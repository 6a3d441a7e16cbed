//! The findings of an audit.

use crate::{
    components::{
        VerdictBadge,
        format::{count, money},
        use_currency,
    },
    i18n::{invariant_name, words},
};
use leptos::prelude::*;
use model::{Audit, Invariant, Unit, Verdict, life::Currency};

/// Shows the invariants of an audit with the expected and the actual figures, or a sentence if it could not check them.
#[component]
pub fn InvariantTable(
    /// The kind of the sale, which names its invariants.
    #[prop(into)]
    kind: String,
    /// The audit to show; one that could not check has a `reason`.
    audit: Audit,
) -> impl IntoView {
    let (words, currency) = (words(), use_currency());
    if audit.reason.is_some() {
        return view! { <p>{words.verdict_unknown}</p> }.into_any();
    }
    view! {
        <table class="findings">
            <thead>
                <tr>
                    <th scope="col">{words.invariant}</th>
                    <th scope="col" class="figure">
                        {words.expected}
                    </th>
                    <th scope="col" class="figure">
                        {words.found}
                    </th>
                    <th scope="col">{words.verdict_title}</th>
                </tr>
            </thead>
            <tbody>{audit.invariants.into_iter().map(|invariant| row(&kind, invariant, currency)).collect_view()}</tbody>
        </table>
    }
    .into_any()
}

fn row(kind: &str, invariant: Invariant, currency: Currency) -> impl IntoView + use<> {
    let name = invariant_name(kind, &invariant.name).map_or_else(|| invariant.name.clone(), str::to_owned);
    let verdict = if invariant.holds() { Verdict::Holds } else { Verdict::Broken };
    view! {
        <tr>
            <th scope="row">{name}</th>
            <td class="figure">{figure(invariant.unit, invariant.expected, currency)}</td>
            <td class="figure">{figure(invariant.unit, invariant.found, currency)}</td>
            <td>
                <VerdictBadge verdict />
            </td>
        </tr>
    }
}

fn figure(unit: Unit, value: i64, currency: Currency) -> String {
    match unit {
        Unit::Cents => money(value, currency),
        Unit::Things if value < 0 => format!("-{}", count(value.unsigned_abs())),
        Unit::Things => count(value.unsigned_abs()),
    }
}
