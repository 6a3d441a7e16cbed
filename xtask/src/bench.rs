//! Performance measurements: of the service and the ledger with `stampede bench`, over HTTP with wrk.

use std::process::Command;

use anyhow::{Context, Result, bail, ensure};
use serde_json::{Value, json};

use crate::build;
use crate::playwright;
use crate::postgres::{Fsync, Postgres};
use crate::server::Server;
use crate::tools::{self, Tool};
use crate::workspace::{self, read, root, say};

/// How many packets the sale behind the HTTP measurement has: more than can be claimed in its time.
const PACKETS: u64 = 1_000_000;
/// The two endpoints take turns, two seconds each, so that a machine that slows down slows both.
const ROUNDS: u64 = 4;
/// Claims a second while PostgreSQL's lag is measured: half of what it must take.
const POSTGRES_RATE: &str = "15000";

#[derive(clap::Args)]
pub struct Options {
    /// Print one JSON object instead of a table.
    #[arg(long)]
    json: bool,
    /// How many packets to claim.
    #[arg(long, conflicts_with = "http")]
    packets: Option<u64>,
    /// Measure over HTTP: claims compared with an empty server function.
    #[arg(long)]
    http: bool,
    /// Measure the ledger: events a second into SQLite and into a PostgreSQL of its own.
    #[arg(long, conflicts_with = "http")]
    ledger: bool,
    /// Measure tickets: attempts at a stadium, compared with the article's own script.
    #[arg(long, conflicts_with_all = ["http", "ledger", "packets"])]
    tickets: bool,
    /// Measure the pages in Chromium while thousands of things change every second.
    #[arg(long, conflicts_with_all = ["http", "ledger", "tickets", "packets", "json"])]
    page: bool,
    /// More arguments for `stampede bench`, after `--`.
    #[arg(last = true, conflicts_with_all = ["http", "ledger", "page"])]
    bench: Vec<String>,
}

/// Builds what is measured, and measures it.
pub fn run(options: &Options) -> Result<()> {
    tools::install(&[Tool::Redis])?;
    if options.http {
        return http(options.json);
    }
    if options.ledger {
        return ledger(options);
    }
    if options.page {
        build::everything()?;
        return playwright::speed();
    }
    build::server()?;
    let flags = [options.tickets.then_some("--tickets"), options.json.then_some("--json")];
    workspace::run(bench(options).args(flags.into_iter().flatten()).args(&options.bench))
}

fn bench(options: &Options) -> Command {
    let mut bench = Command::new(workspace::server());
    bench.arg("bench");
    if let Some(packets) = options.packets {
        bench.args(["--packets", &packets.to_string()]);
    }
    bench
}

fn ledger(options: &Options) -> Result<()> {
    tools::install(&[Tool::Postgres])?;
    build::server()?;
    let measure = |arguments: &[&str]| {
        let mut bench = bench(options);
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
            serde_json::from_str(printed).with_context(|| format!("`stampede bench` printed {printed}"))
        };
        println!("{}", json!({ "sqlite": figures(&sqlite)?, "postgres": figures(&postgres)? }));
    } else {
        print!("{postgres}");
    }
    Ok(())
}

fn http(as_json: bool) -> Result<()> {
    tools::install(&[Tool::Wrk])?;
    build::everything()?;
    let server = Server::temporary()?;
    say(format_args!("Opening a sale of {PACKETS} packets"));
    let sale = json!({ "total_cents": PACKETS * 100, "count": PACKETS, "splitter": "double_mean" });
    let opened = server.post("/api/red-packet/open", &sale)?;
    let sale = opened["sale"].as_str().with_context(|| format!("Opening a sale answered {opened}"))?;

    let claim_body = json!({ "sale": sale, "user": "%s" }).to_string();
    let (mut ping, mut claim) = (0.0, 0.0);
    say("Loading /api/ping and /api/red-packet/claim by 64 connections, 8 seconds each");
    for round in 0..ROUNDS {
        ping += requests_per_second(&server.url, "/api/ping", "{}", round)? / ROUNDS as f64;
        claim += requests_per_second(&server.url, "/api/red-packet/claim", &claim_body, round)? / ROUNDS as f64;
    }
    let ratio = claim / ping;
    if as_json {
        println!("{}", json!({ "ping_per_s": ping.round(), "claim_per_s": claim.round(), "ratio_http": ratio }));
    } else {
        println!("empty server function  {ping:>9.0} /s");
        println!("claim                  {claim:>9.0} /s");
        println!("claim / empty          {ratio:>9.2}");
    }
    Ok(())
}

/// Loads one endpoint; `%s` in the body becomes a user who has not asked before. An answer that is an error, or none at
/// all, fails it.
fn requests_per_second(url: &str, path: &str, body: &str, round: u64) -> Result<f64> {
    let mut wrk = Command::new("wrk");
    wrk.args(["--connections", "64", "--threads", "2", "--duration", "2s", "--script"]);
    let printed = read(wrk.arg(root().join("xtask/wrk/post.lua")).args([url, "--", path, body, &round.to_string()]))?;
    let report = printed.lines().last().unwrap_or_default();
    let report: Value = serde_json::from_str(report).with_context(|| format!("wrk reported {report}"))?;
    let figure = |name: &str| report[name].as_f64().with_context(|| format!("wrk reported no {name}: {report}"));

    let failed = figure("failed")?;
    if failed > 0.0 {
        bail!("{path} failed for {failed} requests of {}.", figure("requests")?);
    }
    ensure!(
        figure("requests")? <= (PACKETS / ROUNDS) as f64,
        "{path} was faster than the sale is large: raise PACKETS."
    );
    Ok(figure("requests")? / figure("seconds")?)
}
