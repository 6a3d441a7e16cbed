//! Performance measurements: of the service and the ledger with `stampede-bench`, over HTTP with wrk.

mod http;
mod lists;
mod peer;
mod redis;
mod wrk;

use std::process::Command;

use anyhow::{Context, Result};
use serde_json::{Value, json};

use crate::build;
use crate::playwright;
use crate::postgres::{Fsync, Postgres};
use crate::tools::{self, Tool};
use crate::workspace::{self, read, say};

/// Claims a second during the measurement of PostgreSQL's lag: half of the required rate.
const POSTGRES_RATE: &str = "15000";

#[derive(clap::Args)]
pub struct Options {
    /// Print one JSON object instead of a table.
    #[arg(long)]
    json: bool,
    /// Number of packets to claim.
    #[arg(long, conflicts_with = "http")]
    packets: Option<u64>,
    /// Measure over HTTP: claims, compared with an empty server function and with a peer of Fastify and ioredis; and
    /// the empty function, compared with a plain handler.
    #[arg(long)]
    http: bool,
    /// Measure the large answers over HTTP: the list of 10,000 sales, the snapshot of a stadium, search and export of
    /// the history.
    #[arg(long, conflicts_with_all = ["http", "packets"])]
    lists: bool,
    /// Measure the ledger: events a second into SQLite and into a private PostgreSQL.
    #[arg(long, conflicts_with_all = ["http", "lists"])]
    ledger: bool,
    /// Measure tickets: attempts at a stadium, compared with the article's own script.
    #[arg(long, conflicts_with_all = ["http", "lists", "ledger", "packets"])]
    tickets: bool,
    /// Measure the pages in Chromium while thousands of things change every second.
    #[arg(long, conflicts_with_all = ["http", "lists", "ledger", "tickets", "packets", "json"])]
    page: bool,
    /// More arguments for `stampede-bench`, after `--`.
    #[arg(last = true, conflicts_with_all = ["http", "lists", "ledger", "page"])]
    bench: Vec<String>,
}

/// Builds the measured programs, and measures them.
pub fn run(options: &Options) -> Result<()> {
    tools::install(&[Tool::Redis])?;
    if options.http {
        return http::run(options.json);
    }
    if options.lists {
        return lists::run(options.json);
    }
    if options.ledger {
        return ledger(options);
    }
    if options.page {
        build::everything()?;
        return playwright::speed();
    }
    let flags = [options.tickets.then_some("--tickets"), options.json.then_some("--json")];
    workspace::run(bench(options)?.args(flags.into_iter().flatten()).args(&options.bench))
}

fn bench(options: &Options) -> Result<Command> {
    let mut bench = Command::new(build::bench()?);
    if let Some(packets) = options.packets {
        bench.args(["--packets", &packets.to_string()]);
    }
    Ok(bench)
}

fn ledger(options: &Options) -> Result<()> {
    tools::install(&[Tool::Postgres])?;
    let measure = |arguments: &[&str]| {
        let mut bench = bench(options)?;
        bench.arg("--ledger").args(options.json.then_some("--json")).args(arguments).env_remove("STAMPEDE_DATABASE");
        read(&mut bench)
    };
    say("Measuring SQLite");
    let sqlite = measure(&[])?;
    if !options.json {
        println!("{sqlite}");
    }
    say("Measuring PostgreSQL, in a temporary folder, with fsync on");
    let database = Postgres::start(Fsync::On)?;
    let postgres = measure(&["--rate", POSTGRES_RATE, "--database", &database.url()])?;
    if options.json {
        let figures = |printed: &str| -> Result<Value> {
            serde_json::from_str(printed).with_context(|| format!("`stampede-bench` printed {printed}"))
        };
        println!("{}", json!({ "sqlite": figures(&sqlite)?, "postgres": figures(&postgres)? }));
    } else {
        print!("{postgres}");
    }
    Ok(())
}
