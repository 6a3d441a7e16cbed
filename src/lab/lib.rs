//! The lab: strategies compared on a real Redis and a real database, a strategy stepped through call by call, and
//! faults injected on purpose.

mod api;
pub mod arrivals;
pub mod contender;
pub mod database;
pub mod duel;
pub mod failure;
pub mod faults;
pub mod home;
mod line;
pub mod mistakes;
pub mod orders;
pub mod program;
pub mod runner;
pub mod sale;
pub mod service;
mod sessions;
pub mod slow_wire;
pub mod state;
pub mod stepper;
pub mod strategies;
pub mod sweep;
pub mod verdict;
pub mod wire;
