//! The live view: one hub per server process reads the watched sales at most 20 times
//! a second and sends what it read, as server-sent events, to every browser.
//!
//! `GET /live/<kind>/<sale>?after=<event id>` (`red-packet`, `ticket`) sends
//! - messages without a name: `id` is the event id, `data` the sale's snapshot as JSON. The first comes at once. Of
//!   seats, it has those that changed since this connection's last message; in the first all, or none where nothing
//!   happened after `after` (or after the browser's `Last-Event-ID`);
//! - messages named `store`: `data` is `down` when Redis is out of reach, `up` when it is back.

mod connection_badge;
pub mod event_stream;
#[cfg(feature = "ssr")]
pub mod hub;
#[cfg(feature = "ssr")]
pub mod sse;
pub mod words;

pub use connection_badge::ConnectionBadge;
