//! `stampede recover SALE`: builds a sale anew from the ledger that Redis has lost, and audits it.

use super::{audit, open::Opened, settings};
use crate::{
    ledger::book::Recovered,
    sales::{Audit, Verdict},
};
use anyhow::{Result, bail, ensure};
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
/// One sentence: no such sale, a sale that is alive, a ledger or a Redis that is out of reach.
pub async fn run(settings: settings::Recover) -> Result<ExitCode> {
    let opened = Opened::beside(&settings.stores).await?;
    let report = recover(&opened, &settings.sale).await;
    opened.close().await?;
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

async fn recover(opened: &Opened, sale: &str) -> Result<Report> {
    let books = audit::books(opened);
    books.claim_streams(false).await?;
    let found = books.kinds_of(sale).await?;
    let [kind] = found.as_slice() else { bail!("There are {} sales \"{sale}\" of different kinds.", found.len()) };
    let mut writer = books.writer(format!("recover/{}", std::process::id()));
    // Whatever Redis still has of the sale goes into the ledger first: what is built anew, is built from there.
    let caught_up = async {
        loop {
            writer.catch_up().await?;
            let behind = books.status(Some(sale)).await?.sales.iter().any(|status| status.lag_events > 0);
            if !behind {
                return anyhow::Ok(());
            }
            // A server writes the ledger; it is its turn.
            tokio::time::sleep(Duration::from_millis(100)).await;
        }
    };
    ensure!(
        tokio::time::timeout(CAUGHT_UP_WITHIN, caught_up).await.unwrap_or(Ok(())).is_ok(),
        "The ledger cannot be written, so nothing is recovered; see why, and run it again."
    );
    let recovered = books.recover(kind, sale).await;
    let caught_up = writer.catch_up().await;
    writer.give_up().await;
    let recovered = recovered?;
    caught_up?;
    let audit = books.audit(kind, sale).await?;
    Ok(Report { kind: kind.clone(), sale: sale.to_owned(), recovered, audit })
}

fn print(report: &Report) {
    let Report { kind, sale, recovered, audit } = report;
    let Recovered { won, waiting, conflicts, upto, unseen, seen_at } = recovered;
    println!("{kind} {sale} is back: {won} won, {waiting} waiting, as the ledger had it at event {upto}.");
    println!(
        "Not back: {unseen} events after that one, which were in the stream when the ledger last looked (at {} ms), \
         and whatever was acknowledged later. Counts of refused attempts begin anew.",
        seen_at
    );
    println!("Whoever was told of a win after that may ask again, with the same request id.");
    for conflict in conflicts {
        println!("Two had the same: {conflict}.");
    }
    for invariant in audit.invariants.iter().filter(|invariant| !invariant.holds()) {
        println!("✗ {:<16} expected {:>14}  found {:>14}", invariant.name, invariant.expected, invariant.found);
    }
    println!(
        "The audit {}.",
        match audit.verdict {
            Verdict::Holds => "holds",
            Verdict::Broken => "is BROKEN",
            Verdict::Unknown => "could not look",
        }
    );
}
