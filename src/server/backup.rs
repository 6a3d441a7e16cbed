//! `stampede backup FOLDER`: copies the ledger while servers sell, with everything that was answered before.
//!
//! Redis itself is not copied. The ledger has all that it takes to build a sale anew, once it has recorded the events
//! that Redis had when the backup began.

use crate::server::{
    audit,
    connect::{Access, Connected},
    manifest::{BackedUpFile, BackedUpSale, Manifest, ensure_has, find_sale, known},
    output::{print_result, with_progress},
    settings,
};
use anyhow::{Context, Result, bail, ensure};
use futures::{StreamExt, TryStreamExt, stream};
use ledger::{
    backup,
    database::{Ledger, file_in},
    scripts::stream_position,
    service::{LedgerService, Name},
};
use model::{EventId, error::shell_word, iso};
use serde::Serialize;
use std::{
    cell::Cell,
    collections::HashMap,
    fs,
    io::{self, Write},
    path::{Path, PathBuf},
    process::ExitCode,
    time::Duration,
};
use store::{
    Store,
    clock::RedisClock,
    keys,
    runtime::{Clock, create_private_folder},
};
use tokio::time::{Instant, sleep};

/// The file of a SQLite ledger in the folder.
const LEDGER: &str = "ledger.sqlite";
/// The file that is there while a backup is written.
const UNFINISHED: &str = "unfinished";
/// The file that `pg_dump` is told to write.
const DUMP: &str = "ledger.dump";
/// The time in which the ledger must record at least one of the events that the backup waits for.
const STILL_FOR: Duration = Duration::from_secs(30);
/// The pause between two looks at the ledger.
const PAUSE: Duration = Duration::from_millis(200);
/// The number of sales whose streams are read concurrently.
const AT_A_TIME: usize = 64;
/// The number of sales that an error names.
const NAMED: usize = 5;

/// A backup that was written.
#[derive(Serialize)]
struct Report {
    /// The folder.
    folder: PathBuf,
    #[serde(flatten)]
    manifest: Manifest,
    /// The ids of the sales that cannot be built anew from it, as the ledger never saw them being opened.
    not_restorable: Vec<String>,
    /// The commands that write and restore the dump of a PostgreSQL ledger.
    #[serde(skip_serializing_if = "Option::is_none")]
    commands: Option<[String; 2]>,
}

/// Writes a backup and prints what it has. The exit code is 1 while the dump of a PostgreSQL ledger is still to be run,
/// and if a sale cannot be restored from it.
///
/// # Errors
/// One sentence if nothing was backed up.
pub async fn run(settings: settings::Backup) -> Result<ExitCode> {
    let folder = std::path::absolute(&settings.folder)?;
    refuse_used(&folder)?;
    let connected = Connected::beside(&settings.stores, Access::Read).await?;
    let report = back_up(&connected, &settings.stores, folder).await;
    connected.close().await?;
    let report = report?;
    print_result(settings.json, &report, print)?;
    Ok(ExitCode::from(u8::from(report.commands.is_some() || !report.not_restorable.is_empty())))
}

/// Refuses a folder that has something in it.
fn refuse_used(folder: &Path) -> Result<()> {
    let is_empty = match fs::read_dir(folder) {
        Ok(mut entries) => entries.next().is_none(),
        Err(error) if error.kind() == io::ErrorKind::NotFound => true,
        Err(error) => {
            return Err(error).with_context(|| format!("The folder {} cannot be read", folder.display()));
        }
    };
    ensure!(is_empty, used(folder));
    Ok(())
}

fn used(folder: &Path) -> String {
    format!("The folder {} is not empty, and a backup overwrites nothing; name a new folder.", folder.display())
}

