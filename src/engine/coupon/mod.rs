//! The server's part of coupons.

mod api;
pub mod audit;
pub mod codes;
pub mod crowd;
pub mod history;
pub mod kind;
mod lists;
pub mod recovery;
pub mod replay;
pub mod scripts;
pub mod service;
pub mod snapshot;
pub mod summaries;
pub mod windows;
