//! Keeps runs in the ledger, and finds them again.

use ledger::{database::Ledger, runs::StoredRun};
use model::{
    check_id,
    error::{Code, Error, Result},
    runs::{DEFAULT_LIMIT, KEPT, KeptRun, RunCursor, RunEntry, RunPage},
};
use serde::de::DeserializeOwned;
use std::{marker::PhantomData, time::Duration};
use tokio::{
    sync::{Mutex, Semaphore},
    task::JoinHandle,
    time::{sleep, timeout},
};
use tokio_util::sync::CancellationToken;

/// How long to wait before a run that could not be kept is tried again.
const RETRY: Duration = Duration::from_secs(1);
/// The most runs that wait for a ledger that is unreachable.
const MOST_WAITING: usize = 1_000;
/// How long a reader waits: a page is shown without its runs rather than late.
const READ_WITHIN: Duration = Duration::from_secs(1);

/// The history of the runs of crowds, or of the lab.
pub struct RunHistory<R> {
    ledger: Ledger,
    /// The kinds of its runs.
    kinds: Vec<&'static str>,
    /// Runs are kept one at a time, so that not all of them query an unreachable ledger.
    turn: Mutex<()>,
    waiting: Semaphore,
    /// Cancelled when the server stops.
    shutdown: CancellationToken,
    runs: PhantomData<fn() -> R>,
}

impl<R: KeptRun> RunHistory<R> {
    /// The history in this ledger, of runs of these kinds. Until `shutdown` is cancelled, it tries to keep its runs.
    pub fn new(ledger: Ledger, kinds: Vec<&'static str>, shutdown: CancellationToken) -> Self {
        let (turn, waiting) = (Mutex::new(()), Semaphore::new(MOST_WAITING));
        Self { ledger, kinds, turn, waiting, shutdown, runs: PhantomData }
    }

    /// Keeps a run, once. A lost run is kept only if the ledger has no end of it. While the ledger does not answer, it
    /// is tried again until the server stops.
    pub async fn keep(&self, report: &R) {
        let entry = report.entry();
        let run = entry.run();
        let stored = match stored(report, &entry) {
            Ok(stored) => stored,
            Err(error) => return tracing::error!(run, %error, "a run cannot be written as JSON"),
        };
        let Ok(_place) = self.waiting.try_acquire() else {
            return tracing::error!(run, "{MOST_WAITING} runs wait for the ledger already; this one is not kept");
        };
        let _turn = tokio::select! {
            turn = self.turn.lock() => Some(turn),
            () = self.shutdown.cancelled() => None,
        };
        let mut has_failed = false;
        while self.ledger.keep_run(&stored, KEPT).await.is_err() {
            if self.shutdown.is_cancelled() {
                return tracing::error!(run, "the ledger does not answer, and the server stops: a run is not kept");
            }
            if !has_failed {
                tracing::warn!(run, "a run could not be kept in the ledger; trying again");
            }
            has_failed = true;
            tokio::select! {
                () = sleep(RETRY) => {}
                () = self.shutdown.cancelled() => {}
            }
        }
    }

    /// The runs of a sale, newest first. Its latest run may have lost its server without anybody having noticed:
    /// `keep_lost` then begins to keep it. If that takes too long, the history is shown all the same.
    ///
    /// # Errors
    /// `bad_request`, `ledger_unavailable`.
    pub async fn page(
        &self,
        kind: &str,
        sale: &str,
        limit: Option<u32>,
        after: Option<&RunCursor>,
        keep_lost: impl Future<Output = Option<JoinHandle<()>>>,
    ) -> Result<RunPage<R::Entry>> {
        if !self.kinds.contains(&kind) {
            return Err(Error::unknown_kind(kind, self.kinds.iter().copied()));
        }
        let limit = limit.unwrap_or(DEFAULT_LIMIT);
        if !(1..=KEPT).contains(&limit) {
            return Err(Error::bad("limit", format!("`limit` is {limit}; it must be 1 to {KEPT}.")));
        }
        if after.is_none() {
            let kept = async {
                if let Some(keeping) = keep_lost.await {
                    keeping.await.ok();
                }
            };
            timeout(READ_WITHIN, kept).await.ok();
        }
        let before = after.map(|cursor| (cursor.started_at, cursor.run.as_str()));
        // One more than asked for shows whether there is another page.
        let stored = in_time(self.ledger.runs(kind, sale, limit + 1, before)).await?;
        let has_more = stored.len() > limit as usize;
        let runs = stored.iter().take(limit as usize).map(|entry| read(entry)).collect::<Result<Vec<R::Entry>>>()?;
        let next = runs.last().filter(|_| has_more);
        let next = next.map(|last| RunCursor { started_at: last.started_at(), run: last.run().to_owned() });
        Ok(RunPage { runs, next })
    }

    /// A run with all that is kept of it.
    ///
    /// # Errors
    /// `bad_request`, `unknown_run`, `ledger_unavailable`.
    pub async fn report(&self, run: &str) -> Result<R> {
        check_id("run", run)?;
        match in_time(self.ledger.run(run)).await? {
            Some((kind, report)) if self.kinds.contains(&kind.as_str()) => read(&report),
            _ => Err(Error::of_field(
                Code::UnknownRun,
                "run",
                format!("No run \"{run}\" is kept; the newest {KEPT} that are over are."),
            )),
        }
    }
}

async fn in_time<T>(reading: impl Future<Output = Result<T>>) -> Result<T> {
    timeout(READ_WITHIN, reading).await.unwrap_or_else(|_| {
        Err(Error::new(Code::LedgerUnavailable, "The ledger did not answer in time. Try again in a moment."))
    })
}

fn stored<'a, R: KeptRun>(report: &'a R, entry: &'a R::Entry) -> serde_json::Result<StoredRun<'a>> {
    Ok(StoredRun {
        run: entry.run(),
        kind: report.kind(),
        sale: report.sale(),
        is_lost: entry.is_lost(),
        started_at: entry.started_at(),
        entry: serde_json::to_string(entry)?,
        report: serde_json::to_string(report)?,
    })
}

fn read<T: DeserializeOwned>(json: &str) -> Result<T> {
    serde_json::from_str(json).map_err(Error::internal)
}
