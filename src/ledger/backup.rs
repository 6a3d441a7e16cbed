//! Copies of the ledger, for backups: a SQLite ledger as one file, taken while servers write it.
//!
//! A ledger has of each sale everything up to one event, as the position moves in the transaction that adds the rows.
//! So a copy of one moment is complete up to those events, whatever is written meanwhile.

use crate::{
    database::{Ledger, Pools, file_in, migrate_sqlite, on, unreachable},
    sale::LedgerSale,
    webhooks::StoredWebhook,
};
use anyhow::{Context, ensure};
use model::error::Result;
use sqlx::{
    ConnectOptions, Connection, SqliteConnection,
    sqlite::{SqliteConnectOptions, SqliteJournalMode, SqlitePoolOptions},
};
use std::{
    ffi::OsString,
    fs::{self, File},
    io,
    path::{Path, PathBuf},
};
use store::runtime::create_private_folder;

/// What a ledger has.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Contents {
    /// The version of its schema.
    pub schema: i64,
    /// The sales that are not archived, oldest first.
    pub sales: Vec<LedgerSale>,
    /// The number of archived sales.
    pub archived: u64,
    /// The number of rows in the history.
    pub rows: u64,
    /// The number of entries that could not be recorded.
    pub dead_letters: u64,
}

impl Ledger {
    /// Opens a copy only for reading. Nothing is written beside it.
    ///
    /// # Errors
    /// One sentence if it cannot be read.
    pub async fn open_copy(copy: &Path) -> anyhow::Result<Self> {
        let cannot_be_read = || format!("The copy {} cannot be read", copy.display());
        let options = SqliteConnectOptions::new().filename(copy).read_only(true).immutable(true);
        let options = options.disable_statement_logging();
        let read =
            SqlitePoolOptions::new().max_connections(1).connect_with(options).await.with_context(cannot_be_read)?;
        let pools = Pools::Sqlite { write: read.clone(), read };
        Self::of(pools).await.with_context(cannot_be_read)
    }

    /// What this ledger has. The sales are read first, so the counts may be later.
    ///
    /// # Errors
    /// `ledger_unavailable`.
    pub async fn contents(&self) -> Result<Contents> {
        const ARCHIVED: &str = "SELECT COUNT(*) FROM sales WHERE archived_at IS NOT NULL";
        // Kept with the rows, which are too many to count.
        const ROWS: &str = "SELECT CAST(COALESCE(SUM(lines), 0) AS BIGINT) FROM tallies WHERE sale_no = 0";
        let sales = self.sales().await?;
        let (archived, rows) = (self.count(ARCHIVED).await?, self.count(ROWS).await?);
        let dead_letters = self.dead_letter_count().await?;
        let schema = self.versions().await.map_err(unreachable)?.into_iter().max().unwrap_or_default();
        Ok(Contents { schema, sales, archived, rows, dead_letters })
    }

    async fn count(&self, sql: &'static str) -> Result<u64> {
        let count: i64 = on!(read self, pool => sqlx::query_scalar(sql).fetch_one(pool).await).map_err(unreachable)?;
        Ok(count.cast_unsigned())
    }

    /// Notes that no Redis feeds this ledger, because it is a copy. Otherwise the first server would wait to see whether
    /// the Redis of the original still does.
    async fn release_feed(&self) -> Result<()> {
        const RELEASE: &str = "UPDATE ledger SET redis = NULL WHERE id = $1";
        on!(write self, pool => sqlx::query(RELEASE).bind(self.identity()).execute(pool).await.map(drop))
            .map_err(unreachable)
    }
}

/// Copies the SQLite ledger of a data folder, as it is at one moment, to a new file, and writes it to disk. Takes no
/// lock for which a writer would have to wait.
///
/// # Errors
/// One sentence if the ledger cannot be read, or the file cannot be written.
pub async fn copy(folder: &Path, to: &Path) -> anyhow::Result<()> {
    let from = file_in(folder);
    let target = to.to_str().with_context(|| format!("{} is not a name in UTF-8; choose another", to.display()))?;
    let options = SqliteConnectOptions::new().filename(&from).read_only(true).disable_statement_logging();
    let copied = async {
        let mut connection = options.connect().await?;
        // Unlike the steps of SQLite's backup API, it never begins again because somebody writes.
        sqlx::query("VACUUM INTO $1").bind(target).execute(&mut connection).await?;
        connection.close().await
    };
    copied.await.with_context(|| format!("The ledger {} cannot be copied to {}", from.display(), to.display()))?;
    sync(to)
}

