//! `stampede crowd SALE`: lets a crowd loose on a sale, and says whether it held, as text or JSON and as the exit code.
//!
//! The crowd runs in the process of the command, on the same Redis and ledger as the servers: their pages show it, and
//! can stop it.

use crate::server::{
    audit, background,
    connect::{Access, Connected, suspend_unwritten, unless_redis_ends},
    crowds, ledger_service,
    output::{PROGRESS_EVERY, print_result},
    recover, settings,
    signals::Signals,
};
use anyhow::{Result, bail};
use engine::{
    crowd::runner::Crowds,
    kind::{Kinds, Resources},
};
use model::{
    Verdict,
    crowd::{
        Arrival, ArrivalKind, Phase, RunConfig,
        runs::{RunFigures, RunRecord, RunReport},
    },
    sale::IdSource,
};
use serde::Serialize;
use std::{
    io::{self, IsTerminal, Write, stderr},
    pin::pin,
    process::ExitCode,
    sync::Arc,
    time::Duration,
};
use store::{
    clock::RedisClock,
    embedded::{Embedded, room::Room},
    listing::state_of,
    runtime::Ids,
};
use tokio::{
    task::JoinError,
    time::{Instant, interval_at},
};
use tokio_util::sync::CancellationToken;

/// The result of a crowd.
#[derive(Serialize)]
struct Report {
    /// The verdict on the run; unknown also if it was stopped, or if no attempt got an answer.
    verdict: Verdict,
    /// The limit of the latency; `null` without one.
    p99: Option<LatencyLimit>,
    /// The run, as `/api/crowd/run` reports it.
    run: RunReport,
}

/// A limit of the latency at the 99th percentile.
#[derive(Serialize)]
struct LatencyLimit {
    /// The latency must be below this many microseconds.
    below_us: f64,
    /// The latency, in microseconds.
    found_us: u64,
    kept: bool,
}

impl LatencyLimit {
    fn new(below: Duration, found_us: u64) -> Self {
        let below_us = below.as_secs_f64() * 1e6;
        Self { below_us, found_us, kept: Duration::from_micros(found_us) < below }
    }
}

impl Report {
    fn new(run: RunReport, p99_below: Option<Duration>) -> Self {
        let RunRecord { phase, figures, verification, .. } = &run.record;
        let found = verification.as_ref().map_or(Verdict::Unknown, |verification| verification.verdict);
        let is_complete = *phase == Phase::Done && figures.outcomes.total() > 0;
        let verdict = if is_complete || found == Verdict::Broken { found } else { Verdict::Unknown };
        let p99 = p99_below.map(|below| LatencyLimit::new(below, figures.p99_us));
        Self { verdict, p99, run }
    }

    fn misses_limit(&self) -> bool {
        self.p99.as_ref().is_some_and(|limit| !limit.kept)
    }

    /// The exit code of the verdict; 1 also for a limit that was missed.
    fn exit_code(&self) -> ExitCode {
        if self.misses_limit() { ExitCode::from(1) } else { audit::exit_code(self.verdict) }
    }
}

/// Runs a crowd and prints the report. The verdict and the limits determine the exit code.
///
/// # Errors
/// One sentence: no such sale, a crowd that is at it already, wrong settings, an unreachable ledger or Redis. The exit
/// code is then 2.
pub async fn run(settings: settings::Crowd) -> Result<ExitCode> {
    let mut connected = Connected::beside(&settings.stores, Access::Write).await?;
    let mut embedded = connected.embedded.take();
    let room = embedded.as_ref().map(Embedded::room).transpose()?;
    let run = unless_redis_ends(embedded.as_mut(), run_crowd(&connected, room.as_ref(), &settings)).await;
    connected.embedded = embedded;
    let closed = connected.close().await;
    let report = Report::new(run?, settings.p99_below);
    closed?;
    print_result(settings.json, &report, print)?;
    Ok(report.exit_code())
}

/// Serves like a server as long as the crowd runs: without one, nobody else records what happens, or processes what
/// becomes due.
async fn run_crowd(connected: &Connected, room: Option<&Room>, settings: &settings::Crowd) -> Result<RunReport> {
    let Connected { store, ledger, .. } = connected;
    let clock = RedisClock::of(store).await?;
    let ids = Arc::new(Ids::new(clock.clone()));
    let resources = Resources { store: store.clone(), ledger: ledger.clone(), clock: clock.clone(), ids };
    store.ask_for_trimmed(Arc::new(ledger.clone()));
    let kinds = Kinds::connect(&resources);
    let service = Arc::new(ledger_service(&resources, &kinds, u64::MAX));
    store.claim_format().await?;
    let _claim = recover::claim(&service).await?;
    // As at the start of a server: nothing may be given away again.
    service.suspend_lost().await?;
    if let Some(room) = room {
        suspend_unwritten(&service, room).await?;
    }
    let kind = recover::kind_of(&service, &settings.sale, settings.kind.as_deref()).await?;
    // Nothing could be won there, so the verdict would say nothing.
    if let Some(state @ ("closed" | "refunded")) = state_of(store, &kind, &settings.sale).await?.as_deref() {
        bail!("The sale \"{}\" is {state}, so a crowd there would show nothing.", settings.sale);
    }

    let shutdown = CancellationToken::new();
    let _ended = shutdown.clone().drop_guard();
    tokio::spawn(clock.follow(store.clone(), shutdown.clone()));
    tokio::spawn(background::sweep(service.clone(), shutdown.clone()));
    let process = format!("crowd/{}", std::process::id());
    let recording = tokio::spawn(service.writer(process.clone()).run(shutdown.clone()));
    let crowds = crowds(&resources, &kinds, &service, &shutdown);
    let mut signals = Signals::handled()?;
    let config = config(settings, || resources.ids.seed());
    let report = async {
        let started = crowds.start(&kind, config).await?;
        attend(&crowds, &started.run, &mut signals).await;
        crowds.history.report(&started.run).await
    };
    let report = report.await;
    shutdown.cancel();
    let finish = async {
        recording.await?;
        // The rest, unless a server records it.
        let mut writer = service.writer(process);
        if let Err(error) = writer.catch_up().await {
            tracing::warn!(%error, "the ledger is still behind; a server records the rest");
        }
        writer.give_up().await;
        Ok::<(), JoinError>(())
    };
    // It may take a while, and can be ended as well.
    tokio::select! {
        finished = finish => finished?,
        code = signals.next() => std::process::exit(code),
    }
    Ok(report?)
}

