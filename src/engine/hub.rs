//! One reader for each watched sale and process, for any number of viewers.
//!
//! Each frame is complete, so a slow browser simply gets the newest. A `watch` channel is enough, and nothing piles up.
//! The message for a browser is relative to the frame that it was sent before. It is encoded once for all browsers that
//! were sent the same frame.

use futures::{
    StreamExt,
    future::BoxFuture,
    stream::{self, BoxStream},
};
use model::{
    EventId, KindInfo, OfKind,
    error::{Code, Result},
    live::{FEW, FRAME, FRAME_OF_MANY},
};
use std::{
    collections::HashMap,
    future::Future,
    sync::{Arc, Mutex, MutexGuard, Weak},
    time::Duration,
};
use store::runtime::locked;
use tokio::{sync::watch, time::Instant};
use tokio_stream::wrappers::WatchStream;
use tokio_util::sync::CancellationToken;

/// The requirements of the live view on a kind of sale.
pub trait LiveSource: OfKind + Send + Sync + 'static {
    /// The state of a sale at one moment.
    type Frame: Send + Sync + PartialEq;

    /// The current state of a sale, and the event id to which it belongs.
    ///
    /// # Errors
    /// `bad_request`, `unknown_sale`, `unavailable`.
    fn frame(&self, sale: &str) -> impl Future<Output = Result<(EventId, Self::Frame)>> + Send;

    /// Encodes a frame as JSON, for a browser that was last sent `seen`, or nothing yet. Of two frames with the same
    /// event id, either may be given as `seen`.
    ///
    /// # Errors
    /// `internal`.
    fn encode(frame: &Self::Frame, seen: Option<&Self::Frame>) -> Result<String>;
}

/// The state of a watched sale.
pub enum HubState<F> {
    /// A new state of the sale, shared by all viewers.
    Frame(Arc<Frame<F>>),
    /// Redis is out of reach.
    Down,
    /// The sale no longer exists. This is the last state.
    Gone,
}

/// The state of a sale at one moment, and its encodings for viewers.
pub struct Frame<F> {
    /// The last event that the frame reflects.
    pub id: EventId,
    /// The state of the sale.
    pub state: F,
    /// The encodings, by the frame that a viewer was sent before. They are few, as most viewers were sent the same
    /// frame.
    encoded: Mutex<Vec<Encoded<F>>>,
}

/// A frame as JSON, for viewers who were sent `seen` before. (A `Weak` that can no longer be upgraded still occupies
/// its memory, so no other frame is ever taken for it.)
struct Encoded<F> {
    seen: Option<Weak<Frame<F>>>,
    json: Arc<str>,
}

impl<F> Frame<F> {
    fn new(id: EventId, state: F) -> Self {
        Self { id, state, encoded: Mutex::default() }
    }

    /// The message for a viewer who was sent `seen` before. It is encoded for the first such viewer.
    fn message<S: LiveSource<Frame = F>>(&self, seen: Option<&Arc<Self>>) -> Result<Message> {
        // Nothing panics while the lock is held.
        let mut encoded = locked(&self.encoded);
        let is_same = |known: &&Encoded<F>| match (&known.seen, seen) {
            (Some(known), Some(seen)) => Weak::as_ptr(known) == Arc::as_ptr(seen),
            (known, seen) => known.is_none() && seen.is_none(),
        };
        if let Some(known) = encoded.iter().find(is_same) {
            return Ok(Message::Frame { id: self.id, json: known.json.clone() });
        }
        let json: Arc<str> = S::encode(&self.state, seen.map(|seen| &seen.state))?.into();
        encoded.push(Encoded { seen: seen.map(Arc::downgrade), json: json.clone() });
        Ok(Message::Frame { id: self.id, json })
    }
}

impl<F> Clone for HubState<F> {
    fn clone(&self) -> Self {
        match self {
            Self::Frame(frame) => Self::Frame(frame.clone()),
            Self::Down => Self::Down,
            Self::Gone => Self::Gone,
        }
    }
}

/// A message to a browser.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Message {
    /// A new state of the sale.
    Frame {
        /// The last event that the state reflects.
        id: EventId,
        /// The message for this browser, as JSON.
        json: Arc<str>,
    },
    /// Redis is out of reach.
    StoreDown,
    /// Redis is reachable again.
    StoreUp,
    /// The sale no longer exists. This is the last message.
    Gone,
}

/// The live view of one kind of sale, for any type of frame.
pub trait LiveView: Send + Sync {
    /// The kind of sale.
    fn info(&self) -> &'static KindInfo;

