//! `stampede recover SALE` and `stampede recover --all`: rebuild lost sales from the ledger, and audit them.

use crate::server::{
    audit,
    connect::{Access, Connected, suspend_unwritten},
    output::{print_result, with_progress},
    settings,
};
use anyhow::{Context, Result, bail, ensure};
use ledger::{
    kind::{DeadLetters, Recovered},
    service::{LedgerService, Name},
    writer::Writer,
};
use model::{
    Audit, Millis, Verdict,
    error::{Code, Error},
    iso,
};
use serde::Serialize;
use std::{
    cell::Cell,
    io::{self, Write},
    process::ExitCode,
    time::Duration,
};
use store::{Store, listing::state_of};
use tokio::time::{Instant, sleep, timeout};
use tokio_util::sync::{CancellationToken, DropGuard};

/// The time in which the sale's stream must reach the ledger, before the recovery begins and after it.
const CAUGHT_UP_WITHIN: Duration = Duration::from_secs(30);
/// The time after which the command reports the reason of the wait.
const SILENT_FOR: Duration = Duration::from_secs(2);

/// A recovered sale.
#[derive(Serialize)]
pub(super) struct Report {
    kind: String,
    sale: String,
    #[serde(flatten)]
    recovered: Recovered,
    audit: Audit,
}

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

/// The result for one sale.
#[derive(Serialize)]
#[serde(untagged)]
pub(super) enum Attempted {
    Back(Report),
    Failed { kind: String, sale: String, error: String },
}

impl Attempted {
    /// The verdict of the audit; `unknown` for a sale that was not recovered.
    fn verdict(&self) -> Verdict {
        match self {
            Self::Back(report) => report.audit.verdict,
            Self::Failed { .. } => Verdict::Unknown,
        }
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
    let found = service.kinds_of(sale).await?;
    let kind = match (found.as_slice(), kind) {
        ([only], None) => only,
        (kinds, Some(wanted)) => match kinds.iter().find(|kind| *kind == wanted) {
            Some(kind) => kind,
            None => bail!("The sale \"{sale}\" is of kind {}, not {wanted}.", kinds.join(" and ")),
        },
        (kinds, None) => bail!("There are sales \"{sale}\" of kinds {}; choose one with --kind.", kinds.join(" and ")),
    };
    let mut recovery = Recovery::new(connected, &service, suspend, dead_letters);
    let report = recovery.recover((kind.clone(), sale.to_owned())).await;
    recovery.writer.give_up().await;
    match report {
        Attempted::Back(report) => Ok(report),
        Attempted::Failed { error, .. } => bail!(error),
    }
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
        let mut recovery = Recovery::new(connected, &service, false, dead_letters);
        let mut sales = Vec::with_capacity(all);
        for name in names {
            sales.push(recovery.recover(name).await);
            done.set(sales.len());
        }
        recovery.writer.give_up().await;
        sales
    };
    let sales = with_progress(recover, || format!("{} of {all} sales are done", done.get())).await;
    Ok(Reports { verdict: audit::worst(sales.iter().map(Attempted::verdict)), sales })
}

/// A run of the command.
struct Recovery<'a> {
    store: &'a Store,
    service: &'a LedgerService,
    writer: Writer,
    /// Whether to rebuild live sales, too.
    suspend: bool,
    dead_letters: DeadLetters,
    /// The reason why the ledger cannot be written. No further sale can be recovered then.
    blocked: Option<String>,
    /// The reason why the last try to record failed.
    obstacle: Option<Error>,
}

impl<'a> Recovery<'a> {
    fn new(connected: &'a Connected, service: &'a LedgerService, suspend: bool, dead_letters: DeadLetters) -> Self {
        let writer = service.writer(format!("recover/{}", std::process::id()));
        Self { store: &connected.store, service, writer, suspend, dead_letters, blocked: None, obstacle: None }
    }

