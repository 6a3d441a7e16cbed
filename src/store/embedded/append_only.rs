//! The append-only file of the embedded Redis, as it is on the disk: a base, the files that were appended to since, and a
//! manifest that names them.
//!
//! Redis drops a command that is cut off at the end, and refuses to start on anything else that is damaged. In two states
//! it starts without a word on less than it had; here those are refused.

use anyhow::{Result, bail};
use std::{
    fs::{self, File},
    io::{self, ErrorKind, Read, Seek, SeekFrom},
    path::{Path, PathBuf},
};

/// The folder of these files, in that of Redis.
pub const FOLDER: &str = "appendonlydir";
const MANIFEST: &str = "appendonly.aof.manifest";
/// Bytes that are read at a time.
const BLOCK: u64 = 64 * 1024;

/// The files that a manifest names.
#[derive(Debug, Default)]
pub struct Files {
    /// What the latest rewrite wrote.
    base: Option<PathBuf>,
    /// What was appended since, in its order: Redis appends to the last one.
    appended: Vec<PathBuf>,
}

impl Files {
    /// The files of a Redis in this folder; `None` if it has none yet.
    ///
    /// # Errors
    /// As the operating system gives them.
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

    /// The file to which Redis appends.
    pub fn last(&self) -> Option<&Path> {
        self.appended.last().map(PathBuf::as_path)
    }

    /// The bytes of the base, and those that were appended since.
    ///
    /// # Errors
    /// As the operating system gives them.
    pub fn sizes(&self) -> io::Result<(u64, u64)> {
        let size = |path: &PathBuf| fs::metadata(path).map(|found| found.len());
        let base = self.base.as_ref().map(size).transpose()?.unwrap_or(0);
        Ok((base, self.appended.iter().map(size).sum::<io::Result<u64>>()?))
    }
}

/// Makes the files of a Redis in this folder ready for it: cuts off the zeros at their end, which a machine leaves that lost
/// its power. A command never ends with one.
///
/// # Errors
/// One sentence where Redis would start on less than it had; errors of the operating system.
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

/// Why a Redis in this folder cannot start, and the way out.
pub fn cannot_be_read(dir: &Path, reason: &str) -> String {
    format!(
        "Redis cannot read its append-only file ({reason}). Move {} elsewhere, and run `stampede recover --all` with the \
         same --data-dir and --database: it rebuilds the sales from the ledger, and only what the ledger had not recorded is \
         lost. Do not use `redis-check-aof --fix`, which drops everything behind the damage.",
        dir.join(FOLDER).display()
    )
}

/// Whether what was logged since a start says that it was the append-only file that kept Redis from starting.
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

/// Cuts off the zeros at the end of a file, and returns how many they were.
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
