//! `stampede recover SALE` and `stampede recover --all`: rebuild from the ledger what Redis has lost, and audit it.

use super::{
    audit,
    connect::{Access, Connected},
    output::print_result,
    settings,
};
use crate::{
    domain::{Audit, Verdict},
    ledger::{
        kind::Recovered,
        service::{LedgerService, Name},
        writer::Writer,
    },
};
use anyhow::{Context, Result, anyhow, bail};
use serde::Serialize;
use std::{
    io::{self, Write},
    process::ExitCode,
    time::Duration,
};
use tokio::time::{Instant, sleep, timeout};

/// How long the sale's stream may take to reach the ledger, before the recovery begins and after it.
const CAUGHT_UP_WITHIN: Duration = Duration::from_secs(30);
/// After this long, the command says what it waits for.
const SILENT_FOR: Duration = Duration::from_secs(2);

/// A sale that is back.
#[derive(Serialize)]
struct Report {
    kind: String,
    sale: String,
    #[serde(flatten)]
    recovered: Recovered,
    audit: Audit,
}

/// What became of all sales that had to be recovered.
#[derive(Serialize)]
struct Reports {
    verdict: Verdict,
    sales: Vec<Attempted>,
}

/// What became of one of them.
#[derive(Serialize)]
#[serde(untagged)]
enum Attempted {
    Back(Report),
    Failed { kind: String, sale: String, error: String },
}

impl Attempted {
    /// The verdict of its audit; a sale that is not back could not be checked.
    fn verdict(&self) -> Verdict {
        match self {
            Self::Back(report) => report.audit.verdict,
            Self::Failed { .. } => Verdict::Unknown,
        }
    }
}

/// Recovers, audits and prints; the exit code is that of an audit.
///
/// # Errors
/// One sentence: no such sale, a live sale, or an unreachable ledger or Redis.
pub async fn run(settings: settings::Recover) -> Result<ExitCode> {
    let connected = Connected::beside(&settings.stores, Access::Write).await?;
    let kind = settings.kind.as_deref();
    let verdict = match &settings.sale {
        Some(sale) => {
            let report = recover_one(&connected, sale, kind, settings.suspend).await;
            connected.close().await?;
            let report = report?;
            print_result(settings.json, &report, print)?;
            report.audit.verdict
        }
        None => {
            let reports = recover_all(&connected, kind).await;
            connected.close().await?;
            let reports = reports?;
            print_result(settings.json, &reports, print_all)?;
            reports.verdict
        }
    };
    Ok(audit::exit_code(verdict))
}

async fn recover_one(connected: &Connected, sale: &str, kind: Option<&str>, suspend: bool) -> Result<Report> {
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
    let mut recovery = Recovery::new(&service, suspend);
    let report = recovery.recover((kind.clone(), sale.to_owned())).await;
    recovery.writer.give_up().await;
    match report {
        Attempted::Back(report) => Ok(report),
        Attempted::Failed { error, .. } => bail!(error),
    }
}

/// Recovers every sale, or every one of a kind, that Redis has lost or suspended. One that fails does not keep others
/// from being recovered.
async fn recover_all(connected: &Connected, kind: Option<&str>) -> Result<Reports> {
    let service = audit::service(connected).await?;
    service.claim_streams(false).await?;
    if let Some(kind) = kind {
        service.check_kind(kind)?;
    }
    // A Redis without its end may not have been noticed by any server yet.
    service.suspend_lost().await?;
    let mut recovery = Recovery::new(&service, false);
    let mut sales = Vec::new();
    for (of, sale) in service.lost_or_suspended().await? {
        if kind.is_none_or(|kind| kind == of) {
            sales.push(recovery.recover((of, sale)).await);
        }
    }
    recovery.writer.give_up().await;
    Ok(Reports { verdict: audit::worst(sales.iter().map(Attempted::verdict)), sales })
}

/// A run of the command.
struct Recovery<'a> {
    service: &'a LedgerService,
    writer: Writer,
    /// Rebuild live sales, too.
    suspend: bool,
    /// Why the ledger could not be written: no sale can be recovered any more.
    blocked: Option<String>,
}

impl<'a> Recovery<'a> {
    fn new(service: &'a LedgerService, suspend: bool) -> Self {
        let writer = service.writer(format!("recover/{}", std::process::id()));
        Self { service, writer, suspend, blocked: None }
    }

