//! Every kind of sale, and what they share.
//!
//! The pure part of every kind compiles for server and browser alike and is tested without either.

#[cfg(feature = "ssr")]
pub mod declined;
#[cfg(feature = "ssr")]
pub mod due;
pub mod home;
#[cfg(feature = "ssr")]
pub mod kind;
#[cfg(feature = "ssr")]
pub mod lost;
#[cfg(feature = "ssr")]
mod newest;
pub mod red_packet;
#[cfg(feature = "ssr")]
mod script;
pub mod ticket;
pub mod words;

// Pages still import these from here.
pub use crate::domain::{
    Audit, Cents, DeclinedAttempt, EventId, Invariant, MAX_ID_BYTES, Millis, ScriptInfo, Verdict, check_id,
};

use crate::domain::KindInfo;
use serde::{Deserialize, Serialize};
use std::sync::LazyLock;

/// The registry: every kind of sale, one line each.
pub static KINDS: [Registration; 2] = [red_packet::REGISTRATION, ticket::REGISTRATION];

/// What a kind of sale registers.
pub struct Registration {
    pub info: &'static KindInfo,
    #[cfg(feature = "ssr")]
    pub server: &'static kind::ServerPart,
}

/// Every kind of sale, for the rooms that know kinds only by their names.
pub fn kind_infos() -> &'static [&'static KindInfo] {
    static INFOS: LazyLock<Vec<&KindInfo>> = LazyLock::new(|| KINDS.iter().map(|kind| kind.info).collect());
    &INFOS
}

/// A line of the list of sales on the first page.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct SaleLine {
    pub sale: String,
    pub state: red_packet::State,
    /// Packets in the sale, and how many are left.
    pub count: u64,
    pub pending: u64,
    pub total_cents: Cents,
    pub claimed_cents: Cents,
    pub opened_at: Millis,
    pub expires_at: Millis,
    /// A crowd is running at this sale now.
    pub crowd: bool,
}
