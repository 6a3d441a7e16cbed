//! The live view: each server process reads a watched sale up to 50 times a second, and sends the result to every
//! watching browser, as server-sent events.
//!
//! `GET /live/<kind>/<sale>?after=<event id>` sends
//! - messages without a name: `id` is the event id, `data` the sale's snapshot as JSON. The first comes at once. A kind
//!   may send only the difference: to the last message on the same connection; in the first message, to `after` (or to
//!   the browser's `Last-Event-ID`);
//! - first of all, unless it serves a development build, a message named `build`: `data` tells which build of the browser
//!   side the server has, so that a page of another one notices it;
//! - messages named `store`: `data` is `down` when Redis is out of reach, `up` when it is back. A viewer who reconnects
//!   meanwhile gets it at once;
//! - messages named `alive`, at once and every 5 seconds: `data` is the server's time in epoch milliseconds, and the
//!   last message still holds. A browser that hears nothing for longer takes the connection for dead;
//! - last of all, a message named `gone` when the sale no longer exists, because it was archived. A new viewer of such
//!   a sale who names an event id gets it too. One who names none gets the status of the error, which a browser cannot
//!   read here.

#[cfg(feature = "ssr")]
pub mod description;
pub mod event_stream;
mod slots;
pub mod words;

use crate::live::{event_stream::Connection, words::words};
use leptos::prelude::*;

/// Shows the state of the connection as a dot and a word.
#[component]
pub fn ConnectionBadge(
    /// The state, from [`use_event_stream`](event_stream::use_event_stream).
    #[prop(into)]
    connection: Signal<Connection>,
) -> impl IntoView {
    let class = move || match connection.get() {
        Connection::Connecting | Connection::Waiting => "link",
        Connection::Live => "link live",
        Connection::Silent | Connection::Lost | Connection::StoreDown => "link bad",
    };
    let words = words();
    view! {
        <span class=class role="status">
            {move || (words.connection)(connection.get())}
        </span>
    }
}
