//! The audit: the invariants of the sale, looked at in Redis itself.

use super::Sale;
use crate::{
    error::Error,
    sales::{Audit, Invariant, Verdict, red_packet::api},
    ui::{
        format::{count, money},
        moment::moment,
        notice::notice,
        platform::Style,
        ready::ready,
        verdict::verdict,
    },
    words::words,
};
use leptos::{prelude::*, task::spawn_local};

pub fn audit(sale: Sale) -> AnyView {
    let words = words();
    let ready = ready();
    let waiting = RwSignal::new(false);
    let found = RwSignal::new(None::<Audit>);
    let error = RwSignal::new(None::<Error>);
    let look = move || {
        if waiting.get_untracked() {
            return;
        }
        waiting.set(true);
        error.set(None);
        spawn_local(async move {
            match api::audit(sale.id()).await {
                Ok(audit) => found.set(Some(audit)),
                Err(why) => error.set(Some(why)),
            }
            waiting.set(false);
        });
    };
    when_a_crowd_ends(sale, look);
    let result = move || match found.get() {
        Some(audit) => findings(audit),
        None => view! { <p class="empty">{words.audit_none}</p> }.into_any(),
    };
    view! {
        <section class="card audit" aria-labelledby="audit-title">
            <div class="bar">
                <h2 id="audit-title">{words.audit}</h2>
                <button type="button" disabled=move || !ready.get() || waiting.get() on:click=move |_| look()>
                    {words.audit_now}
                </button>
            </div>
            {notice(error, &[])}
            <div aria-live="polite">{result}</div>
        </section>
    }
    .into_any()
}

/// Looks once by itself when a crowd that was seen running is over.
fn when_a_crowd_ends(sale: Sale, look: impl Fn() + 'static) {
    let over = Memo::new(move |_| sale.snapshot.with(|sale| sale.crowd.as_ref().map(|crowd| crowd.phase.is_over())));
    Effect::new(move |was: Option<Option<bool>>| {
        let is = over.get();
        if was == Some(Some(false)) && is == Some(true) {
            look();
        }
        is
    });
}

fn findings(audit: Audit) -> AnyView {
    let words = words();
    let rows = audit.invariants.iter().map(invariant).collect_view();
    view! {
        <p class="bar">{verdict(audit.verdict)} <span>{words.looked_at} " " {moment(audit.at, Style::Clock)}</span></p>
        {audit.reason.map(|_| view! { <p>{words.could_not_look}</p> })}
        <table>
            <thead>
                <tr>
                    <th scope="col">{words.invariant}</th>
                    <th scope="col" class="figure">{words.expected}</th>
                    <th scope="col" class="figure">{words.found}</th>
                    <th scope="col">{words.holds}</th>
                </tr>
            </thead>
            <tbody>{rows}</tbody>
        </table>
    }
    .into_any()
}

fn invariant(invariant: &Invariant) -> AnyView {
    let words = words();
    let name = (words.invariant_name)(&invariant.name).map_or_else(|| invariant.name.clone(), str::to_owned);
    let write = |figure: i64| match invariant.name.as_str() {
        "money" => money(figure),
        _ if figure < 0 => ["-", &count(figure.unsigned_abs())].concat(),
        _ => count(figure.unsigned_abs()),
    };
    let verdict_of = if invariant.holds() { Verdict::Holds } else { Verdict::Broken };
    view! {
        <tr>
            <th scope="row">{name}</th>
            <td class="figure">{write(invariant.expected)}</td>
            <td class="figure">{write(invariant.found)}</td>
            <td>{verdict(verdict_of)}</td>
        </tr>
    }
    .into_any()
}
