//! The kinds of sale as a server runs them: services, scripts, histories, audits, recoveries, crowds, and the live view.
//!
//! Each kind is a folder; what they share stands beside them. Pages do not know this crate: the services implement the
//! traits of `model`, and the program hands them over.

pub mod audit;
pub mod closing;
pub mod coupon;
pub mod crowd;
pub mod expiry;
pub mod explain;
pub mod hub;
pub mod kind;
pub mod list;
pub mod recovery;
pub mod recovery_guards;
pub mod red_packet;
pub mod refused_sample;
pub mod stock;
pub mod terms;
pub mod ticket;
pub mod unrecorded;

use kind::Registration;

/// The registry: every kind of sale, one entry each.
pub static KINDS: &[Registration] = &[
    red_packet::kind::REGISTRATION,
    ticket::kind::REGISTRATION,
    coupon::kind::REGISTRATION,
    stock::kind::REGISTRATION,
];

/// The kind with this id.
pub fn kind_of(id: &str) -> Option<&'static Registration> {
    KINDS.iter().find(|kind| kind.info.id == id)
}
