//! Searches the history, newest first, page by page: each page has the rows after a cursor.
//!
//! Each index of the history ends with the event id. So the rows of one user, request or order, and those of one outcome
//! of a sale or a kind, are a list in order, of which a range of time is a contiguous part. A search reads from each of
//! its lists at most as many rows as it shows.
//!
//! Who copies the history elsewhere reads it in the order of recording instead, as rows may be recorded late.

use crate::database::{Ledger, columns, event_id, on, unreachable};
use model::{
    Cents, EventId, Millis,
    error::{Error, Result},
    ledger::{DEFAULT_LIMIT, HistoryCursor, MOST_LIMIT, OutcomeSum, Page, Row, Search},
    life::Currency,
};
use sqlx::{AssertSqlSafe, FromRow, postgres::PgRow, sqlite::SqliteRow};
use std::cmp::Reverse;

/// The limit for counting and adding up rows without a tally. Beyond it, an exact number is not needed.
const COUNTED: u64 = 10_000;
/// The columns of a row.
pub(super) const COLUMNS: &str =
    "event_ms, event_seq, sale_no, place, at, outcome, user_id, request_id, item, cents, order_id,
    holder, reason, recorded, kind, (SELECT sale FROM sales WHERE no = sale_no) AS sale";
/// The condition of every statement: the part of a list between two cursors, both excluded.
const BETWEEN: &str = "(event_ms, event_seq, sale_no, place) > ($8, $9, $10, $11)
    AND (event_ms, event_seq, sale_no, place) < ($12, $13, $14, $15)";
const NEWEST_FIRST: &str = "ORDER BY event_ms DESC, event_seq DESC, sale_no DESC, place DESC LIMIT $16";
/// A cursor before all rows: the history has none newer.
const NEWEST: HistoryCursor = HistoryCursor {
    event_id: EventId { millis: i64::MAX as u64, sequence: i64::MAX as u64 },
    sale_no: i64::MAX,
    place: i64::MAX,
};

#[derive(FromRow)]
pub(super) struct Columns {
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
    reason: Option<String>,
    recorded: i64,
    kind: String,
    sale: String,
}

impl From<Columns> for Row {
    fn from(row: Columns) -> Self {
        let event_id = event_id(row.event_ms, row.event_seq);
        Self {
            id: HistoryCursor { event_id, sale_no: row.sale_no, place: row.place },
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
            currency: Currency::CNY,
            order: row.order_id,
            holder: row.holder,
            reason: row.reason,
            recorded: row.recorded.cast_unsigned(),
        }
    }
}

/// The rows with one outcome, in a sale or, if its number is 0, in all sales of the kind.
#[derive(FromRow)]
struct Tally {
    sale_no: i64,
    #[sqlx(flatten)]
    sum: Sum,
}

/// The number of rows with one outcome, and what they add up to.
#[derive(Clone, FromRow)]
struct Sum {
    kind: String,
    outcome: String,
    lines: i64,
    cents: Cents,
    quantity: Option<i64>,
}

impl From<Sum> for OutcomeSum {
    fn from(Sum { kind, outcome, lines, cents, quantity }: Sum) -> Self {
        Self { kind, outcome, rows: lines.cast_unsigned(), cents, quantity }
    }
}

/// Rows that an index has in order.
struct List {
    /// The condition of the index, then what each row is checked for.
    condition: String,
    /// The values in the condition, and the range of time.
    search: Search,
    sale_no: i64,
}

impl List {
    /// The rows of a request, an order or a user. All rows if the search has no field.
    fn of(search: &Search) -> Self {
        let fields = [
            ("request_id", &search.request_id),
            ("order_id", &search.order),
            ("user_id", &search.user),
            ("kind", &search.kind),
            ("outcome", &search.outcome),
        ];
        let mut condition = String::new();
        for (number, (column, _)) in (1..).zip(fields).filter(|(_, (_, value))| value.is_some()) {
            // COALESCE keeps databases from another index, whose list may be far longer.
            condition += &match condition.is_empty() {
                true => format!(" AND {column} = ${number}"),
                false => format!(" AND COALESCE({column}, '') = ${number}"),
            };
        }
        if search.sale.is_some() {
            condition += " AND (SELECT sale FROM sales WHERE no = sale_no) = $6";
        }
        Self { condition, search: search.clone(), sale_no: 0 }
    }

