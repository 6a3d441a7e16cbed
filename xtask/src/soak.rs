//! The soak test, for any number of rounds.

use anyhow::Result;

use crate::tools::{self, Tool};
use crate::workspace::{self, cargo};

const TEST: &str = "soak::whatever_is_killed_nothing_acknowledged_is_lost_and_nothing_else_appears";

#[derive(clap::Args)]
pub struct Options {
    /// In each, a server or Redis is killed under load.
    #[arg(long, default_value_t = 200, value_parser = clap::value_parser!(u32).range(1..))]
    rounds: u32,
    /// What is killed in each, and after how many answers.
    #[arg(long, default_value_t = 1)]
    seed: u64,
}

/// Runs it, with what it says in plain sight.
pub fn run(options: &Options) -> Result<()> {
    tools::install(&[Tool::Redis])?;
    let mut test = cargo("test --features=ssr --test=integration -- --exact --nocapture");
    test.env("STAMPEDE_SOAK_ROUNDS", options.rounds.to_string()).env("STAMPEDE_SOAK_SEED", options.seed.to_string());
    workspace::run(test.arg(TEST))
}
