//! The lease of the writer: one process writes at a time.

use crate::scripts::lease;
use model::error::Result;
use std::time::Duration;
use store::{Store, keys};
use tokio::{sync::Mutex, time::Instant};

/// A writer that has been silent for this long has lost the lease.
const LEASE: Duration = Duration::from_secs(5);
/// The interval between renewals of the lease.
const RENEWED_EVERY: Duration = Duration::from_secs(1);

/// The lease of this process, for everything in it that writes.
pub struct Lease {
    store: Store,
    /// The name of this process in the lease.
    process: String,
    held: Mutex<Held>,
}

#[derive(Default)]
struct Held {
    renewed: Option<Instant>,
    /// How often it was taken. What was known of the ledger before is outdated: another process may have written.
    term: u64,
}

impl Lease {
    pub fn new(store: Store, process: String) -> Self {
        Self { store, process, held: Mutex::default() }
    }

    /// Takes the lease, or renews it if that is due. Returns the number of its term, or `None` if another process has it.
    ///
    /// # Errors
    /// `unavailable`; `store_refused` if another Redis feeds the ledger.
    pub async fn hold(&self) -> Result<Option<u64>> {
        if let Some(why) = self.store.displaced() {
            return Err(why);
        }
        let mut held = self.held.lock().await;
        if held.renewed.is_some_and(|renewed| renewed.elapsed() < RENEWED_EVERY) {
            return Ok(Some(held.term));
        }
        let (is_held, _) =
            lease(&self.store, self.store.key(keys::WRITER), &self.process, LEASE.as_millis() as u64).await?;
        if is_held && held.renewed.is_none() {
            tracing::info!(process = self.process, "this process writes the ledger");
            held.term += 1;
        }
        held.renewed = is_held.then(Instant::now);
        Ok(is_held.then_some(held.term))
    }

    /// Has the lease taken anew the next time, because another process may have it.
    pub async fn doubt(&self) {
        self.held.lock().await.renewed = None;
    }

    /// Gives the lease back, so that another process can write.
    pub async fn give_up(&self) {
        if self.held.lock().await.renewed.take().is_some() {
            // If Redis is unreachable, the lease expires.
            lease(&self.store, self.store.key(keys::WRITER), &self.process, 0).await.ok();
        }
    }
}
