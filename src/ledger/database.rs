//! The database: SQLite in the data folder, or PostgreSQL.
//!
//! There are two typed pools. Statements for both databases are written once, and `on!` compiles them for each. Both
//! understand `$1` as a parameter.

use crate::{
    postgres,
    schema::{ensure_current, migration, migrator},
};
use anyhow::Context;
use model::{
    EventId,
    error::{Code, Error},
    life::Currency,
};
use rand::{RngCore, SeedableRng};
use rand_chacha::ChaCha8Rng;
use sqlx::{
    ConnectOptions, PgPool, SqlitePool,
    postgres::PgConnectOptions,
    sqlite::{SqliteConnectOptions, SqliteJournalMode, SqlitePoolOptions, SqliteSynchronous},
};
use std::{
    collections::HashMap,
    fs::File,
    path::{Path, PathBuf},
    sync::{
        Arc, Mutex,
        atomic::{AtomicU64, Ordering::Relaxed},
    },
    time::Duration,
};
use store::{file_lock::lock_file, runtime::create_private_folder};
use tokio::sync::Semaphore;

/// The time limit for another process's lock on SQLite.
const BUSY: Duration = Duration::from_secs(5);
/// The time limit for a connection. After that, the ledger counts as unreachable.
pub(super) const WITHIN: Duration = Duration::from_secs(3);
/// The number of reading connections.
const READERS: u32 = 4;
/// The number of callers that may ask at a time why Redis does not know a sale: attempts at invented ids must not keep
/// the ledger busy.
const ABSENCES: usize = 2;
/// SQLite's page cache for the writing connection and for each reading one, in KiB (negative, because `cache_size`
/// expects that). The operating system caches the pages that are read anyway.
const WRITE_CACHE: &str = "-32768";
const READ_CACHE: &str = "-4096";
/// The size to which SQLite's log shrinks after a large transaction, in bytes.
const LOG_LIMIT: &str = "33554432";
/// The name of the file inside the data folder.
const FILE: &str = "ledger.sqlite";
/// The name of the file that a process locks while it brings the ledger up to date.
const LOCK: &str = "ledger.lock";
/// After this time, a process says that it waits for the lock.
const SILENT_FOR: Duration = Duration::from_secs(2);
/// After this much longer, it gives up.
const LOCKED_WITHIN: Duration = Duration::from_secs(120);

