//! Breaks a running server on purpose, and follows its recovery.

mod api;
pub mod course;
pub mod handles;
pub mod incidents;
pub mod probe;
pub mod service;
