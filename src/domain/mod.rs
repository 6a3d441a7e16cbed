//! The vocabulary that all rooms share: ids, money, time, event ids, verdicts and the states of a sale; and how
//! requests are read.
//!
//! Pure data and rules, compiled for server and browser alike. Only the checks of ids and the look-up of a kind
//! use another room, for their error.

mod audit;
mod event_id;
mod id;
mod instant;
#[cfg(feature = "ssr")]
mod parameters;
mod sale;
mod strict_json;

pub use audit::{Audit, Invariant, Unit, Verdict};
pub use event_id::EventId;
pub use id::{MAX_ID_BYTES, check_id, check_new_id};
pub use instant::{LATEST, iso, parse_iso};
#[cfg(feature = "ssr")]
pub use parameters::Parameters;
pub use sale::{DeclinedAttempt, KindInfo, OfKind, SaleState, ScriptInfo, find_kind};
pub use strict_json::{StrictJson, from_value};

/// Money, in integer cents.
pub type Cents = i64;

/// An instant, in milliseconds since the Unix epoch.
pub type Millis = i64;