    async fn recover(&mut self, (kind, sale): Name) -> Attempted {
        let recovered = self.rebuild(&kind, &sale).await;
        // Records the recovery of the sale, unless a server is recording it at this moment. The audit shows the
        // position of the ledger.
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
        // The ledger needs only the terms at this point: a live sale continues to add events until it is suspended.
        timeout(CAUGHT_UP_WITHIN, self.writer.catch_up()).await.ok();
        self.ensure_possible(kind, sale).await?;
        self.service.suspend(kind, sale).await?;
        let recovered = self.record_and_recover(kind, sale).await;
        // Another recovery may have been faster.
        let is_suspended = recovered.is_err()
            && state_of(self.store, kind, sale).await.is_ok_and(|state| state.as_deref() == Some("suspended"));
        if is_suspended {
            return recovered.context("The sale is suspended, and accepts no attempts until it is recovered");
        }
        recovered
    }

    /// Checks for conditions that would end the recovery of a sale after it was suspended.
    async fn ensure_possible(&self, kind: &str, sale: &str) -> Result<()> {
        let status = self.service.status(Some(sale)).await?;
        let of_kind = status.sales.iter().find(|status| status.kind == kind);
        let dead_letters = of_kind.map_or(0, |status| status.dead_letters);
        ensure!(
            dead_letters == 0 || self.dead_letters == DeadLetters::GiveUp,
            "{dead_letters} of the events of the sale \"{sale}\" could not be recorded in the ledger (dead letters), so it was \
             not suspended: fix the cause and retry them on the audit page, or give them up with --without-dead-letters."
        );
        ensure!(
            !self.store.ready().await?,
            "Redis is full, so the sale was not suspended: give Redis more memory, and run it again."
        );
        let is_paused = match self.service.is_paused(kind, sale).await {
            // Something else in place of the pause is cleared with the rest.
            Err(error) if error.code == Code::Internal => false,
            is_paused => is_paused?,
        };
        ensure!(
            !is_paused,
            "An operator has paused the ledger of this sale, so it was not suspended: resume it, and run it again."
        );
        Ok(())
    }

    async fn record_and_recover(&mut self, kind: &str, sale: &str) -> Result<Recovered> {
        // The rest of the sale in Redis is recorded first, because the sale is rebuilt from the ledger.
        self.record(kind, sale).await?;
        Ok(self.service.recover(kind, sale, self.dead_letters).await?)
    }

    /// Calls [`Recovery::catch_up`] with a time limit.
    async fn record(&mut self, kind: &str, sale: &str) -> Result<()> {
        self.obstacle = None;
        if let Ok(caught_up) = timeout(CAUGHT_UP_WITHIN, self.catch_up(kind, sale)).await {
            return caught_up;
        }
        let why = match &self.obstacle {
            Some(obstacle) => format!("The ledger cannot be written ({obstacle})"),
            None => {
                let seconds = CAUGHT_UP_WITHIN.as_secs();
                format!("In {seconds} s, the ledger did not record all that Redis still has of the sale")
            }
        };
        let why = format!("{why}, so nothing was recovered; fix the cause and run it again.");
        if self.obstacle.as_ref().is_some_and(|obstacle| obstacle.code == Code::LedgerUnavailable) {
            self.blocked = Some(why.clone());
        }
        bail!(why)
    }

    /// Waits until the ledger has recorded the whole stream of the sale. If no server records it, this command does.
    async fn catch_up(&mut self, kind: &str, sale: &str) -> Result<()> {
        let mut silent_until = Some(Instant::now() + SILENT_FOR);
        loop {
            // If a server writes at the same time, one of the two must try again.
            self.obstacle = self.writer.catch_up().await.err();
            let status = self.service.status(Some(sale)).await?;
            if let Some(reason) = status.unreachable {
                self.blocked = Some(reason.clone());
                bail!(reason);
            }
            // A sale of another kind may have the same id.
            let of_kind = status.sales.iter().find(|status| status.kind == kind);
            let lag_events = of_kind.context("It is not known how far the ledger has recorded the sale")?.lag_events;
            if lag_events == 0 {
                return Ok(());
            }
            if silent_until.is_some_and(|until| Instant::now() >= until) {
                silent_until = None;
                tracing::warn!(sale, lag_events, "waiting for the ledger to record what Redis still has of the sale");
            }
            sleep(Duration::from_millis(100)).await;
        }
    }
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
    let Recovered { won, waiting, conflicts, unrecorded, upto, unseen, lost_wins, dead_letters, seen_at } = recovered;
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
