//! The event stream of the live view in the browser: one connection while the page is visible, if it gets a slot for it.
//!
//! leptos-use's `use_event_source` connects to the same address again when a connection is lost. Here each new connection
//! says what was seen last, and a message is applied when the browser paints, in order and none left out, as it may build
//! on the one before.

use crate::{
    components::{server_now, set_server_clock, use_reload},
    live::slots::{Slot, acquire_slot},
};
use leptos::{
    ev::Custom, leptos_dom::helpers::TimeoutHandle, prelude::*, reactive::spawn_local_scoped_with_cancellation,
};
use leptos_use_document_visibility::use_document_visibility;
use leptos_use_event_listener::use_event_listener;
use leptos_use_interval_fn::use_interval_fn;
use model::{
    EventId, KindInfo, Millis,
    live::ALIVE,
    url::{segment, with_query},
};
use send_wrapper::SendWrapper;
use serde::de::DeserializeOwned;
use std::{
    cell::{Cell, RefCell},
    rc::Rc,
    time::Duration,
};
use web_sys::{Event, EventSource, MessageEvent, VisibilityState};

/// How the connection to the live view stands.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Connection {
    /// Not connected yet.
    Connecting,
    /// Other windows of the browser have all slots; it looks for a free one every two seconds.
    Waiting,
    /// Connected.
    Live,
    /// Nothing was heard for too long, as of a server that is frozen; it is being tried again.
    Silent,
    /// Broken; it is being tried again.
    Lost,
    /// The server is there, its Redis is not.
    StoreDown,
}

impl Connection {
    /// Whether the page may be out of date, and requests are not answered.
    pub fn is_broken(self) -> bool {
        matches!(self, Self::Silent | Self::Lost | Self::StoreDown)
    }

    /// Whether the page may be out of date.
    pub fn is_stale(self) -> bool {
        self.is_broken() || self == Self::Waiting
    }
}

/// The live view of a sale.
#[derive(Clone, Copy)]
pub struct LiveStream {
    /// How the connection stands.
    pub connection: Signal<Connection>,
    /// When the page was last known to be true, in epoch milliseconds; `None` before the browser has taken over.
    pub heard_at: StoredValue<Option<Millis>>,
}

/// How long to wait before a connection that the browser gave up is opened anew, and before looking for a free slot again.
const RETRY: Duration = Duration::from_secs(2);

/// Connects to the live view of a sale while the tab is visible and there is a slot for it, and gives `show` every frame in
/// order, when the browser paints. Says how the connection stands, and when what is shown was last up to date. The
/// connection ends with the component, or with the sale, whose page is then loaded again.
pub fn use_event_stream<F: DeserializeOwned + 'static>(
    kind: &'static KindInfo,
    sale: &str,
    // The event id of what the page shows.
    shown: impl Fn() -> EventId + 'static,
    show: impl Fn(F) + 'static,
) -> LiveStream {
    let path: Rc<str> = format!("/live/{}/{}", kind.segment, segment(sale)).into();
    let shown: Rc<dyn Fn() -> EventId> = Rc::new(shown);
    let stream = Stream {
        connection: RwSignal::new(Connection::Connecting),
        heard_at: StoredValue::new(None),
        attempt: RwSignal::new(0),
        starts_over: StoredValue::new(false),
        reload: use_reload(),
    };
    let show: ShowFrame = Rc::new(move |json| serde_json::from_str(json).map(&show));
    let visibility = use_document_visibility();
    // The page came with its data.
    Effect::new(move || stream.heard_at.set_value(Some(server_now())));
    Effect::new(move || {
        stream.attempt.track();
        if visibility.get() != VisibilityState::Visible {
            return;
        }
        // That a page is lost, or waits, is shown until its first message.
        if matches!(stream.connection.get_untracked(), Connection::StoreDown | Connection::Live) {
            stream.connection.set(Connection::Connecting);
        }
        let (path, shown, show) = (path.clone(), shown.clone(), show.clone());
        // Its owner is the effect's, with which it ends.
        spawn_local_scoped_with_cancellation(async move {
            let Some(slot) = acquire_slot().await else {
                stream.wait();
                return;
            };
            let starts_over = stream.starts_over.try_update_value(std::mem::take).unwrap_or_default();
            let after = (!starts_over).then(|| untrack(|| shown()).to_string());
            match EventSource::new(&with_query(&path, [("after", after)])) {
                Ok(source) => stream.listen(source, slot, show),
                Err(_) => stream.set_state(Connection::Lost),
            }
        });
    });
    LiveStream { connection: stream.connection.into(), heard_at: stream.heard_at }
}

/// Shows a frame, if it can be read.
type ShowFrame = Rc<dyn Fn(&str) -> serde_json::Result<()>>;

/// What is kept from one connection to the next.
#[derive(Clone, Copy)]
struct Stream {
    connection: RwSignal<Connection>,
    heard_at: StoredValue<Option<Millis>>,
    /// Counts up to connect again.
    attempt: RwSignal<u32>,
    /// Differences cannot be applied to what the page shows: the next connection begins with a whole frame.
    starts_over: StoredValue<bool>,
    reload: Callback<()>,
}

