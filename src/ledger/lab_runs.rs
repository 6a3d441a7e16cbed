//! The finished runs of the lab. The ledger keeps the newest ones, and does not interpret their content.

use crate::database::{Ledger, in_transaction, is_about_the_data, on, unreachable};
use model::{Millis, error::Result};

const KEEP: &str = "INSERT INTO lab_runs (run, started_at, report) VALUES ($1, $2, $3)
    ON CONFLICT (run) DO UPDATE SET report = excluded.report";
const KEEP_NEW: &str = "INSERT INTO lab_runs (run, started_at, report) VALUES ($1, $2, $3)
    ON CONFLICT (run) DO NOTHING";
const FORGET: &str = "DELETE FROM lab_runs WHERE run NOT IN
    (SELECT run FROM lab_runs ORDER BY started_at DESC, run DESC LIMIT $1)";

/// The statements that both databases share, in a transaction. A macro, because sqlx has no trait for both connections.
macro_rules! keep {
    ($transaction:ident, $keep:ident, $run:ident, $started_at:ident, $report:ident, $most:ident) => {{
        sqlx::query($keep).bind($run).bind($started_at).bind($report).execute(&mut *$transaction).await?;
        sqlx::query(FORGET).bind(i64::from($most)).execute(&mut *$transaction).await?;
        $transaction.commit().await
    }};
}

impl Ledger {
    /// Keeps a run of the lab, and no more than the newest `most`. An existing row of the run is overwritten if
    /// `replaces` is set; otherwise it stays. Returns whether the database accepted it. If it cannot store one of the
    /// values, this is logged.
    ///
    /// # Errors
    /// `ledger_unavailable`: the run may have been kept.
    pub async fn keep_lab_run(
        &self,
        run: &str,
        started_at: Millis,
        report: &str,
        replaces: bool,
        most: u32,
    ) -> Result<bool> {
        let keep = if replaces { KEEP } else { KEEP_NEW };
        let kept = in_transaction!(self, transaction => keep!(transaction, keep, run, started_at, report, most));
        match kept {
            Ok(()) => Ok(true),
            Err(error) if is_about_the_data(&error) => {
                tracing::error!(run, %error, "the database refuses a run of the lab");
                Ok(false)
            }
            Err(error) => Err(unreachable(error)),
        }
    }

    /// The newest runs of the lab, at most `limit`.
    ///
    /// # Errors
    /// `ledger_unavailable`.
    pub async fn lab_runs(&self, limit: u32) -> Result<Vec<String>> {
        const RUNS: &str = "SELECT report FROM lab_runs ORDER BY started_at DESC, run DESC LIMIT $1";
        on!(read self, pool => sqlx::query_scalar(RUNS).bind(i64::from(limit)).fetch_all(pool).await)
            .map_err(unreachable)
    }

    /// A run of the lab. `None` if it is not kept.
    ///
    /// # Errors
    /// `ledger_unavailable`.
    pub async fn lab_run(&self, run: &str) -> Result<Option<String>> {
        const RUN: &str = "SELECT report FROM lab_runs WHERE run = $1";
        on!(read self, pool => sqlx::query_scalar(RUN).bind(run).fetch_optional(pool).await).map_err(unreachable)
    }
}
