//! The replay of a run that is over: its items fill as they did, faster or slower.

mod address;
pub mod page;
mod player;
pub mod timeline;
pub mod words;
