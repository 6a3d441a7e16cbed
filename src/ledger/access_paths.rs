//! Chooses the indexes for a search, so that it reads little more than it shows: from each path, at most as many rows
//! as are shown.
//!
//! Each index ends with the event id. So the rows of one key are in order, and a time range is a contiguous part of
//! them. COALESCE keeps the planner from using indexes of other columns, which may match millions of rows.

use crate::database::{Ledger, Pools, on, unreachable};
use model::{
    EventId, Millis,
    error::{Error, Result},
    ledger::{
        HistoryCursor,
        search::{Pattern, Search, after_prefix},
    },
};
use sqlx::AssertSqlSafe;

/// The limit for counting rows without a tally. Beyond it, an exact number is not needed. It also limits the rows
/// gathered for users with a prefix.
pub(super) const COUNTED: i64 = 10_000;
/// The row limit for finding users with a prefix through the sales named by a search, if the users have too many rows
/// to be gathered. Nothing is gathered or sorted there, because the rows of a sale are in order. At worst, each row is
/// read twice: once to be counted, once to be shown. On SQLite, each of the two passes takes 80 ms.
const LOOKED_THROUGH: i64 = 200_000;
/// The maximum number of sales that a prefix may match.
const SALES: usize = 100;

/// The value of an SQL parameter.
#[derive(Clone, Debug)]
pub(super) enum Value {
    Text(String),
    Number(i64),
}

/// An access path to rows: an index, and further conditions.
#[derive(Clone, Debug, Default)]
pub struct AccessPath {
    /// Users from the first (inclusive) to the second (exclusive). Their rows are gathered first, because they are not
    /// in order.
    users: Option<(String, String)>,
    /// Conditions, with a `?` for their values.
    conditions: Vec<(&'static str, Vec<Value>)>,
    /// The end of the time range (exclusive). It is no condition, because the cursor of a page limits the same column.
    to: Option<Millis>,
}

impl AccessPath {
    fn and(mut self, condition: &'static str, value: impl Into<Value>) -> Self {
        self.conditions.push((condition, vec![value.into()]));
        self
    }

    /// Limits the times to `from` (inclusive) until `to` (exclusive).
    fn between(mut self, from: Option<Millis>, to: Option<Millis>) -> Self {
        self.to = to;
        match from {
            Some(from) => self.and("h.event_ms >= ?", from),
            None => self,
        }
    }

    /// The start cursor of a search: `after`, or the end of the time range if that is earlier.
    pub(super) fn begins_after(&self, after: Option<HistoryCursor>) -> Option<HistoryCursor> {
        let end = self.to.map(|to| {
            let event_id = EventId { millis: to.cast_unsigned(), sequence: 0 };
            HistoryCursor { event_id, sale_no: 0, place: 0 }
        });
        [after, end].into_iter().flatten().min()
    }

    /// The same path for counting, with the end of the time range as a condition.
    pub(super) fn counted(&self) -> Self {
        match self.to {
            Some(to) => self.clone().and("h.event_ms < ?", to),
            None => self.clone(),
        }
    }

    /// Whether there is a condition, so that the next one follows with AND.
    pub(super) fn is_narrowed(&self) -> bool {
        !self.conditions.is_empty()
    }

    /// The values of the parameters, in order.
    pub(super) fn values(&self) -> Vec<Value> {
        let users = self.users.iter().flat_map(|(first, end)| [first, end].map(|text| Value::Text(text.clone())));
        users.chain(self.conditions.iter().flat_map(|(_, values)| values.iter().cloned())).collect()
    }

