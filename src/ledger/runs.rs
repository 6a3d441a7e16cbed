//! The finished runs, of crowds and of the lab. The ledger keeps the newest ones of each sale and of the lab, and does
//! not interpret their content.

use crate::database::{Ledger, in_transaction, is_about_the_data, on, unreachable};
use model::{Millis, error::Result};

/// A stored run: the columns for finding it, and the rest as JSON.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct StoredRun<'a> {
    /// The id of the run.
    pub run: &'a str,
    /// The kind of its sale.
    pub kind: &'a str,
    /// The id of its sale.
    pub sale: &'a str,
    /// Whether it was lost with its server.
    pub is_lost: bool,
    pub started_at: Millis,
    /// The run in a list.
    pub entry: String,
    /// The run with all that is kept of it.
    pub report: String,
}

/// A run that ended after all replaces its row as a lost run. No other row is overwritten.
const KEEP: &str = "INSERT INTO runs (run, kind, sale, is_lost, started_at, entry, report)
    VALUES ($1, $2, $3, $4, $5, $6, $7)
    ON CONFLICT (run) DO UPDATE SET is_lost = excluded.is_lost, entry = excluded.entry, report = excluded.report
    WHERE runs.is_lost";
const FORGET: &str = "DELETE FROM runs WHERE sale = $1 AND kind = $2 AND run NOT IN
    (SELECT run FROM runs WHERE sale = $1 AND kind = $2 ORDER BY started_at DESC, run DESC LIMIT $3)";

/// The statements that both databases share, in a transaction. A macro, because sqlx has no trait for both connections.
macro_rules! keep {
    ($transaction:ident, $run:ident, $most:ident) => {{
        sqlx::query(KEEP)
            .bind($run.run)
            .bind($run.kind)
            .bind($run.sale)
            .bind($run.is_lost)
            .bind($run.started_at)
            .bind(&$run.entry)
            .bind(&$run.report)
            .execute(&mut *$transaction)
            .await?;
        let forget = sqlx::query(FORGET).bind($run.sale).bind($run.kind).bind(i64::from($most));
        forget.execute(&mut *$transaction).await?;
        $transaction.commit().await
    }};
}

impl Ledger {
    /// Keeps a run, once, and no more than the newest `most` runs of its sale. Returns whether the database accepted
    /// it. If it cannot store one of the values, this is logged.
    ///
    /// # Errors
    /// `ledger_unavailable`: the run may have been kept.
    pub async fn keep_run(&self, run: &StoredRun<'_>, most: u32) -> Result<bool> {
        let kept = in_transaction!(self, transaction => keep!(transaction, run, most));
        match kept {
            Ok(()) => Ok(true),
            Err(error) if is_about_the_data(&error) => {
                tracing::error!(run = run.run, %error, "the database refuses a run");
                Ok(false)
            }
            Err(error) => Err(unreachable(error)),
        }
    }

    /// The entries of at most `limit` runs of a sale, newest first. If a start and an id are given, only of runs before
    /// them.
    ///
    /// # Errors
    /// `ledger_unavailable`.
    pub async fn runs(
        &self,
        kind: &str,
        sale: &str,
        limit: u32,
        before: Option<(Millis, &str)>,
    ) -> Result<Vec<String>> {
        const RUNS: &str = "SELECT entry FROM runs WHERE sale = $1 AND kind = $2 AND (started_at, run) < ($3, $4)
            ORDER BY started_at DESC, run DESC LIMIT $5";
        let (started_at, run) = before.unwrap_or((Millis::MAX, ""));
        on!(read self, pool => sqlx::query_scalar(RUNS).bind(sale).bind(kind).bind(started_at).bind(run)
            .bind(i64::from(limit)).fetch_all(pool).await)
        .map_err(unreachable)
    }

    /// The kind of a run's sale, and its report. `None` if the run is not kept.
    ///
    /// # Errors
    /// `ledger_unavailable`.
    pub async fn run(&self, run: &str) -> Result<Option<(String, String)>> {
        const RUN: &str = "SELECT kind, report FROM runs WHERE run = $1";
        on!(read self, pool => sqlx::query_as(RUN).bind(run).fetch_optional(pool).await).map_err(unreachable)
    }
}
