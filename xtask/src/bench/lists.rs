//! Measures the largest answers over HTTP, on one connection: the list of many sales, the snapshot of a stadium, and
//! search and export of a long history.

use std::io::{BufRead, BufReader};
use std::thread;
use std::time::{Duration, Instant};

use anyhow::{Context, Result, bail, ensure};
use serde::Serialize;
use serde_json::{Value, json};

use super::wrk::wrk;
use crate::build;
use crate::server::Server;
use crate::tools::{self, Tool};
use crate::workspace::say;

const SALES: u32 = 10_000;
/// The number of sales on a page of the list: the maximum.
const PAGE: u32 = 200;
/// The minimum number of rows in the history.
const ROWS: u64 = 500_000;
/// The duration of each request's repetitions, in seconds.
const SECONDS: u32 = 2;
/// The time limit for the ledger to record everything.
const PATIENCE: Duration = Duration::from_secs(60);

#[derive(Serialize)]
struct Figures {
    sales: u32,
    rows: u64,
    answers: Vec<Answer>,
    export_s: f64,
    export_rows_per_s: f64,
}

/// One request, repeated on one connection.
#[derive(Serialize)]
struct Answer {
    name: &'static str,
    p50_ms: f64,
    p99_ms: f64,
    /// The size in bytes, without compression.
    bytes: usize,
}

/// Builds the program, fills it, measures it and prints the results.
pub fn run(as_json: bool) -> Result<()> {
    tools::install(&[Tool::Wrk])?;
    build::everything()?;
    let server = Server::temporary()?;
    let claimed = fill(&server)?;
    let figures = measure(&server, claimed)?;
    if as_json {
        println!("{}", serde_json::to_string(&figures)?);
    } else {
        print(&figures);
    }
    Ok(())
}

/// Fills history and list. The sale with the long history is the oldest. Returns the number of claimed packets.
fn fill(server: &Server) -> Result<u64> {
    say(format_args!("Claiming {ROWS} packets"));
    let packets = ROWS * 2;
    let terms = json!({ "id": "long", "total_cents": packets, "count": packets, "splitter": "equal" });
    server.post("/api/red-packet/open", &terms)?;
    let claim = json!({ "sale": "long", "user": "%s" }).to_string();
    let mut claimed = 0;
    while claimed < ROWS {
        let users = format!("from-{claimed}");
        claimed += wrk(&server.url, 64, SECONDS, ["POST", "/api/red-packet/claim", &claim, &users])?.requests;
    }
    say(format_args!("Opening {SALES} sales"));
    server.post("/api/ticket/open", &json!({ "id": "stadium", "hall": "stadium" }))?;
    for sale in 2..SALES {
        let terms = json!({ "id": format!("sale-{sale}"), "total_cents": 100, "count": 10, "splitter": "equal" });
        server.post("/api/red-packet/open", &terms)?;
    }
    say("Waiting for the ledger");
    let deadline = Instant::now() + PATIENCE;
    while server.post("/api/ledger/status", &json!({ "sale": "long" }))?["sales"][0]["lag_events"] != 0 {
        if Instant::now() > deadline {
            bail!("The ledger did not catch up.");
        }
        thread::sleep(Duration::from_millis(100));
    }
    Ok(claimed)
}

fn measure(server: &Server, claimed: u64) -> Result<Figures> {
    say("Measuring");
    let stadium = json!({ "sale": "stadium" });
    let newest = json!({ "limit": PAGE });
    let oldest = json!({ "limit": PAGE, "after": oldest_page(server)? });
    let rows = json!({ "limit": 100 });
    let user = json!({ "limit": 100, "user": format!("from-0-1-{:08}", 1) });
    let answers = [
        ("list of sales, the newest 200", "/api/sales", newest),
        ("list of sales, the oldest 200", "/api/sales", oldest),
        ("snapshot of a stadium", "/api/ticket/snapshot", stadium),
        ("history, the newest 100 rows", "/api/ledger/search", rows),
        ("history of one user", "/api/ledger/search", user),
    ];
    let mut answers = answers
        .into_iter()
        .map(|(name, path, body)| {
            let bytes = server.post(path, &body)?.to_string().len();
            answer(server, name, ["POST", path, &body.to_string(), "list"], bytes)
        })
        .collect::<Result<Vec<_>>>()?;
    let page = ureq::get(&server.url).call()?.body_mut().read_to_string()?.len();
    answers.push(answer(server, "the first page, with the newest 50", ["GET", "/", "{}", "list"], page)?);

    let began = Instant::now();
    let exported = ureq::get(format!("{}/api/ledger/export?format=csv&sale=long", server.url)).call()?;
    let lines = BufReader::new(exported.into_body().into_reader()).split(b'\n');
    let rows = lines.map(|line| line.map(|_| 1)).sum::<std::io::Result<u64>>()? - 1;
    let export_s = began.elapsed().as_secs_f64();
    ensure!(rows > claimed, "{rows} rows were exported of {claimed} claims and an opening.");
    let export_rows_per_s = (rows as f64 / export_s).round();
    Ok(Figures { sales: SALES, rows, answers, export_s, export_rows_per_s })
}

fn answer(server: &Server, name: &'static str, request: [&str; 4], bytes: usize) -> Result<Answer> {
    let report = wrk(&server.url, 1, SECONDS, request)?;
    Ok(Answer { name, p50_ms: report.p50_us / 1_000.0, p99_ms: report.p99_us / 1_000.0, bytes })
}

/// Reads the list to its end. Returns the cursor of its last page.
fn oldest_page(server: &Server) -> Result<Value> {
    let (mut after, mut listed) = (Value::Null, 0);
    loop {
        let list = server.post("/api/sales", &json!({ "limit": PAGE, "after": after }))?;
        listed += list["sales"].as_array().context("The list has no sales")?.len();
        if list["next"].is_null() {
            // The server also opens demonstration sales of its own.
            ensure!(listed >= SALES as usize, "{listed} sales are listed of {SALES}.");
            return Ok(after);
        }
        after = list["next"].clone();
    }
}

fn print(figures: &Figures) {
    let title = format!("{} sales, {} rows", figures.sales, figures.rows);
    println!("{title:<36} {:>9} {:>9} {:>9}", "p50 ms", "p99 ms", "kB");
    for Answer { name, p50_ms, p99_ms, bytes } in &figures.answers {
        println!("{name:<36} {p50_ms:>9.2} {p99_ms:>9.2} {:>9.1}", *bytes as f64 / 1_000.0);
    }
    println!("\nexport as CSV: {:.1} s, {:.0} rows/s", figures.export_s, figures.export_rows_per_s);
}