    /// The FROM and WHERE clauses, with `join` between them.
    pub(super) fn sql(&self, join: &str) -> String {
        let (mut sql, mut parameters) = match self.users {
            // In the order of the index: otherwise PostgreSQL might choose another.
            Some(_) => (
                format!(
                    "FROM (SELECT * FROM history WHERE user_id >= $1 AND user_id < $2 ORDER BY user_id LIMIT {}) h {join}",
                    COUNTED + 1
                ),
                2,
            ),
            None => (format!("FROM history h {join}"), 0),
        };
        let mut word = " WHERE";
        for (condition, values) in &self.conditions {
            let places: Vec<String> = (1..=values.len()).map(|nth| format!("${}", parameters + nth)).collect();
            parameters += values.len();
            sql.push_str(&format!("{word} {}", condition.replace('?', &places.join(", "))));
            word = " AND";
        }
        sql
    }
}

impl From<&str> for Value {
    fn from(text: &str) -> Self {
        Self::Text(text.to_owned())
    }
}

impl From<i64> for Value {
    fn from(number: i64) -> Self {
        Self::Number(number)
    }
}

/// The access paths of a search.
#[derive(Default)]
pub(super) struct SearchPlan {
    /// The paths. No row is on two of them.
    pub access_paths: Vec<AccessPath>,
    /// The number of rows on the paths, if there is a tally.
    pub total: Option<u64>,
}

/// A sale with its outcomes in the ledger, and the number of rows of each.
struct Tallied {
    number: i64,
    outcomes: Vec<(String, i64)>,
}

impl Tallied {
    /// The number of rows with an outcome, or of all rows.
    fn lines(&self, outcome: Option<&str>) -> i64 {
        let wanted = self.outcomes.iter().filter(|(name, _)| outcome.is_none_or(|wanted| wanted == name));
        wanted.map(|(_, lines)| lines).sum()
    }
}

impl Ledger {
    /// The access paths of a search.
    pub(super) async fn access_paths(&self, search: &Search) -> Result<SearchPlan> {
        let user = search.user.as_deref().map(Pattern::parse);
        let sales = self.tallied_sales(search.sale.as_deref().map(Pattern::parse), search.kind.as_deref()).await?;
        let lead = match (&search.request_id, &search.order, &user) {
            (Some(request_id), ..) => Some(("h.request_id = ?", request_id.as_str())),
            (None, Some(order), _) => Some(("h.order_id = ?", order.as_str())),
            (None, None, Some(Pattern::Exact(user))) => Some(("h.user_id = ?", user.as_str())),
            _ => None,
        };
        let access_paths = match (lead, &user) {
            (Some((condition, value)), _) => {
                let path = AccessPath::default().and(condition, value);
                let path = filtered(path, search, sales.as_deref());
                vec![path_of_users(path, user.as_ref().filter(|_| condition != "h.user_id = ?"))]
            }
            (None, Some(Pattern::Prefix(prefix))) => self.paths_to_users(search, prefix, sales).await?,
            (None, _) => return self.paths_in_order(search, sales).await,
        };
        Ok(SearchPlan { access_paths, total: None })
    }

    /// The access paths to the rows of users with a prefix: by the users or, if these have many rows, by the other
    /// conditions.
    async fn paths_to_users(
        &self,
        search: &Search,
        prefix: &str,
        sales: Option<Vec<Tallied>>,
    ) -> Result<Vec<AccessPath>> {
        let by_users = AccessPath { users: Some((prefix.to_owned(), after_prefix(prefix))), ..AccessPath::default() };
        if self.count(std::slice::from_ref(&by_users)).await? <= COUNTED {
            return Ok(vec![filtered(by_users, search, sales.as_deref())]);
        }
        let of_sales = sales.iter().flatten().map(|sale| sale.lines(search.outcome.as_deref())).sum::<i64>();
        let is_in_few = search.sale.is_some() && of_sales <= LOOKED_THROUGH;
        let SearchPlan { access_paths, total } = self.paths_in_order(search, sales).await?;
        if !is_in_few {
            let others = match total {
                Some(total) => total.cast_signed(),
                None => self.count(&access_paths).await?,
            };
            if others > COUNTED {
                return Err(too_many(prefix, search.sale.is_some()));
            }
        }
        let pattern = Pattern::Prefix(prefix.to_owned());
        Ok(access_paths.into_iter().map(|path| path_of_users(path, Some(&pattern))).collect())
    }

    /// The access paths by sale, outcome and time.
    async fn paths_in_order(&self, search: &Search, sales: Option<Vec<Tallied>>) -> Result<SearchPlan> {
        let is_wanted = |outcome: &str| search.outcome.as_deref().is_none_or(|wanted| wanted == outcome);
        let (mut access_paths, mut total) = (Vec::new(), 0);
        match sales {
            Some(sales) => {
                // The index by sale is ordered within each outcome.
                for Tallied { number, outcomes } in sales {
                    for (outcome, lines) in outcomes.iter().filter(|(outcome, _)| is_wanted(outcome)) {
                        access_paths.push(
                            AccessPath::default().and("h.outcome = ?", outcome.as_str()).and("h.sale_no = ?", number),
                        );
                        total += lines;
                    }
                }
            }
            None => {
                let path = AccessPath::default();
                let path = match search.outcome.as_deref() {
                    Some(outcome) => path.and("h.outcome = ?", outcome),
                    None => path,
                };
                access_paths.push(path_of_kind(path, search.kind.as_deref()));
                total = self.tallied(search.outcome.as_deref(), search.kind.as_deref()).await?;
            }
        }
        let access_paths = access_paths.into_iter().map(|path| path.between(search.from, search.to)).collect();
        let is_tallied = search.from.is_none() && search.to.is_none();
        Ok(SearchPlan { access_paths, total: is_tallied.then_some(total.cast_unsigned()) })
    }

    /// The number of rows of an outcome and a kind, or of all rows, from the tallies kept on insertion.
    async fn tallied(&self, outcome: Option<&str>, kind: Option<&str>) -> Result<i64> {
        const OF_ALL: &str = "SELECT CAST(COALESCE(SUM(lines), 0) AS BIGINT) FROM tallies
            WHERE sale_no = 0 AND (CAST($1 AS TEXT) IS NULL OR outcome = $1)";
        const OF_A_KIND: &str = "SELECT CAST(COALESCE(SUM(t.lines), 0) AS BIGINT)
            FROM sales s JOIN tallies t ON t.sale_no = s.no
            WHERE (CAST($1 AS TEXT) IS NULL OR t.outcome = $1) AND s.kind = $2";
        on!(read self, pool => match kind {
            None => sqlx::query_scalar(OF_ALL).bind(outcome).fetch_one(pool).await,
            Some(kind) => sqlx::query_scalar(OF_A_KIND).bind(outcome).bind(kind).fetch_one(pool).await,
        })
        .map_err(unreachable)
    }

