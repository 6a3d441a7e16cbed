//! The server's part of stock.

mod api;
pub mod audit;
pub mod course;
pub mod crowd;
pub mod history;
mod items;
mod items_script;
pub mod kind;
pub mod rebuild;
pub mod recorded;
pub mod recovery;
pub mod replay;
pub mod scripts;
pub mod service;
pub mod snapshot;
pub mod summaries;
