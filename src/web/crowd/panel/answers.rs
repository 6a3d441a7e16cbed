//! The answers to the attempts of a run, and their latencies.

use crate::{
    components::{
        Definition, Figure,
        format::{count, micros, percent},
    },
    crowd::{
        panel::CrowdControl,
        words::{ConfigFigures, words},
    },
    i18n::{self, FigureWords},
};
use leptos::prelude::*;
use model::crowd::Status;

/// Shows the settings, answers and latencies of the run.
#[component]
pub fn Answers(
    /// The crowd of the sale on the page.
    crowd: CrowdControl,
    /// The answers: the name on screen, and the name in the counts.
    answers: Vec<(&'static str, &'static str)>,
) -> impl IntoView {
    let (words, shared) = (words(), i18n::words());
    let config = move || {
        crowd.read(|status| Some(status.config.clone())).map(|config| {
            (words.run_config)(ConfigFigures {
                users: config.users.into(),
                concurrency: count(config.concurrency.into()),
                arrival: (words.arrival_name)(config.arrival.kind),
                repeat_rate: percent((config.repeat_rate * 100.0).round() as u64, 100),
                seed: config.seed,
            })
        })
    };
    let figure = move |term: FigureWords, read: fn(&Status) -> String| {
        view! { <Definition term>{move || crowd.read(read)}</Definition> }
    };
    // The reasons for unanswered attempts.
    let reasons = Memo::new(move |_| crowd.read(|status| status.unanswered.clone()));
    let unanswered = move || {
        let reason = |(code, times)| view! { <Definition term=(shared.error_title)(code)>{count(times)}</Definition> };
        reasons.get().into_iter().map(reason).collect_view()
    };
    let answers = answers
        .into_iter()
        .map(|(term, name)| {
            view! {
                <Definition term>
                    <Figure value=Signal::derive(move || crowd.read(|status| status.outcomes.get(name))) />
                </Definition>
            }
        })
        .collect_view();
    view! {
        <div class="answered">
            <p class="aside">{config}</p>
            <dl class="tiles">
                {answers}
                <Definition term=words.unknown>
                    <Figure value=Signal::derive(move || crowd.read(|status| status.unknown)) />
                </Definition>
                <Definition term=words.not_tried>
                    <Figure value=Signal::derive(move || crowd.read(Status::not_tried)) />
                </Definition>
                {figure(words.now_per_s.into(), |status| count(status.per_s))}
                {figure(words.mean_per_s.into(), |status| count(status.mean_per_s))}
                {figure(shared.p50, |status| micros(status.p50_us))} {figure(shared.p90, |status| micros(status.p90_us))}
                {figure(shared.p99, |status| micros(status.p99_us))}
                {figure(words.slowest.into(), |status| micros(status.max_us))}
            </dl>
            <Show when=move || reasons.with(|reasons| !reasons.is_empty())>
                <div class="unanswered" role="group" aria-label=words.unanswered>
                    <h3>{words.unanswered}</h3>
                    <dl class="tiles">{unanswered}</dl>
                </div>
            </Show>
        </div>
    }
}
