//! A sale on the board.

use crate::{
    components::{
        Ago, Button, Definition, InvariantTable, LocalTime, SaleLink, TimeStyle, VerdictBadge, format::NO_VALUE,
    },
    i18n,
    ledger::{
        audit_board::{Audits, SaleName, dead_letters::DeadLetters},
        status::{LagDefinitions, LedgerProblems},
        words::words,
    },
};
use leptos::prelude::*;
use model::{Audit, Millis, Verdict, ledger::Audited};

/// A sale with its last audit, which unfolds when an invariant does not hold.
#[component]
pub fn SaleCard(
    /// The board, in which the card finds the news of its sale.
    audits: Audits,
    /// The sale as the board first listed it.
    first: Audited,
    /// The time, for how long ago it was audited.
    now: Signal<Millis>,
) -> impl IntoView {
    let shared = i18n::words();
    let name = first.name();
    let SaleName { kind, sale } = name.clone();
    let opened_at = first.opened_at;
    let kind_name = i18n::kind_name(&kind).map_or_else(|| kind.clone(), str::to_owned);
    let audited = audits.audited(first);
    let status = Signal::derive(move || Some(audited.with(|audited| audited.status.clone())));
    let dead_letters = Memo::new(move |_| audited.with(|audited| audited.status.dead_letters));
    let audit = Memo::new(move |_| audited.with(|audited| audited.audit.clone()));
    let holds =
        Memo::new(move |_| audit.with(|audit| audit.as_ref().is_none_or(|audit| audit.verdict == Verdict::Holds)));
    view! {
        <li class="card entry">
            <div class="bar">
                <SaleLink kind=kind.clone() sale=sale.clone() with_name=true />
                <Button pending=audits.audits.pending() on_click=move || audits.audit(vec![name.clone()])>
                    {shared.audit_now}
                </Button>
            </div>
            <p>{move || view! { <LastAudit audit=audit.get() now /> }}</p>
            <dl class="terms">
                <Definition term=words().kind>{kind_name}</Definition>
                <Definition term=shared.opened_at>
                    {opened_at.map_or_else(
                        || NO_VALUE.into_any(),
                        |at| view! { <LocalTime at style=TimeStyle::Full /> }.into_any(),
                    )}
                </Definition>
                <LagDefinitions status />
            </dl>
            <LedgerProblems sale=sale.clone() status />
            <DeadLetters kind=kind.clone() sale number=dead_letters />
            <details open=move || !holds.get() hidden=move || audit.with(Option::is_none)>
                <summary>{shared.invariants}</summary>
                {move || audit.get().map(|audit| view! { <InvariantTable kind=kind.clone() audit /> })}
            </details>
        </li>
    }
}

/// The verdict, and when the audit was made.
#[component]
fn LastAudit(
    /// The latest audit; `None` if there was none.
    audit: Option<Audit>,
    /// The time, for how long ago that was.
    now: Signal<Millis>,
) -> impl IntoView {
    match audit {
        Some(Audit { verdict, at, .. }) => view! {
            <span class="last-audit">
                <VerdictBadge verdict />
                <span class="aside">{i18n::words().audited} " " <Ago at now /></span>
            </span>
        }
        .into_any(),
        None => view! { <span class="badge">{words().not_audited}</span> }.into_any(),
    }
}
