//! What the judge says of a run that is over.

use super::Crowd;
use crate::{
    crowd::{Verification, words::words},
    i18n, nodes,
    ui::{
        format::{count, micros, money},
        node::{El, el, item, maybe},
        verdict::verdict,
    },
};

pub fn judgement(crowd: Crowd) -> El {
    let block = maybe(move || {
        let run = crowd.read(|status| status.run.clone());
        let judgement = crowd.read(|status| status.verification.clone())?;
        let (mean_per_s, p99_us) = crowd.read(|status| (status.mean_per_s, status.p99_us));
        Some(item(run, move || block(&judgement, mean_per_s, p99_us)))
    });
    el("div").attr("role", "status").with(nodes![block])
}

fn block(judgement: &Verification, mean_per_s: u64, p99_us: u64) -> El {
    let (words, shared) = (words(), i18n::words());
    let figure = |name: &'static str, value: String, good: bool| {
        let class = if good { "" } else { "broken" };
        el("div").class(class).with(nodes![el("dt").text(name), el("dd").text(value)])
    };
    let none = |name, value: u64| figure(name, count(value), value == 0);
    let same = judgement.expected_cents == judgement.found_cents;
    el("div").class("verdict").attr("role", "group").attr("aria-label", shared.verdict_title).with(nodes![
        el("h3").with(nodes![shared.verdict_title, verdict(judgement.verdict)]),
        judgement.reason.is_some().then(|| el("p").text(shared.verdict_unknown)),
        el("dl").class("tiles").with(nodes![
            none(words.oversold, judgement.oversold),
            none(words.doubled, judgement.doubled),
            none(words.lost, judgement.lost),
            none(words.unexpected, judgement.unexpected),
            figure(words.cents_expected, money(judgement.expected_cents), same),
            figure(words.cents_found, money(judgement.found_cents), same),
            figure(words.mean_per_s, count(mean_per_s), true),
            figure("p99", micros(p99_us), true),
        ]),
    ])
}