/// The place of the ledger, as configured.
#[derive(Clone, Copy, Debug)]
pub enum Place<'a> {
    /// SQLite, in this folder.
    Folder(&'a Path),
    /// PostgreSQL, at a URL `postgres://…`.
    Url(&'a str),
}

/// The ledger. Cheap to clone.
#[derive(Clone)]
pub struct Ledger {
    pub(super) pools: Pools,
    /// Created with the schema. Unique to each ledger.
    identity: Arc<str>,
    /// Limits the callers that ask why Redis does not know a sale.
    pub(super) absences: Arc<Semaphore>,
    /// The number of rows that this process has recorded.
    pub(super) recorded: Arc<AtomicU64>,
    /// The currencies of sales, by their numbers, as far as somebody has asked for them.
    pub(super) currencies: Arc<Mutex<HashMap<i64, Currency>>>,
}

/// The location of the ledger, for another database beside it.
pub enum Location {
    /// In a file in this folder.
    Folder(PathBuf),
    /// In this database.
    Postgres(Arc<PgConnectOptions>),
}

/// One connection that writes, a few that read.
#[derive(Clone)]
pub(super) enum Pools {
    Sqlite { write: SqlitePool, read: SqlitePool },
    Postgres { write: PgPool, read: PgPool },
}

/// Compiles a statement for both databases, and runs it on a connection of the pool in use.
macro_rules! on {
    (write $ledger:expr, $pool:ident => $body:expr) => {
        $crate::database::on!(@ $ledger, write, write, $pool => $body)
    };
    (read $ledger:expr, $pool:ident => $body:expr) => {
        $crate::database::on!(@ $ledger, read, read, $pool => $body)
    };
    // For writes outside the ledger's writer. They do not wait for it if several connections can write.
    (beside $ledger:expr, $pool:ident => $body:expr) => {
        $crate::database::on!(@ $ledger, write, read, $pool => $body)
    };
    (@ $ledger:expr, $of_sqlite:ident, $of_postgres:ident, $pool:ident => $body:expr) => {
        match &$ledger.pools {
            $crate::database::Pools::Sqlite { $of_sqlite: $pool, .. } => $body,
            $crate::database::Pools::Postgres { $of_postgres: pool, .. } => {
                let answer = async {
                    let mut held = $crate::postgres::Held::of(pool).await?;
                    let answer = {
                        let $pool = held.connection();
                        $crate::postgres::answered(async { $body }).await
                    };
                    held.judge(&answer);
                    answer
                };
                answer.await
            }
        }
    };
}
pub(super) use on;

/// Runs a transaction on SQLite that ends with its own commit or rollback. Drops the connection after an error: SQLite
/// rolls back on its own if, for example, the disk is full. The connection does not notice this, and could never begin
/// another transaction.
macro_rules! in_sqlite_transaction {
    ($pool:expr, $transaction:ident => $body:expr) => {{
        let mut connection = $pool.acquire().await?;
        let done = async {
            // Takes the write lock first: a transaction that reads and then writes fails if another one wrote in
            // between.
            let mut $transaction = sqlx::Connection::begin_with(&mut *connection, "BEGIN IMMEDIATE").await?;
            $body
        };
        let done: sqlx::Result<_> = done.await;
        if done.is_err() {
            connection.close_on_drop();
        }
        done
    }};
}
pub(super) use in_sqlite_transaction;

/// The same on either database. A connection to PostgreSQL without an answer in time is dropped.
macro_rules! in_transaction {
    ($ledger:expr, $transaction:ident => $body:expr) => {
        match &$ledger.pools {
            $crate::database::Pools::Sqlite { write, .. } => {
                let done =
                    async { $crate::database::in_sqlite_transaction!(write, $transaction => $body) };
                done.await
            }
            $crate::database::Pools::Postgres { write, .. } => {
                let done = async {
                    let mut held = $crate::postgres::Held::of(write).await?;
                    let done = {
                        let connection = held.connection();
                        let done = async {
                            let mut $transaction = sqlx::Connection::begin(connection).await?;
                            $body
                        };
                        $crate::postgres::answered(done).await
                    };
                    held.judge(&done);
                    done
                };
                done.await
            }
        }
    };
}
pub(super) use in_transaction;

impl Ledger {
    /// Connects, and brings the schema up to date.
    ///
    /// # Errors
    /// One sentence: an invalid URL, no answer, a folder that cannot be written, a newer schema.
    pub async fn connect(place: Place<'_>) -> anyhow::Result<Self> {
        let pools = match place {
            Place::Folder(folder) => sqlite(folder).await?,
            Place::Url(url) => {
                let (write, read) = postgres::connect(url, READERS, WITHIN).await?;
                Pools::Postgres { write, read }
            }
        };
        let mut ledger = Self::with(pools);
        ledger.identity = ledger.identify().await.context("The ledger cannot be read")?.into();
        Ok(ledger)
    }

    /// Connects only for reading, beside a process that writes. Takes no lock that makes others wait, and changes
    /// nothing. Statements that write fail.
    ///
    /// # Errors
    /// One sentence as in [`Ledger::connect`]; also if there is no ledger yet, or one of another version.
    pub async fn connect_to_read(place: Place<'_>) -> anyhow::Result<Self> {
        let (pools, place) = match place {
            Place::Folder(folder) => {
                let file = file_in(folder);
                anyhow::ensure!(
                    file.is_file(),
                    "There is no ledger in {}; name the server's folder with --data-dir, or its database with --database.",
                    folder.display()
                );
                let read = sqlite_readers(&file).await?;
                (Pools::Sqlite { write: read.clone(), read }, file.display().to_string())
            }
            Place::Url(url) => {
                let (read, address) = postgres::connect_to_read(url, READERS, WITHIN).await?;
                (Pools::Postgres { write: read.clone(), read }, address)
            }
        };
        let mut ledger = Self::with(pools);
        let versions = ledger.versions().await.with_context(|| format!("The ledger {place} cannot be read"))?;
        ensure_current(&versions, &place)?;
        ledger.identity = ledger.known_identity().await.context("The ledger cannot be read")?.into();
        Ok(ledger)
    }

    /// A ledger that has its schema.
    pub(super) async fn of(pools: Pools) -> sqlx::Result<Self> {
        let ledger = Self::with(pools);
        let identity = ledger.known_identity().await?.into();
        Ok(Self { identity, ..ledger })
    }

    fn with(pools: Pools) -> Self {
        Self {
            pools,
            identity: "".into(),
            absences: Arc::new(Semaphore::new(ABSENCES)),
            recorded: Arc::default(),
            currencies: Arc::default(),
        }
    }

    pub fn identity(&self) -> &str {
        &self.identity
    }

    /// `SQLite` or `PostgreSQL`.
    pub fn engine(&self) -> &'static str {
        match self.pools {
            Pools::Sqlite { .. } => "SQLite",
            Pools::Postgres { .. } => "PostgreSQL",
        }
    }

    /// The location of the ledger, for another database beside it.
    pub fn location(&self) -> Location {
        match &self.pools {
            Pools::Sqlite { write, .. } => {
                let file = write.connect_options().get_filename().to_owned();
                Location::Folder(file.parent().map(Path::to_owned).unwrap_or_default())
            }
            Pools::Postgres { write, .. } => Location::Postgres(write.connect_options()),
        }
    }

    /// The number of rows that this process has recorded.
    pub fn recorded_rows(&self) -> u64 {
        self.recorded.load(Relaxed)
    }

    /// Closes all connections, once those in use are returned. SQLite then writes its log into its file and removes it,
    /// unless another process has the file open.
    pub async fn close(&self) {
        match &self.pools {
            // A connection that only reads cannot write the log into the file, so it must not be the last.
            Pools::Sqlite { write, read } => {
                read.close().await;
                write.close().await;
            }
            Pools::Postgres { write, read } => {
                read.close().await;
                write.close().await;
            }
        }
    }

    async fn identify(&self) -> sqlx::Result<String> {
        const ADD: &str = "INSERT INTO ledger (id) SELECT $1 WHERE NOT EXISTS (SELECT 1 FROM ledger)";
        let id = new_identity();
        on!(write self, pool => sqlx::query(ADD).bind(&id).execute(pool).await.map(drop))?;
        self.known_identity().await
    }

    async fn known_identity(&self) -> sqlx::Result<String> {
        on!(read self, pool => sqlx::query_scalar("SELECT id FROM ledger ORDER BY id LIMIT 1").fetch_one(pool).await)
    }

    /// The versions of the applied migrations.
    pub(super) async fn versions(&self) -> sqlx::Result<Vec<i64>> {
        const VERSIONS: &str = "SELECT version FROM _sqlx_migrations WHERE success ORDER BY version";
        on!(read self, pool => sqlx::query_scalar(VERSIONS).fetch_all(pool).await)
    }
}

