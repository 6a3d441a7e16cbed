//! Measures requests a second over HTTP, with wrk on the same machine: a plain handler (`/healthz`), an empty server
//! function (`/api/ping`), a claim, and a claim from the peer. They take turns, so that a slowdown of the machine
//! affects all of them, and the medians of the rounds' ratios are compared. Also measures the claims per script call,
//! and the load times of the pages' files on one connection.

use anyhow::{Context, Result, ensure};
use serde::Serialize;
use serde_json::{Value, json};

use super::peer::Peer;
use super::redis::Redis;
use super::wrk::{Report, wrk};
use crate::build;
use crate::server::Server;
use crate::tools::{self, Tool};
use crate::workspace::{say, server, target};

/// The number of packets in the sale: more than can be claimed during the measurement.
const PACKETS: u64 = 1_000_000;
const CONNECTIONS: [u32; 2] = [64, 256];
const ROUNDS: u32 = 5;
const SECONDS: u32 = 2;

#[derive(Serialize)]
struct Figures {
    /// With 64 connections: requests a second, and claims divided by requests to the empty server function.
    ping_per_s: f64,
    claim_per_s: f64,
    ratio_http: f64,
    /// The time of the slowest file, on one connection, in ms.
    file_ms: f64,
    files: Vec<PageFile>,
    connections: Vec<Loaded>,
}

/// A file of the pages, and its time on one connection.
#[derive(Serialize)]
struct PageFile {
    name: String,
    p50_ms: f64,
    p99_ms: f64,
}

/// The results for one number of connections.
#[derive(Serialize)]
struct Loaded {
    connections: u32,
    /// Requests a second, the medians of the rounds.
    healthz_per_s: f64,
    ping_per_s: f64,
    claim_per_s: f64,
    /// Latencies of a claim in ms: the medians of the rounds.
    claim_p50_ms: f64,
    claim_p99_ms: f64,
    /// The peer's claims a second, and their latencies in ms.
    peer_per_s: f64,
    peer_p50_ms: f64,
    peer_p99_ms: f64,
    /// The mean number of claims in one script call, over all rounds.
    mean_batch: f64,
    claim_to_ping: Spread,
    claim_to_peer: Spread,
    ping_to_healthz: Spread,
}

/// The sale's counts so far.
#[derive(Clone, Copy)]
struct Counted {
    /// Claims, including those that changed nothing.
    attempts: u64,
    /// Script calls, each with a batch of claims.
    calls: u64,
}

impl Counted {
    fn of(server: &Server, sale: &str) -> Result<Counted> {
        let snapshot = server.post("/api/red-packet/snapshot", &json!({ "sale": sale }))?;
        let outcomes = snapshot["outcomes"].as_object().context("The sale tells no outcomes")?;
        Ok(Counted {
            attempts: outcomes.values().filter_map(Value::as_u64).sum(),
            calls: snapshot["calls"].as_u64().context("The sale tells no calls of its script")?,
        })
    }

    /// Attempts per call since `before`.
    fn mean_batch_since(self, before: Counted) -> f64 {
        let (attempts, calls) = (self.attempts - before.attempts, self.calls - before.calls);
        (attempts as f64 / calls as f64 * 10.0).round() / 10.0
    }
}

/// The median of the rounds, and their range.
#[derive(Clone, Copy, Serialize)]
struct Spread {
    median: f64,
    least: f64,
    most: f64,
}

impl Spread {
    fn of(rounds: impl IntoIterator<Item = f64>) -> Self {
        let mut rounds: Vec<f64> = rounds.into_iter().collect();
        rounds.sort_by(f64::total_cmp);
        let hundredths = |figure: f64| (figure * 100.0).round() / 100.0;
        let (least, most) = (rounds[0], rounds[rounds.len() - 1]);
        Self { median: hundredths(rounds[rounds.len() / 2]), least: hundredths(least), most: hundredths(most) }
    }
}

impl std::fmt::Display for Spread {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{:.2} ({:.2} to {:.2})", self.median, self.least, self.most)
    }
}

/// Builds the program, measures it and prints the results.
pub fn run(as_json: bool) -> Result<()> {
    tools::install(&[Tool::Wrk, Tool::Peer])?;
    build::everything()?;
    let redis = Redis::start()?;
    let server = Server::temporary_of(&server(), &["--redis", &redis.url()])?;
    let peer = Peer::start(PACKETS)?;
    say(format_args!("Opening a sale of {PACKETS} packets"));
    let sale = json!({ "total_cents": PACKETS * 100, "count": PACKETS, "splitter": "double_mean" });
    let opened = server.post("/api/red-packet/open", &sale)?;
    let sale = opened["sale"].as_str().with_context(|| format!("Opening a sale answered {opened}"))?;
    let took = ROUNDS * SECONDS * 4;
    let mut connections = Vec::new();
    for number in CONNECTIONS {
        say(format_args!("Loading server and peer with {number} connections, {took} seconds"));
        connections.push(load(&server, sale, &peer, number)?);
    }
    let files = files(&server.url)?;
    let first = &connections[0];
    let figures = Figures {
        ping_per_s: first.ping_per_s,
        claim_per_s: first.claim_per_s,
        ratio_http: first.claim_to_ping.median,
        file_ms: files.iter().map(|file| file.p50_ms).fold(0.0, f64::max),
        files,
        connections,
    };
    if as_json {
        println!("{}", serde_json::to_string(&figures)?);
    } else {
        print(&figures);
    }
    Ok(())
}

