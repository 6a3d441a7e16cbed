//! A duel: the same crowd at a strategy that fails and at the batched script, side by side.

pub mod page;
mod player;
mod query;
mod replay;
pub mod words;
