//! The rows of one sale and outcome, oldest first, for audits and recoveries.

use crate::database::{Ledger, columns, event_id, on, unreachable};
use model::{Cents, EventId, Millis, error::Result};
use std::collections::VecDeque;

/// The number of rows that [`MergedRows`] reads at a time, per outcome.
const ROWS_AT_A_TIME: u32 = 5_000;

/// A row for audits and recoveries, with only the columns that they need: there may be millions of rows.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct AuditRow {
    /// The stream entry that recorded the change.
    pub event_id: EventId,
    /// The index of the change within that entry, from 0.
    pub place: i64,
    /// When it happened.
    pub at: Millis,
    /// The user, if the change has one.
    pub user: Option<String>,
    /// The item: its number, name or code, depending on the kind. For a kind that counts, the quantity.
    pub item: Option<String>,
    /// The amount of money, in cents.
    pub cents: Cents,
    /// The order. This field and the following ones are set only by [`Ledger::order_rows_between`].
    pub order: Option<String>,
    /// The id of the request that caused the change.
    pub request_id: Option<String>,
    /// The name of the person that the item is for.
    pub holder: Option<String>,
    /// The wishes of the order, on its first row.
    pub requested: Option<String>,
}

type Text = Option<String>;
type Narrow = (i64, i64, i64, Millis, Text, Text, Cents);
type Wide = (i64, i64, i64, Millis, Text, Text, Cents, Text, Text, Text, Text);

/// Selects rows of one sale and outcome, with additional columns.
macro_rules! rows_between {
    ($ledger:expr, $more:literal, $number:expr, $outcome:expr, $after:expr, $upto:expr, $limit:expr) => {{
        const ROWS: &str = concat!(
            "SELECT event_ms, event_seq, place, at, user_id, item, cents",
            $more,
            " FROM history WHERE sale_no = $1 AND outcome = $2
            AND (event_ms, event_seq, place) > ($3, $4, $5) AND (event_ms, event_seq) <= ($6, $7)
            ORDER BY event_ms, event_seq, place LIMIT $8"
        );
        let ((after_ms, after_seq), (upto_ms, upto_seq)) = (columns($after.0), columns($upto));
        on!(read $ledger, pool => sqlx::query_as(ROWS)
            .bind($number).bind($outcome).bind(after_ms).bind(after_seq).bind($after.1)
            .bind(upto_ms).bind(upto_seq).bind(i64::from($limit)).fetch_all(pool).await)
        .map_err(unreachable)
    }};
}

impl Ledger {
    /// The rows of one sale and outcome after `after`, up to and including event `upto`, oldest first.
    ///
    /// # Errors
    /// `ledger_unavailable`.
    pub async fn rows_between(
        &self,
        number: i64,
        outcome: &str,
        after: (EventId, i64),
        upto: EventId,
        limit: u32,
    ) -> Result<Vec<AuditRow>> {
        let rows: Vec<Narrow> = rows_between!(self, "", number, outcome, after, upto, limit)?;
        let row = |(millis, sequence, place, at, user, item, cents)| AuditRow {
            event_id: event_id(millis, sequence),
            place,
            at,
            user,
            item,
            cents,
            ..AuditRow::default()
        };
        Ok(rows.into_iter().map(row).collect())
    }

    /// Like [`Ledger::rows_between`], with order, request id, holder and wishes, for kinds that have orders.
    ///
    /// # Errors
    /// `ledger_unavailable`.
    pub async fn order_rows_between(
        &self,
        number: i64,
        outcome: &str,
        after: (EventId, i64),
        upto: EventId,
        limit: u32,
    ) -> Result<Vec<AuditRow>> {
        let rows: Vec<Wide> =
            rows_between!(self, ", order_id, request_id, holder, wish", number, outcome, after, upto, limit)?;
        let row = |(millis, sequence, place, at, user, item, cents, order, request_id, holder, requested)| AuditRow {
            event_id: event_id(millis, sequence),
            place,
            at,
            user,
            item,
            cents,
            order,
            request_id,
            holder,
            requested,
        };
        Ok(rows.into_iter().map(row).collect())
    }

    /// Counts the rows of one sale and outcome after one event, up to and including another.
    ///
    /// # Errors
    /// `ledger_unavailable`.
    pub async fn count_between(&self, number: i64, outcome: &str, after: EventId, upto: EventId) -> Result<i64> {
        const COUNT: &str = "SELECT COUNT(*) FROM history WHERE sale_no = $1 AND outcome = $2
            AND (event_ms, event_seq) > ($3, $4) AND (event_ms, event_seq) <= ($5, $6)";
        let ((after_ms, after_seq), (upto_ms, upto_seq)) = (columns(after), columns(upto));
        on!(read self, pool => sqlx::query_scalar(COUNT).bind(number).bind(outcome).bind(after_ms).bind(after_seq)
            .bind(upto_ms).bind(upto_seq).fetch_one(pool).await)
        .map_err(unreachable)
    }
}

/// The rows of one sale and several outcomes in chronological order, read on demand.
pub struct MergedRows {
    number: i64,
    upto: EventId,
    outcomes: Vec<OutcomeRows>,
}

/// The rows of one outcome that were read and not taken yet.
struct OutcomeRows {
    outcome: &'static str,
    read: VecDeque<AuditRow>,
    after: (EventId, i64),
    is_whole: bool,
}

impl MergedRows {
    /// The rows after event `after`, up to and including event `upto`.
    pub fn new(number: i64, outcomes: &[&'static str], after: EventId, upto: EventId) -> Self {
        let of = |&outcome| OutcomeRows { outcome, read: VecDeque::new(), after: (after, i64::MAX), is_whole: false };
        Self { number, upto, outcomes: outcomes.iter().map(of).collect() }
    }

    /// The next row with its outcome. `None` after the last one.
    ///
    /// # Errors
    /// `ledger_unavailable`.
    pub async fn next(&mut self, ledger: &Ledger) -> Result<Option<(&'static str, AuditRow)>> {
        for rows in &mut self.outcomes {
            rows.fill(ledger, self.number, self.upto).await?;
        }
        let next = self.outcomes.iter_mut().filter(|rows| !rows.read.is_empty()).min_by_key(|rows| rows.place());
        Ok(next.and_then(|rows| Some((rows.outcome, rows.read.pop_front()?))))
    }
}

impl OutcomeRows {
    /// Reads more rows if none is left.
    async fn fill(&mut self, ledger: &Ledger, number: i64, upto: EventId) -> Result<()> {
        if self.read.is_empty() && !self.is_whole {
            let rows = ledger.order_rows_between(number, self.outcome, self.after, upto, ROWS_AT_A_TIME).await?;
            self.is_whole = rows.len() < ROWS_AT_A_TIME as usize;
            self.after = rows.last().map_or(self.after, |row| (row.event_id, row.place));
            self.read = rows.into();
        }
        Ok(())
    }

    /// The position of the first row in the history.
    fn place(&self) -> Option<(EventId, i64)> {
        self.read.front().map(|row| (row.event_id, row.place))
    }
}
