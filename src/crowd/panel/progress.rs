//! How far a run has come, and how its attempts were answered.

use super::part;
use crate::{
    crowd::{Phase, Status},
    ui::{
        format::{count, countdown, micros, percent},
        meter::meter,
    },
    words::words,
};
use leptos::prelude::*;

pub fn progress(status: Memo<Option<Status>>) -> AnyView {
    let words = words();
    let answered = part(status, |status| status.answered);
    let attempts = part(status, |status| status.attempts);
    let done = Signal::derive(move || (words.done_of)(count(answered.get()), count(attempts.get())));
    let phase = Memo::new(move |_| status.with(|status| status.as_ref().map(|status| status.phase)));
    let left = part(status, |status| if status.phase == Phase::Running { status.left_ms } else { None });
    let elapsed = part(status, |status| status.elapsed_ms / 1_000 * 1_000);
    let time = move || match left.get() {
        // Rounded up: a run that is not over has a second left.
        Some(left) => (words.time_left)(countdown(left.div_ceil(1_000) * 1_000, words.days)),
        None => (words.time_taken)(countdown(elapsed.get(), words.days)),
    };
    let orders = Memo::new(move |_| {
        status.with(|status| {
            let orders = &status.as_ref()?.orders;
            let repeat = percent((orders.repeat_rate * 100.0).round() as u64, 100);
            let arrival = (words.arrival_name)(orders.arrival.kind);
            let seed = orders.seed.to_string();
            Some((words.orders)(count(orders.users.into()), count(orders.concurrency.into()), arrival, repeat, seed))
        })
    });
    let figure = move |name: &'static str, read: fn(&Status) -> String| {
        let value = part(status, read);
        view! { <div><dt>{name}</dt><dd>{value}</dd></div> }.into_any()
    };
    view! {
        <div class="progress">
            <p class="bar">
                <b role="status">{move || phase.get().map(words.phase)}</b>
                <span>{done}</span>
                <span class="left">{time}</span>
            </p>
            {meter("progressbar", words.progress, answered.into(), attempts.into(), done)}
            <p class="aside">{move || orders.get()}</p>
            <dl class="tiles">
                {figure(words.won, |status| count(status.outcomes.won))}
                {figure(words.repeat, |status| count(status.outcomes.repeat))}
                {figure(words.sold_out, |status| count(status.outcomes.sold_out))}
                {figure(words.expired, |status| count(status.outcomes.expired))}
                {figure(words.unknown, |status| count(status.unknown))}
                {figure(words.now_per_s, |status| count(status.per_s))}
                {figure(words.mean_per_s, |status| count(status.mean_per_s))}
                {figure("p50", |status| micros(status.p50_us))}
                {figure("p90", |status| micros(status.p90_us))}
                {figure("p99", |status| micros(status.p99_us))}
                {figure(words.slowest, |status| micros(status.max_us))}
            </dl>
        </div>
    }
    .into_any()
}
