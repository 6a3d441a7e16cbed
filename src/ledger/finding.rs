//! Finds what begins with a text. From one user, order, request or code to the next, an index leads past all of its rows:
//! so a text costs as many steps as it finds, however many rows there are.

use crate::{
    database::{Ledger, on, unreachable},
    history::{COLUMNS, Columns},
};
use model::{
    error::Result,
    ledger::{Row, SaleName, found::MOST_FOUND},
};
use sqlx::{AssertSqlSafe, FromRow};

/// No text that begins with another one sorts behind it and this character.
const LAST: char = '\u{10ffff}';

/// A column of the history with an index by which it is found.
#[derive(Clone, Copy, Debug)]
pub enum Column {
    User,
    Order,
    Request,
    /// The code of an item of this kind, in the row with this outcome.
    Code {
        kind: &'static str,
        outcome: &'static str,
    },
}

#[derive(FromRow)]
struct Sale {
    kind: String,
    sale: String,
}

impl Ledger {
    /// The sales whose id begins with `text`, in the order of the ids, at most [`MOST_FOUND`].
    ///
    /// # Errors
    /// `ledger_unavailable`.
    pub async fn sales_from(&self, text: &str) -> Result<Vec<SaleName>> {
        let sql = format!(
            "SELECT kind, sale FROM sales WHERE sale >= $1 AND sale < $2 ORDER BY sale, kind LIMIT {MOST_FOUND}"
        );
        let sales: Vec<Sale> = on!(read self, pool => sqlx::query_as(AssertSqlSafe(sql))
            .bind(text)
            .bind(end_of(text))
            .fetch_all(pool)
            .await)
        .map_err(unreachable)?;
        Ok(sales.into_iter().map(|Sale { kind, sale }| SaleName { kind, sale }).collect())
    }

    /// The first row of each value of a column that begins with `text`, in the order of the values, at most
    /// [`MOST_FOUND`].
    ///
    /// # Errors
    /// `ledger_unavailable`.
    pub async fn rows_from(&self, column: Column, text: &str) -> Result<Vec<Row>> {
        let end = end_of(text);
        let mut found: Vec<Row> = Vec::new();
        while found.len() < MOST_FOUND {
            let (is_first, after) = match found.last().and_then(|row| column.of(row)) {
                None => (true, text.to_owned()),
                Some(last) => (false, last.to_owned()),
            };
            let sql = column.sql(is_first);
            let row: Option<Columns> = on!(read self, pool => sqlx::query_as(AssertSqlSafe(sql))
                .bind(after)
                .bind(&end)
                .fetch_optional(pool)
                .await)
            .map_err(unreachable)?;
            match row {
                Some(row) => found.push(row.into()),
                None => break,
            }
        }
        Ok(found)
    }
}

fn end_of(text: &str) -> String {
    format!("{text}{LAST}")
}

impl Column {
    /// Its value in a row.
    pub fn of(self, row: &Row) -> Option<&str> {
        match self {
            Self::User => row.user.as_deref(),
            Self::Order => row.order.as_deref(),
            Self::Request => row.request_id.as_deref(),
            Self::Code { .. } => row.item.as_deref(),
        }
    }

    /// The statement for the first row of the next value: from `$1` on, or after it. It consists of constants only.
    fn sql(self, is_first: bool) -> String {
        let (name, condition) = match self {
            Self::User => ("user_id", String::new()),
            Self::Order => ("order_id", String::new()),
            Self::Request => ("request_id", String::new()),
            // In the words of the index, which has only these rows.
            Self::Code { kind, outcome } => ("item", format!(" AND kind = '{kind}' AND outcome = '{outcome}'")),
        };
        let begin = if is_first { ">=" } else { ">" };
        format!(
            "SELECT {COLUMNS} FROM history WHERE {name} {begin} $1 AND {name} < $2{condition}
                ORDER BY {name}, event_ms, event_seq, sale_no, place LIMIT 1"
        )
    }
}
