//! Every check and test.

use std::process::Command;
use std::thread;
use std::time::{Duration, Instant};

use anyhow::{Result, bail};
use clap::ValueEnum;

use crate::build::{self, Progress};
use crate::servers::{self, RedisServer};
use crate::tools::{self, Tool};
use crate::workspace::{self, cargo, on_path, root, say};
use crate::{playwright, schema, slowest};

/// Parts of the names of the tests that depend most on the Redis server and its version.
const OF_REDIS: [&str; 8] =
    ["cluster::", "embedded::", "explain::", "fence::", "recovery::", "replicas::", "scripts::", "unfit_redis::"];

#[derive(clap::Args)]
pub struct Options {
    /// Leave the end-to-end tests out.
    #[arg(long)]
    skip_e2e: bool,
    /// Only these steps.
    #[arg(long, value_enum, num_args = 1.., value_name = "STEP", conflicts_with = "skip_e2e")]
    only: Vec<Step>,
    /// Only the tests that depend most on the Redis server, run on this one, or on all of these, one after another. It is
    /// installed below `target/servers`.
    #[arg(long, value_name = "SERVER", value_parser = servers::names(), conflicts_with_all = ["only", "skip_e2e"])]
    redis: Option<String>,
    /// Also run the tests that search for faults and take too long for every change.
    #[arg(long)]
    long: bool,
    /// Only the tests whose names contain this, in the steps `tests` and `e2e` or on the servers, after `--`.
    #[arg(last = true, value_name = "NAME")]
    names: Vec<String>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
enum Step {
    /// rustfmt.
    Format,
    /// luacheck on the scripts.
    Lua,
    /// clippy on the server, the tests and the xtask.
    ClippyServer,
    /// clippy on the browser side.
    ClippyBrowser,
    /// The xtask's own tests.
    Xtask,
    /// Compile the Rust tests and the server of the end-to-end tests.
    Compile,
    /// Unit, property, script and integration tests.
    Tests,
    /// Build the browser side, as it is deployed.
    Browser,
    /// Compare the API with its description, by schemathesis.
    Api,
    /// The end-to-end tests, in Chromium.
    E2e,
}

impl Step {
    fn name(self) -> String {
        self.to_possible_value().map(|value| value.get_name().to_owned()).unwrap_or_default()
    }

    fn tools(self) -> &'static [Tool] {
        match self {
            Step::Format => &[Tool::Rustfmt],
            Step::Lua => &[Tool::Luacheck],
            Step::ClippyServer => &[Tool::Clippy],
            Step::ClippyBrowser => &[Tool::Clippy, Tool::WasmTarget],
            Step::Xtask | Step::Compile => &[],
            Step::Tests => &[Tool::Redis, Tool::Postgres, Tool::Proxies, Tool::Prometheus],
            Step::Api => &[Tool::Redis, Tool::Schemathesis],
            Step::Browser => &[Tool::WasmTarget, Tool::Minifiers],
            Step::E2e => &[
                Tool::Redis,
                Tool::WasmTarget,
                Tool::Minifiers,
                Tool::Chromium,
                Tool::LiberationSans,
                Tool::Playwright,
            ],
        }
    }

    fn run(self, options: &Options) -> Result<()> {
        match self {
            Step::Format => workspace::run(&mut cargo("fmt --all --check")),
            Step::Lua => workspace::run(Command::new("luacheck").args(["lua", "xtask/wrk"]).current_dir(root())),
            // With the scripts compiled in, as in a release build: the tests compile the other half.
            Step::ClippyServer => workspace::run(&mut cargo(
                "clippy --workspace --exclude=frontend --all-targets \
                 --config=profile.dev.package.store.debug-assertions=false -- --deny=warnings",
            )),
            Step::ClippyBrowser => workspace::run(&mut cargo(
                "clippy --package=model --package=web --package=frontend --lib --features=web/hydrate \
                 --target=wasm32-unknown-unknown -- --deny=warnings",
            )),
            Step::Xtask => workspace::run(&mut cargo("test --package=xtask")),
            Step::Compile => build::tested_server().map(drop),
            Step::Tests => workspace::run(&mut rust_tests(options)),
            Step::Api => {
                build::site(Progress::Shown)?;
                schema::test(&build::tested_server()?)
            }
            Step::Browser => build::site(Progress::Hidden),
            Step::E2e => {
                build::site(Progress::Shown)?;
                playwright::tests(&build::tested_server()?, &options.names)
            }
        }
    }
}

