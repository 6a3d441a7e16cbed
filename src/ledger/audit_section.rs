//! The audit of a sale, on its page.

use super::api::audit;
use crate::{
    components::{Button, InvariantTable, LoadAlert, LocalTime, TimeStyle, VerdictBadge},
    domain::Audit,
    error::Error,
    i18n::words,
};
use leptos::{prelude::*, task::spawn_local};

/// The sale's invariants, checked when somebody asks and when a crowd has gone.
#[component]
pub fn AuditSection(
    /// The kind, as in keys.
    kind: &'static str,
    sale: String,
    /// Says that nobody has asked yet.
    empty: &'static str,
    /// Whether a crowd is at the sale.
    #[prop(into)]
    crowd_running: Signal<bool>,
) -> impl IntoView {
    let words = words();
    let sale = StoredValue::new(sale);
    let waiting = RwSignal::new(false);
    let found = RwSignal::new(None::<Audit>);
    let error = RwSignal::new(None::<Error>);
    let run = move || {
        if waiting.get_untracked() {
            return;
        }
        waiting.set(true);
        error.set(None);
        spawn_local(async move {
            let answer = audit(kind.to_owned(), sale.get_value()).await;
            // The page may be gone by the time of the answer.
            if waiting.try_set(false).is_some() {
                return;
            }
            match answer {
                Ok(audit) => found.set(Some(audit)),
                Err(why) => error.set(Some(why)),
            }
        });
    };
    let crowd_running = Memo::new(move |_| crowd_running.get());
    Effect::new(move |was_running: Option<bool>| {
        let is_running = crowd_running.get();
        if was_running == Some(true) && !is_running {
            run();
        }
        is_running
    });
    view! {
        <section class="card audit" aria-labelledby="audit-title">
            <div class="bar">
                <h2 id="audit-title">{words.audit}</h2>
                <Button on_click=run>{words.audit_now}</Button>
            </div>
            <LoadAlert error />
            <div aria-live="polite">
                {move || match found.get() {
                    None => view! { <p class="empty">{empty}</p> }.into_any(),
                    Some(audit) => result(kind, audit).into_any(),
                }}
            </div>
        </section>
    }
}

fn result(kind: &'static str, audit: Audit) -> impl IntoView {
    view! {
        <div>
            <p class="bar">
                <VerdictBadge verdict=audit.verdict />
                <span>{words().audited_at} " " <LocalTime at=audit.at style=TimeStyle::Clock /></span>
            </p>
            <InvariantTable kind audit />
        </div>
    }
}
