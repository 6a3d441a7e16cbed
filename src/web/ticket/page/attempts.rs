//! The results of attempts: exact counts, and a sample of the refused ones.

use crate::{
    i18n, life,
    stage::{AttemptsCard, RefusedAttempts, SaleFigure, use_attempt_controls},
    ticket::{page::Sale, words::words},
};
use leptos::prelude::*;

/// Shows the outcomes of all attempts and orders, and the newest refused attempts.
#[component]
pub fn AttemptCounts(
    /// The sale on the page, kept up to date by the live view.
    sale: Sale,
) -> impl IntoView {
    let (words, shared, life) = (words(), i18n::words(), life::words());
    let outcomes = &words.outcomes;
    let controls = use_attempt_controls();
    let extendable = sale.live.snapshot.with_untracked(|sale| sale.extendable);
    view! {
        <AttemptsCard controls>
            <dl class="tiles">
                <SaleFigure sale=sale.live term=outcomes.held read=|sale| sale.outcomes.held />
                <SaleFigure sale=sale.live term=outcomes.seat_taken read=|sale| sale.outcomes.seat_taken />
                <SaleFigure sale=sale.live term=outcomes.not_enough_seats read=|sale| sale.outcomes.not_enough_seats />
                <SaleFigure sale=sale.live term=outcomes.not_together read=|sale| sale.outcomes.not_together />
                <SaleFigure sale=sale.live term=outcomes.limit_reached read=|sale| sale.outcomes.limit_reached />
                <SaleFigure sale=sale.live term=outcomes.closed read=|sale| sale.outcomes.closed />
                <SaleFigure sale=sale.live term=life.not_open read=|sale| sale.outcomes.not_open />
                <SaleFigure sale=sale.live term=life.paused read=|sale| sale.outcomes.paused />
                <SaleFigure sale=sale.live term=life.ended read=|sale| sale.outcomes.ended />
                <SaleFigure sale=sale.live term=shared.repeat read=|sale| sale.outcomes.repeat />
                {extendable
                    .then(|| {
                        view! { <SaleFigure sale=sale.live term=outcomes.extended read=|sale| sale.outcomes.extended /> }
                    })}
                <SaleFigure sale=sale.live term=outcomes.paid read=|sale| sale.outcomes.paid />
                <SaleFigure sale=sale.live term=outcomes.cancelled read=|sale| sale.outcomes.cancelled />
                <SaleFigure sale=sale.live term=outcomes.expired read=|sale| sale.outcomes.expired />
                <SaleFigure sale=sale.live term=outcomes.refunded read=|sale| sale.outcomes.refunded />
                <SaleFigure sale=sale.live term=outcomes.late read=|sale| sale.outcomes.late />
                <SaleFigure sale=sale.live term=shared.calls read=|sale| sale.calls />
            </dl>
            <RefusedAttempts
                attempts=Memo::new(move |_| sale.live.read(|sale| sale.declined.clone()))
                reason=words.refused_as
                controls
            />
        </AttemptsCard>
    }
}
