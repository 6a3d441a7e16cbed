//! The event stream of the live view in the browser: one connection while the page is visible, if a slot is free.
//!
//! leptos-use's `use_event_source` reconnects to the same address. Here, each new connection names the last event that
//! was seen. A message is applied when the browser paints. Messages keep their order and none is left out, as each may
//! build on the previous one.

use crate::{
    base_path::under_base,
    components::{ServerVersion, server_now, set_server_clock, use_reload, use_server_version},
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

/// The state of the connection to the live view.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Connection {
    /// Not connected yet.
    Connecting,
    /// Other windows of the browser have all slots; a free one is looked for every two seconds.
    Waiting,
    /// Connected.
    Live,
    /// Nothing was heard for too long, for example because the server is frozen; the connection is being retried.
    Silent,
    /// Broken; the connection is being retried.
    Lost,
    /// The server is up, its Redis is down.
    StoreDown,
}

impl Connection {
    /// Returns whether the page may be out of date, and requests fail.
    pub fn is_broken(self) -> bool {
        matches!(self, Self::Silent | Self::Lost | Self::StoreDown)
    }

    /// Returns whether the page may be out of date.
    pub fn is_stale(self) -> bool {
        self.is_broken() || self == Self::Waiting
    }
}

/// The live view of a sale.
#[derive(Clone, Copy)]
pub struct LiveStream {
    /// The state of the connection.
    pub connection: Signal<Connection>,
    /// The last time at which the page was known to be true, in epoch milliseconds; `None` before hydration.
    pub heard_at: StoredValue<Option<Millis>>,
}

/// The delay before a connection that the browser gave up is reopened, and before another search for a free slot.
const RETRY: Duration = Duration::from_secs(2);

/// Connects to the live view of a sale while the tab is visible and a slot is free. Gives `show` every frame in order,
/// when the browser paints. Returns the state of the connection, and the last time at which the page was up to date.
/// The connection ends with the component, or with the sale, whose page is then loaded again.
pub fn use_event_stream<F: DeserializeOwned + 'static>(
    kind: &'static KindInfo,
    sale: &str,
    // The event id of the shown state.
    shown: impl Fn() -> EventId + 'static,
    show: impl Fn(F) + 'static,
) -> LiveStream {
    let path: Rc<str> = under_base(format!("/live/{}/{}", kind.segment, segment(sale))).into();
    let shown: Rc<dyn Fn() -> EventId> = Rc::new(shown);
    let stream = Stream {
        connection: RwSignal::new(Connection::Connecting),
        heard_at: StoredValue::new(None),
        attempt: RwSignal::new(0),
        starts_over: StoredValue::new(false),
        reload: use_reload(),
        version: use_server_version(),
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
        // A lost or waiting connection is shown as such until its first message.
        if matches!(stream.connection.get_untracked(), Connection::StoreDown | Connection::Live) {
            stream.connection.set(Connection::Connecting);
        }
        let (path, shown, show) = (path.clone(), shown.clone(), show.clone());
        // The effect owns the task, and ends it.
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

/// Shows a frame; fails if it cannot be read.
type ShowFrame = Rc<dyn Fn(&str) -> serde_json::Result<()>>;

/// State that outlives a connection.
#[derive(Clone, Copy)]
struct Stream {
    connection: RwSignal<Connection>,
    heard_at: StoredValue<Option<Millis>>,
    /// Incremented to reconnect.
    attempt: RwSignal<u32>,
    /// Differences cannot be applied to the current page: the next connection begins with a whole frame.
    starts_over: StoredValue<bool>,
    reload: Callback<()>,
    version: ServerVersion,
}

impl Stream {
    /// Records that the page matches the server's state, if it is live.
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

    /// Looks for a free slot again after a delay.
    fn wait(self) {
        self.set_state(Connection::Waiting);
        if let Some(timer) = self.connect_later() {
            on_cleanup(move || timer.clear());
        }
    }

    /// Reconnects after a delay.
    fn connect_later(self) -> Option<TimeoutHandle> {
        let connect = move || _ = self.attempt.try_update(|attempt| *attempt += 1);
        set_timeout_with_handle(connect, RETRY).ok()
    }

    /// Listens until the effect that called it runs again or is disposed.
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
        _ = use_event_listener(source.clone(), Custom::<MessageEvent>::new("build"), move |event| {
            self.version.note(&event.data().as_string().unwrap_or_default());
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

/// An open connection.
struct OpenStream {
    source: EventSource,
    /// The slot, until the connection is closed.
    slot: Cell<Option<Slot>>,
    stream: Stream,
    /// Opens the next connection; not after this one was closed here, as there may be another already.
    retry: Cell<Option<TimeoutHandle>>,
    /// The number of intervals that began since the last message.
    silent: Cell<u32>,
}

/// The number of silent intervals that is too many: a healthy server sends something within two whole ones.
const TOO_SILENT: u32 = 3;

impl OpenStream {
    fn hear(&self) {
        self.silent.set(0);
        self.stream.hear();
    }

    /// Checks for silence at the beginning of an interval.
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

    /// Reconnects after a delay.
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
            // The page may be disposed by then, together with its state.
            if open.stream.connection.is_disposed() {
                return;
            }
            // The following messages build on the unreadable one.
            if let Err(error) = waiting.take().iter().try_for_each(|frame| show(frame)) {
                leptos::logging::error!("a message of the live view cannot be read: {error}");
                open.stream.starts_over.set_value(true);
                open.stream.set_state(Connection::Lost);
                open.stream.version.catch_up();
                open.retry();
            }
        });
    }
}
