//! Builds, starts, tests and measures Stampede: `cargo xtask <command>`.

mod bench;
mod build;
mod cluster;
mod dev;
mod fuzz;
mod playwright;
mod postgres;
mod process;
mod schema;
mod server;
mod servers;
mod slowest;
mod soak;
mod test;
mod tools;
mod workspace;

use std::os::unix::process::CommandExt;
use std::process::{Command, ExitCode};

use anyhow::{Context, Result};
use clap::Parser;
use tools::Tool;
use workspace::say;

/// Builds, starts, tests and measures Stampede.
#[derive(Parser)]
#[command(name = "cargo xtask", bin_name = "cargo xtask")]
enum Task {
    /// Install missing tools, build, start with demonstration sales, and open the browser if there is a screen.
    Run {
        /// More arguments for `stampede serve`, after `--`.
        #[arg(last = true)]
        serve: Vec<String>,
    },
    /// Build and serve for development, rebuilding on changes and updating open pages.
    Dev(dev::Options),
    /// Build, and start three servers behind nginx on a Redis Cluster of six and PostgreSQL, watched by Prometheus.
    Cluster(cluster::Options),
    /// Install missing tools and build, without starting.
    Build,
    /// Install missing tools and run every check and test.
    Test(test::Options),
    /// Kill servers and Redis under load, round after round, and compare the users' answers with the stored data.
    Soak(soak::Options),
    /// Send requests to all endpoints, most of them mutated, and check that none breaks the server.
    Fuzz(fuzz::Options),
    /// Measure claims a second.
    Bench(bench::Options),
    /// Retake the pictures of the README.
    Screenshots,
}

fn main() -> ExitCode {
    match perform(Task::parse()) {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("✗ {error:#}");
            ExitCode::FAILURE
        }
    }
}

fn perform(task: Task) -> Result<()> {
    match task {
        Task::Run { serve } => run(&serve),
        Task::Dev(options) => dev::run(&options),
        Task::Cluster(options) => cluster::run(&options),
        Task::Build => build::everything(),
        Task::Test(options) => test::run(&options),
        Task::Soak(options) => soak::run(&options),
        Task::Fuzz(options) => fuzz::run(&options),
        Task::Bench(options) => bench::run(&options),
        Task::Screenshots => {
            build::everything()?;
            playwright::screenshots()
        }
    }
}

/// Replaces this process by the server, so that Ctrl-C, signals and the exit code are the server's own.
fn run(serve: &[String]) -> Result<()> {
    tools::install(&[Tool::Redis])?;
    if !build::dev_program().exists() {
        say("Building for the first time: about 10 minutes on 2 cores, downloads excluded");
    }
    let server = build::soon()?;
    // A flag that is given twice is an error.
    let ours = ["--demo", "--open"].into_iter().filter(|flag| !serve.iter().any(|given| given == flag));
    Err(Command::new(&server).arg("serve").args(ours).args(serve).exec())
        .with_context(|| format!("{} cannot be started", server.display()))
}