impl Stream {
    /// While it is live, the page is as the server has it.
    fn hear(self) {
        if self.connection.try_get_untracked() == Some(Connection::Live) {
            _ = self.heard_at.try_update_value(|at| *at = Some(server_now()));
        }
    }

    fn set_state(self, state: Connection) {
        if self.connection.try_get_untracked().is_some_and(|was| was != state) {
            self.connection.set(state);
        }
    }

    /// Looks for a free slot again in a while.
    fn wait(self) {
        self.set_state(Connection::Waiting);
        if let Some(timer) = self.connect_later() {
            on_cleanup(move || timer.clear());
        }
    }

    /// Connects again in a while.
    fn connect_later(self) -> Option<TimeoutHandle> {
        let connect = move || _ = self.attempt.try_update(|attempt| *attempt += 1);
        set_timeout_with_handle(connect, RETRY).ok()
    }

    /// Listens until the effect that called it runs again or is gone.
    fn listen(self, source: EventSource, slot: Slot, show: ShowFrame) {
        let slot = Cell::new(Some(slot));
        let open = Rc::new(OpenStream {
            source: source.clone(),
            slot,
            stream: self,
            retry: Cell::new(None),
            silent: Cell::new(0),
        });
        let watched = open.clone();
        use_interval_fn(move || watched.watch(), ALIVE.as_millis() as u64);
        let frames = Frames { open: open.clone(), waiting: Rc::default(), show };
        _ = use_event_listener(source.clone(), Custom::<MessageEvent>::new("message"), move |event| {
            self.set_state(Connection::Live);
            frames.open.hear();
            frames.push(event.data().as_string().unwrap_or_default());
        });
        let heard = open.clone();
        _ = use_event_listener(source.clone(), Custom::<MessageEvent>::new("store"), move |event| {
            let is_down = event.data().as_string().is_some_and(|state| state == "down");
            heard.hear();
            self.set_state(if is_down { Connection::StoreDown } else { Connection::Live });
        });
        let heard = open.clone();
        _ = use_event_listener(source.clone(), Custom::<MessageEvent>::new("alive"), move |event| {
            if let Some(now) = event.data().as_string().and_then(|now| now.parse().ok()) {
                set_server_clock(now);
            }
            heard.hear();
        });
        let gone = open.clone();
        _ = use_event_listener(source.clone(), Custom::<MessageEvent>::new("gone"), move |_| {
            // Otherwise the browser would reconnect when the server ends the stream.
            gone.close();
            self.reload.run(());
        });
        let lost = open.clone();
        _ = use_event_listener(source, Custom::<Event>::new("error"), move |_| {
            self.set_state(Connection::Lost);
            if lost.source.ready_state() == EventSource::CLOSED {
                lost.retry();
            }
        });
        let open = SendWrapper::new(open);
        on_cleanup(move || open.close());
    }
}

/// One connection.
struct OpenStream {
    source: EventSource,
    /// Until it is closed.
    slot: Cell<Option<Slot>>,
    stream: Stream,
    /// Opens the next one; not after this one was closed here, when there may be a next one already.
    retry: Cell<Option<TimeoutHandle>>,
    /// How many intervals began since anything was heard.
    silent: Cell<u32>,
}

/// How many of them are too many: in two whole ones, something must have been heard.
const TOO_SILENT: u32 = 3;

impl OpenStream {
    fn hear(&self) {
        self.silent.set(0);
        self.stream.hear();
    }

    /// At the beginning of an interval.
    fn watch(&self) {
        self.silent.update(|silent| silent + 1);
        if self.silent.get() == TOO_SILENT && self.retry.get().is_none() {
            self.stream.set_state(Connection::Silent);
            self.retry();
        }
    }

    fn close(&self) {
        self.source.close();
        self.slot.take();
        if let Some(timer) = self.retry.take() {
            timer.clear();
        }
    }

    /// Connects again in a while.
    fn retry(&self) {
        self.close();
        self.retry.set(self.stream.connect_later());
    }
}

/// Messages that wait for the next paint.
struct Frames {
    open: Rc<OpenStream>,
    waiting: Rc<RefCell<Vec<String>>>,
    show: ShowFrame,
}

impl Frames {
    fn push(&self, frame: String) {
        self.waiting.borrow_mut().push(frame);
        if self.waiting.borrow().len() > 1 {
            return;
        }
        let (open, waiting, show) = (self.open.clone(), self.waiting.clone(), self.show.clone());
        request_animation_frame(move || {
            // The page may be gone by then, and what it shows with it.
            if open.stream.connection.is_disposed() {
                return;
            }
            // The messages that follow build on the one that cannot be read.
            if let Err(error) = waiting.take().iter().try_for_each(|frame| show(frame)) {
                leptos::logging::error!("a message of the live view cannot be read: {error}");
                open.stream.starts_over.set_value(true);
                open.stream.set_state(Connection::Lost);
                open.retry();
            }
        });
    }
}
