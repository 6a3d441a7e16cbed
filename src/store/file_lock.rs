//! Locks on files of the data folder, which end with the process that holds them.

use anyhow::{Context, Result};
use std::{
    fs::{File, TryLockError},
    path::Path,
    time::Duration,
};
use tokio::time::{sleep, timeout};

/// The pause between two tries.
const POLL: Duration = Duration::from_millis(10);

/// Locks a file of the data folder, and creates it if it is missing. The lock ends with the file that is returned, which
/// is `None` if another process holds the lock for all of `within`.
///
/// # Errors
/// One sentence if the folder cannot be written, or the file cannot be locked.
pub async fn lock_file(path: &Path, data_dir: &Path, within: Duration) -> Result<Option<File>> {
    // What it says belongs to whoever holds it.
    let lock = File::options().create(true).truncate(false).read(true).write(true).open(path).with_context(|| {
        format!("The data folder {} is not writable; choose another with --data-dir", data_dir.display())
    })?;
    let locked = async {
        loop {
            match lock.try_lock() {
                Ok(()) => return Ok(()),
                Err(TryLockError::WouldBlock) => sleep(POLL).await,
                Err(TryLockError::Error(error)) => return Err(error),
            }
        }
    };
    match timeout(within, locked).await {
        Ok(Ok(())) => Ok(Some(lock)),
        Ok(Err(error)) => {
            Err(error).with_context(|| format!("The data folder {} cannot be locked", data_dir.display()))
        }
        Err(_) => Ok(None),
    }
}