    /// The rows with one outcome, in a sale or a kind.
    fn tallied(search: &Search, Tally { sale_no, sum: Sum { kind, outcome, .. } }: Tally) -> Self {
        let condition = match sale_no {
            0 => " AND kind = $4 AND outcome = $5",
            _ => " AND sale_no = $7 AND outcome = $5",
        };
        let search = Search { kind: Some(kind), outcome: Some(outcome), ..search.clone() };
        Self { condition: condition.to_owned(), search, sale_no }
    }

    /// The cursors between which its rows are, both excluded: after `after`, and newer than `last`.
    fn between(&self, after: Option<HistoryCursor>, last: Option<HistoryCursor>) -> [HistoryCursor; 2] {
        // No row has this cursor, because sales are numbered from 1.
        let begin = |at: Millis| HistoryCursor {
            event_id: EventId { millis: at.cast_unsigned(), sequence: 0 },
            sale_no: 0,
            place: 0,
        };
        let from = begin(self.search.from.unwrap_or(0));
        let to = self.search.to.map_or(NEWEST, begin);
        [last.map_or(from, |last| last.max(from)), after.map_or(to, |after| after.min(to))]
    }
}

impl Ledger {
    /// A page of search results, newest first, after a cursor.
    ///
    /// # Errors
    /// `bad_request`, `ledger_unavailable`.
    pub async fn search(&self, search: &Search, limit: Option<u32>, after: Option<HistoryCursor>) -> Result<Page> {
        search.check()?;
        let limit = limit.unwrap_or(DEFAULT_LIMIT);
        if !(1..=MOST_LIMIT).contains(&limit) {
            return Err(Error::bad("limit", format!("`limit` is {limit}; it must be 1 to {MOST_LIMIT}.")));
        }
        let (lists, tallied) = self.lists(search).await?;
        let is_tallied = tallied.is_some();
        let mut sums = match tallied {
            Some(sums) => sums,
            None => self.sums_of(&lists).await?,
        };
        sums.sort_unstable_by(|one, other| (&one.kind, &one.outcome).cmp(&(&other.kind, &other.outcome)));
        let mut total: u64 = sums.iter().map(|sum| sum.rows).sum();
        let total_is_at_least = !is_tallied && total > COUNTED;
        if total_is_at_least {
            (total, sums) = (COUNTED, Vec::new());
        }
        // One more row than requested shows whether there is another page.
        let mut rows = self.rows_of(&lists, limit + 1, after).await?;
        let more = rows.len() > limit as usize;
        rows.truncate(limit as usize);
        let next = if more { rows.last().map(|row| row.id) } else { None };
        Ok(Page { rows, total, total_is_at_least, sums, next })
    }

    /// At most `limit` rows after a cursor.
    ///
    /// # Errors
    /// `ledger_unavailable`.
    pub async fn rows(&self, search: &Search, limit: u32, after: Option<HistoryCursor>) -> Result<Vec<Row>> {
        self.rows_of(&self.lists(search).await?.0, limit, after).await
    }

    /// The place of the row that was recorded last, in the order of recording; 0 if there is none. All rows up to it are
    /// there (`apply.rs`).
    ///
    /// # Errors
    /// `ledger_unavailable`.
    pub async fn last_recorded(&self) -> Result<u64> {
        const LAST: &str = "SELECT last FROM recordings";
        let last: i64 = on!(read self, pool => sqlx::query_scalar(LAST).fetch_one(pool).await).map_err(unreachable)?;
        Ok(last.cast_unsigned())
    }

