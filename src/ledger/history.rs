//! Searching the history: newest first, a page at a time, by keyset pagination.

use super::{
    Cursor, DEFAULT_LIMIT, MOST_LIMIT, Page, Row, Search,
    database::{Ledger, columns, event_id, on, unreachable},
};
use crate::{
    domain::{Cents, EventId, Millis},
    error::{Error, Result},
};
use sqlx::AssertSqlSafe;

/// Rows of one user or request are counted up to this; beyond it, an exact number is not needed.
const COUNTED: i64 = 10_000;

/// The columns of a row, in order; `s` is its sale.
const SELECT: &str = "SELECT h.event_ms, h.event_seq, h.sale_no, h.place, h.at, h.outcome, h.user_id, h.request_id,
    h.item, h.cents, h.order_id, h.holder, s.kind, s.sale FROM history h JOIN sales s ON s.no = h.sale_no";
const NEWEST_FIRST: &str = "ORDER BY h.event_ms DESC, h.event_seq DESC, h.sale_no DESC, h.place DESC LIMIT";

#[derive(sqlx::FromRow)]
struct Columns {
    event_ms: i64,
    event_seq: i64,
    sale_no: i64,
    place: i64,
    at: Millis,
    outcome: String,
    user_id: Option<String>,
    request_id: Option<String>,
    item: Option<String>,
    cents: Cents,
    order_id: Option<String>,
    holder: Option<String>,
    kind: String,
    sale: String,
}

impl From<Columns> for Row {
    fn from(row: Columns) -> Self {
        let event_id = event_id(row.event_ms, row.event_seq);
        Self {
            id: Cursor { event_id, sale_no: row.sale_no, place: row.place },
            kind: row.kind,
            sale: row.sale,
            event_id,
            place: u32::try_from(row.place).unwrap_or(u32::MAX),
            at: row.at,
            outcome: row.outcome,
            user: row.user_id,
            request_id: row.request_id,
            item: row.item,
            cents: row.cents,
            order: row.order_id,
            holder: row.holder,
        }
    }
}

/// A row as read by audits and recoveries, of which there may be millions: only the columns that they need.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct AuditRow {
    /// The stream entry that recorded the change.
    pub event_id: EventId,
    /// The place of the change in that entry, from 0.
    pub place: i64,
    /// When it happened.
    pub at: Millis,
    /// The user, if the change has one.
    pub user: Option<String>,
    /// The item: a packet, a seat or a code.
    pub item: Option<String>,
    /// The amount of money, in cents.
    pub cents: Cents,
    /// The order. This and the following fields are set only by [`Ledger::order_rows_between`].
    pub order: Option<String>,
    /// The id of the request that caused it.
    pub request_id: Option<String>,
    /// The name of the person that the item is for.
    pub holder: Option<String>,
}

type Text = Option<String>;
type Narrow = (i64, i64, i64, Millis, Text, Text, Cents);
type Wide = (i64, i64, i64, Millis, Text, Text, Cents, Text, Text, Text);

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

/// One condition, with the value that it binds.
type Condition<'a> = (&'static str, &'a str);

impl Ledger {
    /// A page of what the search finds, newest first, after a cursor.
    ///
    /// # Errors
    /// `bad_request`, `ledger_unavailable`.
    pub async fn search(&self, search: &Search, limit: Option<u32>, after: Option<Cursor>) -> Result<Page> {
        search.check()?;
        let limit = limit.unwrap_or(DEFAULT_LIMIT);
        if !(1..=MOST_LIMIT).contains(&limit) {
            return Err(Error::bad("limit", format!("`limit` is {limit}; it must be 1 to {MOST_LIMIT}.")));
        }
        let (total, total_is_at_least) = self.total(search).await?;
        // One more row than asked for shows whether there is another page.
        let mut rows = self.rows(search, limit + 1, after).await?;
        let more = rows.len() > limit as usize;
        rows.truncate(limit as usize);
        let next = if more { rows.last().map(|row| row.id) } else { None };
        Ok(Page { rows, total, total_is_at_least, next })
    }

