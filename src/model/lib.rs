//! The domain of Stampede: ids, money, time, errors and verdicts; the types, terms and rules of each kind of sale;
//! requests and answers; and a trait for each API. Services implement the traits, and server functions call them.
//!
//! This crate has pure data and rules, compiled for server and browser alike.

pub mod answer;
pub mod audit;
pub mod checks;
pub mod closing;
pub mod cluster;
pub mod coupon;
pub mod crowd;
pub mod error;
pub mod event_id;
pub mod explain;
pub mod form;
pub mod health;
pub mod id;
pub mod instant;
pub mod lab;
pub mod ledger;
pub mod life;
pub mod list;
pub mod live;
pub mod notes;
pub mod ownership;
pub mod parse;
pub mod red_packet;
pub mod runs;
pub mod sale;
pub mod snapshot;
pub mod stock;
pub mod strict_json;
pub mod templates;
pub mod text;
pub mod ticket;
pub mod url;

pub use answer::Answer;
pub use audit::{Audit, Invariant, Unit, Verdict};
pub use checks::{Checks, check_within};
pub use event_id::EventId;
pub use id::{MAX_ID_BYTES, check_id, check_new_id, id_pattern, new_id_pattern};
pub use instant::{LATEST, iso, parse_iso, parse_rfc3339};
pub use ownership::{IdentifiedBy, Ownership};
pub use sale::{DeclinedAttempt, KindInfo, OfKind, SaleState, ScriptInfo, find_kind};
pub use strict_json::{StrictJson, from_value};

/// Money, in integer cents.
pub type Cents = i64;

/// An instant, in milliseconds since the Unix epoch.
pub type Millis = i64;
