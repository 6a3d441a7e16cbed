//! `stampede audit`: exit code 0 where all holds, 1 where something is broken, 2 where nobody could look.

use super::{open::Opened, settings};
use crate::{
    domain::{Audit, Verdict},
    error::Code,
    ledger::{SaleStatus, books::Books},
    runtime::{Clock, Ids, SystemClock},
    sales::{red_packet::service::RedPackets, ticket::service::Tickets},
};
use anyhow::Result;
use serde::Serialize;
use std::{process::ExitCode, sync::Arc};

/// What was found.
#[derive(Serialize)]
struct Report {
    verdict: Verdict,
    sales: Vec<Line>,
}

#[derive(Serialize)]
struct Line {
    #[serde(flatten)]
    status: SaleStatus,
    audit: Audit,
}

/// Audits and prints; the verdict is the exit code.
///
/// # Errors
/// One sentence where nobody could look at all: then the exit code is 2 as well.
pub async fn run(settings: settings::Audit) -> Result<ExitCode> {
    let opened = Opened::beside(&settings.stores).await?;
    let report = audit(&opened, &settings.sales).await;
    opened.close().await?;
    let report = report?;
    if settings.json {
        println!("{}", serde_json::to_string(&report)?);
    } else {
        print(&report);
    }
    Ok(ExitCode::from(match report.verdict {
        Verdict::Holds => 0,
        Verdict::Broken => 1,
        Verdict::Unknown => 2,
    }))
}

/// Redis and ledger of a command, side by side, as the server has them.
pub(super) fn books(opened: &Opened) -> Books {
    let clock: Arc<dyn Clock> = Arc::new(SystemClock);
    let ids = Arc::new(Ids::new(clock.clone()));
    let (store, ledger) = (&opened.store, &opened.ledger);
    let red_packet = RedPackets::new(store.clone(), ledger.clone(), clock.clone(), ids.clone());
    let tickets = Tickets::new(store.clone(), ledger.clone(), clock.clone(), ids);
    Books::new(store.clone(), ledger.clone(), super::kinds(&red_packet, &tickets), clock, u64::MAX)
}

async fn audit(opened: &Opened, sales: &[String]) -> Result<Report> {
    let books = books(opened);
    books.ensure_fed().await?;
    let mut names = Vec::new();
    if sales.is_empty() {
        names = books.all().await?;
    }
    for sale in sales {
        names.extend(books.kinds_of(sale).await?.into_iter().map(|kind| (kind, sale.clone())));
    }
    let mut lines = Vec::with_capacity(names.len());
    for (kind, sale) in names {
        let audit = match books.audit(&kind, &sale).await {
            // On the list and not open yet: nobody can claim from it, and there is nothing to look at.
            Err(error) if sales.is_empty() && matches!(error.code, Code::UnknownSale | Code::SaleOpening) => continue,
            audit => audit?,
        };
        let status = books.status(Some(&sale)).await?.sales.into_iter().find(|status| status.kind == kind);
        lines.extend(status.map(|status| Line { status, audit }));
    }
    let any = |verdict| lines.iter().any(|line| line.audit.verdict == verdict);
    let verdict = match (any(Verdict::Broken), any(Verdict::Unknown)) {
        (true, _) => Verdict::Broken,
        (false, true) => Verdict::Unknown,
        (false, false) => Verdict::Holds,
    };
    Ok(Report { verdict, sales: lines })
}

fn print(report: &Report) {
    if report.sales.is_empty() {
        println!("There is no sale to audit.");
    }
    for Line { status, audit } in &report.sales {
        let SaleStatus { sale, lag_events, lag_seconds, set_aside, .. } = status;
        println!("{} {sale}: {}", status.kind, word(audit.verdict));
        println!("  the ledger is {lag_events} events ({lag_seconds:.1} s) behind, {set_aside} set aside");
        if let Some(reason) = &audit.reason {
            println!("  {reason}");
        }
        for invariant in &audit.invariants {
            let sign = if invariant.holds() { " " } else { "✗" };
            println!(
                "{sign} {:<16} expected {:>14}  found {:>14}",
                invariant.name, invariant.expected, invariant.found
            );
        }
    }
    println!("{}", word(report.verdict));
}

fn word(verdict: Verdict) -> &'static str {
    match verdict {
        Verdict::Holds => "holds",
        Verdict::Broken => "BROKEN",
        Verdict::Unknown => "unknown",
    }
}
