//! How attempts went: counted exactly, and a sample of those that were refused.

use super::Sale;
use crate::{
    components::{Definition, format::count},
    i18n,
    sales::{
        stage::{AttemptsCard, RefusedAttempts, use_reading},
        ticket::{Snapshot, words::words},
    },
};
use leptos::prelude::*;

/// The outcomes of all attempts and orders, and the newest refused attempts.
#[component]
pub fn AttemptCounts(
    /// The sale on the page, kept up to date by the live view.
    sale: Sale,
) -> impl IntoView {
    let (words, shared) = (words(), i18n::words());
    let outcomes = &words.outcomes;
    let figure = move |term: &'static str, read: fn(&Snapshot) -> u64| {
        view! { <Definition term>{move || count(sale.live.read(read))}</Definition> }
    };
    let reading = use_reading();
    view! {
        <AttemptsCard reading>
            <dl class="tiles">
                {figure(outcomes.held, |sale| sale.outcomes.held)}
                {figure(outcomes.seat_taken, |sale| sale.outcomes.seat_taken)}
                {figure(outcomes.not_enough_seats, |sale| sale.outcomes.not_enough_seats)}
                {figure(outcomes.limit_reached, |sale| sale.outcomes.limit_reached)}
                {figure(outcomes.closed, |sale| sale.outcomes.closed)}
                {figure(shared.repeat, |sale| sale.outcomes.repeat)}
                {figure(outcomes.paid, |sale| sale.outcomes.paid)}
                {figure(outcomes.cancelled, |sale| sale.outcomes.cancelled)}
                {figure(outcomes.expired, |sale| sale.outcomes.expired)}
                {figure(outcomes.refunded, |sale| sale.outcomes.refunded)}
                {figure(outcomes.late, |sale| sale.outcomes.late)} {figure(shared.calls, |sale| sale.calls)}
            </dl>
            <RefusedAttempts
                attempts=Memo::new(move |_| sale.live.read(|sale| sale.declined.clone()))
                reason=words.refused_as
                reading
            />
        </AttemptsCard>
    }
}
