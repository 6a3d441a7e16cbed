//! The audit: the invariants of the sale, looked at in Redis itself.

use super::Sale;
use crate::{
    error::Error,
    nodes,
    sales::{Audit, red_packet::api::AuditRequest},
    ui::{
        ask::ask,
        field::button,
        findings::findings,
        moment::moment,
        node::{El, el, item, maybe},
        notice::unseen,
        platform::Style,
        verdict::verdict,
        work::effect,
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
        ask(AuditRequest { sale: sale.id() }, move |answer| {
            match answer {
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
        Some(item(at as u64, move || audit.map_or_else(|| el("p").class("empty").text(words.audit_none), looked)))
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

fn looked(audit: Audit) -> El {
    el("div").with(nodes![
        el("p").class("bar").with(nodes![
            verdict(audit.verdict),
            el("span").with(nodes![words().looked_at, " ", moment(audit.at, Style::Clock)]),
        ]),
        findings(&audit),
    ])
}
