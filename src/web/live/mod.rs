//! The live view: each server process reads a watched sale up to 50 times a second, and sends what it read to every
//! browser that watches, as server-sent events.
//!
//! `GET /live/<kind>/<sale>?after=<event id>` sends
//! - messages without a name: `id` is the event id, `data` the sale's snapshot as JSON. The first comes at once. A kind
//!   may send less than the whole: relative to the last message on the same connection, and in the first relative to
//!   `after` (or to the browser's `Last-Event-ID`);
//! - messages named `store`: `data` is `down` when Redis is out of reach, `up` when it is back. A viewer who comes back
//!   meanwhile is told so at once;
//! - messages named `alive`, at once and every 5 seconds: `data` is the server's time in epoch milliseconds, and what was
//!   said last still holds. A browser that hears nothing for longer takes the connection for dead;
//! - last of all, a message named `gone` when the sale no longer exists, because it was archived. A viewer who comes to
//!   watch such a sale and names an event id is told so too; one who names none gets the status of the error, which a
//!   browser cannot read here.

#[cfg(feature = "ssr")]
pub mod description;
pub mod event_stream;
mod slots;
pub mod words;

use crate::live::{event_stream::Connection, words::words};
use leptos::prelude::*;

/// A dot and a word for how the connection stands.
#[component]
pub fn ConnectionBadge(
    /// As [`use_event_stream`](event_stream::use_event_stream) tells it.
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
