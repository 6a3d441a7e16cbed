//! The finished runs of crowds. The ledger keeps the newest ones of each sale, and does not interpret their content.

use crate::database::{Ledger, in_transaction, is_about_the_data, on, unreachable};
use model::{Millis, error::Result};
use sqlx::FromRow;

/// A stored run: the columns for finding it, and the rest as JSON.
#[derive(Clone, Debug, PartialEq, Eq, FromRow)]
pub struct StoredRun {
    /// The id of the run.
    pub run: String,
    pub kind: String,
    /// The id of its sale.
    pub sale: String,
    /// The phase in which it ended.
    pub phase: String,
    pub started_at: Millis,
    /// When its end became known.
    pub ended_at: Millis,
    pub settings: String,
    pub figures: String,
    /// The verification. `None` if the run was lost with its server.
    pub verification: Option<String>,
    /// Additional data for reports. Empty in lists.
    pub details: String,
}

/// A run verified after all replaces its row as a lost run. No other row is overwritten.
const KEEP: &str = "INSERT INTO runs
    (run, kind, sale, phase, started_at, ended_at, settings, figures, verification, details)
    VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10)
    ON CONFLICT (run) DO UPDATE SET phase = excluded.phase, ended_at = excluded.ended_at, figures = excluded.figures,
        verification = excluded.verification, details = excluded.details
    WHERE runs.verification IS NULL";
const FORGET: &str = "DELETE FROM runs WHERE sale = $1 AND kind = $2 AND run NOT IN
    (SELECT run FROM runs WHERE sale = $1 AND kind = $2 ORDER BY started_at DESC, run DESC LIMIT $3)";

/// The statements that both databases share, in a transaction. A macro, because sqlx has no trait for both connections.
macro_rules! keep {
    ($transaction:ident, $run:ident, $most:ident) => {{
        sqlx::query(KEEP)
            .bind(&$run.run)
            .bind(&$run.kind)
            .bind(&$run.sale)
            .bind(&$run.phase)
            .bind($run.started_at)
            .bind($run.ended_at)
            .bind(&$run.settings)
            .bind(&$run.figures)
            .bind(&$run.verification)
            .bind(&$run.details)
            .execute(&mut *$transaction)
            .await?;
        let forget = sqlx::query(FORGET).bind(&$run.sale).bind(&$run.kind).bind(i64::from($most));
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
    pub async fn keep_run(&self, run: &StoredRun, most: u32) -> Result<bool> {
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

    /// At most `limit` runs of a sale, newest first, without details. If a start and an id are given, only runs before
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
    ) -> Result<Vec<StoredRun>> {
        const RUNS: &str = "SELECT run, kind, sale, phase, started_at, ended_at, settings, figures, verification,
            '' AS details FROM runs WHERE sale = $1 AND kind = $2 AND (started_at, run) < ($3, $4)
            ORDER BY started_at DESC, run DESC LIMIT $5";
        let (started_at, run) = before.unwrap_or((Millis::MAX, ""));
        on!(read self, pool => sqlx::query_as(RUNS).bind(sale).bind(kind).bind(started_at).bind(run)
            .bind(i64::from(limit)).fetch_all(pool).await)
        .map_err(unreachable)
    }

    /// A run with its details. `None` if it is not kept.
    ///
    /// # Errors
    /// `ledger_unavailable`.
    pub async fn run(&self, run: &str) -> Result<Option<StoredRun>> {
        const RUN: &str = "SELECT * FROM runs WHERE run = $1";
        on!(read self, pool => sqlx::query_as(RUN).bind(run).fetch_optional(pool).await).map_err(unreachable)
    }
}
