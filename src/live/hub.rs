//! One reader for each watched sale and process, whoever many watch.
//!
//! Each frame is complete, so a slow browser simply gets the newest: a `watch` channel is all it takes,
//! and nothing piles up. What a browser is sent of a frame is written for each, from what it was sent before.

use crate::{
    domain::EventId,
    error::{Code, Error, Result},
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
    /// A sale as it is at one moment.
    type Frame: Send + Sync + PartialEq;

    /// The sale as it is now, and the event id that it belongs to.
    fn frame(&self, sale: &str) -> impl Future<Output = Result<(EventId, Self::Frame)>> + Send;

    /// A frame as JSON, for a browser that was sent `seen` last, or nothing yet. Two frames of one event id may
    /// be taken for each other in this.
    ///
    /// # Errors
    /// `internal`
    fn write(frame: &Self::Frame, seen: Option<&Self::Frame>) -> Result<String>;
}

/// What a watcher sees.
#[derive(Debug, PartialEq)]
pub enum Sight<F> {
    Frame {
        id: EventId,
        frame: Arc<F>,
    },
    /// Redis is out of reach.
    Down,
}

impl<F> Clone for Sight<F> {
    fn clone(&self) -> Self {
        match self {
            Self::Frame { id, frame } => Self::Frame { id: *id, frame: frame.clone() },
            Self::Down => Self::Down,
        }
    }
}

impl<F> Sight<F> {
    fn is_after(&self, other: &Self) -> bool {
        match (self, other) {
            (Self::Frame { id, .. }, Self::Frame { id: other, .. }) => id > other,
            (Self::Frame { .. }, Self::Down) => true,
            (Self::Down, _) => false,
        }
    }
}

/// The live view of one kind of sale.
pub struct Hub<S: Source> {
    shared: Arc<Shared<S>>,
}

impl<S: Source> Clone for Hub<S> {
    fn clone(&self) -> Self {
        Self { shared: self.shared.clone() }
    }
}

struct Shared<S: Source> {
    source: S,
    watched: Mutex<HashMap<String, watch::Sender<Sight<S::Frame>>>>,
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
    pub async fn watch(&self, sale: &str) -> Result<watch::Receiver<Sight<S::Frame>>> {
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

impl<S: Source> Shared<S> {
    fn watched(&self) -> MutexGuard<'_, HashMap<String, watch::Sender<Sight<S::Frame>>>> {
        // Nothing panics while the lock is held.
        self.watched.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

async fn look<S: Source>(source: &S, sale: &str) -> Result<Sight<S::Frame>> {
    let (id, frame) = source.frame(sale).await?;
    Ok(Sight::Frame { id, frame: frame.into() })
}
