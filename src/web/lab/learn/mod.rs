//! The lesson: levels in which learners are the scheduler of attempts, on a real Redis.

mod goal;
mod handout;
pub mod levels;
pub mod orders;
pub mod page;
mod progress;
pub mod words;