async fn back_up(connected: &Connected, stores: &settings::Stores, folder: PathBuf) -> Result<Report> {
    let Connected { store, ledger, .. } = connected;
    let service = audit::service(connected).await?;
    service.ensure_fed().await?;
    let redis: Option<String> = store.query("GET", store.key(keys::REDIS)).await?;
    ensure!(
        ledger.fed_by().await? == redis,
        "This Redis is not the one that feeds the ledger, so it does not know what the ledger lacks, and nothing was \
         backed up; name the Redis of the servers with --redis."
    );
    let at = RedisClock::of(store).await?.now();
    let recorded = recorded(store, &service).await?;
    let place = claim(&folder)?;
    let commands = stores.database_without_password().map(|url| commands(&url, &folder));
    let written = async {
        let (source, file) = match commands {
            Some(_) => (ledger.clone(), None),
            None => {
                let (copy, file) = copy(&stores.data_dir, &folder, &recorded).await?;
                (copy, Some(file))
            }
        };
        let contents = source.contents().await?;
        let has_no_terms = contents.sales.iter().filter(|sale| sale.terms.is_none());
        let not_restorable = has_no_terms.map(|sale| sale.sale.clone()).collect();
        let mut manifest = Manifest::new(at, stores.flags().0, redis, &source, contents);
        manifest.ledger.file = file;
        manifest.write(&folder)?;
        anyhow::Ok((manifest, not_restorable))
    };
    let written = written.await;
    if written.is_err() {
        // The folder can be named again.
        fs::remove_file(folder.join(LEDGER)).ok();
    }
    fs::remove_file(&place).ok();
    let (manifest, not_restorable) = written?;
    Ok(Report { folder, manifest, not_restorable, commands })
}

/// Makes the folder, and a file in it that is there while the backup is written: another backup may have found the
/// folder empty, too.
fn claim(folder: &Path) -> Result<PathBuf> {
    create_private_folder(folder)
        .with_context(|| format!("The folder {} cannot be made; name another", folder.display()))?;
    let place = folder.join(UNFINISHED);
    let cannot_be_written = || format!("The folder {} cannot be written", folder.display());
    match fs::File::create_new(&place) {
        Ok(_) => {}
        Err(error) if error.kind() == io::ErrorKind::AlreadyExists => bail!(used(folder)),
        Err(error) => return Err(error).with_context(cannot_be_written),
    }
    // One that is complete by now has removed its own.
    if fs::read_dir(folder).with_context(cannot_be_written)?.count() > 1 {
        fs::remove_file(&place).ok();
        bail!(used(folder));
    }
    Ok(place)
}

/// Waits until the ledger has recorded every event that Redis has now. Returns each sale with what the ledger then has
/// of it.
async fn recorded(store: &Store, service: &LedgerService) -> Result<Vec<BackedUpSale>> {
    let known = known(&service.ledger).await?;
    let look = |name: Name| {
        let (store, known) = (store.clone(), known.get(&name).cloned());
        async move {
            let (kind, sale) = &name;
            let after = known.as_ref().map_or_else(EventId::default, |known| known.event_id);
            let stream = stream_position(&store, kind, sale, Some(after)).await?;
            // A sale that was never opened has no stream, and one that Redis has lost has none any more.
            let end = stream.filter(|stream| stream.waiting_since.is_some()).map(|stream| stream.end.event_id);
            anyhow::Ok((name, known, end))
        }
    };
    let looked: Vec<_> = stream::iter(service.all().await?).map(look).buffer_unordered(AT_A_TIME).try_collect().await?;
    let (mut recorded, mut unrecorded) = (Vec::new(), Vec::new());
    for (name, known, end) in looked {
        match end {
            Some(end) => unrecorded.push((name, end)),
            None => recorded.extend(known),
        }
    }
    let left = Cell::new(unrecorded.len());
    let progress = || format!("waiting for the ledger; sales with events that it has not recorded: {}", left.get());
    recorded.extend(with_progress(wait_for(store, service, unrecorded, &left), progress).await?);
    Ok(recorded)
}

/// Waits until the ledger has recorded these sales up to these events. Keeps the number of those that it waits for in
/// `left`.
async fn wait_for(
    store: &Store,
    service: &LedgerService,
    mut unrecorded: Vec<(Name, EventId)>,
    left: &Cell<usize>,
) -> Result<Vec<BackedUpSale>> {
    let mut recorded = Vec::with_capacity(unrecorded.len());
    let (mut before, mut moved) = (HashMap::new(), Instant::now());
    while !unrecorded.is_empty() {
        let known = known(&service.ledger).await?;
        let (mut still, mut positions) = (Vec::new(), HashMap::new());
        for (name, end) in unrecorded {
            let known = find_sale(&known, &service.ledger, &name).await?;
            let position = known.as_ref().map_or_else(EventId::default, |known| known.event_id);
            if position >= end {
                recorded.extend(known);
            } else {
                positions.insert(name.clone(), position);
                still.push((name, end));
            }
        }
        unrecorded = still;
        left.set(unrecorded.len());
        if positions != before {
            (before, moved) = (positions, Instant::now());
        } else if moved.elapsed() >= STILL_FOR {
            bail!(stands_still(store, service, unrecorded.into_iter().map(|(name, _)| name).collect()).await?);
        }
        if !unrecorded.is_empty() {
            sleep(PAUSE).await;
        }
    }
    Ok(recorded)
}

