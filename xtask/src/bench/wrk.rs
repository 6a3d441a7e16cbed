//! Load over HTTP, by wrk on the same machine.

use std::process::Command;

use anyhow::{Context, Result, ensure};
use serde::Deserialize;

use crate::workspace::{read, root};

/// The report of `load.lua`.
#[derive(Deserialize)]
pub struct Report {
    pub requests: u64,
    pub seconds: f64,
    failed: u64,
    pub p50_us: f64,
    pub p99_us: f64,
}

impl Report {
    pub fn per_s(&self) -> f64 {
        self.requests as f64 / self.seconds
    }
}

/// A request: method, path, body, and the prefix of the users' names. In the body, `%s` becomes a user without earlier
/// requests.
pub type Request<'a> = [&'a str; 4];

/// Loads one endpoint for this many seconds. Fails on an error answer, or if there is no answer at all.
pub fn wrk(url: &str, connections: u32, seconds: u32, request: Request) -> Result<Report> {
    let mut wrk = Command::new("wrk");
    let (threads, duration) = (connections.min(2).to_string(), format!("{seconds}s"));
    wrk.args(["--connections", &connections.to_string(), "--threads", &threads, "--duration", &duration, "--script"]);
    let printed = read(wrk.arg(root().join("xtask/wrk/load.lua")).args([url, "--"]).args(request))?;
    let report = printed.lines().last().unwrap_or_default();
    let report: Report = serde_json::from_str(report).with_context(|| format!("wrk reported {report}"))?;
    ensure!(report.failed == 0, "{} failed for {} requests of {}.", request[1], report.failed, report.requests);
    Ok(report)
}
