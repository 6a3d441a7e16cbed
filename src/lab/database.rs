//! The database for the strategies that use one: SQLite in a separate file, or separate tables in PostgreSQL.

use anyhow::{Context, Result};
use ledger::{
    database::{Ledger, Location, postgres_options},
    postgres::{ANSWER, ASK_EVERY, answered_within, silence},
};
use sqlx::{
    ConnectOptions, Connection, PgConnection, SqliteConnection,
    postgres::PgConnectOptions,
    sqlite::{SqliteConnectOptions, SqliteJournalMode, SqliteSynchronous},
};
use std::{
    collections::BTreeMap,
    future::pending,
    path::{Path, PathBuf},
    time::Duration,
};
use tokio::time::sleep;

/// The name of the file in the data folder.
const FILE: &str = "lab.sqlite";
/// The time limit of a statement for other connections' locks in a run. Longer than all attempts take: an attempt that
/// waits is slow, not wrong.
const PATIENCE: Duration = Duration::from_secs(30);

const TABLES: [&str; 2] = [
    "CREATE TABLE IF NOT EXISTS lab_stock (sale TEXT PRIMARY KEY, remaining BIGINT NOT NULL)",
    "CREATE TABLE IF NOT EXISTS lab_claims (sale TEXT, claimant TEXT, got BIGINT NOT NULL, PRIMARY KEY (sale, claimant))",
];

/// The location of the tables.
#[derive(Clone, Debug)]
pub enum Database {
    /// In this file, which reaches the disk as this says.
    Sqlite(PathBuf, SqliteSynchronous),
    /// In this database.
    Postgres(Box<PgConnectOptions>),
}

/// The dialects of SQL.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Dialect {
    /// SQLite: one lock for all, taken with BEGIN IMMEDIATE.
    Sqlite,
    /// PostgreSQL: a lock for each row, taken with SELECT … FOR UPDATE.
    Postgres,
}

impl Database {
    /// The file in a data folder.
    pub fn in_folder(folder: &Path) -> Self {
        // Committed means on disk, as in any database of record.
        Self::Sqlite(folder.join(FILE), SqliteSynchronous::Full)
    }

    /// The tables beside the ledger.
    pub fn beside(ledger: &Ledger) -> Self {
        // An attempt waits for a lock as long as necessary. The ledger's own statements may not.
        const UNLIMITED: [(&str, &str); 2] = [("statement_timeout", "0"), ("idle_in_transaction_session_timeout", "0")];
        match ledger.location() {
            Location::Folder(folder) => Self::in_folder(&folder),
            Location::Postgres(options) => Self::Postgres(Box::new((*options).clone().options(UNLIMITED))),
        }
    }

    /// The prefix of the names of temporary files of runs and plays.
    pub(super) const FILE_PREFIX: &str = "stampede-lab-";

    /// A separate file for a play, so that plays do not wait for each other's locks. Nobody needs it after a crash.
    pub(super) fn for_play(run: &str) -> Self {
        let file = std::env::temp_dir().join(format!("{}{run}.sqlite", Self::FILE_PREFIX));
        Self::Sqlite(file, SqliteSynchronous::Off)
    }

    /// The tables in a PostgreSQL database.
    ///
    /// # Errors
    /// One sentence if the URL is invalid.
    pub fn at(url: &str) -> Result<Self> {
        Ok(Self::Postgres(Box::new(postgres_options(url)?)))
    }

    /// The name of the database program, for display.
    pub fn engine(&self) -> &'static str {
        match self {
            Self::Sqlite(..) => "SQLite",
            Self::Postgres(_) => "PostgreSQL",
        }
    }

    /// Creates the tables if they are missing.
    ///
    /// # Errors
    /// One sentence if the database cannot be reached or written.
    pub async fn create(&self) -> Result<()> {
        let mut session = self.session().await?;
        for table in TABLES {
            session.execute(table, &[]).await.context("The lab's tables cannot be made")?;
        }
        Ok(())
    }

    /// A connection whose statements wait for other connections' locks.
    ///
    /// # Errors
    /// One sentence if the database cannot be reached.
    pub async fn session(&self) -> Result<Session> {
        self.session_that_waits(PATIENCE).await
    }

    /// A connection whose statements wait at most `patience` for other connections' locks, on SQLite.
    pub(super) async fn session_that_waits(&self, patience: Duration) -> Result<Session> {
        let session = match self {
            Self::Sqlite(file, synchronous) => {
                let options = SqliteConnectOptions::new()
                    .filename(file)
                    .create_if_missing(true)
                    .journal_mode(SqliteJournalMode::Wal)
                    .synchronous(*synchronous)
                    .busy_timeout(patience)
                    .disable_statement_logging();
                options.connect().await.map(Session::Sqlite)
            }
            Self::Postgres(options) => answered_within(ANSWER, options.connect()).await.map(Session::Postgres),
        };
        session.context("The lab's database cannot be reached")
    }

    /// Returns an error once the host is gone. Probes a separate connection, because a statement may also lack an
    /// answer while it waits for other connections' locks. Never returns for a file.
    pub(super) async fn gone(&self) -> anyhow::Error {
        let Self::Postgres(options) = self else { return pending().await };
        loop {
            let error = match answered_within(ANSWER, options.connect()).await {
                Ok(mut session) => silence(&mut session).await,
                Err(error) => error,
            };
            // A refusal, such as of one more connection, shows that the host is there.
            if !matches!(error, sqlx::Error::Database(_)) {
                return anyhow::Error::new(error).context("The lab's database does not answer");
            }
            sleep(ASK_EVERY).await;
        }
    }

    /// Removes the file of a play.
    pub(super) fn remove(&self) {
        if let Self::Sqlite(file, _) = self {
            for suffix in ["", "-wal", "-shm"] {
                let mut name = file.clone().into_os_string();
                name.push(suffix);
                std::fs::remove_file(name).ok();
            }
        }
    }
}

