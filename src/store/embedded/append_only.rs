//! The append-only file of the embedded Redis, as it is stored on disk: a base file, the files with the commands
//! appended since, and a manifest that names them.
//!
//! Redis drops a command that is cut off at the end. It refuses to start on any other damage, with two exceptions: in
//! two states it silently starts with less data than it had. This module refuses those states.

use anyhow::{Result, bail};
use std::{
    fs::{self, File},
    io::{self, ErrorKind, Read, Seek, SeekFrom},
    path::{Path, PathBuf},
};

/// The folder of these files, inside the folder of Redis.
pub const FOLDER: &str = "appendonlydir";
const MANIFEST: &str = "appendonly.aof.manifest";
/// The number of bytes read at a time.
const BLOCK: u64 = 64 * 1024;

/// The files named by a manifest.
#[derive(Debug, Default)]
pub struct Files {
    /// The file written by the latest rewrite.
    base: Option<PathBuf>,
    /// The files appended to since, in order. Redis appends to the last one.
    appended: Vec<PathBuf>,
}

impl Files {
    /// The files of the Redis in this folder. `None` if it has none yet.
    ///
    /// # Errors
    /// Errors of the operating system.
    pub fn of(dir: &Path) -> io::Result<Option<Self>> {
        let dir = dir.join(FOLDER);
        let manifest = match fs::read_to_string(dir.join(MANIFEST)) {
            Err(error) if error.kind() == ErrorKind::NotFound => return Ok(None),
            manifest => manifest?,
        };
        let mut files = Self::default();
        // "file <name> seq <number> type <b, i or h>"
        for line in manifest.lines() {
            let words: Vec<&str> = line.split(' ').collect();
            match words.as_slice() {
                ["file", name, "seq", _, "type", "b", ..] => files.base = Some(dir.join(name)),
                ["file", name, "seq", _, "type", "i", ..] => files.appended.push(dir.join(name)),
                _ => {}
            }
        }
        Ok(Some(files))
    }

    /// The file that Redis appends to.
    pub fn last(&self) -> Option<&Path> {
        self.appended.last().map(PathBuf::as_path)
    }

    /// The size of the base and the total size of the appended files, in bytes.
    ///
    /// # Errors
    /// Errors of the operating system.
    pub fn sizes(&self) -> io::Result<(u64, u64)> {
        let size = |path: &PathBuf| fs::metadata(path).map(|found| found.len());
        let base = self.base.as_ref().map(size).transpose()?.unwrap_or(0);
        Ok((base, self.appended.iter().map(size).sum::<io::Result<u64>>()?))
    }
}

/// Prepares the files in this folder for a start of Redis: cuts off trailing zeros, which a power loss leaves behind. A
/// command never ends with a zero.
///
/// # Errors
/// One sentence if Redis would start with less data than it had; errors of the operating system.
pub fn prepare(dir: &Path) -> Result<()> {
    let Some(files) = Files::of(dir)? else {
        if has_data(&dir.join(FOLDER))? {
            bail!(cannot_be_read(dir, "its manifest is missing"));
        }
        return Ok(());
    };
    if files.base.as_ref().is_some_and(|base| fs::metadata(base).is_ok_and(|found| found.len() == 0)) {
        bail!(cannot_be_read(dir, "its base is empty"));
    }
    if let Some(last) = files.last().filter(|last| last.is_file()) {
        let zeros = cut_zeros(last)?;
        if zeros > 0 {
            tracing::warn!(
                bytes = zeros,
                "the append-only file ended with zeros, as after a power loss; they were cut off"
            );
        }
    }
    Ok(())
}

/// Why the Redis in this folder cannot start, and what to do.
pub fn cannot_be_read(dir: &Path, reason: &str) -> String {
    format!(
        "Redis cannot read its append-only file ({reason}). Move {} elsewhere, and run `stampede recover --all` with the \
         same --data-dir and --database: it rebuilds the sales from the ledger, and only what the ledger had not recorded is \
         lost. Do not use `redis-check-aof --fix`, which drops everything behind the damage.",
        dir.join(FOLDER).display()
    )
}

/// Whether the log of a start blames the append-only file.
pub fn is_blamed_by(log: &str) -> bool {
    ["Bad file format", "reading the append only file", "AOF manifest", "AOF file", "RDB file", "Short read"]
        .iter()
        .any(|words| log.contains(words))
}

fn has_data(dir: &Path) -> io::Result<bool> {
    let entries = match fs::read_dir(dir) {
        Err(error) if error.kind() == ErrorKind::NotFound => return Ok(false),
        entries => entries?,
    };
    for entry in entries {
        let name = entry?.file_name();
        if [".aof", ".rdb"].iter().any(|ending| name.to_string_lossy().ends_with(ending)) {
            return Ok(true);
        }
    }
    Ok(false)
}

/// Cuts off the zeros at the end of a file. Returns their number.
fn cut_zeros(path: &Path) -> io::Result<u64> {
    let mut file = File::options().read(true).write(true).open(path)?;
    let length = file.metadata()?.len();
    let mut end = length;
    while end > 0 {
        let start = end.saturating_sub(BLOCK);
        let mut block = Vec::new();
        file.seek(SeekFrom::Start(start))?;
        Read::by_ref(&mut file).take(end - start).read_to_end(&mut block)?;
        if let Some(last) = block.iter().rposition(|byte| *byte != 0) {
            end = start + last as u64 + 1;
            break;
        }
        end = start;
    }
    if end < length {
        file.set_len(end)?;
        file.sync_all()?;
    }
    Ok(length - end)
}
