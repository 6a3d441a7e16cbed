//! How fast it is: through the service by `stampede bench`, over HTTP by wrk.

use std::process::Command;

use anyhow::{Context, Result, bail, ensure};
use serde_json::{Value, json};

use crate::build;
use crate::server::Server;
use crate::tools::{self, Tool};
use crate::workspace::{self, read, root, say};

/// How many packets the sale behind the HTTP measurement has: more than can be claimed in its time.
const PACKETS: u64 = 1_000_000;
/// The two endpoints take turns, two seconds each, so that a machine that slows down slows both.
const ROUNDS: u64 = 4;

#[derive(clap::Args)]
pub struct Options {
    /// Print one JSON object instead of a table.
    #[arg(long)]
    json: bool,
    /// How many packets to claim.
    #[arg(long, conflicts_with = "http")]
    packets: Option<u64>,
    /// Measure over HTTP: claims beside an empty server function.
    #[arg(long)]
    http: bool,
    /// More arguments for `stampede bench`, after `--`.
    #[arg(last = true, conflicts_with = "http")]
    bench: Vec<String>,
}

/// Builds what is measured, and measures it.
pub fn run(options: &Options) -> Result<()> {
    tools::install(&[Tool::Redis])?;
    if options.http {
        return http(options.json);
    }
    build::server()?;
    let mut bench = Command::new(workspace::server());
    bench.arg("bench").args(options.json.then_some("--json"));
    if let Some(packets) = options.packets {
        bench.args(["--packets", &packets.to_string()]);
    }
    workspace::run(bench.args(&options.bench))
}

fn http(as_json: bool) -> Result<()> {
    tools::install(&[Tool::Wrk])?;
    build::everything()?;
    let server = Server::start()?;
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

/// Loads one endpoint; `%s` in the body becomes a user who has not asked before. An answer that is an error, or none at all, fails it.
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
