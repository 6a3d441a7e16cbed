//! The list of sales of every kind.

mod api;
pub mod cursor;
pub mod service;
