//! What every room speaks of: ids, money, time, event ids and the audit's verdict.
//!
//! Pure and a leaf: it knows no kind of sale, no Leptos and no Redis, and compiles for server and browser alike.

mod audit;
mod declined;
mod event_id;
mod id;
mod kind;
mod sale_state;
mod script;
mod units;

pub use audit::{Audit, Invariant, Verdict};
pub use declined::DeclinedAttempt;
pub use event_id::EventId;
pub use id::{MAX_ID_BYTES, check_id};
pub use kind::{KindInfo, OfKind};
pub use sale_state::SaleState;
pub use script::ScriptInfo;
pub use units::{Cents, Millis};
