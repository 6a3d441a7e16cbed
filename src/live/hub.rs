//! One reader for each watched sale and process, however many watch.
//!
//! Each frame is complete, so a slow browser simply gets the newest: a `watch` channel is all it takes, and nothing
//! piles up. What a browser is sent of a frame is encoded for each, relative to the frame that it was sent before.

use crate::{
    domain::{EventId, KindInfo, OfKind},
    error::{Code, Error, Result},
};
use futures::{StreamExt, future::BoxFuture, stream, stream::BoxStream};
use std::{
    collections::HashMap,
    future::Future,
    sync::{Arc, Mutex, MutexGuard, PoisonError},
    time::Duration,
};
use tokio::{sync::watch, time::MissedTickBehavior};
use tokio_stream::wrappers::WatchStream;
use tokio_util::sync::CancellationToken;

/// At most 20 frames a second.
pub const FRAME: Duration = Duration::from_millis(50);

/// What the live view asks of a kind of sale.
pub trait LiveSource: OfKind + Send + Sync + 'static {
    /// A sale as it is at one moment.
    type Frame: Send + Sync + PartialEq;

    /// The sale as it is now, and the event id that it belongs to.
    ///
    /// # Errors
    /// `bad_request`, `unknown_sale`, `unavailable`.
    fn frame(&self, sale: &str) -> impl Future<Output = Result<(EventId, Self::Frame)>> + Send;

    /// Encodes a frame as JSON, for a browser that was sent `seen` last, or nothing yet. Two frames of one event id may
    /// stand in for each other in this.
    ///
    /// # Errors
    /// `internal`.
    fn encode(frame: &Self::Frame, seen: Option<&Self::Frame>) -> Result<String>;
}

/// The state of a watched sale.
#[derive(Debug, PartialEq)]
pub enum HubState<F> {
    /// A new state of the sale.
    Frame {
        /// The last event that it reflects.
        id: EventId,
        /// The frame, shared by all viewers.
        frame: Arc<F>,
    },
    /// Redis is out of reach.
    Down,
    /// The sale is no more: the last state.
    Gone,
}

impl<F> Clone for HubState<F> {
    fn clone(&self) -> Self {
        match self {
            Self::Frame { id, frame } => Self::Frame { id: *id, frame: frame.clone() },
            Self::Down => Self::Down,
            Self::Gone => Self::Gone,
        }
    }
}

impl<F> HubState<F> {
    fn is_after(&self, other: &Self) -> bool {
        match (self, other) {
            (Self::Frame { id, .. }, Self::Frame { id: other, .. }) => id > other,
            (Self::Frame { .. }, Self::Down) => true,
            (_, Self::Gone) | (Self::Down, _) => false,
            (Self::Gone, _) => true,
        }
    }
}

/// What a browser is sent.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Message {
    /// A new state of the sale.
    Frame {
        /// The last event that it reflects.
        id: EventId,
        /// The message for this browser, JSON.
        json: String,
    },
    /// Redis is out of reach.
    StoreDown,
    /// Redis is reachable again.
    StoreUp,
    /// The sale is no more: the last message.
    Gone,
}

/// The live view of one kind of sale, whatever its frames are.
pub trait LiveView: Send + Sync {
    /// The kind.
    fn info(&self) -> &'static KindInfo;

    /// What a browser is sent that comes to watch a sale and has seen it as of `after`.
    ///
    /// # Errors
    /// `bad_request`, `unknown_sale`, `unavailable`.
    fn messages<'a>(
        &'a self,
        sale: &'a str,
        after: Option<EventId>,
    ) -> BoxFuture<'a, Result<BoxStream<'static, Message>>>;

    /// Sales that somebody watches now.
    fn watched(&self) -> usize;
}

/// The live views of all kinds. Cheap to clone.
#[derive(Clone)]
pub struct LiveViews(Arc<[Arc<dyn LiveView>]>);

impl LiveViews {
    /// The views of all kinds.
    pub fn new(views: impl IntoIterator<Item = Arc<dyn LiveView>>) -> Self {
        Self(views.into_iter().collect())
    }

    /// The view of the kind that has this segment in its addresses.
    pub fn by_segment(&self, segment: &str) -> Option<&dyn LiveView> {
        self.0.iter().find(|view| view.info().segment == segment).map(AsRef::as_ref)
    }

    /// Sales that somebody watches now.
    pub fn watched(&self) -> usize {
        self.0.iter().map(|view| view.watched()).sum()
    }
}

/// The live view of one kind of sale.
pub struct Hub<S: LiveSource> {
    shared: Arc<Shared<S>>,
}