/// A new identity, of a ledger or of a Redis that feeds it.
pub(super) fn new_identity() -> String {
    let mut random = [0; 16];
    ChaCha8Rng::from_os_rng().fill_bytes(&mut random);
    uuid::Builder::from_random_bytes(random).into_uuid().to_string()
}

/// The options for connecting to PostgreSQL, with the TLS that the URL asks for. For other crates that keep tables
/// there.
///
/// # Errors
/// One sentence if the URL is invalid, or names a file without certificates.
pub fn postgres_options(url: &str) -> anyhow::Result<PgConnectOptions> {
    postgres::options(url)
}

/// The file of the ledger in a data folder.
pub fn file_in(folder: &Path) -> PathBuf {
    folder.join(FILE)
}

async fn sqlite(folder: &Path) -> anyhow::Result<Pools> {
    create_private_folder(folder).with_context(|| {
        format!("The data folder {} cannot be created; choose another with --data-dir", folder.display())
    })?;
    let file = file_in(folder);
    // Servers that start together on one folder migrate one after the other: SQLite does not see to that.
    let turn = lock(folder).await?;
    let write = SqlitePoolOptions::new()
        .max_connections(1)
        .acquire_timeout(WITHIN)
        .connect_with(sqlite_options(&file).create_if_missing(true).pragma("cache_size", WRITE_CACHE))
        .await
        .map_err(|error| unusable(&file, &error))?;
    migrate_sqlite(&write, &file).await?;
    drop(turn);
    Ok(Pools::Sqlite { write, read: sqlite_readers(&file).await? })
}