    /// At most `limit` rows after a cursor.
    ///
    /// # Errors
    /// `ledger_unavailable`.
    pub async fn rows(&self, search: &Search, limit: u32, after: Option<Cursor>) -> Result<Vec<Row>> {
        let mut conditions: Vec<Condition<'_>> = Vec::new();
        let by_person = search.request_id.is_some() || search.user.is_some();
        if let Some(request_id) = &search.request_id {
            conditions.push(("h.request_id =", request_id));
        }
        if let Some(user) = &search.user {
            conditions.push(("h.user_id =", user));
        }
        if let Some(outcome) = &search.outcome {
            // A user has few rows, so an index of millions of rows with that outcome is useless: COALESCE keeps it
            // unused.
            conditions.push((if by_person { "COALESCE(h.outcome, '') =" } else { "h.outcome =" }, outcome));
        }
        let Some(sale) = &search.sale else {
            return self.select(&conditions, None, limit, after).await;
        };
        let mut found = Vec::new();
        // The index by sale is ordered within each outcome, so the newest rows overall are among the newest of each
        // outcome.
        for (number, outcomes) in self.outcomes(sale).await? {
            if by_person || search.outcome.is_some() {
                found.extend(self.select(&conditions, Some(number), limit, after).await?);
                continue;
            }
            for outcome in &outcomes {
                found.extend(self.select(&[("h.outcome =", outcome)], Some(number), limit, after).await?);
            }
        }
        found.sort_unstable_by_key(|row| std::cmp::Reverse(row.id));
        found.truncate(limit as usize);
        Ok(found)
    }

    /// The rows of one sale and outcome after a row, up to and including an event, oldest first.
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

