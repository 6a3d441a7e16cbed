//! Disk space for the answers of the embedded Redis.
//!
//! If a write to the append-only file fails, Redis still answers the calls of that turn of its event loop, and refuses
//! only later calls. Those answers are lost if Redis ends before there is space. So space is reserved behind the end of
//! the file, and nothing new is given once no more can be reserved. Payments and cancellations go on within the
//! reserve.
//!
//! Redis' automatic rewrites are off. They would begin whether or not there is space, and a write that fails after one
//! leaves zeros in the middle of the file; Redis does not start on such a file again. So rewrites begin here: with
//! ample space, while writes work. A rewrite also repairs the file after a failed write.

use crate::{Store, embedded::append_only::Files, info_field};
use model::error::{Code, Error, Result};
use rustix::{
    fs::{FallocateFlags, fallocate, statvfs},
    io::Errno,
};
use std::{
    fs::{self, File},
    io,
    os::unix::fs::MetadataExt,
    path::{Path, PathBuf},
    time::{Duration, Instant},
};

/// The number of bytes reserved at a time, and the least that must be left of them.
const RESERVED: u64 = 32 * 1024 * 1024;
const LEAST: u64 = RESERVED / 2;
/// The minimum number of bytes appended before a rewrite. If the base is larger, its size counts.
const REWRITTEN_FROM: u64 = 64 * 1024 * 1024;
/// The free space needed for a rewrite, beside a second copy of the file.
const SPARE: u64 = 4 * RESERVED;

/// The interval between checks.
pub const EVERY: Duration = Duration::from_millis(250);
/// The minimum time between rewrites: the last one may have failed.
const REWRITTEN_EVERY: Duration = Duration::from_secs(60);

/// The disk space of the Redis in a folder. Cheap to clone.
#[derive(Clone)]
pub struct Room {
    dir: PathBuf,
    rewritten_from: u64,
    /// When the latest rewrite began.
    rewritten: Option<Instant>,
    /// Whether that rewrite began after a failed write.
    is_mending: bool,
}

impl Room {
    pub(super) fn of(dir: PathBuf) -> Self {
        Self { dir, rewritten_from: REWRITTEN_FROM, rewritten: None, is_mending: false }
    }

    /// Changes the number of appended bytes that makes a rewrite due.
    #[must_use]
    pub fn rewritten_from(self, bytes: u64) -> Self {
        Self { rewritten_from: bytes, ..self }
    }

    /// Reserves space, starts a rewrite if one is due, and makes the store refuse anything new without space.
    ///
    /// # Errors
    /// `unavailable`; `internal` with errors of the operating system.
    pub async fn keep(&mut self, store: &Store) -> Result<()> {
        let has_room = self.reserve().map_err(unusable)?;
        store.note_room(has_room);
        let info: String = store.query("INFO", "persistence").await?;
        let field = |name: &str| info_field(&info, name).unwrap_or_default();
        let may_lack = self.may_lack_answers();
        if field("aof_last_write_status") == "err" {
            // A rewrite that is under way now may lack the answers, too.
            self.is_mending = false;
            if !may_lack {
                tracing::error!("Redis cannot write its append-only file: what it answered last is in its memory only");
                self.note_unwritten().map_err(unusable)?;
            }
            return Ok(());
        }
        if field("aof_rewrite_in_progress") != "0" {
            return Ok(());
        }
        if may_lack && self.is_mending && field("aof_last_bgrewrite_status") == "ok" {
            self.forget_answers().map_err(unusable)?;
            self.is_mending = false;
            tracing::info!("Redis has written its append-only file anew: it has all that was answered");
            return Ok(());
        }
        let is_early = self.rewritten.is_some_and(|rewritten| rewritten.elapsed() < REWRITTEN_EVERY);
        if !is_early && self.is_due(may_lack).map_err(unusable)? {
            self.rewritten = Some(Instant::now());
            store.query::<String>("BGREWRITEAOF", None::<&str>).await?;
            self.is_mending = may_lack;
            // Redis appends to another file from now on.
            self.reserve().map_err(unusable)?;
        }
        Ok(())
    }

    /// Whether Redis may lack some of its answers: a write failed, and the file was not rewritten since.
    pub fn may_lack_answers(&self) -> bool {
        self.mark().exists()
    }

    /// Notes that Redis may lack some of its answers.
    pub(super) fn note_unwritten(&self) -> io::Result<()> {
        File::create(self.mark()).map(drop)
    }

    /// Removes that note: the losses, if any, are known.
    ///
    /// # Errors
    /// Errors of the operating system.
    pub fn forget_answers(&self) -> io::Result<()> {
        match fs::remove_file(self.mark()) {
            Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(()),
            removed => removed,
        }
    }

    /// The file that marks possible losses. It is empty, so that it can be created on a full disk.
    fn mark(&self) -> PathBuf {
        self.dir.join("unwritten")
    }

    /// Reserves space behind the end of the file that Redis appends to. Returns whether there is enough.
    pub(super) fn reserve(&self) -> io::Result<bool> {
        let files = Files::of(&self.dir)?;
        let Some(last) = files.as_ref().and_then(Files::last) else { return Ok(true) };
        let file = File::options().write(true).open(last)?;
        let found = file.metadata()?;
        if (found.blocks() * 512).saturating_sub(found.len()) >= LEAST {
            return Ok(true);
        }
        for bytes in [RESERVED, LEAST] {
            match fallocate(&file, FallocateFlags::KEEP_SIZE, found.len(), bytes) {
                Ok(()) => return Ok(true),
                Err(Errno::NOSPC | Errno::DQUOT) => {}
                // Some file systems cannot reserve space.
                Err(_) => return Ok(free(&self.dir)? >= RESERVED),
            }
        }
        Ok(false)
    }

    fn is_due(&self, may_lack: bool) -> io::Result<bool> {
        let Some(files) = Files::of(&self.dir)? else { return Ok(false) };
        let (base, appended) = files.sizes()?;
        let is_due = may_lack || appended >= self.rewritten_from.max(base);
        Ok(is_due && free(&self.dir)? >= base + appended + SPARE)
    }
}

/// The free space on the disk of a folder, in bytes.
fn free(dir: &Path) -> io::Result<u64> {
    let found = statvfs(dir)?;
    Ok(found.f_bavail * found.f_frsize)
}

fn unusable(error: io::Error) -> Error {
    Error::new(Code::Internal, format!("The files of the embedded Redis cannot be used: {error}"))
}
