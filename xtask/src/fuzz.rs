//! The fuzz test, for any number of requests.

use anyhow::Result;

use crate::tools::{self, Tool};
use crate::workspace::{self, cargo};

const TEST: &str = "fuzz::no_request_breaks_the_server_or_makes_it_hang_or_grow";

#[derive(clap::Args)]
pub struct Options {
    /// Number of requests.
    #[arg(long, default_value_t = 100_000, value_parser = clap::value_parser!(u64).range(10..))]
    requests: u64,
    /// Seed of the requests.
    #[arg(long, default_value_t = 1)]
    seed: u64,
}

/// Runs the test with visible output.
pub fn run(options: &Options) -> Result<()> {
    tools::install(&[Tool::Redis])?;
    let mut test = cargo("test --test=integration -- --exact --ignored --nocapture");
    test.env("STAMPEDE_FUZZ_REQUESTS", options.requests.to_string())
        .env("STAMPEDE_FUZZ_SEED", options.seed.to_string());
    workspace::run(test.arg(TEST))
}
