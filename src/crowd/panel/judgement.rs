//! What the judge says of a run that is over.

use crate::{
    crowd::{Judgement, Status},
    ui::{
        format::{count, micros, money},
        verdict::verdict,
    },
    words::words,
};
use leptos::prelude::*;

pub fn judgement(status: Memo<Option<Status>>) -> AnyView {
    let judged = Memo::new(move |_| {
        status.with(|status| {
            let status = status.as_ref()?;
            Some((status.judgement.clone()?, status.mean_per_s, status.p99_us))
        })
    });
    let block = move || judged.get().map(|(judgement, mean_per_s, p99_us)| block(judgement, mean_per_s, p99_us));
    view! { <div class="judged" role="status">{block}</div> }.into_any()
}

fn block(judgement: Judgement, mean_per_s: u64, p99_us: u64) -> AnyView {
    let words = words();
    let figure = |name: &'static str, value: String, good: bool| {
        view! { <div class=if good { "" } else { "broken" }><dt>{name}</dt><dd>{value}</dd></div> }.into_any()
    };
    let none = |name, value: u64| figure(name, count(value), value == 0);
    let same = judgement.expected_cents == judgement.found_cents;
    view! {
        <div class="verdict" role="group" aria-label=words.verdict_title>
            <h3>{words.verdict_title} " " {verdict(judgement.verdict)}</h3>
            {judgement.reason.is_some().then(|| view! { <p>{words.could_not_look}</p> })}
            <dl class="tiles">
                {none(words.oversold, judgement.oversold)}
                {none(words.doubled, judgement.doubled)}
                {none(words.lost, judgement.lost)}
                {none(words.unexpected, judgement.unexpected)}
                {figure(words.cents_expected, money(judgement.expected_cents), same)}
                {figure(words.cents_found, money(judgement.found_cents), same)}
                {figure(words.mean_per_s, count(mean_per_s), true)}
                {figure("p99", micros(p99_us), true)}
            </dl>
        </div>
    }
    .into_any()
}
