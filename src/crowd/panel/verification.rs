//! What the verification of a run found.

use super::Crowd;
use crate::{
    components::{
        Definition, VerdictBadge,
        format::{count, micros, money},
    },
    crowd::{self, words::words},
    i18n,
};
use leptos::prelude::*;

/// The verdict of the run, once it is over.
#[component]
pub fn Verification(crowd: Crowd) -> impl IntoView {
    let found = Memo::new(move |_| {
        crowd.0.with(|status| {
            let status = status.as_ref()?;
            Some((status.verification.clone()?, status.mean_per_s, status.p99_us))
        })
    });
    view! {
        <div role="status">
            {move || found.get().map(|(verification, mean_per_s, p99_us)| figures(verification, mean_per_s, p99_us))}
        </div>
    }
}

fn figures(verification: crowd::Verification, mean_per_s: u64, p99_us: u64) -> impl IntoView {
    let (words, shared) = (words(), i18n::words());
    let none = |term: &'static str, value: u64| {
        view! {
            <Definition term class=if value == 0 { "" } else { "broken" }>
                {count(value)}
            </Definition>
        }
    };
    let class = if verification.expected_cents == verification.found_cents { "" } else { "broken" };
    view! {
        <div class="verdict" role="group" aria-label=shared.verdict_title>
            <h3>{shared.verdict_title} <VerdictBadge verdict=verification.verdict /></h3>
            {verification.reason.is_some().then(|| view! { <p>{shared.verdict_unknown}</p> })}
            <dl class="tiles">
                {none(words.oversold, verification.oversold)} {none(words.doubled, verification.doubled)}
                {none(words.lost, verification.lost)} {none(words.unexpected, verification.unexpected)}
                <Definition term=words.cents_expected class>
                    {money(verification.expected_cents)}
                </Definition> <Definition term=words.cents_found class>
                    {money(verification.found_cents)}
                </Definition> <Definition term=words.mean_per_s>{count(mean_per_s)}</Definition>
                <Definition term="p99">{micros(p99_us)}</Definition>
            </dl>
        </div>
    }
}
