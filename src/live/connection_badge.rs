//! How the connection to the live view stands, for the reader.

use super::{event_stream::Connection, words::words};
use leptos::prelude::*;

/// A dot and a word for how the connection stands.
#[component]
pub fn ConnectionBadge(
    /// As [`use_event_stream`](super::event_stream::use_event_stream) tells it.
    #[prop(into)]
    connection: Signal<Connection>,
) -> impl IntoView {
    let class = move || match connection.get() {
        Connection::Connecting => "link",
        Connection::Live => "link live",
        Connection::Lost | Connection::StoreDown => "link bad",
    };
    let words = words();
    view! {
        <span class=class role="status">
            {move || (words.connection)(connection.get())}
        </span>
    }
}
