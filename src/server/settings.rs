//! The command line. Every flag is an environment variable too; the flag wins.

use super::telemetry::LogFormat;
use crate::store::embedded::Fsync;
use clap::{Args, Parser, Subcommand};
use std::{net::SocketAddr, path::PathBuf};

/// Decides who gets what everyone wants, exactly once each.
#[derive(Debug, Parser)]
#[command(name = "stampede", version, about)]
pub struct Cli {
    #[command(subcommand)]
    pub command: Command,
}

#[derive(Debug, Subcommand)]
pub enum Command {
    /// Start the server.
    Serve(Serve),
    /// Measure claims a second, beside the article's own script.
    Bench(Bench),
}

#[derive(Debug, Args)]
pub struct Serve {
    /// Where to listen. Beyond loopback it takes --allow-remote too.
    #[arg(long, env = "STAMPEDE_LISTEN", default_value = "127.0.0.1:3000")]
    pub listen: SocketAddr,
    #[command(flatten)]
    pub redis: Redis,
    /// The browser side, as the build leaves it [default: ../site beside the program].
    #[arg(long, env = "STAMPEDE_SITE_DIR")]
    pub site_dir: Option<PathBuf>,
    /// Listen beyond loopback, although there is no sign-in yet.
    #[arg(long, env = "STAMPEDE_ALLOW_REMOTE")]
    pub allow_remote: bool,
    /// Open a demonstration sale when there is none to claim from.
    #[arg(long, env = "STAMPEDE_DEMO")]
    pub demo: bool,
    #[arg(long, env = "STAMPEDE_LOG_FORMAT", default_value = "text")]
    pub log_format: LogFormat,
}

#[derive(Debug, Args)]
pub struct Redis {
    /// A running Redis 7.0 or newer, such as redis://127.0.0.1:6379 [default: one of our own].
    #[arg(long = "redis", env = "STAMPEDE_REDIS", value_name = "URL")]
    pub url: Option<String>,
    /// Where our own Redis keeps its data.
    #[arg(long, env = "STAMPEDE_DATA_DIR", default_value = "data")]
    pub data_dir: PathBuf,
    /// When our own Redis writes to the disk.
    #[arg(long, env = "STAMPEDE_FSYNC", default_value = "everysec")]
    pub fsync: Fsync,
}

#[derive(Debug, Args)]
pub struct Bench {
    /// A running Redis [default: one of our own, in a temporary folder].
    #[arg(long, env = "STAMPEDE_REDIS", value_name = "URL")]
    pub redis: Option<String>,
    /// Packets, each of which is claimed once by each of the three ways.
    #[arg(long, default_value_t = 1_000_000, value_parser = clap::value_parser!(u32).range(1_000..=1_000_000))]
    pub packets: u32,
    /// Users that wait for an answer at the same time.
    #[arg(long, default_value_t = 2_000, value_parser = clap::value_parser!(u32).range(1..=10_000))]
    pub concurrency: u32,
    /// Print one JSON object instead of a table.
    #[arg(long)]
    pub json: bool,
}
