//! Keeps the runs of the lab in the ledger, and finds them again.

use ledger::database::Ledger;
use model::{
    error::{Code, Error, Result},
    lab::run::{DEFAULT_LIMIT, KEPT, Phase, Run, Runs},
};
use std::time::Duration;
use tokio::time::{sleep, timeout};
use tokio_util::sync::CancellationToken;

/// The pause before another try to keep a run.
const RETRY: Duration = Duration::from_secs(1);
/// The time limit of a read: the page is shown without its history rather than late.
pub(super) const READ_WITHIN: Duration = Duration::from_secs(1);

/// Keeps a run. An interrupted run is kept only if the ledger has no row of it: otherwise its end is known. While the
/// ledger does not answer, retries until the server stops.
pub(super) async fn keep(ledger: &Ledger, run: &Run, shutdown: &CancellationToken) {
    let report = match serde_json::to_string(run) {
        Ok(report) => report,
        Err(error) => return tracing::error!(run = run.run, %error, "a run of the lab cannot be written as JSON"),
    };
    let replaces = run.phase != Phase::Lost;
    while let Err(error) = ledger.keep_lab_run(&run.run, run.started_at, &report, replaces, KEPT).await {
        tracing::warn!(run = run.run, %error, "a run of the lab could not be kept in the ledger");
        tokio::select! {
            () = sleep(RETRY) => {}
            () = shutdown.cancelled() => return,
        }
    }
}

/// The newest runs.
///
/// # Errors
/// `bad_request`, `ledger_unavailable`.
pub(super) async fn newest(ledger: &Ledger, limit: Option<u32>) -> Result<Runs> {
    let limit = limit.unwrap_or(DEFAULT_LIMIT);
    if !(1..=KEPT).contains(&limit) {
        return Err(Error::bad("limit", format!("`limit` is {limit}; it must be 1 to {KEPT}.")));
    }
    let reports = in_time(ledger.lab_runs(limit)).await?;
    let runs = reports.iter().map(|report| Ok(read(report)?.into())).collect::<Result<_>>()?;
    Ok(Runs { runs })
}

/// A finished run, if it is kept.
///
/// # Errors
/// `ledger_unavailable`.
pub(super) async fn find(ledger: &Ledger, run: &str) -> Result<Option<Run>> {
    in_time(ledger.lab_run(run)).await?.as_deref().map(read).transpose()
}

async fn in_time<T>(reading: impl Future<Output = Result<T>>) -> Result<T> {
    timeout(READ_WITHIN, reading).await.unwrap_or_else(|_| {
        Err(Error::new(Code::LedgerUnavailable, "The ledger did not answer in time. Try again in a moment."))
    })
}

fn read(report: &str) -> Result<Run> {
    serde_json::from_str(report).map_err(Error::internal)
}
