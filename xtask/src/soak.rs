//! The soak test, for any number of rounds.

use anyhow::Result;

use crate::tools::{self, Tool};
use crate::workspace::{self, cargo};

const OF_A_CLUSTER: &str =
    "soak::cluster::whatever_fails_of_a_cluster_under_load_nothing_acknowledged_is_lost_and_nothing_else_appears";
const TEST: &str = "soak::whatever_fails_for_many_rounds_nothing_acknowledged_is_lost_and_nothing_else_appears";

#[derive(clap::Args)]
pub struct Options {
    /// Number of rounds. In each, something fails under load: a server, Redis, its memory, its clock, the primary or
    /// the database.
    #[arg(long, default_value_t = 200, value_parser = clap::value_parser!(u32).range(1..))]
    rounds: u32,
    /// Seed of the rounds: what fails in each, at which kind of sale, and after how many answers.
    #[arg(long, default_value_t = 1)]
    seed: u64,
    /// Also require that a promoted replica gives nothing away again before its sale is suspended.
    #[arg(long)]
    fenced: bool,
    /// Instead, a crowd at twelve sales on a cluster, of which one part after another fails, once.
    #[arg(long, conflicts_with_all = ["rounds", "seed", "fenced"])]
    cluster: bool,
}

/// Runs the test with visible output.
pub fn run(options: &Options) -> Result<()> {
    tools::install(&[Tool::Redis, Tool::Faketime])?;
    let mut test = cargo("test --test=integration -- --exact --ignored --nocapture");
    test.env("STAMPEDE_SOAK_ROUNDS", options.rounds.to_string()).env("STAMPEDE_SOAK_SEED", options.seed.to_string());
    test.env("STAMPEDE_SOAK_FENCED", u8::from(options.fenced).to_string());
    workspace::run(test.arg(if options.cluster { OF_A_CLUSTER } else { TEST }))
}
