//! One reader for each watched sale and process, whoever many watch.
//!
//! Each frame is complete, so a slow browser simply gets the newest: a `watch` channel is all it takes,
//! and nothing piles up.

use crate::{
    error::{Code, Error, Result},
    sales::EventId,
};
use std::{
    collections::HashMap,
    future::Future,
    sync::{Arc, Mutex, MutexGuard, PoisonError},
    time::Duration,
};
use tokio::{sync::watch, time::MissedTickBehavior};
use tokio_util::sync::CancellationToken;

/// At most 20 frames a second.
pub const FRAME: Duration = Duration::from_millis(50);

/// What a kind registers to be watched.
pub trait Source: Send + Sync + 'static {
    /// The sale as it is now: the event id that it belongs to, and the frame as JSON.
    fn frame(&self, sale: &str) -> impl Future<Output = Result<(EventId, String)>> + Send;
}

/// What a watcher sees.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Sight {
    Frame {
        id: EventId,
        json: Arc<str>,
    },
    /// Redis is out of reach.
    Down,
}

impl Sight {
    fn is_after(&self, other: &Self) -> bool {
        match (self, other) {
            (Self::Frame { id, .. }, Self::Frame { id: other, .. }) => id > other,
            (Self::Frame { .. }, Self::Down) => true,
            (Self::Down, _) => false,
        }
    }
}

/// The live view of one kind of sale.
pub struct Hub<S> {
    shared: Arc<Shared<S>>,
}

impl<S> Clone for Hub<S> {
    fn clone(&self) -> Self {
        Self { shared: self.shared.clone() }
    }
}

struct Shared<S> {
    source: S,
    watched: Mutex<HashMap<String, watch::Sender<Sight>>>,
    shutdown: CancellationToken,
}

impl<S: Source> Hub<S> {
    pub fn new(source: S, shutdown: CancellationToken) -> Self {
        Self { shared: Arc::new(Shared { source, watched: Mutex::new(HashMap::new()), shutdown }) }
    }

    /// Watches a sale. The receiver holds the newest frame already.
    ///
    /// # Errors
    /// `bad_request`, `unknown_sale`, `unavailable`.
    pub async fn watch(&self, sale: &str) -> Result<watch::Receiver<Sight>> {
        // Reading first says whether there is such a sale, and what the watcher sees at once.
        let sight = look(&self.shared.source, sale).await?;
        let mut watched = self.shared.watched();
        if let Some(sender) = watched.get(sale) {
            // What was read just now may be newer than what the others see since the last frame.
            sender.send_if_modified(|seen| {
                let news = sight.is_after(seen);
                if news {
                    *seen = sight;
                }
                news
            });
            return Ok(sender.subscribe());
        }
        let (sender, receiver) = watch::channel(sight);
        watched.insert(sale.to_owned(), sender);
        drop(watched);
        let (shared, sale) = (self.shared.clone(), sale.to_owned());
        tokio::spawn(async move { shared.read(&sale).await });
        Ok(receiver)
    }

    /// Sales that somebody watches now.
    pub fn watched(&self) -> usize {
        self.shared.watched().len()
    }
}

impl<S: Source> Shared<S> {
    async fn read(&self, sale: &str) {
        let mut clock = tokio::time::interval(FRAME);
        clock.set_missed_tick_behavior(MissedTickBehavior::Delay);
        loop {
            tokio::select! {
                _ = clock.tick() => {}
                () = self.shutdown.cancelled() => break,
            }
            let sight = match look(&self.source, sale).await {
                Ok(sight) => sight,
                Err(Error { code: Code::Unavailable, .. }) => Sight::Down,
                Err(error) => {
                    tracing::warn!(sale, %error, "a watched sale can no longer be read");
                    break;
                }
            };
            let mut watched = self.watched();
            let Some(sender) = watched.get(sale) else { return };
            if sender.receiver_count() == 0 {
                watched.remove(sale);
                return;
            }
            sender.send_if_modified(|seen| {
                let news = *seen != sight;
                *seen = sight;
                news
            });
        }
        // Dropping the sender ends the streams of whoever still watches.
        self.watched().remove(sale);
    }
}

impl<S> Shared<S> {
    fn watched(&self) -> MutexGuard<'_, HashMap<String, watch::Sender<Sight>>> {
        // Nothing panics while the lock is held.
        self.watched.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

async fn look(source: &impl Source, sale: &str) -> Result<Sight> {
    let (id, json) = source.frame(sale).await?;
    Ok(Sight::Frame { id, json: json.into() })
}
