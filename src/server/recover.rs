//! `stampede recover SALE` and `stampede recover --all`: rebuild lost sales from the ledger, and audit them.

use crate::server::{
    audit,
    connect::{Access, Connected, suspend_unwritten},
    output::{print_result, with_progress},
    recovery::{Attempted, Recovery, Report},
    settings,
};
use anyhow::{Result, bail};
use ledger::{
    kind::{DeadLetters, Recovered},
    service::LedgerService,
};
use model::{Millis, Verdict, iso};
use serde::Serialize;
use std::{
    cell::Cell,
    io::{self, Write},
    process::ExitCode,
};
use tokio_util::sync::{CancellationToken, DropGuard};

/// The results for all sales that had to be recovered.
#[derive(Serialize)]
pub(super) struct Reports {
    pub(super) verdict: Verdict,
    pub(super) sales: Vec<Attempted>,
}

impl Reports {
    /// The number of sales that are back.
    pub(super) fn back(&self) -> usize {
        self.sales.iter().filter(|sale| matches!(sale, Attempted::Back(_))).count()
    }
}

/// Recovers, audits and prints. The exit code is that of an audit.
///
/// # Errors
/// One sentence: no such sale, a live sale, or an unreachable ledger or Redis.
pub async fn run(settings: settings::Recover) -> Result<ExitCode> {
    let connected = Connected::beside(&settings.stores, Access::Write).await?;
    let kind = settings.kind.as_deref();
    let dead_letters = if settings.without_dead_letters { DeadLetters::GiveUp } else { DeadLetters::Refuse };
    let verdict = match &settings.sale {
        Some(sale) => {
            let report = recover_one(&connected, sale, kind, settings.suspend, dead_letters).await;
            connected.close().await?;
            let report = report?;
            print_result(settings.json, &report, print)?;
            report.audit.verdict
        }
        None => {
            let reports = recover_all(&connected, kind, dead_letters).await;
            connected.close().await?;
            let reports = reports?;
            print_result(settings.json, &reports, print_all)?;
            reports.verdict
        }
    };
    Ok(audit::exit_code(verdict))
}

async fn recover_one(
    connected: &Connected,
    sale: &str,
    kind: Option<&str>,
    suspend: bool,
    dead_letters: DeadLetters,
) -> Result<Report> {
    let service = audit::service(connected).await?;
    let _claim = claim(&service).await?;
    let kind = kind_of(&service, sale, kind).await?;
    let mut recovery = recovery(connected, &service, dead_letters);
    recovery.suspends = suspend;
    let report = recovery.recover((kind, sale.to_owned())).await;
    recovery.end().await;
    match report {
        Attempted::Back(report) => Ok(report),
        Attempted::Failed { error, .. } => bail!(error),
    }
}

/// The kind of a sale: the only one that has a sale with this id, or the one that was chosen.
///
/// # Errors
/// One sentence: no such sale, another kind, several kinds.
pub(super) async fn kind_of(service: &LedgerService, sale: &str, chosen: Option<&str>) -> Result<String> {
    let mut found = service.kinds_of(sale).await?;
    match (found.len(), chosen) {
        (1, None) => Ok(found.remove(0)),
        (_, Some(wanted)) => match found.iter().find(|kind| *kind == wanted) {
            Some(kind) => Ok(kind.clone()),
            None => bail!("The sale \"{sale}\" is of kind {}, not {wanted}.", found.join(" and ")),
        },
        (_, None) => bail!("There are sales \"{sale}\" of kinds {}; choose one with --kind.", found.join(" and ")),
    }
}

/// The steps of the recoveries of this command, which records what no server records.
fn recovery<'a>(connected: &'a Connected, service: &'a LedgerService, dead_letters: DeadLetters) -> Recovery<'a> {
    let writer = service.writer(format!("recover/{}", std::process::id()));
    Recovery::new(&connected.store, service, Some(writer), dead_letters)
}

/// Claims the ledger for this Redis until the result is dropped. Without a running server, another Redis must not take
/// its place in the middle of a recovery.
pub(super) async fn claim(service: &LedgerService) -> Result<DropGuard> {
    let feed = service.claim_streams(false).await?;
    let done = CancellationToken::new();
    tokio::spawn(feed.run(done.clone()));
    Ok(done.drop_guard())
}

/// Recovers every sale, or every sale of a kind, that Redis has lost or that is suspended. A sale that fails does not
/// keep others from being recovered.
///
/// # Errors
/// One sentence: an unknown kind, another Redis that feeds the ledger, an unreachable ledger or Redis.
pub(super) async fn recover_all(
    connected: &Connected,
    kind: Option<&str>,
    dead_letters: DeadLetters,
) -> Result<Reports> {
    let service = audit::service(connected).await?;
    let _claim = claim(&service).await?;
    if let Some(kind) = kind {
        service.check_kind(kind)?;
    }
    // A Redis that lacks its latest changes may not have been noticed by any server yet.
    service.suspend_lost().await?;
    if let Some(embedded) = &connected.embedded {
        suspend_unwritten(&service, &embedded.room()?).await?;
    }
    let mut names = service.lost_or_suspended().await?;
    names.retain(|(of, _)| kind.is_none_or(|kind| kind == of));
    let (all, done) = (names.len(), Cell::new(0));
    let recover = async {
        let mut recovery = recovery(connected, &service, dead_letters);
        let mut sales = Vec::with_capacity(all);
        for name in names {
            sales.push(recovery.recover(name).await);
            done.set(sales.len());
        }
        recovery.end().await;
        sales
    };
    let sales = with_progress(recover, || format!("{} of {all} sales are done", done.get())).await;
    Ok(Reports { verdict: audit::worst(sales.iter().map(Attempted::verdict)), sales })
}

pub(super) fn print_all(reports: &Reports, out: &mut dyn Write) -> io::Result<()> {
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
    let Recovered { won, waiting, conflicts, unrecorded, upto, unseen, lost_wins, dead_letters, lost_event, seen_at } =
        recovered;
    writeln!(
        out,
        "{kind} {sale} is back: {won} won, {waiting} waiting, as recorded in the ledger up to event {upto}."
    )?;
    let last = iso(Millis::try_from(upto.millis).unwrap_or(Millis::MAX));
    writeln!(out, "The last thing recorded happened at {last}.")?;
    writeln!(
        out,
        "Not restored: {unseen} later events, which were in the stream when the ledger last read it (at {seen_at} ms), \
         and anything acknowledged after that. Counts of refused attempts start again at 0."
    )?;
    writeln!(out, "Users whose attempt succeeded after that may try again with the same request id.")?;
    if let Some(event) = lost_event {
        let at = iso(Millis::try_from(event.millis).unwrap_or(Millis::MAX));
        if event > upto {
            writeln!(
                out,
                "Not restored: what was answered after {last} up to {at}, where a server had seen event {event}."
            )?;
        } else {
            writeln!(
                out,
                "Not restored: event {event} of {at}, which a server had seen, and what was answered shortly before it and \
                 not replicated."
            )?;
        }
    }
    if *lost_wins > 0 {
        writeln!(
            out,
            "Not restored: {lost_wins} that Redis had counted as won and that were never recorded; sent again, their \
             requests are tried anew."
        )?;
    }
    if *dead_letters > 0 {
        writeln!(out, "Given up: {dead_letters} entries that the ledger could not record (dead letters).")?;
    }
    for change in unrecorded {
        writeln!(out, "Not restored: {change}.")?;
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
