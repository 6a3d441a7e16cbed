//! How far a run has come, and how its attempts were answered.

use super::Crowd;
use crate::{
    components::{
        Definition, Meter,
        format::{count, countdown, micros, percent},
    },
    crowd::{
        Phase, Status,
        words::{ConfigFigures, words},
    },
    i18n,
};
use leptos::prelude::*;

/// Progress, answers and latencies of the run.
#[component]
pub fn Progress(
    crowd: Crowd,
    /// What each answer is called on screen, and by which name it is counted.
    answers: Vec<(&'static str, &'static str)>,
) -> impl IntoView {
    let (words, shared) = (words(), i18n::words());
    let answered = Signal::derive(move || crowd.read(|status| status.answered));
    let attempts = Signal::derive(move || crowd.read(|status| status.attempts));
    let done = Signal::derive(move || (words.done_of)(count(answered.get()), count(attempts.get())));
    let phase = move || crowd.read(|status| Some(status.phase)).map(words.phase);
    let time = move || {
        let (phase, left, elapsed) = crowd.read(|status| (Some(status.phase), status.left_ms, status.elapsed_ms));
        match left.filter(|_| phase == Some(Phase::Running)) {
            // Rounded up: a run that is not over has a second left.
            Some(left) => (shared.time_left)(countdown(left.div_ceil(1_000) * 1_000, shared.days)),
            None => (words.time_taken)(countdown(elapsed, shared.days)),
        }
    };
    let config = move || {
        crowd.read(|status| Some(status.config.clone())).map(|config| {
            (words.run_config)(ConfigFigures {
                users: count(config.users.into()),
                concurrency: count(config.concurrency.into()),
                arrival: (words.arrival_name)(config.arrival.kind),
                repeat_rate: percent((config.repeat_rate * 100.0).round() as u64, 100),
                seed: config.seed,
            })
        })
    };
    let figure = move |term: &'static str, read: fn(&Status) -> String| {
        view! { <Definition term>{move || crowd.read(read)}</Definition> }
    };
    let answers = answers
        .into_iter()
        .map(|(term, name)| {
            let value = move || count(crowd.read(|status| status.outcomes.get(name)));
            view! { <Definition term>{value}</Definition> }
        })
        .collect_view();
    view! {
        <div class="progress">
            <p class="bar">
                <b role="status">{phase}</b>
                <span>{done}</span>
                <span class="left">{time}</span>
            </p>
            <Meter role="progressbar" label=words.progress value=answered max=attempts text=done />
            <p class="aside">{config}</p>
            <dl class="tiles">
                {answers} {figure(words.unknown, |status| count(status.unknown))}
                {figure(words.now_per_s, |status| count(status.per_s))}
                {figure(words.mean_per_s, |status| count(status.mean_per_s))}
                {figure("p50", |status| micros(status.p50_us))} {figure("p90", |status| micros(status.p90_us))}
                {figure("p99", |status| micros(status.p99_us))}
                {figure(words.slowest, |status| micros(status.max_us))}
            </dl>
        </div>
    }
}
