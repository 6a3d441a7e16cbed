//! How attempts went: counted exactly, the newest refused ones, and the newest deductions.

use super::Sale;
use crate::{
    components::{Definition, Figure, format::count},
    i18n,
    sales::{
        stage::{AttemptRow, AttemptTable, AttemptsCard, RefusedAttempts, use_reading},
        stock::{
            Deduction, Snapshot,
            words::{signed, words},
        },
    },
};
use leptos::prelude::*;

/// The outcomes of all attempts, and the newest of them.
#[component]
pub fn AttemptCounts(
    /// The sale on the page, kept up to date by the live view.
    sale: Sale,
) -> impl IntoView {
    let (words, shared) = (words(), i18n::words());
    let figure = move |term: &'static str, read: fn(&Snapshot) -> u64| {
        view! { <Definition term><Figure value=Signal::derive(move || sale.read(read)) /></Definition> }
    };
    let latest = Memo::new(move |_| sale.read(|sale| sale.latest.clone()));
    let columns = move || {
        view! {
            <th scope="col" class="figure">
                {words.amount}
            </th>
            <th scope="col" class="figure">
                {words.left}
            </th>
        }
    };
    let reading = use_reading();
    let user: fn(&Deduction) -> &str = |deduction| &deduction.user;
    view! {
        <AttemptsCard reading>
            <dl class="tiles">
                {figure(shared.attempts, |sale| sale.outcomes.sum())} {figure(words.won, |sale| sale.outcomes.won)}
                {figure(shared.repeat, |sale| sale.outcomes.repeat)}
                {figure(words.not_enough, |sale| sale.outcomes.not_enough)}
                {figure(words.sale_closed_short, |sale| sale.outcomes.closed)}
                {figure(shared.calls, |sale| sale.calls)}
            </dl>
            <dl class="tiles">
                {figure(words.units_deducted, |sale| sale.units.deducted)}
                {figure(words.units_returned, |sale| sale.units.returned)}
                {figure(words.units_restocked, |sale| sale.units.restocked)}
                <Definition term=words.units_corrected>{move || sale.read(|sale| signed(sale.units.corrected))}</Definition>
            </dl>
            <RefusedAttempts
                attempts=Memo::new(move |_| sale.read(|sale| sale.declined.clone()))
                reason=words.declined
                reading
            />
            <AttemptTable
                title=words.latest
                empty=words.none_deducted
                attempts=latest
                key=|deduction: &Deduction| deduction.id.clone()
                user
                reading
                columns
                row
            />
        </AttemptsCard>
    }
}

fn row(deduction: Deduction) -> impl IntoView {
    view! {
        <AttemptRow at=deduction.at user=deduction.user>
            <td class="figure">{count(deduction.quantity)}</td>
            <td class="figure">{count(deduction.left)}</td>
        </AttemptRow>
    }
}