    /// The rows of a search after one place in the order of recording, up to another, in that order. The places have no
    /// gaps, so what this costs depends on their number, whatever the search leaves out.
    ///
    /// # Errors
    /// `ledger_unavailable`.
    pub async fn recorded(&self, search: &Search, after: u64, upto: u64) -> Result<Vec<Row>> {
        // COALESCE keeps databases from another index.
        const RECORDED: &str = " FROM history WHERE recorded > $9 AND recorded <= $10
            AND (CAST($1 AS TEXT) IS NULL OR COALESCE(kind, '') = $1)
            AND (CAST($2 AS TEXT) IS NULL OR (SELECT sale FROM sales WHERE no = sale_no) = $2)
            AND (CAST($3 AS TEXT) IS NULL OR COALESCE(user_id, '') = $3)
            AND (CAST($4 AS TEXT) IS NULL OR COALESCE(request_id, '') = $4)
            AND (CAST($5 AS TEXT) IS NULL OR COALESCE(order_id, '') = $5)
            AND (CAST($6 AS TEXT) IS NULL OR COALESCE(outcome, '') = $6)
            AND COALESCE(event_ms, 0) >= $7 AND COALESCE(event_ms, 0) < $8 ORDER BY recorded";
        let sql = format!("SELECT {COLUMNS}{RECORDED}");
        let rows: Vec<Columns> = on!(read self, pool => sqlx::query_as(AssertSqlSafe(sql))
            .bind(&search.kind)
            .bind(&search.sale)
            .bind(&search.user)
            .bind(&search.request_id)
            .bind(&search.order)
            .bind(&search.outcome)
            .bind(search.from.unwrap_or(0))
            .bind(search.to.unwrap_or(Millis::MAX))
            .bind(after.cast_signed())
            .bind(upto.cast_signed())
            .fetch_all(pool)
            .await)
        .map_err(unreachable)?;
        let mut rows: Vec<Row> = rows.into_iter().map(Row::from).collect();
        self.set_currencies(&mut rows).await?;
        Ok(rows)
    }

    /// The row with this id, if there is one.
    ///
    /// # Errors
    /// `ledger_unavailable`.
    pub async fn row(&self, id: HistoryCursor) -> Result<Option<Row>> {
        // The cursor just behind the row: the row is the first one after it.
        let after = HistoryCursor { place: id.place.saturating_add(1), ..id };
        let rows = self.rows(&Search::default(), 1, Some(after)).await?;
        Ok(rows.into_iter().find(|row| row.id == id))
    }

    /// The newest row of an item at a sale that has one of two outcomes: its outcome, and its reason if one was given.
    ///
    /// # Errors
    /// `ledger_unavailable`.
    pub async fn newest_of(
        &self,
        sale_no: i64,
        item: &str,
        [one, other]: [&str; 2],
    ) -> Result<Option<(String, Option<String>)>> {
        const NEWEST: &str = "SELECT outcome, reason FROM history
            WHERE sale_no = $1 AND item = $2 AND outcome IN ($3, $4) ORDER BY event_ms DESC, event_seq DESC LIMIT 1";
        on!(read self, pool => sqlx::query_as(NEWEST)
            .bind(sale_no).bind(item).bind(one).bind(other).fetch_optional(pool).await)
        .map_err(unreachable)
    }

    /// The lists that together have the rows of a search, each row once; and what the rows add up to, if there are
    /// tallies.
    async fn lists(&self, search: &Search) -> Result<(Vec<List>, Option<Vec<OutcomeSum>>)> {
        if search.request_id.is_some() || search.order.is_some() || search.user.is_some() {
            return Ok((vec![List::of(search)], None));
        }
        let tallies = self.tallies(search).await?;
        let is_tallied = search.from.is_none() && search.to.is_none();
        let sums = is_tallied.then(|| tallies.iter().map(|tally| tally.sum.clone().into()).collect());
        let is_narrowed = search.sale.is_some() || search.kind.is_some() || search.outcome.is_some();
        let lists = match is_narrowed {
            true => tallies.into_iter().map(|tally| List::tallied(search, tally)).collect(),
            false => vec![List::of(search)],
        };
        Ok((lists, sums))
    }

