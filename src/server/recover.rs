//! `stampede recover SALE`: rebuilds a sale that Redis has lost from the ledger, and audits it.

use super::{audit, connect::Connected, settings};
use crate::{
    domain::{Audit, Verdict},
    ledger::{kind::Recovered, service::LedgerService, writer::Writer},
};
use anyhow::{Result, anyhow, bail};
use serde::Serialize;
use std::{process::ExitCode, time::Duration};

/// How long the sale's stream may take to reach the ledger before the recovery begins.
const CAUGHT_UP_WITHIN: Duration = Duration::from_secs(30);

#[derive(Serialize)]
struct Report {
    kind: String,
    sale: String,
    #[serde(flatten)]
    recovered: Recovered,
    audit: Audit,
}

/// Recovers, audits and prints; the exit code is that of an audit.
///
/// # Errors
/// One sentence: no such sale, a live sale, or an unreachable ledger or Redis.
pub async fn run(settings: settings::Recover) -> Result<ExitCode> {
    let connected = Connected::beside(&settings.stores).await?;
    let report = recover(&connected, &settings.sale, settings.kind.as_deref()).await;
    connected.close().await?;
    let report = report?;
    if settings.json {
        println!("{}", serde_json::to_string(&report)?);
    } else {
        print(&report);
    }
    Ok(ExitCode::from(match report.audit.verdict {
        Verdict::Holds => 0,
        Verdict::Broken => 1,
        Verdict::Unknown => 2,
    }))
}

async fn recover(connected: &Connected, sale: &str, kind: Option<&str>) -> Result<Report> {
    let service = audit::service(connected).await?;
    service.claim_streams(false).await?;
    let found = service.kinds_of(sale).await?;
    let kind = match (found.as_slice(), kind) {
        ([only], None) => only,
        (kinds, Some(wanted)) => match kinds.iter().find(|kind| *kind == wanted) {
            Some(kind) => kind,
            None => bail!("The sale \"{sale}\" is of kind {}, not {wanted}.", kinds.join(" and ")),
        },
        (kinds, None) => bail!("There are sales \"{sale}\" of kinds {}; choose one with --kind.", kinds.join(" and ")),
    };
    let mut writer = service.writer(format!("recover/{}", std::process::id()));
    // First record what Redis still has of the sale, because it is rebuilt from the ledger.
    let caught_up = tokio::time::timeout(CAUGHT_UP_WITHIN, catch_up(&service, &mut writer, sale)).await;
    let recovered = match caught_up {
        Ok(Ok(())) => service.recover(kind, sale).await.map_err(Into::into),
        Ok(Err(error)) => Err(error),
        Err(_) => {
            Err(anyhow!("The ledger cannot be written, so nothing was recovered; fix the cause and run it again."))
        }
    };
    // Records that the sale is back, unless a server is doing so at this moment.
    writer.catch_up().await.ok();
    writer.give_up().await;
    let recovered = recovered?;
    let audit = service.audit(kind, sale).await?;
    Ok(Report { kind: kind.clone(), sale: sale.to_owned(), recovered, audit })
}

/// Waits until the ledger has recorded everything that Redis has of the sale; records it if no server does.
async fn catch_up(service: &LedgerService, writer: &mut Writer, sale: &str) -> Result<()> {
    loop {
        // If a server writes at the same time, one of the two has to try again.
        writer.catch_up().await.ok();
        let status = service.status(Some(sale)).await?;
        if let Some(reason) = status.unreachable {
            bail!(reason);
        }
        if status.sales.iter().all(|status| status.lag_events == 0) {
            return Ok(());
        }
        tokio::time::sleep(Duration::from_millis(100)).await;
    }
}

fn print(report: &Report) {
    let Report { kind, sale, recovered, audit } = report;
    let Recovered { won, waiting, conflicts, upto, unseen, seen_at } = recovered;
    println!("{kind} {sale} is back: {won} won, {waiting} waiting, as recorded in the ledger up to event {upto}.");
    println!(
        "Not restored: {unseen} later events, which were in the stream when the ledger last read it (at {} ms), and \
         anything acknowledged after that. Counts of refused attempts start again at 0.",
        seen_at
    );
    println!("Users whose attempt succeeded after that may try again with the same request id.");
    for conflict in conflicts {
        println!("Conflict: {conflict}.");
    }
    for invariant in audit.invariants.iter().filter(|invariant| !invariant.holds()) {
        println!("✗ {:<16} expected {:>14}  found {:>14}", invariant.name, invariant.expected, invariant.found);
    }
    println!(
        "The audit {}.",
        match audit.verdict {
            Verdict::Holds => "holds",
            Verdict::Broken => "is BROKEN",
            Verdict::Unknown => "could not check the sale",
        }
    );
}