/// The result of a part of the run.
struct Report {
    passed: bool,
    line: String,
}

impl Report {
    /// Runs a part, and prints its result and its time.
    fn of(name: &str, run: impl FnOnce() -> Result<()>) -> Self {
        let start = Instant::now();
        let result = run();
        let took = minutes(start.elapsed());
        let line = match &result {
            Ok(()) => format!("✓ {name:<15} {took}"),
            Err(error) => format!("✗ {name:<15} {took}  {error:#}"),
        };
        eprintln!("{line}");
        Self { passed: result.is_ok(), line }
    }

    /// Runs a step.
    fn of_step(step: Step, options: &Options) -> Self {
        let name = step.name();
        say(format_args!("Step {name}"));
        Self::of(&name, || step.run(options))
    }
}

fn minutes(time: Duration) -> String {
    format!("{:>3} min {:>2} s", time.as_secs() / 60, time.as_secs() % 60)
}

/// The command for the Rust tests. It uses nextest if that is installed: nextest runs tests side by side and reports
/// the slow ones.
fn rust_tests(options: &Options) -> Command {
    let of_redis = options.redis.is_some() && options.names.is_empty();
    let names: Vec<&str> =
        if of_redis { OF_REDIS.to_vec() } else { options.names.iter().map(String::as_str).collect() };
    if on_path("cargo-nextest").is_some() {
        let mut tests = cargo("nextest run");
        // A name may match only browser tests.
        tests.args((!names.is_empty() && options.redis.is_none()).then_some("--no-tests=pass"));
        tests.args(options.long.then_some("--run-ignored=all")).args(names);
        // What a server does differently is found at once.
        tests.args(options.redis.is_some().then_some("--no-fail-fast"));
        return tests;
    }
    let mut tests = cargo("test --lib --bins --tests");
    tests.args((!names.is_empty() || options.long).then_some("--"));
    tests.args(options.long.then_some("--include-ignored")).args(names);
    tests
}

/// Runs the requested steps, or all steps if none is requested. A failed step does not keep the others from running.
pub fn run(options: &Options) -> Result<()> {
    if let Some(server) = &options.redis {
        return on_servers(server, options);
    }
    let asked = |step: &Step| options.only.is_empty() || options.only.contains(step);
    let steps: Vec<Step> = Step::value_variants()
        .iter()
        .copied()
        .filter(asked)
        .filter(|step| !(options.skip_e2e && *step == Step::E2e))
        .collect();
    for step in &steps {
        tools::install(step.tools())?;
    }

    let start = Instant::now();
    slowest::forget();
    // All other steps leave a core idle now and then: while one compiler works on a large crate, or while tests wait.
    let beside = steps.len() > 1 && steps.contains(&Step::Browser);
    let reports = thread::scope(|scope| {
        let mut browser = beside.then(|| scope.spawn(|| Report::of_step(Step::Browser, options)));
        let step = |step: &Step| match browser.take_if(|_| *step == Step::Browser) {
            Some(building) => building.join().expect("building does not panic"),
            None => Report::of_step(*step, options),
        };
        steps.iter().map(step).collect::<Vec<_>>()
    });
    let result = conclude(&reports, start.elapsed());
    if let Err(error) = slowest::print() {
        eprintln!("The slowest tests cannot be told: {error:#}");
    }
    result
}

/// Runs the tests that depend most on the Redis server on each of the chosen servers. A failure on one does not keep the
/// tests from running on the others.
fn on_servers(chosen: &str, options: &Options) -> Result<()> {
    tools::install(Step::Tests.tools())?;
    let start = Instant::now();
    let run = |server: &RedisServer| workspace::run(rust_tests(options).env("PATH", server.path()?));
    let reports: Vec<Report> = servers::chosen(chosen).map(|server| Report::of(server.name, || run(server))).collect();
    conclude(&reports, start.elapsed())
}

/// Prints all results. A failure among them is an error.
fn conclude(reports: &[Report], took: Duration) -> Result<()> {
    println!();
    for Report { line, .. } in reports {
        println!("{line}");
    }
    println!("  {:<15} {}", "together", minutes(took));
    let failed = reports.iter().filter(|report| !report.passed).count();
    println!("{} passed, {failed} failed", reports.len() - failed);
    if failed > 0 {
        bail!("{failed} of {} failed", reports.len());
    }
    Ok(())
}
