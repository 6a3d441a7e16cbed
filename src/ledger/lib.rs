//! The ledger: the database of record behind every sale. One server at a time feeds it from the streams.

pub mod absence;
mod api;
pub mod apply;
pub mod audit_rows;
pub mod backup;
pub mod database;
pub mod dead_letters;
pub mod feed;
pub mod finding;
pub mod history;
pub mod kind;
pub mod missing;
mod notes;
pub mod postgres;
pub mod recording_watch;
pub mod records;
pub mod replay;
pub mod runs;
pub mod sale;
pub mod schema;
pub mod scripts;
pub mod service;
pub mod sums;
mod templates;
pub mod transfers;
pub mod webhooks;
pub mod writer;
