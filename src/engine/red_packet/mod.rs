//! The server's part of red packets.

mod api;
pub mod audit;
pub mod crowd;
pub mod history;
pub mod kind;
pub mod recovery;
pub mod scripts;
pub mod service;
pub mod snapshot;
pub mod summaries;