/// Brings the schema of this file up to date.
pub(super) async fn migrate_sqlite(write: &SqlitePool, file: &Path) -> anyhow::Result<()> {
    let migrated = migrator(|migration| migration.2).run(write).await;
    migrated.map_err(|error| migration(error, &file.display().to_string()))
}

/// Waits until no other process brings the ledger of this folder up to date. The lock ends with the value.
async fn lock(folder: &Path) -> anyhow::Result<File> {
    let file = folder.join(LOCK);
    if let Some(lock) = lock_file(&file, folder, SILENT_FOR).await? {
        return Ok(lock);
    }
    tracing::warn!(folder = %folder.display(), "another process brings the ledger up to date; waiting for its end");
    lock_file(&file, folder, LOCKED_WITHIN).await?.with_context(|| {
        format!(
            "Another process has had {} locked for {} s, to bring the ledger up to date; start again when it is done.",
            file.display(),
            LOCKED_WITHIN.as_secs()
        )
    })
}

async fn sqlite_readers(file: &Path) -> anyhow::Result<SqlitePool> {
    SqlitePoolOptions::new()
        .max_connections(READERS)
        .acquire_timeout(WITHIN)
        .connect_with(sqlite_options(file).read_only(true).pragma("cache_size", READ_CACHE))
        .await
        .map_err(|error| unusable(file, &error))
}

fn sqlite_options(file: &Path) -> SqliteConnectOptions {
    SqliteConnectOptions::new()
        .filename(file)
        .journal_mode(SqliteJournalMode::Wal)
        // Committed must mean on disk, because the streams are trimmed up to there.
        .synchronous(SqliteSynchronous::Full)
        .busy_timeout(BUSY)
        .pragma("journal_size_limit", LOG_LIMIT)
        .disable_statement_logging()
}

fn unusable(file: &Path, error: &sqlx::Error) -> anyhow::Error {
    anyhow::anyhow!(
        "The ledger {} cannot be used ({error}); move it away, or choose another --data-dir.",
        file.display()
    )
}

/// An event id from two columns.
pub(super) fn event_id(millis: i64, sequence: i64) -> EventId {
    EventId { millis: millis.cast_unsigned(), sequence: sequence.cast_unsigned() }
}

/// The two columns of an event id.
pub(super) fn columns(id: EventId) -> (i64, i64) {
    (id.millis.cast_signed(), id.sequence.cast_signed())
}

/// The error for a ledger that did not answer. Sales do not depend on the ledger.
pub(super) fn unreachable(error: sqlx::Error) -> Error {
    tracing::warn!(%error, "the ledger did not answer");
    Error::new(
        Code::LedgerUnavailable,
        "The ledger did not answer. Sales go on, and it catches up; try again in a moment.",
    )
}

/// Whether the database refuses the data itself, such as a value that it cannot store. Then a retry is useless.
pub(super) fn is_about_the_data(error: &sqlx::Error) -> bool {
    let sqlx::Error::Database(error) = error else {
        return matches!(error, sqlx::Error::Encode(_));
    };
    // PostgreSQL: class 22 is data, 23 constraints, 54 program limits. SQLite's codes are numbers of one or two digits,
    // and refinements of them above 255: too big, constraint, mismatch, out of range.
    match error.code().as_deref() {
        Some(code) if code.len() == 5 => ["22", "23", "54"].iter().any(|class| code.starts_with(class)),
        Some(code) => code.parse::<u32>().is_ok_and(|code| [18, 19, 20, 25].contains(&(code & 0xff))),
        None => false,
    }
}
