//! Sums of a sale's newest changes by time: the recent time series of a quantity.

use crate::{
    database::{Ledger, columns, on, unreachable},
    sale::LedgerSale,
};
use model::{Millis, error::Result};

/// The maximum number of rows of an outcome that are summed: a database reads as many in a moment.
const MOST_ROWS: i64 = 20_000;

/// The sums of the changes of one outcome, by time slot. The number of a slot is the number of whole slot lengths since
/// the epoch.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Sums {
    /// The number of the first slot whose changes are all included.
    pub from: Millis,
    /// Each slot with changes, oldest first, and the sum of the items of its rows, which are numbers.
    pub slots: Vec<(Millis, i64)>,
}

impl Ledger {
    /// Sums the items of a sale's rows with this outcome in slots of `slot_ms` milliseconds, up to the position of the
    /// sale. Includes the rows since `since`, or the newest rows if those are too many.
    ///
    /// # Errors
    /// `ledger_unavailable`.
    pub async fn sums(&self, known: &LedgerSale, outcome: &str, since: Millis, slot_ms: Millis) -> Result<Sums> {
        const SUMS: &str = "SELECT event_ms / $1 AS slot, CAST(SUM(CAST(item AS BIGINT)) AS BIGINT), COUNT(*) FROM
            (SELECT event_ms, item FROM history WHERE sale_no = $2 AND outcome = $3 AND event_ms >= $4
                AND (event_ms, event_seq) <= ($5, $6) ORDER BY event_ms DESC, event_seq DESC, place DESC LIMIT $7) AS newest
            GROUP BY slot ORDER BY slot";
        let (millis, sequence) = columns(known.position.event_id);
        // The first slot is included whole.
        let from = since.div_euclid(slot_ms);
        let rows: Vec<(Millis, i64, i64)> = on!(read self, pool => sqlx::query_as(SUMS)
            .bind(slot_ms)
            .bind(known.number)
            .bind(outcome)
            .bind(from * slot_ms)
            .bind(millis)
            .bind(sequence)
            .bind(MOST_ROWS)
            .fetch_all(pool)
            .await)
        .map_err(unreachable)?;
        let is_cut = rows.iter().map(|(_, _, rows)| rows).sum::<i64>() >= MOST_ROWS;
        let from = rows.first().filter(|_| is_cut).map_or(from, |(cut, _, _)| cut + 1);
        let slots = rows.into_iter().map(|(slot, units, _)| (slot, units)).filter(|(slot, _)| *slot >= from).collect();
        Ok(Sums { from, slots })
    }
}
