//! How far a run has come, and how its attempts were answered.

use super::Crowd;
use crate::{
    crowd::{Phase, Status, words::words},
    i18n, nodes,
    ui::{
        format::{count, countdown, micros, percent},
        meter::meter,
        node::{El, Node, el, live},
    },
};
use leptos::prelude::*;

/// `answers`: what each is called on screen, and by its name.
pub fn progress(crowd: Crowd, answers: &[(&'static str, &'static str)]) -> El {
    let (words, shared) = (words(), i18n::words());
    let done = move || {
        let (answered, attempts) = crowd.read(|status| (status.answered, status.attempts));
        (words.done_of)(count(answered), count(attempts))
    };
    let phase = move || crowd.read(|status| Some(status.phase)).map_or("", words.phase).to_owned();
    let time = move || {
        let (phase, left, elapsed) = crowd.read(|status| (Some(status.phase), status.left_ms, status.elapsed_ms));
        match left.filter(|_| phase == Some(Phase::Running)) {
            // Rounded up: a run that is not over has a second left.
            Some(left) => (shared.time_left)(countdown(left.div_ceil(1_000) * 1_000, shared.days)),
            None => (words.time_taken)(countdown(elapsed, shared.days)),
        }
    };
    let orders = move || {
        let Some(config) = crowd.read(|status| Some(status.config.clone())) else { return String::new() };
        let repeat = percent((config.repeat_rate * 100.0).round() as u64, 100);
        let arrival = (words.arrival_name)(config.arrival.kind);
        let (users, at_once) = (count(config.users.into()), count(config.concurrency.into()));
        (words.run_config)(users, at_once, arrival, repeat, config.seed.to_string())
    };
    let figure = |name: &'static str, read: fn(&Status) -> String| {
        el("div").with(nodes![el("dt").text(name), el("dd").with(nodes![live(move || crowd.read(read))])])
    };
    let answered = |(label, name): &(&'static str, &'static str)| {
        let name = *name;
        let value = move || crowd.0.with(|status| status.as_ref().map_or(0, |status| status.outcomes.get(name)));
        el("div").with(nodes![el("dt").text(*label), el("dd").with(nodes![live(move || count(value()))])]).into()
    };
    let mut tiles: Vec<Node> = answers.iter().map(answered).collect();
    tiles.extend(nodes![
        figure(words.unknown, |status| count(status.unknown)),
        figure(words.now_per_s, |status| count(status.per_s)),
        figure(words.mean_per_s, |status| count(status.mean_per_s)),
        figure("p50", |status| micros(status.p50_us)),
        figure("p90", |status| micros(status.p90_us)),
        figure("p99", |status| micros(status.p99_us)),
        figure(words.slowest, |status| micros(status.max_us)),
    ]);
    let share = move || crowd.read(|status| (status.answered, status.attempts));
    el("div").class("progress").with(nodes![
        el("p").class("bar").with(nodes![
            el("b").attr("role", "status").with(nodes![live(phase)]),
            el("span").with(nodes![live(done)]),
            el("span").class("left").with(nodes![live(time)]),
        ]),
        meter("progressbar", words.progress, share, done),
        el("p").class("aside").with(nodes![live(orders)]),
        el("dl").class("tiles").with(tiles),
    ])
}
