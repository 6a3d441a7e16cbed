//! How attempts went: counted exactly, who was refused by which limit, and the newest claims.

use super::Sale;
use crate::{
    components::{Definition, Figure},
    i18n,
    sales::{
        coupon::{Claim, LIMITS, Limit, Snapshot, words::words},
        stage::{AttemptRow, AttemptTable, AttemptsCard, RefusedAttempts, use_reading},
    },
};
use leptos::prelude::*;

/// The outcomes of all attempts, the newest refused ones, and the newest claims.
#[component]
pub fn AttemptCounts(
    /// The sale on the page, kept up to date by the live view.
    sale: Sale,
) -> impl IntoView {
    let (words, shared) = (words(), i18n::words());
    let tile = |term: &'static str, value: Signal<u64>| view! { <Definition term><Figure value /></Definition> };
    let figure = move |term, read: fn(&Snapshot) -> u64| tile(term, Signal::derive(move || sale.read(read)));
    let refused_by = move |Limit { name, .. }: Limit| {
        let refused = Signal::derive(move || sale.read(|sale| sale.outcomes.refused.get(name)));
        tile((words.limit_name)(name), refused)
    };
    let latest = Memo::new(move |_| sale.read(|sale| sale.latest.clone()));
    let reading = use_reading();
    let user: fn(&Claim) -> &str = |claim| &claim.user;
    view! {
        <AttemptsCard reading>
            <dl class="tiles">
                {figure(shared.attempts, |sale| sale.outcomes.sum())} {figure(words.won, |sale| sale.outcomes.won)}
                {figure(shared.repeat, |sale| sale.outcomes.repeat)}
                {figure(words.sale_closed_short, |sale| sale.outcomes.closed)}
                {figure(shared.calls, |sale| sale.calls)}
            </dl>
            <h3>{words.refused_by_limit}</h3>
            <dl class="tiles">
                {LIMITS.map(refused_by).collect_view()}
            </dl>
            <RefusedAttempts
                attempts=Memo::new(move |_| sale.read(|sale| sale.declined.clone()))
                reason=words.declined
                reading
            />
            <AttemptTable
                title=words.latest
                empty=words.none_claimed
                attempts=latest
                key=|claim: &Claim| (claim.at, claim.user.clone(), claim.code_ends.clone())
                user
                reading
                columns=move || view! { <th scope="col">{words.code}</th> }
                row
            />
        </AttemptsCard>
    }
}

fn row(claim: Claim) -> impl IntoView {
    view! {
        <AttemptRow at=claim.at user=claim.user>
            <td class="coupon-code" translate="no">
                {format!("…{}", claim.code_ends)}
            </td>
        </AttemptRow>
    }
}
