//! How attempts went: counted exactly, who was refused by which limit, and the newest claims.

use crate::{
    coupon::{page::Sale, words::words},
    i18n, life,
    stage::{AttemptRow, AttemptTable, AttemptsCard, RefusedAttempts, SaleFigure, use_attempt_controls},
};
use leptos::prelude::*;
use model::coupon::{Claim, LIMITS, Limit};

/// The outcomes of all attempts, the newest refused ones, and the newest claims.
#[component]
pub fn AttemptCounts(
    /// The sale on the page, kept up to date by the live view.
    sale: Sale,
) -> impl IntoView {
    let (words, shared, life) = (words(), i18n::words(), life::words());
    let refused_by = move |Limit { name, .. }: Limit| {
        let term = (words.limit_name)(name);
        view! { <SaleFigure sale term read=move |sale| sale.outcomes.refused.get(name) /> }
    };
    let latest = Memo::new(move |_| sale.read(|sale| sale.latest.clone()));
    let is_for_some = sale.snapshot.with_untracked(|sale| sale.lists.only_for > 0);
    let controls = use_attempt_controls();
    let user: fn(&Claim) -> &str = |claim| &claim.user;
    view! {
        <AttemptsCard controls>
            <dl class="tiles">
                <SaleFigure sale term=shared.attempts read=|sale| sale.outcomes.sum() />
                <SaleFigure sale term=words.won read=|sale| sale.outcomes.won />
                <SaleFigure sale term=shared.repeat read=|sale| sale.outcomes.repeat />
                <SaleFigure sale term=words.sale_closed_short read=|sale| sale.outcomes.closed />
                <SaleFigure sale term=life.not_open read=|sale| sale.outcomes.not_open />
                <SaleFigure sale term=life.paused read=|sale| sale.outcomes.paused />
                <SaleFigure sale term=life.ended read=|sale| sale.outcomes.ended />
                {is_for_some
                    .then(|| {
                        view! { <SaleFigure sale term=words.not_invited_short read=|sale| sale.outcomes.not_invited /> }
                    })}
                <SaleFigure sale term=shared.calls read=|sale| sale.calls />
            </dl>
            <h3>{words.refused_by_limit}</h3>
            <dl class="tiles">
                {LIMITS.map(refused_by).collect_view()}
            </dl>
            <RefusedAttempts
                attempts=Memo::new(move |_| sale.read(|sale| sale.declined.clone()))
                reason=words.declined
                controls
            />
            <AttemptTable
                title=words.latest
                empty=words.none_claimed
                attempts=latest
                key=|claim: &Claim| (claim.at, claim.user.clone(), claim.code_ends.clone())
                user
                controls
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
