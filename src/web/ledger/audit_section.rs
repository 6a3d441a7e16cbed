//! The audit of a sale, on its page.

use crate::{
    components::{Button, FirstCall, InvariantTable, LoadAlert, LocalTime, TimeStyle, VerdictBadge, use_polling},
    i18n::words,
    ledger::api::{self, AuditNowRequest},
};
use leptos::{either::Either, prelude::*};
use model::Audit;
use std::time::Duration;

/// How often the latest audit is loaded: servers also audit automatically.
const INTERVAL: Duration = Duration::from_secs(5);

/// The sale's invariants, checked on request and when a crowd has ended.
#[component]
pub fn AuditSection(
    /// The kind, as in keys.
    kind: &'static str,
    /// The id of the sale.
    sale: String,
    /// The latest when the page was made.
    first: Option<Audit>,
    /// Says that nobody has asked yet.
    empty: &'static str,
    /// Whether a crowd is at the sale.
    #[prop(into)]
    crowd_running: Signal<bool>,
) -> impl IntoView {
    let words = words();
    let audit = ServerAction::<AuditNowRequest>::new();
    let (pending, answer) = (audit.pending(), audit.value());
    let id = StoredValue::new(sale);
    let run = move || _ = audit.dispatch(AuditNowRequest { kind: kind.to_owned(), sale: id.get_value() });
    // The newest, whoever requested it. One that failed leaves the previous one on the page.
    let found = RwSignal::new(first);
    let put = move |audit: Audit| {
        if found.with_untracked(|shown| shown.as_ref().is_none_or(|shown| shown.at < audit.at)) {
            found.set(Some(audit));
        }
    };
    Effect::new(move || {
        if let Some(Ok(audit)) = answer.get() {
            put(audit);
        }
    });
    let load = use_polling(
        INTERVAL,
        FirstCall::AfterInterval,
        move || api::last_audit(kind.to_owned(), id.get_value()),
        move |answer| {
            if let Ok(Some(audit)) = answer {
                put(audit);
            }
        },
    );
    let error = Signal::derive(move || answer.get().filter(|_| !pending.get()).and_then(Result::err));
    let crowd_running = Memo::new(move |_| crowd_running.get());
    Effect::new(move |was_running: Option<bool>| {
        let is_running = crowd_running.get();
        // Its verification, if it came to that, has audited the sale.
        if was_running == Some(true) && !is_running {
            load.run(());
        }
        is_running
    });
    view! {
        <section class="card audit" aria-labelledby="audit-title">
            <div class="bar">
                <h2 id="audit-title">{words.audit}</h2>
                <Button pending on_click=run>{words.audit_now}</Button>
            </div>
            <LoadAlert error />
            // The rows are for reading: only the verdict is announced.
            <div class="bar" aria-live="polite">
                {move || match found.get() {
                    None => Either::Left(view! { <p class="empty">{empty}</p> }),
                    Some(audit) => Either::Right(verdict(audit)),
                }}
            </div>
            {move || found.get().map(|audit| view! { <InvariantTable kind audit /> })}
        </section>
    }
}

fn verdict(audit: Audit) -> impl IntoView {
    view! {
        <VerdictBadge verdict=audit.verdict />
        <span>{words().audited_at} " " <LocalTime at=audit.at style=TimeStyle::Clock /></span>
    }
}
