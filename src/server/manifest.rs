//! The manifest of a backup: `manifest.json`, written last. A folder without one has no complete backup.

use anyhow::{Context, Result, bail, ensure};
use ledger::{backup::Contents, database::Ledger, sale::LedgerSale, service::Name};
use model::{EventId, Millis};
use serde::{Deserialize, Serialize};
use sha2::{Digest, Sha256};
use std::{
    collections::HashMap,
    fmt::Write as _,
    fs::{self, File},
    io::{ErrorKind, Read, Write},
    path::{Path, PathBuf},
};

const FILE: &str = "manifest.json";
/// The format of the manifest and of the folder. A program that knows only an earlier one refuses the backup.
const FORMAT: u32 = 1;
/// How much of a file is read at a time.
const CHUNK: usize = 1 << 20;

/// What a backup has, and where it comes from.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Manifest {
    /// The format of the backup.
    pub format: u32,
    /// The version of the program that wrote it.
    pub program: String,
    /// Everything that was answered before this time is in it, by Redis' clock.
    pub at: Millis,
    /// The flags of the data that it was taken from, without passwords.
    pub flags: String,
    /// The identity of the data of the Redis that fed the ledger.
    pub redis: Option<String>,
    /// The ledger.
    pub ledger: BackedUpLedger,
    /// The sales that were not archived.
    pub sales: Vec<BackedUpSale>,
    /// The number of archived sales.
    pub archived: u64,
    /// The number of rows in the history.
    pub rows: u64,
    /// The number of entries that could not be recorded.
    pub dead_letters: u64,
}

/// The format alone: a newer manifest may have other fields.
#[derive(Deserialize)]
struct Format {
    format: u32,
}

/// The ledger of a backup.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct BackedUpLedger {
    /// Its identity, which Redis stores too.
    pub identity: String,
    /// `SQLite` or `PostgreSQL`.
    pub engine: String,
    /// The version of its schema.
    pub schema: i64,
    /// Its file. PostgreSQL has none: its own tools write the dump.
    pub file: Option<BackedUpFile>,
}

/// A file in the folder of a backup.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct BackedUpFile {
    /// Its name.
    pub name: String,
    /// Its length.
    pub bytes: u64,
    /// Its SHA-256 checksum, in hexadecimal.
    pub sha256: String,
}

/// A sale in a backup.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct BackedUpSale {
    /// Its kind.
    pub kind: String,
    /// Its id.
    pub sale: String,
    /// The last event that the backup has of it, and at least that one.
    pub event_id: EventId,
    /// The number of events up to that one.
    pub entries: u64,
}

impl Manifest {
    /// The manifest of a ledger with these contents.
    pub(super) fn new(at: Millis, flags: String, redis: Option<String>, ledger: &Ledger, contents: Contents) -> Self {
        let Contents { schema, sales, archived, rows, dead_letters } = contents;
        let (identity, engine) = (ledger.identity().to_owned(), ledger.engine().to_owned());
        Self {
            format: FORMAT,
            program: env!("CARGO_PKG_VERSION").to_owned(),
            at,
            flags,
            redis,
            ledger: BackedUpLedger { identity, engine, schema, file: None },
            sales: sales.into_iter().map(BackedUpSale::from).collect(),
            archived,
            rows,
            dead_letters,
        }
    }

    /// Reads the manifest of a backup.
    ///
    /// # Errors
    /// One sentence if the folder has no backup that this program can read.
    pub(super) fn read(folder: &Path) -> Result<Self> {
        let file = folder.join(FILE);
        let text = match fs::read_to_string(&file) {
            Err(error) if error.kind() == ErrorKind::NotFound => bail!(
                "There is no complete backup in {}: it has no {FILE}, which is written last. Name the folder of a backup.",
                folder.display()
            ),
            text => text.with_context(|| format!("The file {} cannot be read", file.display()))?,
        };
        let damaged = || format!("The file {} is damaged; use another backup", file.display());
        let Format { format } = serde_json::from_str(&text).with_context(damaged)?;
        ensure!(
            format <= FORMAT,
            "The backup in {} has format {format}, but this program knows only {FORMAT}; use a newer program.",
            folder.display()
        );
        let manifest: Self = serde_json::from_str(&text).with_context(damaged)?;
        let is_name = |file: &BackedUpFile| Path::new(&file.name).file_name().is_some_and(|name| *name == *file.name);
        ensure!(manifest.ledger.file.iter().all(is_name), damaged());
        let (schema, newest) = (manifest.ledger.schema, ledger::schema::newest());
        ensure!(
            schema <= newest,
            "The ledger in {} has schema version {schema}, but this program knows only {newest}; use a newer program.",
            folder.display()
        );
        Ok(manifest)
    }

