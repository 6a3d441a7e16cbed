//! The browser's end of the live view: one connection to the server for as long as somebody looks.
//!
//! leptos-use's `use_event_source` gives the latest message as a signal, which merges messages, and is told its
//! address beforehand. Here every message counts, as it may build on the one before it, and each new connection says
//! what was seen last.

use leptos::{ev::Custom, prelude::*};
use leptos_use_document_visibility::use_document_visibility;
use leptos_use_event_listener::use_event_listener;
use std::{cell::RefCell, rc::Rc, time::Duration};
use web_sys::{Event, EventSource, MessageEvent, VisibilityState};

/// How the connection to the live view stands.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Connection {
    Connecting,
    Live,
    /// Broken; it is being tried again.
    Lost,
    /// The server is there, its Redis is not.
    StoreDown,
}

/// How long to wait before a connection that the browser gave up is opened anew.
const RETRY: Duration = Duration::from_secs(2);

/// Connects to the address that `url` names at that moment, while the tab is visible, and gives `on_message` every
/// message in order, when the browser paints. Says how the connection stands; it ends with the component.
pub fn use_event_stream(url: impl Fn() -> String + 'static, on_message: impl Fn(&str) + 'static) -> Signal<Connection> {
    let connection = RwSignal::new(Connection::Connecting);
    let attempt = RwSignal::new(0_u32);
    let visibility = use_document_visibility();
    let on_message: Rc<dyn Fn(&str)> = Rc::new(on_message);
    Effect::new(move || {
        attempt.track();
        if visibility.get() != VisibilityState::Visible {
            return;
        }
        // A connection that was lost stays so until it stands again.
        if connection.get_untracked() != Connection::Lost {
            connection.set(Connection::Connecting);
        }
        match EventSource::new(&untrack(&url)) {
            Ok(source) => listen(source, connection, attempt, on_message.clone()),
            Err(_) => connection.set(Connection::Lost),
        }
    });
    connection.into()
}

/// Listens until the effect that called it runs again or is gone.
fn listen(source: EventSource, connection: RwSignal<Connection>, attempt: RwSignal<u32>, on_message: Rc<dyn Fn(&str)>) {
    let frames = Frames { waiting: Rc::default(), connection, on_message };
    let stands = move |state: Connection| {
        if connection.try_get_untracked().is_some_and(|was| was != state) {
            connection.set(state);
        }
    };
    _ = use_event_listener(source.clone(), Custom::<Event>::new("open"), move |_| stands(Connection::Live));
    _ = use_event_listener(source.clone(), Custom::<MessageEvent>::new("message"), move |event| {
        stands(Connection::Live);
        frames.push(event.data().as_string().unwrap_or_default());
    });
    _ = use_event_listener(source.clone(), Custom::<MessageEvent>::new("store"), move |event| {
        let is_down = event.data().as_string().is_some_and(|state| state == "down");
        stands(if is_down { Connection::StoreDown } else { Connection::Live });
    });
    let errors = source.clone();
    _ = use_event_listener(source.clone(), Custom::<Event>::new("error"), move |_| {
        stands(Connection::Lost);
        if errors.ready_state() == EventSource::CLOSED {
            set_timeout(move || _ = attempt.try_update(|attempt| *attempt += 1), RETRY);
        }
    });
    let source = send_wrapper::SendWrapper::new(source);
    on_cleanup(move || source.close());
}

/// Messages that wait for the next paint.
struct Frames {
    waiting: Rc<RefCell<Vec<String>>>,
    connection: RwSignal<Connection>,
    on_message: Rc<dyn Fn(&str)>,
}

impl Frames {
    fn push(&self, frame: String) {
        self.waiting.borrow_mut().push(frame);
        if self.waiting.borrow().len() == 1 {
            let (waiting, connection, on_message) = (self.waiting.clone(), self.connection, self.on_message.clone());
            request_animation_frame(move || {
                // The page may be gone by then, and what it shows with it.
                if !connection.is_disposed() {
                    waiting.take().iter().for_each(|frame| on_message(frame));
                }
            });
        }
    }
}
