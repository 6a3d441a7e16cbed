//! Keeps the runs of crowds in the ledger, and finds them again.

use ledger::{database::Ledger, runs::StoredRun};
use model::{
    check_id,
    crowd::runs::{DEFAULT_LIMIT, KEPT, RunCursor, RunDetails, RunPage, RunRecord, RunReport},
    error::{Code, Error, Result},
};
use serde::{Serialize, de::DeserializeOwned};
use std::time::Duration;
use tokio::{
    sync::{Mutex, Semaphore},
    time::{sleep, timeout},
};
use tokio_util::sync::CancellationToken;

/// How long to wait before a run that could not be kept is tried again.
const RETRY: Duration = Duration::from_secs(1);
/// The most runs that wait for a ledger that is unreachable.
const MOST_WAITING: usize = 1_000;
/// How long a reader waits: the page of a sale is shown without its runs rather than late.
pub const READ_WITHIN: Duration = Duration::from_secs(1);

/// The history of runs.
pub struct RunHistory {
    ledger: Ledger,
    /// The kinds of sale.
    kinds: Vec<&'static str>,
    /// Runs are kept one at a time, so that not all of them query an unreachable ledger.
    turn: Mutex<()>,
    waiting: Semaphore,
}

impl RunHistory {
    /// The history in this ledger, of sales of these kinds.
    pub fn new(ledger: Ledger, kinds: Vec<&'static str>) -> Self {
        Self { ledger, kinds, turn: Mutex::new(()), waiting: Semaphore::new(MOST_WAITING) }
    }

    /// Keeps a run, once. While the ledger does not answer, it is tried again until the server stops.
    pub async fn keep(&self, report: &RunReport, shutdown: &CancellationToken) {
        let run = &report.record.run;
        let stored = match stored(report) {
            Ok(stored) => stored,
            Err(error) => return tracing::error!(run, %error, "a run cannot be written as JSON"),
        };
        let Ok(_place) = self.waiting.try_acquire() else {
            return tracing::error!(run, "{MOST_WAITING} runs wait for the ledger already; this one is not kept");
        };
        let _turn = tokio::select! {
            turn = self.turn.lock() => Some(turn),
            () = shutdown.cancelled() => None,
        };
        let mut has_failed = false;
        while self.ledger.keep_run(&stored, KEPT).await.is_err() {
            if shutdown.is_cancelled() {
                return tracing::error!(run, "the ledger does not answer, and the server stops: a run is not kept");
            }
            if !has_failed {
                tracing::warn!(run, "a run could not be kept in the ledger; trying again");
            }
            has_failed = true;
            tokio::select! {
                () = sleep(RETRY) => {}
                () = shutdown.cancelled() => {}
            }
        }
    }

    /// The runs of a sale, newest first.
    ///
    /// # Errors
    /// `bad_request`, `ledger_unavailable`.
    pub async fn page(&self, kind: &str, sale: &str, limit: Option<u32>, after: Option<&RunCursor>) -> Result<RunPage> {
        check_id("sale", sale)?;
        if !self.kinds.contains(&kind) {
            return Err(Error::unknown_kind(kind, self.kinds.iter().copied()));
        }
        let limit = limit.unwrap_or(DEFAULT_LIMIT);
        if !(1..=KEPT).contains(&limit) {
            return Err(Error::bad("limit", format!("`limit` is {limit}; it must be 1 to {KEPT}.")));
        }
        let before = after.map(|cursor| (cursor.started_at, cursor.run.as_str()));
        // One more than asked for shows whether there is another page.
        let stored = in_time(self.ledger.runs(kind, sale, limit + 1, before)).await?;
        let has_more = stored.len() > limit as usize;
        let runs = stored.into_iter().take(limit as usize).map(record).collect::<Result<Vec<_>>>()?;
        let next = runs.last().filter(|_| has_more);
        let next = next.map(|last| RunCursor { started_at: last.started_at, run: last.run.clone() });
        Ok(RunPage { runs, next })
    }

    /// A run with all that is kept of it.
    ///
    /// # Errors
    /// `bad_request`, `unknown_run`, `ledger_unavailable`.
    pub async fn report(&self, run: &str) -> Result<RunReport> {
        check_id("run", run)?;
        let Some(stored) = in_time(self.ledger.run(run)).await? else {
            return Err(Error {
                code: Code::UnknownRun,
                message: format!("No run \"{run}\" is kept; of each sale the newest {KEPT} that are over are."),
                field: Some("run".to_owned()),
            });
        };
        let details: RunDetails = read(&stored.details)?;
        Ok(RunReport { record: record(stored)?, details })
    }
}

async fn in_time<T>(reading: impl Future<Output = Result<T>>) -> Result<T> {
    timeout(READ_WITHIN, reading).await.unwrap_or_else(|_| {
        Err(Error::new(Code::LedgerUnavailable, "The ledger did not answer in time. Try again in a moment."))
    })
}

fn stored(report: &RunReport) -> serde_json::Result<StoredRun> {
    let RunReport { record, details } = report;
    Ok(StoredRun {
        run: record.run.clone(),
        kind: record.kind.clone(),
        sale: record.sale.clone(),
        phase: name(&record.phase)?,
        started_at: record.started_at,
        ended_at: record.ended_at,
        settings: serde_json::to_string(&record.settings)?,
        figures: serde_json::to_string(&record.figures)?,
        verification: record.verification.as_ref().map(serde_json::to_string).transpose()?,
        details: serde_json::to_string(details)?,
    })
}

/// The name of a value that is a string in JSON.
fn name(value: &impl Serialize) -> serde_json::Result<String> {
    serde_json::from_value(serde_json::to_value(value)?)
}

fn record(stored: StoredRun) -> Result<RunRecord> {
    Ok(RunRecord {
        phase: serde_json::from_value(stored.phase.into()).map_err(Error::internal)?,
        settings: read(&stored.settings)?,
        figures: read(&stored.figures)?,
        verification: stored.verification.as_deref().map(read).transpose()?,
        run: stored.run,
        kind: stored.kind,
        sale: stored.sale,
        started_at: stored.started_at,
        ended_at: stored.ended_at,
    })
}

fn read<T: DeserializeOwned>(json: &str) -> Result<T> {
    serde_json::from_str(json).map_err(Error::internal)
}