    /// The tallies of a sale, or of each kind.
    async fn tallies(&self, Search { sale, kind, outcome, .. }: &Search) -> Result<Vec<Tally>> {
        const OF_KINDS: &str = "SELECT sale_no, kind, outcome, lines, cents, quantity FROM tallies WHERE sale_no = 0
            AND (CAST($1 AS TEXT) IS NULL OR kind = $1) AND (CAST($2 AS TEXT) IS NULL OR outcome = $2)";
        const OF_A_SALE: &str = "SELECT t.sale_no, t.kind, t.outcome, t.lines, t.cents, t.quantity
            FROM sales s JOIN tallies t ON t.sale_no = s.no WHERE s.sale = $3
            AND (CAST($1 AS TEXT) IS NULL OR t.kind = $1) AND (CAST($2 AS TEXT) IS NULL OR t.outcome = $2)";
        let sql = if sale.is_some() { OF_A_SALE } else { OF_KINDS };
        on!(read self, pool => sqlx::query_as(sql).bind(kind).bind(outcome).bind(sale).fetch_all(pool).await)
            .map_err(unreachable)
    }

    /// At most `limit` rows of these lists together after a cursor, newest first.
    async fn rows_of(&self, lists: &[List], limit: u32, after: Option<HistoryCursor>) -> Result<Vec<Row>> {
        let sql =
            |list: &List| format!("SELECT {COLUMNS} FROM history WHERE {BETWEEN}{} {NEWEST_FIRST}", list.condition);
        let mut found: Vec<Row> = Vec::new();
        for list in lists {
            // Once there are enough rows, only those newer than the last one matter.
            let last = if found.len() < limit as usize { None } else { found.last().map(|row| row.id) };
            let rows: Vec<Columns> = self.select(sql(list), list, list.between(after, last), limit.into()).await?;
            found.extend(rows.into_iter().map(Row::from));
            found.sort_unstable_by_key(|row| Reverse(row.id));
            found.truncate(limit as usize);
        }
        self.set_currencies(&mut found).await?;
        Ok(found)
    }

    /// What the rows in these lists add up to, each outcome of a kind once; of no more than one row above [`COUNTED`].
    async fn sums_of(&self, lists: &[List]) -> Result<Vec<OutcomeSum>> {
        // An item is a number where the tallies have a quantity.
        const SUMS: &str = "SELECT kind, outcome, COUNT(*) AS lines, CAST(SUM(cents) AS BIGINT) AS cents,
            CAST(SUM(CASE WHEN (kind, outcome) IN
                (SELECT t.kind, t.outcome FROM tallies t WHERE t.sale_no = 0 AND t.quantity IS NOT NULL)
                THEN CAST(item AS BIGINT) END) AS BIGINT) AS quantity";
        let (mut sums, mut left) = (Vec::new(), COUNTED + 1);
        for list in lists {
            let rows =
                format!("SELECT kind, outcome, cents, item FROM history WHERE {BETWEEN}{} LIMIT $16", list.condition);
            let sql = format!("{SUMS} FROM ({rows}) AS found GROUP BY kind, outcome");
            let found: Vec<Sum> = self.select(sql, list, list.between(None, None), left.cast_signed()).await?;
            for sum in found.into_iter().map(OutcomeSum::from) {
                left -= sum.rows;
                sums.push(sum);
            }
        }
        Ok(sums)
    }

    /// What a statement about a list gives. Its text consists of constants only: all values from clients are bound, each
    /// to the same number in every statement.
    async fn select<T>(
        &self,
        sql: String,
        List { search, sale_no, .. }: &List,
        [oldest, newest]: [HistoryCursor; 2],
        limit: i64,
    ) -> Result<Vec<T>>
    where
        T: for<'r> FromRow<'r, SqliteRow> + for<'r> FromRow<'r, PgRow> + Send + Unpin,
    {
        let ((oldest_ms, oldest_seq), (newest_ms, newest_seq)) = (columns(oldest.event_id), columns(newest.event_id));
        on!(read self, pool => sqlx::query_as(AssertSqlSafe(sql))
            .bind(&search.request_id)
            .bind(&search.order)
            .bind(&search.user)
            .bind(&search.kind)
            .bind(&search.outcome)
            .bind(&search.sale)
            .bind(sale_no)
            .bind(oldest_ms)
            .bind(oldest_seq)
            .bind(oldest.sale_no)
            .bind(oldest.place)
            .bind(newest_ms)
            .bind(newest_seq)
            .bind(newest.sale_no)
            .bind(newest.place)
            .bind(limit)
            .fetch_all(pool)
            .await)
        .map_err(unreachable)
    }
}
