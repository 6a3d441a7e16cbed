//! Simulated users. Their attempts take the same path as those of real users, through service and batcher.

mod api;
mod before_start;
pub mod pace;
pub mod replay;
pub mod rng;
pub mod run;
pub mod runner;
pub mod scenario;
pub mod scripts;
pub mod supply;
pub mod times;
pub mod waiting;
