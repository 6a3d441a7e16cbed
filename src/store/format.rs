//! The version of what is stored in Redis, so that a program does not misread or spoil what a newer one has written.
//!
//! It is written down in three places. [`keys::FORMAT`] has the version of the newest program that served on this Redis:
//! an older one does not start there, and opens no more sales if it is running. `meta` has the version of each sale's
//! records: scripts that know only an older one refuse the sale (`lua/lib/fence.lua`). An entry of a stream names its
//! version if it is not the first; one that is unknown becomes a dead letter, which the newer program can retry.

use crate::{Store, keys};
use model::error::{Code, Error, Result};

/// The version that this program reads and writes. Raised with every change of the records in Redis that a program
/// which knows the one before would misread.
pub const FORMAT: u32 = 2;

impl Store {
    /// Refuses a Redis on which a newer program has served.
    ///
    /// # Errors
    /// `store_refused` with what to do; `unavailable`.
    pub async fn check_format(&self) -> Result<()> {
        match self.query::<Option<u32>>("GET", keys::FORMAT).await? {
            Some(found) if found > FORMAT => Err(newer(found)),
            _ => Ok(()),
        }
    }
}

/// The refusal of a Redis on which a program with this version of the data has served.
pub(super) fn newer(found: u32) -> Error {
    Error::new(
        Code::StoreRefused,
        format!(
            "A newer version of Stampede uses this Redis (its data format is {found}, this program knows {FORMAT}); start \
             that version, or use another Redis."
        ),
    )
}