/// A connection to the database.
pub enum Session {
    Sqlite(SqliteConnection),
    Postgres(PgConnection),
}

/// Binds texts as the parameters of a statement.
macro_rules! bound {
    ($query:expr, $args:expr) => {
        $args.iter().fold($query, |query, arg| query.bind(*arg))
    };
}

impl Session {
    /// The SQL dialect of the connection.
    pub fn dialect(&self) -> Dialect {
        match self {
            Self::Sqlite(_) => Dialect::Sqlite,
            Self::Postgres(_) => Dialect::Postgres,
        }
    }

    /// The first number of the first row, if there is one.
    pub(super) async fn select(&mut self, sql: &'static str, args: &[&str]) -> sqlx::Result<Option<i64>> {
        match self {
            Self::Sqlite(session) => bound!(sqlx::query_scalar(sql), args).fetch_optional(session).await,
            Self::Postgres(session) => {
                answered_within(PATIENCE, bound!(sqlx::query_scalar(sql), args).fetch_optional(session)).await
            }
        }
    }

    /// Runs a statement. Returns the number of changed rows.
    pub(super) async fn execute(&mut self, sql: &'static str, args: &[&str]) -> sqlx::Result<u64> {
        self.execute_within(PATIENCE, sql, args).await
    }

    async fn execute_within(&mut self, within: Duration, sql: &'static str, args: &[&str]) -> sqlx::Result<u64> {
        Ok(match self {
            Self::Sqlite(session) => bound!(sqlx::query(sql), args).execute(session).await?.rows_affected(),
            Self::Postgres(session) => {
                answered_within(within, bound!(sqlx::query(sql), args).execute(session)).await?.rows_affected()
            }
        })
    }

    /// Inserts the stock of a sale as its row.
    pub(super) async fn put_stock(&mut self, sale: &str, stock: u32) -> sqlx::Result<()> {
        const PUT: &str = "INSERT INTO lab_stock (sale, remaining) VALUES ($1, $2)";
        match self {
            Self::Sqlite(session) => {
                sqlx::query(PUT).bind(sale).bind(i64::from(stock)).execute(session).await.map(drop)
            }
            Self::Postgres(session) => {
                let put = sqlx::query(PUT).bind(sale).bind(i64::from(stock)).execute(session);
                answered_within(ANSWER, put).await.map(drop)
            }
        }
    }

    /// The remaining stock of a sale.
    pub(super) async fn remaining(&mut self, sale: &str) -> sqlx::Result<Option<i64>> {
        self.select("SELECT remaining FROM lab_stock WHERE sale = $1", &[sale]).await
    }

    /// The sales that have a row.
    pub(super) async fn sales(&mut self) -> sqlx::Result<Vec<String>> {
        const ALL: &str = "SELECT sale FROM lab_stock";
        match self {
            Self::Sqlite(session) => sqlx::query_scalar(ALL).fetch_all(session).await,
            Self::Postgres(session) => answered_within(ANSWER, sqlx::query_scalar(ALL).fetch_all(session)).await,
        }
    }

    /// The number of items of each user.
    pub(super) async fn holdings(&mut self, sale: &str) -> sqlx::Result<BTreeMap<String, u64>> {
        const ALL: &str = "SELECT claimant, got FROM lab_claims WHERE sale = $1";
        let rows: Vec<(String, i64)> = match self {
            Self::Sqlite(session) => sqlx::query_as(ALL).bind(sale).fetch_all(session).await?,
            Self::Postgres(session) => {
                answered_within(ANSWER, sqlx::query_as(ALL).bind(sale).fetch_all(session)).await?
            }
        };
        Ok(rows.into_iter().map(|(user, got)| (user, got.unsigned_abs())).collect())
    }

    /// Deletes the rows of a sale.
    pub(super) async fn clean_up(&mut self, sale: &str) -> sqlx::Result<()> {
        self.execute_within(ANSWER, "DELETE FROM lab_claims WHERE sale = $1", &[sale]).await?;
        self.execute_within(ANSWER, "DELETE FROM lab_stock WHERE sale = $1", &[sale]).await.map(drop)
    }

    /// Closes the connection, so that its file can be removed.
    pub(super) async fn close(self) {
        match self {
            Self::Sqlite(session) => session.close().await.ok(),
            Self::Postgres(session) => answered_within(ANSWER, session.close()).await.ok(),
        };
    }
}

/// Whether SQLite refused a statement because another connection has its lock.
pub(super) fn is_busy(error: &sqlx::Error) -> bool {
    const BUSY: u32 = 5;
    let code = error.as_database_error().and_then(|error| error.code());
    code.and_then(|code| code.parse::<u32>().ok()).is_some_and(|code| code & 0xff == BUSY)
}
