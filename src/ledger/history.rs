//! Searches the history, newest first, page by page, with keyset pagination. `access_paths.rs` chooses the indexes.

use crate::{
    access_paths::{AccessPath, COUNTED, Value},
    database::{Ledger, columns, event_id, on, unreachable},
};
use model::{
    Cents, Millis,
    error::{Error, Result},
    ledger::{DEFAULT_LIMIT, HistoryCursor, MOST_LIMIT, Page, Row, Search},
};
use sqlx::AssertSqlSafe;

/// The columns of a row, in order. `s` is its sale.
const COLUMNS: &str = "h.event_ms, h.event_seq, h.sale_no, h.place, h.at, h.outcome, h.user_id, h.request_id,
    h.item, h.cents, h.order_id, h.holder, s.kind, s.sale";
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
            order: row.order_id,
            holder: row.holder,
        }
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
        let found = self.access_paths(search).await?;
        let (total, total_is_at_least) = match found.total {
            Some(total) => (total, false),
            None => {
                let count = self.count(&found.access_paths).await?;
                (count.min(COUNTED).cast_unsigned(), count > COUNTED)
            }
        };
        // One more row than requested shows whether there is another page.
        let mut rows = self.rows_of(&found.access_paths, limit + 1, after).await?;
        let more = rows.len() > limit as usize;
        rows.truncate(limit as usize);
        let next = if more { rows.last().map(|row| row.id) } else { None };
        Ok(Page { rows, total, total_is_at_least, next })
    }

    /// At most `limit` rows after a cursor.
    ///
    /// # Errors
    /// `bad_request` if a prefix matches too much, `ledger_unavailable`.
    pub async fn rows(&self, search: &Search, limit: u32, after: Option<HistoryCursor>) -> Result<Vec<Row>> {
        let found = self.access_paths(search).await?;
        self.rows_of(&found.access_paths, limit, after).await
    }

    /// The row with this id, if there is one.
    ///
    /// # Errors
    /// `ledger_unavailable`.
    pub async fn row(&self, id: HistoryCursor) -> Result<Option<Row>> {
        // The cursor just behind the row: the row is the first one after it.
        let after = HistoryCursor { place: id.place.saturating_add(1), ..id };
        let rows = self.select(&AccessPath::default(), 1, (Some(after), None)).await?;
        Ok(rows.into_iter().find(|row| row.id == id))
    }

    /// At most `limit` rows of these access paths together after a cursor, newest first.
    ///
    /// # Errors
    /// `ledger_unavailable`.
    pub(super) async fn rows_of(
        &self,
        access_paths: &[AccessPath],
        limit: u32,
        after: Option<HistoryCursor>,
    ) -> Result<Vec<Row>> {
        let mut found: Vec<Row> = Vec::new();
        // Each path is in order, so the newest rows overall are among the newest of each path. Once there are enough
        // rows, only those newer than the last one matter.
        for path in access_paths {
            let last = if found.len() < limit as usize { None } else { found.last().map(|row| row.id) };
            found.extend(self.select(path, limit, (after, last)).await?);
            found.sort_unstable_by_key(|row| std::cmp::Reverse(row.id));
            found.truncate(limit as usize);
        }
        Ok(found)
    }

    /// The newest rows of a path, after one cursor and, if given, before another.
    async fn select(
        &self,
        path: &AccessPath,
        limit: u32,
        (after, before): (Option<HistoryCursor>, Option<HistoryCursor>),
    ) -> Result<Vec<Row>> {
        let after = path.begins_after(after);
        let mut values = path.values();
        let mut sql = format!("SELECT {COLUMNS} {}", path.sql("JOIN sales s ON s.no = h.sale_no"));
        let mut word = if path.is_narrowed() { " AND" } else { " WHERE" };
        for (compared, cursor) in [("<", after), (">", before)] {
            let Some(HistoryCursor { event_id, sale_no, place }) = cursor else { continue };
            let ((millis, sequence), first) = (columns(event_id), values.len() + 1);
            sql.push_str(&format!(
                "{word} (h.event_ms, h.event_seq, h.sale_no, h.place) {compared} (${first}, ${}, ${}, ${})",
                first + 1,
                first + 2,
                first + 3
            ));
            values.extend([millis, sequence, sale_no, place].map(Value::Number));
            word = " AND";
        }
        values.push(Value::Number(limit.into()));
        sql.push_str(&format!(" {NEWEST_FIRST} ${}", values.len()));
        // The statement consists of constants only. All values from clients are bound.
        let rows: Vec<Columns> = on!(read self, pool => {
            let mut query = sqlx::query_as(AssertSqlSafe(sql));
            for value in &values {
                query = match value {
                    Value::Text(text) => query.bind(text),
                    Value::Number(number) => query.bind(number),
                };
            }
            query.fetch_all(pool).await
        })
        .map_err(unreachable)?;
        Ok(rows.into_iter().map(Row::from).collect())
    }

    /// The number of rows on these access paths; any number above [`COUNTED`] if there are more rows than that.
    pub(super) async fn count(&self, access_paths: &[AccessPath]) -> Result<i64> {
        let mut count = 0;
        for path in access_paths {
            if count > COUNTED {
                break;
            }
            let path = path.counted();
            let mut values = path.values();
            values.push(Value::Number(COUNTED + 1));
            let sql = format!("SELECT COUNT(*) FROM (SELECT 1 {} LIMIT ${}) found", path.sql(""), values.len());
            let found: i64 = on!(read self, pool => {
                let mut query = sqlx::query_scalar(AssertSqlSafe(sql));
                for value in &values {
                    query = match value {
                        Value::Text(text) => query.bind(text),
                        Value::Number(number) => query.bind(number),
                    };
                }
                query.fetch_one(pool).await
            })
            .map_err(unreachable)?;
            count += found;
        }
        Ok(count)
    }
}