fn load(server: &Server, sale: &str, peer: &Peer, connections: u32) -> Result<Loaded> {
    let url = &server.url;
    let claim = json!({ "sale": sale, "user": "%s" }).to_string();
    let (mut healthz, mut ping, mut claims, mut peers) = (Vec::new(), Vec::new(), Vec::new(), Vec::new());
    // Until the counts are read again, the sale gets no claims but those of these rounds.
    let before = Counted::of(server, sale)?;
    for round in 0..ROUNDS {
        // Users that no earlier round has named.
        let users = format!("{connections}-{round}");
        healthz.push(wrk(url, connections, SECONDS, ["GET", "/healthz", "{}", &users])?);
        ping.push(wrk(url, connections, SECONDS, ["POST", "/api/ping", "{}", &users])?);
        peers.push(wrk(&peer.url, connections, SECONDS, ["POST", "/claim", &claim, &users])?);
        claims.push(wrk(url, connections, SECONDS, ["POST", "/api/red-packet/claim", &claim, &users])?);
    }
    let mean_batch = Counted::of(server, sale)?.mean_batch_since(before);
    for reports in [&claims, &peers] {
        let claimed: u64 = reports.iter().map(|report| report.requests).sum();
        ensure!(
            claimed <= PACKETS / CONNECTIONS.len() as u64,
            "The claims were faster than the sale is large: raise PACKETS."
        );
    }
    let median = |reports: &[Report], figure: fn(&Report) -> f64| Spread::of(reports.iter().map(figure)).median;
    let ratio = |these: &[Report], those: &[Report]| {
        Spread::of(these.iter().zip(those).map(|(this, that)| this.per_s() / that.per_s()))
    };
    Ok(Loaded {
        connections,
        healthz_per_s: median(&healthz, Report::per_s).round(),
        ping_per_s: median(&ping, Report::per_s).round(),
        claim_per_s: median(&claims, Report::per_s).round(),
        claim_p50_ms: median(&claims, |report| report.p50_us / 1_000.0),
        claim_p99_ms: median(&claims, |report| report.p99_us / 1_000.0),
        peer_per_s: median(&peers, Report::per_s).round(),
        peer_p50_ms: median(&peers, |report| report.p50_us / 1_000.0),
        peer_p99_ms: median(&peers, |report| report.p99_us / 1_000.0),
        mean_batch,
        claim_to_peer: ratio(&claims, &peers),
        claim_to_ping: ratio(&claims, &ping),
        ping_to_healthz: ratio(&ping, &healthz),
    })
}

/// The times of the style sheet, the script and the WebAssembly, with brotli, requested one after the other on one
/// connection.
fn files(url: &str) -> Result<Vec<PageFile>> {
    let names: Vec<String> = std::fs::read_dir(target().join("site/pkg"))?
        .filter_map(|file| file.ok()?.file_name().into_string().ok())
        .collect();
    let measured = [".css", ".js", ".wasm"].into_iter().map(|kind| {
        let name = names.iter().find(|name| name.ends_with(kind));
        let name = name.with_context(|| format!("The site has no file that ends in {kind}"))?;
        let report = wrk(url, 1, 1, ["GET", &format!("/pkg/{name}"), "{}", "file"])?;
        Ok(PageFile { name: name.clone(), p50_ms: report.p50_us / 1_000.0, p99_ms: report.p99_us / 1_000.0 })
    });
    measured.collect()
}

fn print(figures: &Figures) {
    println!("{:<34} {:>16} {:>16}", "requests/s", "64 connections", "256 connections");
    let line = |name: &str, figure: &dyn Fn(&Loaded) -> String| {
        let [few, many] = [0, 1].map(|index| figure(&figures.connections[index]));
        println!("{name:<34} {few:>16} {many:>16}");
    };
    line("plain handler", &|loaded| format!("{:.0}", loaded.healthz_per_s));
    line("empty server function", &|loaded| format!("{:.0}", loaded.ping_per_s));
    line("claim", &|loaded| format!("{:.0}", loaded.claim_per_s));
    line("claim, p50 ms", &|loaded| format!("{:.2}", loaded.claim_p50_ms));
    line("claim, p99 ms", &|loaded| format!("{:.2}", loaded.claim_p99_ms));
    line("claim from the peer", &|loaded| format!("{:.0}", loaded.peer_per_s));
    line("claim from the peer, p50 ms", &|loaded| format!("{:.2}", loaded.peer_p50_ms));
    line("claim from the peer, p99 ms", &|loaded| format!("{:.2}", loaded.peer_p99_ms));
    line("claims that a call took, mean", &|loaded| format!("{:.1}", loaded.mean_batch));
    println!();
    for loaded in &figures.connections {
        println!("with {} connections, medians of {ROUNDS} rounds:", loaded.connections);
        println!("  claim / empty server function          {}", loaded.claim_to_ping);
        println!("  claim / claim from the peer            {}", loaded.claim_to_peer);
        println!("  empty server function / plain handler  {}", loaded.ping_to_healthz);
    }
    println!("\nfiles with brotli on one connection        p50 ms      p99 ms");
    for PageFile { name, p50_ms, p99_ms } in &figures.files {
        println!("  {name:<38} {p50_ms:>8.2} {p99_ms:>11.2}");
    }
}
