//! Waits for rows. Any server may have recorded them, so somebody must look into the database: one of those who wait,
//! for all who wait in this process. While nobody waits, nobody looks.

use crate::database::Ledger;
use model::error::Result;
use std::time::Duration;
use tokio::{
    sync::{Mutex, watch},
    time::{Instant, sleep, sleep_until},
};
use tokio_util::sync::CancellationToken;

/// The pause between two looks.
const LOOK_EVERY: Duration = Duration::from_millis(100);

/// The place of the row that was recorded last, and its changes.
pub struct RecordingWatch {
    ledger: Ledger,
    /// The place at the latest look.
    last: watch::Sender<u64>,
    /// Held by the one who looks.
    turn: Mutex<()>,
}

impl RecordingWatch {
    /// A watch for the rows of this ledger.
    pub fn new(ledger: Ledger) -> Self {
        Self { ledger, last: watch::Sender::new(0), turn: Mutex::default() }
    }

    /// Waits until a row is recorded after this place. Returns the place of the last row, or `None` if there was no such
    /// row until the deadline or before the server stops.
    ///
    /// # Errors
    /// `ledger_unavailable`.
    pub async fn after(&self, place: u64, deadline: Instant, stop: &CancellationToken) -> Result<Option<u64>> {
        // A look from before may be of a database that has since been restored.
        let mut looks = self.last.subscribe();
        loop {
            tokio::select! {
                () = stop.cancelled() => return Ok(None),
                () = sleep_until(deadline) => return Ok(None),
                // It cannot be closed: the sender is here.
                _ = looks.changed() => {
                    let last = *looks.borrow_and_update();
                    if last > place {
                        return Ok(Some(last));
                    }
                }
                _turn = self.turn.lock() => return self.look(place, deadline, stop).await,
            }
        }
    }

    /// Looks for all who wait. No look is interrupted, as its connection could not be used again at once.
    async fn look(&self, place: u64, deadline: Instant, stop: &CancellationToken) -> Result<Option<u64>> {
        loop {
            let last = self.ledger.last_recorded().await?;
            self.last.send_replace(last);
            if last > place {
                return Ok(Some(last));
            }
            tokio::select! {
                () = stop.cancelled() => return Ok(None),
                () = sleep_until(deadline) => return Ok(None),
                () = sleep(LOOK_EVERY) => {}
            }
        }
    }
}