    /// Writes the manifest, and all names in the folder, to disk.
    ///
    /// # Errors
    /// One sentence if it cannot be written.
    pub(super) fn write(&self, folder: &Path) -> Result<()> {
        let write = || {
            let mut file = File::create_new(folder.join(FILE))?;
            writeln!(file, "{}", serde_json::to_string_pretty(self)?)?;
            file.sync_all()?;
            File::open(folder)?.sync_all()
        };
        write().with_context(|| format!("The folder {} cannot be written", folder.display()))
    }

    /// The checked file of the ledger. `None` for PostgreSQL.
    ///
    /// # Errors
    /// One sentence if the file is missing, or is not the one that was written.
    pub(super) async fn ledger_file(&self, folder: &Path) -> Result<Option<PathBuf>> {
        let Some(expected) = &self.ledger.file else { return Ok(None) };
        let found = BackedUpFile::of(folder, &expected.name).await?;
        ensure!(
            found == *expected,
            "The file {} is damaged: its length or checksum is not the one in {FILE}; use another backup.",
            folder.join(&expected.name).display()
        );
        Ok(Some(folder.join(&expected.name)))
    }
}

impl From<LedgerSale> for BackedUpSale {
    fn from(known: LedgerSale) -> Self {
        let LedgerSale { kind, sale, position, .. } = known;
        Self { kind, sale, event_id: position.event_id, entries: position.entries }
    }
}

impl BackedUpFile {
    /// Reads a file of the folder.
    ///
    /// # Errors
    /// One sentence if it cannot be read.
    pub(super) async fn of(folder: &Path, name: &str) -> Result<Self> {
        let (path, name) = (folder.join(name), name.to_owned());
        let read = move || {
            let digest = || {
                let (mut file, mut sum, mut bytes) = (File::open(&path)?, Sha256::new(), 0);
                let mut chunk = vec![0; CHUNK];
                loop {
                    match file.read(&mut chunk)? {
                        0 => return std::io::Result::Ok((bytes, sum.finalize())),
                        read => {
                            sum.update(&chunk[..read]);
                            bytes += read as u64;
                        }
                    }
                }
            };
            let (bytes, sum) = digest().with_context(|| format!("The file {} cannot be read", path.display()))?;
            let mut sha256 = String::new();
            for byte in sum {
                write!(sha256, "{byte:02x}")?;
            }
            Ok(Self { name, bytes, sha256 })
        };
        tokio::task::spawn_blocking(read).await?
    }
}

/// The sales of a ledger that are not archived.
///
/// # Errors
/// `ledger_unavailable`.
pub(super) async fn known(ledger: &Ledger) -> Result<HashMap<Name, BackedUpSale>> {
    let sales = ledger.sales().await?.into_iter().map(BackedUpSale::from);
    Ok(sales.map(|sale| ((sale.kind.clone(), sale.sale.clone()), sale)).collect())
}

/// A sale that is among those known, or that was archived since. `None` if the ledger does not have it.
///
/// # Errors
/// `ledger_unavailable`.
pub(super) async fn find_sale(
    known: &HashMap<Name, BackedUpSale>,
    ledger: &Ledger,
    name: &Name,
) -> Result<Option<BackedUpSale>> {
    if let Some(known) = known.get(name) {
        return Ok(Some(known.clone()));
    }
    Ok(ledger.sale(&name.0, &name.1).await?.map(BackedUpSale::from))
}

/// Checks that a ledger has these sales, archived or not, each at least up to its event.
///
/// # Errors
/// One sentence about the first that is not; `ledger_unavailable`.
pub(super) async fn ensure_has(ledger: &Ledger, sales: &[BackedUpSale]) -> Result<()> {
    let known = known(ledger).await?;
    for BackedUpSale { kind, sale, event_id, .. } in sales {
        let found = find_sale(&known, ledger, &(kind.clone(), sale.clone())).await?;
        ensure!(
            found.is_some_and(|found| found.event_id >= *event_id),
            "The ledger of the backup does not have the sale \"{sale}\" ({kind}) up to event {event_id}, as it should; \
             nothing was done."
        );
    }
    Ok(())
}
