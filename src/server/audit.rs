//! `stampede audit`: exit code 0 if every audit holds, 1 if one is broken, 2 if one is unknown.

use crate::server::{
    connect::{Access, Connected},
    ledger_service,
    output::print_result,
    settings,
};
use anyhow::Result;
use engine::kind::{Kinds, Resources};
use ledger::service::LedgerService;
use model::{
    Audit, Verdict,
    error::Code,
    iso,
    ledger::{Recovery, SaleName, SaleStatus, Status},
};
use serde::Serialize;
use std::{
    io::{self, Write},
    process::ExitCode,
    sync::Arc,
};
use store::{
    clock::RedisClock,
    runtime::{Clock, Ids},
};

#[derive(Serialize)]
struct Report {
    verdict: Verdict,
    sales: Vec<AuditedSale>,
}

#[derive(Serialize)]
struct AuditedSale {
    #[serde(flatten)]
    lag: Lag,
    audit: Audit,
}

/// The lag of the ledger behind a sale.
#[derive(Serialize)]
#[serde(untagged)]
enum Lag {
    Known(Box<SaleStatus>),
    /// The lag could not be read.
    Unknown(SaleName),
}

/// Audits and prints. The verdict determines the exit code.
///
/// # Errors
/// One sentence if nothing could be audited at all. The exit code is then also 2.
pub async fn run(settings: settings::Audit) -> Result<ExitCode> {
    let connected = Connected::beside(&settings.stores, Access::Read).await?;
    let report = audit(&connected, &settings.sales).await;
    connected.close().await?;
    let report = report?;
    print_result(settings.json, &report, print)?;
    Ok(exit_code(report.verdict))
}

/// The verdict on several sales: broken if one is broken, else unknown if one is unknown.
pub(super) fn worst(verdicts: impl Iterator<Item = Verdict> + Clone) -> Verdict {
    let any = |verdict| verdicts.clone().any(|other| other == verdict);
    match (any(Verdict::Broken), any(Verdict::Unknown)) {
        (true, _) => Verdict::Broken,
        (false, true) => Verdict::Unknown,
        (false, false) => Verdict::Holds,
    }
}

/// The exit code for this verdict.
pub(super) fn exit_code(verdict: Verdict) -> ExitCode {
    ExitCode::from(match verdict {
        Verdict::Holds => 0,
        Verdict::Broken => 1,
        Verdict::Unknown => 2,
    })
}

/// The ledger service for a command, configured as in a server.
pub(super) async fn service(connected: &Connected) -> Result<LedgerService> {
    let clock: Arc<dyn Clock> = RedisClock::of(&connected.store).await?;
    let ids = Arc::new(Ids::new(clock.clone()));
    let resources = Resources { store: connected.store.clone(), ledger: connected.ledger.clone(), clock, ids };
    Ok(ledger_service(&resources, &Kinds::connect(&resources), u64::MAX))
}

async fn audit(connected: &Connected, sales: &[String]) -> Result<Report> {
    let service = service(connected).await?;
    service.ensure_fed().await?;
    let mut names = Vec::new();
    if sales.is_empty() {
        names = service.all().await?;
    }
    for sale in sales {
        names.extend(service.kinds_of(sale).await?.into_iter().map(|kind| (kind, sale.clone())));
    }
    let mut audited = Vec::with_capacity(names.len());
    for (kind, sale) in names {
        let audit = match service.audit(&kind, &sale).await {
            // The sale is listed, but not open yet, or it was archived since. There is nothing to audit.
            Err(error) if sales.is_empty() && (error.code.is_sale_gone() || error.code == Code::SaleOpening) => {
                continue;
            }
            audit => audit?,
        };
        // A finding is reported even if the lag of the ledger is unknown.
        let found = service.status(Some(&sale)).await.unwrap_or_else(|error| {
            tracing::error!(kind, sale, %error, "how far the ledger is cannot be read");
            Status::default()
        });
        let status = found.sales.into_iter().find(|status| status.kind == kind);
        let lag = status.map_or_else(|| Lag::Unknown(SaleName { kind, sale }), |status| Lag::Known(Box::new(status)));
        audited.push(AuditedSale { lag, audit });
    }
    let verdict = worst(audited.iter().map(|sale| sale.audit.verdict));
    Ok(Report { verdict, sales: audited })
}

fn print(report: &Report, out: &mut dyn Write) -> io::Result<()> {
    if report.sales.is_empty() {
        writeln!(out, "There is no sale to audit.")?;
    }
    for AuditedSale { lag, audit } in &report.sales {
        let (kind, sale) = match lag {
            Lag::Known(status) => (&status.kind, &status.sale),
            Lag::Unknown(name) => (&name.kind, &name.sale),
        };
        writeln!(out, "{kind} {sale}: {}", word(audit.verdict))?;
        match lag {
            Lag::Known(status) if status.away => {
                writeln!(
                    out,
                    "  the master that has the sale does not answer, so how far the ledger is behind is not known"
                )?;
            }
            Lag::Known(status) => {
                let SaleStatus { lag_events, lag_seconds, dead_letters, recovery, .. } = &**status;
                writeln!(
                    out,
                    "  the ledger is {lag_events} events ({lag_seconds:.1} s) behind, {dead_letters} set aside"
                )?;
                if let Some(recovery) = recovery.as_ref().filter(|recovery| recovery.lost_something()) {
                    print_loss(recovery, out)?;
                }
            }
            Lag::Unknown(_) => writeln!(out, "  how far the ledger is behind is not known")?,
        }
        if let Some(reason) = &audit.reason {
            writeln!(out, "  {reason}")?;
        }
        for invariant in &audit.invariants {
            let sign = if invariant.holds() { " " } else { "✗" };
            writeln!(
                out,
                "{sign} {:<16} expected {:>14}  found {:>14}",
                invariant.name, invariant.expected, invariant.found
            )?;
        }
    }
    writeln!(out, "{}", word(report.verdict))
}

/// What the latest recovery of the sale could not restore.
fn print_loss(recovery: &Recovery, out: &mut dyn Write) -> io::Result<()> {
    let Recovery { at, upto, unseen, lost_wins, lost_event: _, given_up, conflicts, described } = recovery;
    writeln!(
        out,
        "  recovered at {} up to event {upto}, without {unseen} unrecorded events, {lost_wins} wins that Redis had counted \
         and {given_up} events that were given up; {conflicts} items had been given twice",
        iso(*at)
    )?;
    match recovery.lost_range() {
        Some((Some(_), event)) => {
            writeln!(out, "  lost: what was answered after that event, up to event {event}, which a server had seen")?;
        }
        Some((None, event)) => writeln!(
            out,
            "  lost: event {event}, which a server had seen, and what was answered shortly before it and not replicated"
        )?,
        None => {}
    }
    for sentence in described {
        writeln!(out, "  lost: {sentence}")?;
    }
    Ok(())
}

/// The verdict as one word on a line of its own.
pub(super) fn word(verdict: Verdict) -> &'static str {
    match verdict {
        Verdict::Holds => "holds",
        Verdict::Broken => "BROKEN",
        Verdict::Unknown => "unknown",
    }
}