/// Why the ledger does not record the events of these sales, as a sentence.
async fn stands_still(store: &Store, service: &LedgerService, sales: Vec<Name>) -> Result<String> {
    let writer: Option<String> = store.query("GET", store.key(keys::WRITER)).await?;
    let mut is_paused = false;
    for (kind, sale) in &sales {
        is_paused |= service.is_paused(kind, sale).await?;
    }
    let next = match writer {
        None => "no server records it: start one, and run the backup again",
        Some(_) if is_paused => "an operator has paused its ledger: resume it, and run the backup again",
        Some(_) => "see the log of the servers, and run the backup again",
    };
    let seconds = STILL_FOR.as_secs();
    let sales: Vec<&str> = sales.iter().map(|(_, sale)| sale.as_str()).collect();
    Ok(format!(
        "For {seconds} s, the ledger has recorded nothing of what Redis has of {}, so nothing was backed up; {next}.",
        named(&sales)
    ))
}

/// The first of these sales, for a sentence.
fn named(sales: &[&str]) -> String {
    let mut names: Vec<String> = sales.iter().take(NAMED).map(|sale| format!("\"{sale}\"")).collect();
    if sales.len() > NAMED {
        names.push("…".to_owned());
    }
    names.join(", ")
}

/// Copies the SQLite ledger of a data folder, and checks the copy: it has at least what was recorded.
async fn copy(data_dir: &Path, folder: &Path, recorded: &[BackedUpSale]) -> Result<(Ledger, BackedUpFile)> {
    let file = folder.join(LEDGER);
    let megabytes = |file: &Path| fs::metadata(file).map_or(0, |found| found.len()) / 1_000_000;
    let progress =
        || format!("copied {} of about {} MB of the ledger", megabytes(&file), megabytes(&file_in(data_dir)));
    with_progress(backup::copy(data_dir, &file), progress).await?;
    with_progress(backup::check(&file), || "checking the copy of the ledger".to_owned()).await?;
    let copy = Ledger::open_copy(&file).await?;
    ensure_has(&copy, recorded).await?;
    let file = with_progress(BackedUpFile::of(folder, LEDGER), || "adding up the checksum".to_owned()).await?;
    Ok((copy, file))
}

/// The commands that write the dump of a PostgreSQL ledger, and that put it into an empty database.
fn commands(url: &str, folder: &Path) -> [String; 2] {
    let (dump, url) = (dump_in(folder), shell_word(url));
    [format!("pg_dump --format=custom --no-owner --file={dump} --dbname={url}"), restore_command(folder)]
}

/// The command that puts the dump of a PostgreSQL ledger into an empty database, whose URL replaces `URL`.
pub(super) fn restore_command(folder: &Path) -> String {
    format!("pg_restore --exit-on-error --no-owner --dbname=URL {}", dump_in(folder))
}

/// The file of the dump, as a word for a shell.
fn dump_in(folder: &Path) -> String {
    shell_word(&folder.join(DUMP).display().to_string()).into_owned()
}

fn print(report: &Report, out: &mut dyn Write) -> io::Result<()> {
    let Report { folder, manifest, not_restorable, commands } = report;
    let Manifest { at, sales, archived, rows, dead_letters, ledger, .. } = manifest;
    let (folder, sales, at) = (folder.display(), sales.len(), iso(*at));
    if let Some(BackedUpFile { bytes, .. }) = &ledger.file {
        writeln!(out, "The backup in {folder} is complete and was checked ({bytes} bytes).")?;
    }
    writeln!(out, "Sales: {sales}, and {archived} archived ones. Rows: {rows}. Dead letters: {dead_letters}.")?;
    if not_restorable.is_empty() {
        writeln!(out, "It has everything that was answered before {at}.")?;
    } else {
        let (count, names) =
            (not_restorable.len(), named(&not_restorable.iter().map(String::as_str).collect::<Vec<_>>()));
        writeln!(
            out,
            "It has everything that the ledger had at {at}. {count} of the sales cannot be restored from it, as the \
             ledger never saw them being opened: {names}."
        )?;
    }
    if let Some([dump, restore]) = commands {
        writeln!(out, "The ledger is PostgreSQL, and the backup is complete once this command has succeeded:")?;
        writeln!(out, "  {dump}")?;
        writeln!(out, "To restore it, put the dump into an empty database before you run `stampede restore`:")?;
        writeln!(out, "  {restore}")?;
    }
    Ok(())
}