    /// Like [`Ledger::rows_between`], with order, request and holder, for kinds that have orders.
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
            rows_between!(self, ", order_id, request_id, holder", number, outcome, after, upto, limit)?;
        let row = |(millis, sequence, place, at, user, item, cents, order, request_id, holder)| AuditRow {
            event_id: event_id(millis, sequence),
            place,
            at,
            user,
            item,
            cents,
            order,
            request_id,
            holder,
        };
        Ok(rows.into_iter().map(row).collect())
    }

    /// Counts the rows of one sale and outcome after an event, up to and including another.
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

    async fn select(
        &self,
        conditions: &[Condition<'_>],
        number: Option<i64>,
        limit: u32,
        after: Option<Cursor>,
    ) -> Result<Vec<Row>> {
        let mut sql = SELECT.to_owned();
        let mut parameter = 0;
        let mut word = " WHERE";
        let mut place = |sql: &mut String, condition: &str| {
            parameter += 1;
            sql.push_str(&format!("{word} {condition} ${parameter}"));
            word = " AND";
        };
        for (condition, _) in conditions {
            place(&mut sql, condition);
        }
        if number.is_some() {
            let by_sale = conditions.iter().all(|(condition, _)| condition.starts_with("h.outcome"));
            place(&mut sql, if by_sale { "h.sale_no =" } else { "COALESCE(h.sale_no, 0) =" });
        }
        if after.is_some() {
            sql.push_str(&format!(
                "{word} (h.event_ms, h.event_seq, h.sale_no, h.place) < (${}, ${}, ${}, ${})",
                parameter + 1,
                parameter + 2,
                parameter + 3,
                parameter + 4
            ));
            parameter += 4;
        }
        sql.push_str(&format!(" {NEWEST_FIRST} ${}", parameter + 1));
        // Built only from the constants above; everything that a client chose is bound.
        let rows: Vec<Columns> = on!(read self, pool => {
            let mut query = sqlx::query_as(AssertSqlSafe(sql));
            for (_, value) in conditions {
                query = query.bind(*value);
            }
            if let Some(number) = number {
                query = query.bind(number);
            }
            if let Some(Cursor { event_id, sale_no, place }) = after {
                let (millis, sequence) = columns(event_id);
                query = query.bind(millis).bind(sequence).bind(sale_no).bind(place);
            }
            query.bind(i64::from(limit)).fetch_all(pool).await
        })
        .map_err(unreachable)?;
        Ok(rows.into_iter().map(Row::from).collect())
    }

    /// The number of rows that a search finds, and whether there may be more.
    async fn total(&self, search: &Search) -> Result<(u64, bool)> {
        if search.user.is_none() && search.request_id.is_none() {
            return Ok((self.tallied(search).await?, false));
        }
        let count = self.rows_counted(search).await?;
        Ok((count.min(COUNTED).cast_unsigned(), count > COUNTED))
    }

    async fn rows_counted(&self, search: &Search) -> Result<i64> {
        // Only the most selective column may use an index; the planner is kept from the others, which may match
        // millions.
        let (first, value) = match (&search.request_id, &search.user) {
            (Some(request_id), _) => ("h.request_id", request_id),
            (None, Some(user)) => ("h.user_id", user),
            (None, None) => return Ok(0),
        };
        let sql = format!(
            "SELECT COUNT(*) FROM (SELECT 1 FROM history h WHERE {first} = $1
            AND (CAST($2 AS TEXT) IS NULL OR COALESCE(h.user_id, '') = $2)
            AND (CAST($3 AS TEXT) IS NULL OR COALESCE(h.outcome, '') = $3)
            AND (CAST($4 AS TEXT) IS NULL OR COALESCE(h.sale_no, 0) IN (SELECT no FROM sales WHERE sale = $4))
            LIMIT $5) found"
        );
        on!(read self, pool => sqlx::query_scalar(AssertSqlSafe(sql)).bind(value).bind(search.user.as_deref())
            .bind(search.outcome.as_deref()).bind(search.sale.as_deref()).bind(COUNTED + 1).fetch_one(pool).await)
        .map_err(unreachable)
    }

    /// The number of rows of a sale, an outcome, both or all, from the tallies kept on insertion.
    async fn tallied(&self, search: &Search) -> Result<u64> {
        const OF_ALL: &str = "SELECT CAST(COALESCE(SUM(lines), 0) AS BIGINT) FROM tallies
            WHERE sale_no = 0 AND (CAST($1 AS TEXT) IS NULL OR outcome = $1)";
        const OF_SALE: &str = "SELECT CAST(COALESCE(SUM(t.lines), 0) AS BIGINT) FROM tallies t
            JOIN sales s ON s.no = t.sale_no WHERE s.sale = $2 AND (CAST($1 AS TEXT) IS NULL OR t.outcome = $1)";
        let outcome = search.outcome.as_deref();
        let lines: i64 = match &search.sale {
            Some(sale) => {
                on!(read self, pool => sqlx::query_scalar(OF_SALE).bind(outcome).bind(sale).fetch_one(pool).await)
            }
            None => on!(read self, pool => sqlx::query_scalar(OF_ALL).bind(outcome).fetch_one(pool).await),
        }
        .map_err(unreachable)?;
        Ok(lines.cast_unsigned())
    }

    /// The numbers of the sales with this id, and the outcomes of each.
    async fn outcomes(&self, sale: &str) -> Result<Vec<(i64, Vec<String>)>> {
        const OUTCOMES: &str = "SELECT s.no, t.outcome FROM sales s JOIN tallies t ON t.sale_no = s.no
            WHERE s.sale = $1 ORDER BY s.no, t.outcome";
        let rows: Vec<(i64, String)> =
            on!(read self, pool => sqlx::query_as(OUTCOMES).bind(sale).fetch_all(pool).await).map_err(unreachable)?;
        let mut found: Vec<(i64, Vec<String>)> = Vec::new();
        for (number, outcome) in rows {
            match found.last_mut() {
                Some((last, outcomes)) if *last == number => outcomes.push(outcome),
                _ => found.push((number, vec![outcome])),
            }
        }
        Ok(found)
    }
}
