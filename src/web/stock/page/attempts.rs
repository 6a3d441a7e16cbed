//! How attempts went: counted exactly, the newest refused ones, and the newest deductions.

use crate::{
    components::{Definition, format::count},
    i18n, life,
    stage::{AttemptRow, AttemptTable, AttemptsCard, RefusedAttempts, SaleFigure, use_attempt_controls},
    stock::{
        page::Sale,
        words::{signed, words},
    },
};
use leptos::prelude::*;
use model::stock::Deduction;

/// The outcomes of all attempts, and the newest of them.
#[component]
pub fn AttemptCounts(
    /// The sale on the page, kept up to date by the live view.
    sale: Sale,
) -> impl IntoView {
    let (words, shared, life) = (words(), i18n::words(), life::words());
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
    let controls = use_attempt_controls();
    // The figures of terms that few sales have.
    let (limits, holds) = sale.snapshot.with_untracked(|sale| (sale.limit_per_user.is_some(), sale.hold_s.is_some()));
    let user: fn(&Deduction) -> &str = |deduction| &deduction.user;
    view! {
        <AttemptsCard controls>
            <dl class="tiles">
                <SaleFigure sale term=shared.attempts read=|sale| sale.outcomes.sum() />
                <SaleFigure sale term=words.won read=|sale| sale.outcomes.won />
                <SaleFigure sale term=shared.repeat read=|sale| sale.outcomes.repeat />
                <SaleFigure sale term=words.not_enough read=|sale| sale.outcomes.not_enough />
                <Show when=move || limits>
                    <SaleFigure sale term=words.limit_reached read=|sale| sale.outcomes.limit_reached />
                </Show>
                <SaleFigure sale term=words.sale_closed_short read=|sale| sale.outcomes.closed />
                <SaleFigure sale term=life.not_open read=|sale| sale.outcomes.not_open />
                <SaleFigure sale term=life.paused read=|sale| sale.outcomes.paused />
                <SaleFigure sale term=life.ended read=|sale| sale.outcomes.ended />
                <SaleFigure sale term=shared.calls read=|sale| sale.calls />
            </dl>
            <dl class="tiles">
                <SaleFigure sale term=words.units_deducted read=|sale| sale.units.deducted />
                <SaleFigure sale term=words.units_returned read=|sale| sale.units.returned />
                <Show when=move || holds>
                    <SaleFigure sale term=words.units_held read=|sale| sale.held.unwrap_or(0) />
                    <SaleFigure sale term=words.units_confirmed read=|sale| sale.units.confirmed />
                    <SaleFigure sale term=words.units_expired read=|sale| sale.units.expired />
                </Show>
                <SaleFigure sale term=words.units_restocked read=|sale| sale.units.restocked />
                <Definition term=words.units_corrected>{move || sale.read(|sale| signed(sale.units.corrected))}</Definition>
            </dl>
            <RefusedAttempts
                attempts=Memo::new(move |_| sale.read(|sale| sale.declined.clone()))
                reason=words.declined
                controls
            />
            <AttemptTable
                title=words.latest
                empty=words.none_deducted
                attempts=latest
                key=|deduction: &Deduction| deduction.id.clone()
                user
                controls
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
