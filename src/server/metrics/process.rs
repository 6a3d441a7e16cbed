//! The process itself, under the names that Prometheus' libraries give it.

use crate::server::metrics::exposition::Exposition;
use model::Millis;
use rustix::{
    param::clock_ticks_per_second,
    process::{Resource, getrlimit},
    time::{ClockId, clock_gettime},
};
use std::{
    fs,
    time::{SystemTime, UNIX_EPOCH},
};

/// Adds what the kernel knows of this process.
pub fn add(metrics: &mut Exposition) {
    let cpu = clock_gettime(ClockId::ProcessCPUTime);
    let seconds = cpu.tv_sec as f64 + cpu.tv_nsec as f64 / 1e9;
    metrics.counter("process_cpu_seconds", "Processor time of this process", [([], seconds)]);
    let mut gauge = |name, help, value: Option<f64>| metrics.gauge(name, help, value.map(|value| ([], value)));
    gauge("process_resident_memory_bytes", "Memory of this process", resident_bytes());
    gauge("process_start_time_seconds", "When this process started, in seconds since 1970-01-01", started_at());
    gauge("process_open_fds", "Open file descriptors", open_files());
    gauge(
        "process_max_fds",
        "The limit of open file descriptors",
        getrlimit(Resource::Nofile).current.map(|most| most as f64),
    );
}

fn resident_bytes() -> Option<f64> {
    let status = fs::read_to_string("/proc/self/status").ok()?;
    let kibibytes = status.lines().find_map(|line| line.strip_prefix("VmRSS:"))?.split_whitespace().next()?;
    Some(kibibytes.parse::<f64>().ok()? * 1024.0)
}

fn started_at() -> Option<f64> {
    /// The place among the numbers after the name of the program, which may have blanks.
    const STARTED: usize = 19;
    let (own, system) = (fs::read_to_string("/proc/self/stat").ok()?, fs::read_to_string("/proc/stat").ok()?);
    let ticks: f64 = own.rsplit(") ").next()?.split(' ').nth(STARTED)?.parse().ok()?;
    let booted: f64 = system.lines().find_map(|line| line.strip_prefix("btime "))?.parse().ok()?;
    Some(booted + ticks / clock_ticks_per_second() as f64)
}

fn open_files() -> Option<f64> {
    // One of them reads the folder.
    Some(fs::read_dir("/proc/self/fd").ok()?.count().saturating_sub(1) as f64)
}

/// How far a time is ahead of the clock of this machine, in seconds.
pub fn ahead_of_machine(time: Millis) -> f64 {
    #[expect(clippy::disallowed_methods, reason = "the machine's clock is what Redis' is compared with")]
    let machine = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
    time as f64 / 1e3 - machine.as_secs_f64()
}
