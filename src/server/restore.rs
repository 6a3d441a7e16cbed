//! `stampede restore FOLDER`: puts the ledger of a backup into an empty data folder, and builds its sales anew in an
//! empty Redis.

use crate::server::{
    audit,
    backup::restore_command,
    connect::Connected,
    manifest::{Manifest, ensure_has},
    output::{print_result, with_progress},
    recover::{self, Reports},
    settings,
};
use anyhow::{Context, Result, bail, ensure};
use ledger::{
    backup,
    database::{Ledger, Place},
    kind::DeadLetters,
    webhooks::{StoredWebhook, origin},
};
use model::{Millis, iso};
use serde::Serialize;
use std::{
    io::{self, Write},
    path::Path,
    process::ExitCode,
};
use store::embedded::Embedded;

/// What was restored.
#[derive(Serialize)]
struct Report {
    /// Everything that was answered before this time was restored. What came later may be missing.
    at: Millis,
    /// The number of archived sales, which are only in the ledger.
    archived: u64,
    /// Where the webhooks that were removed had sent to: scheme, host and port.
    webhooks_removed: Vec<String>,
    /// The verdict, and each sale that was rebuilt.
    #[serde(flatten)]
    recovered: Reports,
}

/// Restores, audits and prints. The exit code is that of an audit.
///
/// # Errors
/// One sentence if nothing was restored, or if the ledger is in place and no sale could be rebuilt.
pub async fn run(settings: settings::Restore) -> Result<ExitCode> {
    let settings::Restore { folder, stores, json } = settings;
    let manifest = Manifest::read(&folder)?;
    refuse_served(&stores.data_dir)?;
    match (&stores.database, &manifest.ledger.file) {
        (None, Some(_)) => refuse_ledger(&stores.data_dir)?,
        (Some(url), None) => ensure_restored(url, &folder, &manifest).await?,
        (None, None) => bail!(
            "The ledger of this backup is PostgreSQL: put its dump into an empty database with `{}`, and name that \
             database with --database.",
            restore_command(&folder)
        ),
        (Some(_), Some(_)) => bail!(
            "The ledger of this backup is SQLite, which goes into the folder that --data-dir names; leave out --database."
        ),
    }
    let checked = manifest.ledger_file(&folder);
    let copy = with_progress(checked, || "adding up the checksum of the ledger".to_owned()).await?;
    let mut webhooks_removed: Vec<String> = Vec::new();
    let put = async || {
        if let Some(copy) = &copy {
            let put = backup::put(copy, &stores.data_dir);
            let removed = with_progress(put, || "putting the ledger in place".to_owned()).await?;
            webhooks_removed = origins(&removed);
        }
        anyhow::Ok(())
    };
    let connected = Connected::restoring(&stores, put).await?;
    let recovered = async {
        if copy.is_none() {
            webhooks_removed = remove_webhooks(&connected).await?;
        }
        recover::recover_all(&connected, None, DeadLetters::Refuse).await
    };
    let recovered = recovered.await.with_context(|| {
        let place = match webhooks_removed.as_slice() {
            [] => "in place".to_owned(),
            removed => format!("in place without its webhooks ({})", removed.join(", ")),
        };
        format!("The ledger is {place}, but no sale could be rebuilt; fix the cause, and run `stampede recover --all`")
    });
    connected.close().await?;
    let report = Report { at: manifest.at, archived: manifest.archived, webhooks_removed, recovered: recovered? };
    print_result(json, &report, print)?;
    Ok(audit::exit_code(report.recovered.verdict))
}

/// Refuses a data folder that a server uses.
fn refuse_served(data_dir: &Path) -> Result<()> {
    let is_served = data_dir.join("redis").is_dir() && Embedded::running(data_dir)?.is_some();
    ensure!(
        !is_served,
        "A server runs on {}; name an empty folder with --data-dir, or stop the server and move its data away.",
        data_dir.display()
    );
    Ok(())
}

/// Refuses a data folder with a ledger.
fn refuse_ledger(data_dir: &Path) -> Result<()> {
    match backup::found_in(data_dir) {
        None => Ok(()),
        Some(file) => bail!(
            "There is a ledger in {} already ({}), and a restore overwrites nothing: name an empty folder with --data-dir. \
             (After a restore that was interrupted, `stampede recover --all` builds the sales.)",
            data_dir.display(),
            file.file_name().unwrap_or_default().display()
        ),
    }
}

/// Checks that the dump of the backup was put into this database.
async fn ensure_restored(url: &str, folder: &Path, manifest: &Manifest) -> Result<()> {
    let not_restored = || {
        format!(
            "This database does not have the ledger of the backup; put its dump into an empty database first, with `{}`",
            restore_command(folder)
        )
    };
    let ledger = Ledger::connect_to_read(Place::Url(url)).await.with_context(not_restored)?;
    ensure!(ledger.identity() == manifest.ledger.identity, "{}.", not_restored());
    ensure_has(&ledger, &manifest.sales).await?;
    let rows = ledger.contents().await?.rows;
    ensure!(
        rows >= manifest.rows,
        "The database has {rows} rows of the history, but the backup has {}; restore its dump as a whole.",
        manifest.rows
    );
    Ok(())
}

/// Removes all webhooks of a database: the receivers of the original are told nothing by a copy, which may be for a
/// drill. Returns where they had sent to.
async fn remove_webhooks(connected: &Connected) -> Result<Vec<String>> {
    let service = audit::service(connected).await?;
    // A database that another Redis feeds keeps its own.
    let _claim = recover::claim(&service).await?;
    Ok(origins(&connected.ledger.remove_webhooks().await?))
}

/// Where webhooks had sent to.
fn origins(webhooks: &[StoredWebhook]) -> Vec<String> {
    webhooks.iter().map(|webhook| origin(&webhook.url)).collect()
}

fn print(report: &Report, out: &mut dyn Write) -> io::Result<()> {
    let Report { at, archived, webhooks_removed, recovered } = report;
    let (at, back) = (iso(*at), recovered.back());
    writeln!(
        out,
        "Restored as of {at}: {back} of {} sales are in Redis again, and {archived} archived ones in the ledger.",
        recovered.sales.len()
    )?;
    writeln!(
        out,
        "Not restored: what was answered after that, unless it is named below. Users who won something then may try again \
         with the same request id."
    )?;
    if !webhooks_removed.is_empty() {
        writeln!(
            out,
            "Webhooks that were not restored: {}. Their receivers get nothing from this copy until you add them again \
             with `stampede webhook add`: {}",
            webhooks_removed.len(),
            webhooks_removed.join(", ")
        )?;
    }
    writeln!(out)?;
    recover::print_all(recovered, out)
}
