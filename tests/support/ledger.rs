//! A ledger of the test's own, in either database, with direct access to its tables.

use super::postgres::Postgres;
use ledger::database::{Ledger, Place};
use sqlx::{
    AssertSqlSafe, Connection, FromRow, PgConnection, SqliteConnection,
    postgres::PgRow,
    sqlite::{SqliteConnectOptions, SqliteRow},
};
use std::{ops::Deref, path::Path};
use tempfile::TempDir;

/// The location of a ledger.
pub enum Base {
    Sqlite(TempDir),
    Postgres(Postgres),
}

impl Base {
    pub fn sqlite() -> Self {
        Self::Sqlite(tempfile::Builder::new().prefix("stampede-test-").tempdir().expect("a temporary folder"))
    }

    pub fn postgres() -> Self {
        Self::Postgres(Postgres::start())
    }

    pub async fn connect(&self) -> anyhow::Result<Ledger> {
        match self {
            Self::Sqlite(folder) => Ledger::connect(Place::Folder(folder.path())).await,
            Self::Postgres(server) => Ledger::connect(Place::Url(&server.url())).await,
        }
    }

    pub async fn ledger(self) -> TestLedger {
        let ledger = self.connect().await.expect("a ledger");
        TestLedger { ledger, base: self }
    }

    /// Runs statements by hand, in another connection.
    pub async fn run(&self, sql: &str) {
        let sql = sqlx::raw_sql(AssertSqlSafe(sql));
        match self {
            Self::Sqlite(folder) => drop(sql.execute(&mut sqlite(folder.path()).await).await.expect("a statement")),
            Self::Postgres(server) => drop(sql.execute(&mut postgres(server).await).await.expect("a statement")),
        }
    }

    /// The rows of a query that only SQLite understands.
    pub async fn rows_of_sqlite<T>(&self, sql: &str) -> Vec<T>
    where
        T: for<'r> FromRow<'r, SqliteRow> + Send + Unpin,
    {
        let Self::Sqlite(folder) = self else { panic!("this is PostgreSQL") };
        sqlx::query_as(AssertSqlSafe(sql)).fetch_all(&mut sqlite(folder.path()).await).await.expect("rows")
    }

    /// The rows of a query, in another connection.
    pub async fn rows<T>(&self, sql: &str) -> Vec<T>
    where
        T: for<'r> FromRow<'r, SqliteRow> + for<'r> FromRow<'r, PgRow> + Send + Unpin,
    {
        let sql = AssertSqlSafe(sql);
        match self {
            Self::Sqlite(folder) => sqlx::query_as(sql).fetch_all(&mut sqlite(folder.path()).await).await,
            Self::Postgres(server) => sqlx::query_as(sql).fetch_all(&mut postgres(server).await).await,
        }
        .expect("rows")
    }
}

impl TestLedger {
    /// Closes the ledger, and keeps its database.
    pub fn into_base(self) -> Base {
        self.base
    }
}

/// A connection to the file of a ledger, besides the ledger's own.
pub async fn sqlite(folder: &Path) -> SqliteConnection {
    let options = SqliteConnectOptions::new().filename(folder.join("ledger.sqlite"));
    SqliteConnection::connect_with(&options).await.expect("a connection")
}

pub async fn postgres(server: &Postgres) -> PgConnection {
    PgConnection::connect(&server.url()).await.expect("a connection")
}

pub struct TestLedger {
    ledger: Ledger,
    pub base: Base,
}

impl Deref for TestLedger {
    type Target = Ledger;

    fn deref(&self) -> &Ledger {
        &self.ledger
    }
}
