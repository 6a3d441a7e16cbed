//! The audit of a sale: its invariants, looked at when somebody asks and when a crowd has gone.

use super::{
    ask::ask,
    field::button,
    findings::findings,
    moment::moment,
    node::{El, el, item, maybe},
    notice::unseen,
    platform::Style,
    verdict::verdict,
    work::effect,
};
use crate::{crowd, error::Error, i18n::words, nodes, sales::Audit};
use leptos::{prelude::*, server_fn::ServerFn};
use serde::Serialize;

/// The audit of the sale of this kind with this id. `none` says that nobody has looked yet, `question` asks for it.
pub fn audit<Q>(
    kind: &'static str,
    sale: String,
    crowd: RwSignal<Option<crowd::Status>>,
    none: &'static str,
    question: fn(String) -> Q,
) -> El
where
    Q: ServerFn<Error = Error, Output = Audit> + Serialize + 'static,
{
    let words = words();
    let sale = StoredValue::new(sale);
    let waiting = RwSignal::new(false);
    let found = RwSignal::new(None::<Audit>);
    let error = RwSignal::new(None::<Error>);
    let look = move || {
        if waiting.get_untracked() {
            return;
        }
        waiting.set(true);
        error.set(None);
        ask(question(sale.get_value()), move |answer| {
            match answer {
                Ok(audit) => found.set(Some(audit)),
                Err(why) => error.set(Some(why)),
            }
            waiting.set(false);
        });
    };
    when_a_crowd_ends(crowd, look);
    let result = maybe(move || {
        let audit = found.get();
        let at = audit.as_ref().map_or(0, |audit| audit.at);
        Some(item(at as u64, move || {
            audit.map_or_else(|| el("p").class("empty").text(none), |audit| looked(kind, audit))
        }))
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
fn when_a_crowd_ends(crowd: RwSignal<Option<crowd::Status>>, look: impl Fn() + 'static) {
    let mut was_running = false;
    effect(move || {
        let running = crowd.with(|crowd| crowd.as_ref().is_some_and(|crowd| !crowd.phase.is_over()));
        if was_running && !running {
            look();
        }
        was_running = running;
    });
}

fn looked(kind: &str, audit: Audit) -> El {
    el("div").with(nodes![
        el("p").class("bar").with(nodes![
            verdict(audit.verdict),
            el("span").with(nodes![words().audited_at, " ", moment(audit.at, Style::Clock)]),
        ]),
        findings(kind, &audit),
    ])
}