struct Shared<S: LiveSource> {
    source: S,
    watched: Mutex<HashMap<String, watch::Sender<HubState<S::Frame>>>>,
    shutdown: CancellationToken,
}

impl<S: LiveSource> Hub<S> {
    /// A hub for this source; its views end when `shutdown` is cancelled.
    pub fn new(source: S, shutdown: CancellationToken) -> Self {
        Self { shared: Arc::new(Shared { source, watched: Mutex::new(HashMap::new()), shutdown }) }
    }

    /// Watches a sale. The receiver holds the newest frame already.
    ///
    /// # Errors
    /// `bad_request`, `unknown_sale`, `unavailable`.
    pub async fn watch(&self, sale: &str) -> Result<watch::Receiver<HubState<S::Frame>>> {
        // Reading first tells whether there is such a sale, and what the watcher sees at once.
        let state = read(&self.shared.source, sale).await?;
        let mut watched = self.shared.watched();
        if let Some(sender) = watched.get(sale) {
            // What was just read may be newer than the last frame that the others were sent.
            sender.send_if_modified(|seen| {
                let is_news = state.is_after(seen);
                if is_news {
                    *seen = state;
                }
                is_news
            });
            return Ok(sender.subscribe());
        }
        let (sender, receiver) = watch::channel(state);
        watched.insert(sale.to_owned(), sender);
        drop(watched);
        let (shared, sale) = (self.shared.clone(), sale.to_owned());
        tokio::spawn(async move { shared.follow(&sale).await });
        Ok(receiver)
    }
}

impl<S: LiveSource> LiveView for Hub<S> {
    fn info(&self) -> &'static KindInfo {
        self.shared.source.info()
    }

    fn messages<'a>(
        &'a self,
        sale: &'a str,
        after: Option<EventId>,
    ) -> BoxFuture<'a, Result<BoxStream<'static, Message>>> {
        Box::pin(async move { Ok(messages::<S>(self.watch(sale).await?, after).boxed()) })
    }

    fn watched(&self) -> usize {
        self.shared.watched().len()
    }
}

impl<S: LiveSource> Shared<S> {
    /// Reads a sale for as long as somebody watches it.
    async fn follow(&self, sale: &str) {
        let mut clock = tokio::time::interval(FRAME);
        clock.set_missed_tick_behavior(MissedTickBehavior::Delay);
        loop {
            tokio::select! {
                _ = clock.tick() => {}
                () = self.shutdown.cancelled() => break,
            }
            let state = match read(&self.source, sale).await {
                Ok(state) => state,
                Err(Error { code: Code::Unavailable | Code::StoreRefused | Code::Busy, .. }) => HubState::Down,
                Err(error) if error.code.is_sale_gone() => {
                    // Nobody can come in between and wait for more.
                    if let Some(sender) = self.watched().remove(sale) {
                        sender.send_replace(HubState::Gone);
                    }
                    return;
                }
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
                let is_news = *seen != state;
                *seen = state;
                is_news
            });
        }
        // Dropping the sender ends the streams of whoever still watches.
        self.watched().remove(sale);
    }

    fn watched(&self) -> MutexGuard<'_, HashMap<String, watch::Sender<HubState<S::Frame>>>> {
        // Nothing panics while the lock is held.
        self.watched.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

async fn read<S: LiveSource>(source: &S, sale: &str) -> Result<HubState<S::Frame>> {
    let (id, frame) = source.frame(sale).await?;
    Ok(HubState::Frame { id, frame: frame.into() })
}

fn messages<S: LiveSource>(
    receiver: watch::Receiver<HubState<S::Frame>>,
    after: Option<EventId>,
) -> impl stream::Stream<Item = Message> + Send {
    let mut is_down = false;
    let mut seen: Option<Arc<S::Frame>> = None;
    WatchStream::new(receiver).flat_map(move |state| {
        let mut messages = Vec::with_capacity(2);
        match state {
            HubState::Frame { id, frame } => {
                if std::mem::take(&mut is_down) {
                    messages.push(Message::StoreUp);
                }
                // Whoever has seen this event id has all that belongs to it, but perhaps not what changes without an
                // event: refused attempts, the end of a sale, a suspension.
                if seen.is_none() && after == Some(id) {
                    seen = Some(frame.clone());
                }
                match S::encode(&frame, seen.as_deref()) {
                    Ok(json) => messages.push(Message::Frame { id, json }),
                    Err(error) => tracing::error!(%error, "a frame of the live view could not be encoded"),
                }
                seen = Some(frame);
            }
            HubState::Down => {
                is_down = true;
                messages.push(Message::StoreDown);
            }
            HubState::Gone => messages.push(Message::Gone),
        }
        stream::iter(messages)
    })
}
