//! The live view: one hub per server process reads what changed in the watched sales, merges it into
//! at most 20 frames a second and sends each frame, as server-sent events, to every browser.
//!
//! `GET /live/<kind>/<sale>?after=<event id>` (kind as in the page's path: `red-packet`) sends
//! - messages without a name: `id` is the event id, `data` the sale's snapshot as JSON. Each stands on
//!   its own, so a frame that was missed leaves no trace. The first comes at once when anything
//!   happened after `after` (or after the browser's `Last-Event-ID`);
//! - messages named `store`: `data` is `down` when Redis is out of reach, `up` when it is back.

pub mod browser;
#[cfg(feature = "ssr")]
pub mod hub;
#[cfg(feature = "ssr")]
pub mod sse;