    /// The sales of a kind that match a pattern. Without a pattern, `None`, unless a kind with few sales is given.
    async fn tallied_sales(&self, pattern: Option<Pattern>, kind: Option<&str>) -> Result<Option<Vec<Tallied>>> {
        let (below, first, end) = match &pattern {
            Some(Pattern::Exact(id)) => ("<=", id.clone(), id.clone()),
            Some(Pattern::Prefix(prefix)) => ("<", prefix.clone(), after_prefix(prefix)),
            // Both conditions are true of every id.
            None if kind.is_some() => (">=", String::new(), String::new()),
            None => return Ok(None),
        };
        // Compared byte by byte, in the order of the index.
        let id = match &self.pools {
            Pools::Sqlite { .. } => "sale",
            Pools::Postgres { .. } => "sale COLLATE \"C\"",
        };
        let sql = format!(
            "SELECT s.no, t.outcome, t.lines
            FROM (SELECT no FROM sales WHERE {id} >= $1 AND {id} {below} $2 AND (CAST($3 AS TEXT) IS NULL OR kind = $3) ORDER BY {id} LIMIT {}) s LEFT JOIN tallies t ON t.sale_no = s.no
            ORDER BY s.no, t.outcome",
            SALES + 1
        );
        let rows: Vec<(i64, Option<String>, Option<i64>)> = on!(read self, pool =>
            sqlx::query_as(AssertSqlSafe(sql)).bind(first).bind(end).bind(kind).fetch_all(pool).await)
        .map_err(unreachable)?;
        let mut sales: Vec<Tallied> = Vec::new();
        for (number, outcome, lines) in rows {
            // A sale without rows has no tallies.
            let outcome = outcome.zip(lines);
            match sales.last_mut() {
                Some(last) if last.number == number => last.outcomes.extend(outcome),
                _ => sales.push(Tallied { number, outcomes: outcome.into_iter().collect() }),
            }
        }
        if sales.len() > SALES {
            let Some(pattern) = pattern else { return Ok(None) };
            let why = format!(
                "More than {SALES} sales have an id that begins with \"{}\"; give more of the id.",
                pattern.text()
            );
            return Err(Error::bad("sale", why));
        }
        Ok(Some(sales))
    }
}

/// Adds the conditions that the index does not cover. A time range is part of the index.
fn filtered(mut path: AccessPath, search: &Search, sales: Option<&[Tallied]>) -> AccessPath {
    let leads_by_order = path.conditions.first().is_some_and(|(condition, _)| *condition == "h.order_id = ?");
    path = path.between(search.from, search.to);
    if let Some(order) = search.order.as_deref().filter(|_| !leads_by_order) {
        path = path.and("COALESCE(h.order_id, '') = ?", order);
    }
    if let Some(outcome) = &search.outcome {
        path = path.and("COALESCE(h.outcome, '') = ?", outcome.as_str());
    }
    if let Some(sales) = sales {
        // Number 0, which no sale has, because a list must not be empty.
        let numbers = sales.iter().map(|sale| sale.number).chain([0]).map(Value::Number).collect();
        path.conditions.push(("COALESCE(h.sale_no, 0) IN (?)", numbers));
        return path;
    }
    path_of_kind(path, search.kind.as_deref())
}

/// Limits a path to the rows of a kind. The kind has so many sales that its rows are not far apart.
fn path_of_kind(path: AccessPath, kind: Option<&str>) -> AccessPath {
    match kind {
        Some(kind) => path.and("(SELECT of.kind FROM sales of WHERE of.no = h.sale_no) = ?", kind),
        None => path,
    }
}

/// Limits a path to the rows of these users.
fn path_of_users(path: AccessPath, users: Option<&Pattern>) -> AccessPath {
    match users {
        Some(Pattern::Exact(user)) => path.and("COALESCE(h.user_id, '') = ?", user.as_str()),
        Some(Pattern::Prefix(prefix)) => {
            let path = path.and("COALESCE(h.user_id, '') >= ?", prefix.as_str());
            path.and("COALESCE(h.user_id, '') < ?", after_prefix(prefix).as_str())
        }
        None => path,
    }
}

/// The error for a prefix whose users have too many rows.
fn too_many(prefix: &str, names_sale: bool) -> Error {
    let narrower = if names_sale { "" } else { " name the sale," };
    let why = format!(
        "Users that begin with \"{prefix}\" have more than {COUNTED} rows; give more of the name,{narrower} or search in a \
         shorter time."
    );
    Error::bad("user", why)
}