    async fn recover(&mut self, (kind, sale): Name) -> Attempted {
        let recovered = self.rebuild(&kind, &sale).await;
        // Records that the sale is back, unless a server is doing so at this moment. The audit says how far it came.
        timeout(CAUGHT_UP_WITHIN, self.writer.catch_up()).await.ok();
        let audited = match recovered {
            Ok(recovered) => self.service.audit(&kind, &sale).await.map(|audit| (recovered, audit)).map_err(Into::into),
            Err(error) => Err(error),
        };
        match audited {
            Ok((recovered, audit)) => Attempted::Back(Report { kind, sale, recovered, audit }),
            Err(error) => Attempted::Failed { kind, sale, error: format!("{error:#}") },
        }
    }

    async fn rebuild(&mut self, kind: &str, sale: &str) -> Result<Recovered> {
        if let Some(why) = &self.blocked {
            bail!(why.clone());
        }
        if !self.suspend {
            return self.record_and_recover(kind, sale).await;
        }
        // The terms are enough: a live sale goes on adding events, until it is suspended.
        timeout(CAUGHT_UP_WITHIN, self.writer.catch_up()).await.ok();
        self.service.suspend(kind, sale).await?;
        let recovered = self.record_and_recover(kind, sale).await;
        recovered.context("The sale is suspended, and accepts no attempts until it is recovered")
    }

    async fn record_and_recover(&mut self, kind: &str, sale: &str) -> Result<Recovered> {
        // First record what Redis still has of the sale, because it is rebuilt from the ledger.
        self.record(sale).await?;
        Ok(self.service.recover(kind, sale).await?)
    }

    /// [`Recovery::catch_up`], but not for ever.
    async fn record(&mut self, sale: &str) -> Result<()> {
        let caught_up = timeout(CAUGHT_UP_WITHIN, self.catch_up(sale)).await.unwrap_or_else(|_| {
            Err(anyhow!("The ledger cannot be written, so nothing was recovered; fix the cause and run it again."))
        });
        if let Err(error) = &caught_up {
            self.blocked = Some(format!("{error:#}"));
        }
        caught_up
    }

    /// Waits until the ledger has recorded everything that Redis has of the sale; records it if no server does.
    async fn catch_up(&mut self, sale: &str) -> Result<()> {
        let mut silent_until = Some(Instant::now() + SILENT_FOR);
        loop {
            // If a server writes at the same time, one of the two has to try again.
            self.writer.catch_up().await.ok();
            let status = self.service.status(Some(sale)).await?;
            if let Some(reason) = status.unreachable {
                bail!(reason);
            }
            if status.sales.iter().all(|status| status.lag_events == 0) {
                return Ok(());
            }
            if silent_until.is_some_and(|until| Instant::now() >= until) {
                silent_until = None;
                let lag_events: u64 = status.sales.iter().map(|status| status.lag_events).sum();
                tracing::warn!(sale, lag_events, "waiting for the ledger to record what Redis still has of the sale");
            }
            sleep(Duration::from_millis(100)).await;
        }
    }
}

fn print_all(reports: &Reports, out: &mut dyn Write) -> io::Result<()> {
    if reports.sales.is_empty() {
        writeln!(out, "There is no sale to recover.")?;
    }
    for sale in &reports.sales {
        match sale {
            Attempted::Back(report) => print(report, out)?,
            Attempted::Failed { kind, sale, error } => writeln!(out, "{kind} {sale} is NOT back: {error}")?,
        }
        writeln!(out)?;
    }
    writeln!(out, "{}", audit::word(reports.verdict))
}

fn print(report: &Report, out: &mut dyn Write) -> io::Result<()> {
    let Report { kind, sale, recovered, audit } = report;
    let Recovered { won, waiting, conflicts, upto, unseen, dead_letters, seen_at } = recovered;
    writeln!(
        out,
        "{kind} {sale} is back: {won} won, {waiting} waiting, as recorded in the ledger up to event {upto}."
    )?;
    writeln!(
        out,
        "Not restored: {unseen} later events, which were in the stream when the ledger last read it (at {seen_at} ms), \
         and anything acknowledged after that. Counts of refused attempts start again at 0."
    )?;
    writeln!(out, "Users whose attempt succeeded after that may try again with the same request id.")?;
    if *dead_letters > 0 {
        writeln!(out, "Not restored either: {dead_letters} entries that the ledger could not record (dead letters).")?;
    }
    for conflict in conflicts {
        writeln!(out, "Conflict: {conflict}.")?;
    }
    for invariant in audit.invariants.iter().filter(|invariant| !invariant.holds()) {
        writeln!(out, "✗ {:<16} expected {:>14}  found {:>14}", invariant.name, invariant.expected, invariant.found)?;
    }
    let finding = match audit.verdict {
        Verdict::Holds => "holds",
        Verdict::Broken => "is BROKEN",
        Verdict::Unknown => "could not check the sale",
    };
    writeln!(out, "The audit {finding}.")
}