/// Checks a copy: the structure of the file, and that the sums kept with the rows are those of the rows.
///
/// # Errors
/// One sentence about what is wrong.
pub async fn check(copy: &Path) -> anyhow::Result<()> {
    // Both ways, so that neither side may have more.
    const SUMS: &str = "WITH
        counted AS (SELECT sale_no, kind, outcome, COUNT(*) AS lines, SUM(cents) AS cents FROM history
            GROUP BY sale_no, kind, outcome),
        kept AS (SELECT sale_no, kind, outcome, lines, cents FROM tallies WHERE sale_no <> 0)
        SELECT (SELECT COUNT(*) FROM (SELECT * FROM counted EXCEPT SELECT * FROM kept))
            + (SELECT COUNT(*) FROM (SELECT * FROM kept EXCEPT SELECT * FROM counted))";
    let options = SqliteConnectOptions::new().filename(copy).read_only(true).immutable(true);
    let checked = async {
        let mut connection: SqliteConnection = options.disable_statement_logging().connect().await?;
        let faults: Vec<String> = sqlx::query_scalar("PRAGMA integrity_check").fetch_all(&mut connection).await?;
        let differing: i64 = sqlx::query_scalar(SUMS).fetch_one(&mut connection).await?;
        connection.close().await?;
        Ok::<_, sqlx::Error>((faults, differing))
    };
    let (faults, differing) =
        checked.await.with_context(|| format!("The copy {} cannot be checked", copy.display()))?;
    ensure!(faults == ["ok"], "The copy {} is damaged: {}", copy.display(), faults.join("; "));
    ensure!(
        differing == 0,
        "The copy {} has {differing} sums that are not those of its rows; the ledger itself may be damaged.",
        copy.display()
    );
    Ok(())
}

/// The first file that a ledger has, or has left, in a data folder. The log of another ledger would be taken for that
/// of a copy that is put beside it.
pub fn found_in(folder: &Path) -> Option<PathBuf> {
    let beside = |end: &str| {
        let mut name = OsString::from(file_in(folder));
        name.push(end);
        PathBuf::from(name)
    };
    ["", "-wal", "-shm", "-journal"].map(beside).into_iter().find(|file| file.exists())
}

/// Puts a copy into a data folder without a ledger, as its ledger. It is there as a whole, or not at all. The webhooks
/// of the original are removed and returned, and no Redis feeds it.
///
/// # Errors
/// One sentence if the folder cannot be written, or the copy cannot be read.
pub async fn put(copy: &Path, folder: &Path) -> anyhow::Result<Vec<StoredWebhook>> {
    let file = file_in(folder);
    let unfinished = file.with_extension("restoring");
    let put = async {
        let (from, to, within) = (copy.to_owned(), unfinished.clone(), folder.to_owned());
        blocking(move || {
            create_private_folder(&within)?;
            // What another restore has left may be the same file as a ledger, and must not be written to.
            fs::remove_file(&to).ok();
            // Unlike `fs::copy`, with the rights of a new file.
            io::copy(&mut File::open(from)?, &mut File::create_new(&to)?).map(drop)
        })
        .await?;
        let removed = detach(&unfinished).await?;
        let (from, to, within) = (unfinished.clone(), file, folder.to_owned());
        blocking(move || {
            File::open(&from)?.sync_all()?;
            // Unlike a renaming, this replaces no ledger that has come meanwhile.
            fs::hard_link(&from, to)?;
            fs::remove_file(from)?;
            File::open(within)?.sync_all()
        })
        .await?;
        anyhow::Ok(removed)
    };
    let done = put.await;
    if done.is_err() {
        fs::remove_file(&unfinished).ok();
    }
    done.with_context(|| format!("The ledger cannot be put into {}; choose another --data-dir", folder.display()))
}

/// Removes from a copy what belongs to the original: its webhooks, which are returned, and the Redis that feeds it.
async fn detach(copy: &Path) -> anyhow::Result<Vec<StoredWebhook>> {
    // A copy that is not finished is thrown away, so SQLite needs no file beside it to restore it from.
    let options = SqliteConnectOptions::new().filename(copy).journal_mode(SqliteJournalMode::Memory);
    let write = SqlitePoolOptions::new().max_connections(1).connect_with(options.disable_statement_logging()).await?;
    // An older backup has no webhooks yet.
    migrate_sqlite(&write, copy).await?;
    let ledger = Ledger::of(Pools::Sqlite { write: write.clone(), read: write }).await?;
    let removed = ledger.remove_webhooks().await?;
    ledger.release_feed().await?;
    ledger.close().await;
    Ok(removed)
}

/// Runs work on files where it holds up nobody else.
async fn blocking(work: impl FnOnce() -> io::Result<()> + Send + 'static) -> anyhow::Result<()> {
    Ok(tokio::task::spawn_blocking(work).await??)
}

/// Writes a file and its name to disk.
fn sync(file: &Path) -> anyhow::Result<()> {
    let synced = || {
        File::open(file)?.sync_all()?;
        file.parent().map_or(Ok(()), |folder| File::open(folder)?.sync_all())
    };
    synced().with_context(|| format!("{} cannot be written to disk", file.display()))
}