fn config(settings: &settings::Crowd, draw_seed: impl FnOnce() -> u64) -> RunConfig {
    let arrival = match settings.rate {
        Some(per_s) => Arrival { kind: ArrivalKind::Constant, per_s, ..Arrival::BURST },
        None => Arrival::BURST,
    };
    RunConfig {
        sale: settings.sale.clone(),
        users: settings.users,
        concurrency: settings.concurrency,
        repeat_rate: settings.repeat_rate,
        arrival,
        seed: settings.seed.unwrap_or_else(draw_seed),
        behavior: settings.behavior.clone(),
    }
}

/// Waits until the run is over and kept in the ledger, and shows on a terminal how far it is. Ctrl-C stops the crowd,
/// and a second one ends the program.
async fn attend(crowds: &Crowds, run: &str, signals: &mut Signals) {
    let mut ended = pin!(crowds.ended());
    let mut ticks = interval_at(Instant::now() + PROGRESS_EVERY, PROGRESS_EVERY);
    let mut is_stopping = false;
    loop {
        tokio::select! {
            () = &mut ended => return,
            _ = ticks.tick(), if stderr().is_terminal() => show_progress(crowds, run).await,
            code = signals.next() => {
                if is_stopping {
                    std::process::exit(code);
                }
                is_stopping = true;
                eprintln!("stopping the crowd; Ctrl-C again ends at once");
                if let Err(error) = crowds.stop(run).await {
                    tracing::warn!(%error, "the crowd could not be stopped");
                }
            }
        }
    }
}

async fn show_progress(crowds: &Crowds, run: &str) {
    match crowds.status(run).await {
        Ok(status) if status.phase == Phase::Verifying => eprintln!("{} attempts are done; verifying", status.answered),
        Ok(status) => eprintln!(
            "{} of {} attempts, {} a second, p99 {:?}",
            status.answered,
            status.expected_attempts,
            status.per_s,
            Duration::from_micros(status.p99_us)
        ),
        Err(error) => eprintln!("{error}"),
    }
}

fn print(report: &Report, out: &mut dyn Write) -> io::Result<()> {
    let RunRecord { run, kind, sale, phase, settings, figures, verification, .. } = &report.run.record;
    let RunFigures { attempts, answered, outcomes, elapsed_ms, mean_per_s, p50_us, p90_us, p99_us, max_us, .. } =
        figures;
    writeln!(out, "{kind} {sale}: run {run}")?;
    match phase {
        Phase::Stopped => writeln!(out, "  the crowd was stopped before all of it had come")?,
        Phase::Lost => writeln!(out, "  the crowd was interrupted")?,
        Phase::Running | Phase::Verifying | Phase::Done => {}
    }
    writeln!(
        out,
        "  {} users, {answered} of {attempts} attempts in {:?}, {mean_per_s} a second",
        settings.users,
        Duration::from_millis(*elapsed_ms)
    )?;
    let [p50, p90, p99, slowest] = [p50_us, p90_us, p99_us, max_us].map(|us| Duration::from_micros(*us));
    writeln!(out, "  p50 {p50:?}, p90 {p90:?}, p99 {p99:?}, slowest {slowest:?}")?;
    for (outcome, count) in &outcomes.0 {
        writeln!(out, "  {outcome:<16} {count}")?;
    }
    writeln!(out, "  {:<16} {} unknown, {} not tried", "without answer", figures.unknown, figures.not_tried())?;
    if outcomes.total() == 0 {
        writeln!(out, "  no attempt got an answer, so there is nothing to judge")?;
    }
    if let Some(verification) = verification {
        if let Some(reason) = &verification.reason {
            writeln!(out, "  {reason}")?;
        }
        for (name, found) in [
            ("oversold", verification.oversold),
            ("doubled", verification.doubled),
            ("lost", verification.lost),
            ("unexpected", verification.unexpected),
        ] {
            row(out, found == 0, name, "0", &found.to_string())?;
        }
    }
    for invariant in report.run.audit.iter().flat_map(|audit| &audit.invariants).filter(|row| !row.holds()) {
        row(out, false, &invariant.name, &invariant.expected.to_string(), &invariant.found.to_string())?;
    }
    if let Some(LatencyLimit { below_us, found_us, kept }) = &report.p99 {
        row(out, *kept, "p99", &format!("< {below_us} µs"), &format!("{found_us} µs"))?;
    }
    writeln!(out, "{}{}", audit::word(report.verdict), if report.misses_limit() { ", LIMIT MISSED" } else { "" })
}

fn row(out: &mut dyn Write, is_kept: bool, name: &str, expected: &str, found: &str) -> io::Result<()> {
    let sign = if is_kept { " " } else { "✗" };
    writeln!(out, "{sign} {name:<16} expected {expected:>14}  found {found:>14}")
}
