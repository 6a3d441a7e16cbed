//! The version of the data in Redis. It keeps a program from misreading or spoiling the data of a newer one.
//!
//! The version is stored in three places. [`keys::FORMAT`] holds the version of the newest program that served on this
//! Redis: an older program does not start there, and opens no more sales if it is running. `meta` holds the version of
//! each sale's records: scripts that know only an older one refuse the sale (`lua/lib/fence.lua`). A stream entry names
//! its version unless it is the first. An entry with an unknown version becomes a dead letter, and the newer program
//! can retry it.

use crate::{Store, keys};
use model::error::{Code, Error, Result};

/// The version that this program reads and writes. It is raised with every change of the records in Redis that the
/// previous program would misread.
pub const FORMAT: u32 = 5;

impl Store {
    /// Refuses a Redis on which a newer program has served.
    ///
    /// # Errors
    /// `store_refused` with what to do; `unavailable`.
    pub async fn check_format(&self) -> Result<()> {
        match self.query::<Option<u32>>("GET", self.key(keys::FORMAT)).await? {
            Some(found) if found > FORMAT => Err(newer(found)),
            _ => Ok(()),
        }
    }
}

/// The error for a Redis on which a program with a newer version of the data has served.
pub(super) fn newer(found: u32) -> Error {
    Error::new(
        Code::StoreRefused,
        format!(
            "A newer version of Stampede uses this Redis (its data format is {found}, this program knows {FORMAT}); start \
             that version, or use another Redis."
        ),
    )
}
