//! The audit: the invariants of the sale, looked at in Redis itself.

use super::Sale;
use crate::{
    error::Error,
    nodes,
    sales::{Audit, Invariant, Verdict, red_packet::api},
    ui::{
        field::button,
        format::{count, money},
        moment::moment,
        node::{El, el, item, maybe},
        notice::unseen,
        platform::Style,
        verdict::verdict,
        work::{ask, effect},
    },
    words::words,
};
use leptos::prelude::*;

pub fn audit(sale: Sale) -> El {
    let words = words();
    let waiting = RwSignal::new(false);
    let found = RwSignal::new(None::<Audit>);
    let error = RwSignal::new(None::<Error>);
    let look = move || {
        if waiting.get_untracked() {
            return;
        }
        waiting.set(true);
        error.set(None);
        ask(async move {
            match api::audit(sale.id()).await {
                Ok(audit) => found.set(Some(audit)),
                Err(why) => error.set(Some(why)),
            }
            waiting.set(false);
        });
    };
    when_a_crowd_ends(sale, look);
    let result = maybe(move || {
        let audit = found.get();
        let at = audit.as_ref().map_or(0, |audit| audit.at);
        Some(item(at as u64, move || audit.map_or_else(|| el("p").class("empty").text(words.audit_none), findings)))
    });
    el("section").class("card audit").attr("aria-labelledby", "audit-title").with(nodes![
        el("div").class("bar").with(nodes![
            el("h2").attr("id", "audit-title").text(words.audit),
            button("", || false, look).text(words.audit_now),
        ]),
        unseen(error),
        el("div").attr("aria-live", "polite").with(nodes![result]),
    ])
}

/// Looks once by itself when a crowd that was seen running is over.
fn when_a_crowd_ends(sale: Sale, look: impl Fn() + 'static) {
    let mut was_running = false;
    effect(move || {
        let running = sale.crowd.with(|crowd| crowd.as_ref().is_some_and(|crowd| !crowd.phase.is_over()));
        if was_running && !running {
            look();
        }
        was_running = running;
    });
}

fn findings(audit: Audit) -> El {
    let words = words();
    let heads = [(words.invariant, ""), (words.expected, "figure"), (words.found, "figure"), (words.verdict_title, "")];
    let heads = heads.map(|(name, class)| el("th").attr("scope", "col").class(class).text(name).into());
    let rows = audit.invariants.iter().map(|invariant| line(invariant).into()).collect();
    el("div").class("findings").with(nodes![
        el("p").class("bar").with(nodes![
            verdict(audit.verdict),
            el("span").with(nodes![words.looked_at, " ", moment(audit.at, Style::Clock)]),
        ]),
        audit.reason.map(|_| el("p").text(words.could_not_look)),
        el("table").with(nodes![el("thead").with(nodes![el("tr").with(heads.into())]), el("tbody").with(rows),]),
    ])
}

fn line(invariant: &Invariant) -> El {
    let name = (words().invariant_name)(&invariant.name).map_or_else(|| invariant.name.clone(), str::to_owned);
    let figure = |figure: i64| {
        let text = match invariant.name.as_str() {
            "money" | "claimed_cents" => money(figure),
            _ if figure < 0 => ["-", &count(figure.unsigned_abs())].concat(),
            _ => count(figure.unsigned_abs()),
        };
        el("td").class("figure").text(text)
    };
    el("tr").with(nodes![
        el("th").attr("scope", "row").text(name),
        figure(invariant.expected),
        figure(invariant.found),
        el("td").with(nodes![verdict(if invariant.holds() { Verdict::Holds } else { Verdict::Broken })]),
    ])
}
