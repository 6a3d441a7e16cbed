//! The server's part of the kinds of sale: services, scripts, histories, audits, recoveries, crowds, and the live view.
//!
//! Each kind has a folder; shared modules are beside the folders. Pages do not know this crate. The services implement
//! the traits of `model`, and the program passes them to the pages.

pub mod archiving_schedule;
pub mod audit;
pub mod closing;
pub mod coupon;
pub mod crowd;
pub mod expiry;
pub mod explain;
pub mod health;
pub mod hub;
pub mod kind;
pub mod life;
pub mod list;
pub mod notes;
pub mod reasons;
pub mod recovery;
pub mod recovery_guards;
pub mod red_packet;
pub mod refused_sample;
pub mod runs;
pub mod shared;
pub mod stock;
pub mod templates;
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