    /// The messages to a browser that begins to watch a sale and has seen its state as of `after`.
    ///
    /// # Errors
    /// `bad_request`, `unknown_sale`, `unavailable`.
    fn messages<'a>(
        &'a self,
        sale: &'a str,
        after: Option<EventId>,
    ) -> BoxFuture<'a, Result<BoxStream<'static, Message>>>;

    /// The number of sales that are being watched.
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

    /// The view of the kind with this segment in its URLs.
    pub fn by_segment(&self, segment: &str) -> Option<&dyn LiveView> {
        self.0.iter().find(|view| view.info().segment == segment).map(AsRef::as_ref)
    }

    /// The number of sales that are being watched.
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

    /// Watches a sale. The receiver holds a state from the start, which is the latest one if others already watch the
    /// sale. A viewer who has seen an event knows that the sale exists, and waits for Redis to come back.
    ///
    /// # Errors
    /// `bad_request`, `unknown_sale`, `unavailable`.
    pub async fn watch(&self, sale: &str, after: Option<EventId>) -> Result<watch::Receiver<HubState<S::Frame>>> {
        if let Some(sender) = self.shared.watched().get(sale).filter(|sender| sender.receiver_count() > 0) {
            return Ok(sender.subscribe());
        }
        // The first read shows whether the sale exists.
        let state = match self.shared.source.frame(sale).await {
            Ok((id, state)) => HubState::Frame(Frame::new(id, state).into()),
            Err(error) if after.is_some() && is_out_of_reach(error.code) => HubState::Down,
            Err(error) => return Err(error),
        };
        let mut watched = self.shared.watched();
        // Another viewer may have come meanwhile, or the last one may just have gone.
        if let Some(sender) = watched.get(sale) {
            // The channel may hold an older state, which nobody has watched since, or a newer one, read after this read
            // began.
            sender.send_if_modified(|shown| {
                let is_newer = match (&*shown, &state) {
                    (HubState::Frame(shown), HubState::Frame(read)) => read.id > shown.id,
                    (_, HubState::Frame(_)) => true,
                    _ => false,
                };
                if is_newer {
                    *shown = state;
                }
                is_newer
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
        Box::pin(async move { Ok(messages::<S>(self.watch(sale, after).await?, after).boxed()) })
    }

    fn watched(&self) -> usize {
        self.shared.watched().len()
    }
}

impl<S: LiveSource> Shared<S> {
    /// Reads a sale for as long as somebody watches it.
    async fn follow(&self, sale: &str) {
        let _unwatched = UnwatchedOnPanic { shared: self, sale };
        let mut interval = frame_for(1);
        let mut due = Instant::now() + interval;
        loop {
            tokio::select! {
                () = tokio::time::sleep_until(due) => {}
                () = self.shutdown.cancelled() => break,
            }
            // The next read is due at this time, however long this read takes.
            due = Instant::now() + interval;
            let read = match self.source.frame(sale).await {
                Ok(frame) => Some(frame),
                Err(error) if is_out_of_reach(error.code) => None,
                Err(error) if error.code.is_sale_gone() => {
                    // The channel is removed first, so that no new viewer can wait for more.
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
            let viewers = sender.receiver_count();
            if viewers == 0 {
                watched.remove(sale);
                return;
            }
            interval = frame_for(viewers.max(watched.len()));
            sender.send_if_modified(|shown| match (&*shown, read) {
                (HubState::Frame(frame), Some((id, state))) if frame.id == id && frame.state == state => false,
                (HubState::Down, None) => false,
                (_, Some((id, state))) => {
                    *shown = HubState::Frame(Frame::new(id, state).into());
                    true
                }
                (_, None) => {
                    *shown = HubState::Down;
                    true
                }
            });
        }
        // Dropping the sender ends the streams of the remaining viewers.
        self.watched().remove(sale);
    }

    fn watched(&self) -> MutexGuard<'_, HashMap<String, watch::Sender<HubState<S::Frame>>>> {
        // Nothing panics while the lock is held.
        locked(&self.watched)
    }
}

/// Whether the error is about a sale that cannot be read now, but may be readable in a moment.
fn is_out_of_reach(code: Code) -> bool {
    matches!(code, Code::Unavailable | Code::StoreRefused | Code::LedgerUnavailable | Code::Busy)
}

/// The interval between frames, for this number of viewers of a sale or of watched sales.
fn frame_for(many: usize) -> Duration {
    if many <= FEW { FRAME } else { FRAME_OF_MANY }
}

/// Ends the streams of a sale whose reader panics. Otherwise its viewers, and all later ones, would wait for ever.
struct UnwatchedOnPanic<'a, S: LiveSource> {
    shared: &'a Shared<S>,
    sale: &'a str,
}

impl<S: LiveSource> Drop for UnwatchedOnPanic<'_, S> {
    fn drop(&mut self) {
        if std::thread::panicking() {
            self.shared.watched().remove(self.sale);
        }
    }
}

fn messages<S: LiveSource>(
    receiver: watch::Receiver<HubState<S::Frame>>,
    after: Option<EventId>,
) -> impl stream::Stream<Item = Message> + Send {
    let mut is_down = false;
    let mut seen: Option<Arc<Frame<S::Frame>>> = None;
    WatchStream::new(receiver).flat_map(move |state| {
        let mut messages = Vec::with_capacity(2);
        match state {
            HubState::Frame(frame) => {
                if std::mem::take(&mut is_down) {
                    messages.push(Message::StoreUp);
                }
                // A viewer who has seen this event id has all data of that event. Changes without an event may be
                // missing: refused attempts, the end of a sale, a suspension.
                if seen.is_none() && after == Some(frame.id) {
                    seen = Some(frame.clone());
                }
                match frame.message::<S>(seen.as_ref()) {
                    Ok(message) => {
                        messages.push(message);
                        seen = Some(frame);
                    }
                    // The next message has all changes since the last one that was sent.
                    Err(error) => tracing::error!(%error, "a frame of the live view could not be encoded"),
                }
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
