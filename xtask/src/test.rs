//! Every check and test.

use std::process::Command;
use std::thread;
use std::time::{Duration, Instant};

use anyhow::{Result, bail};
use clap::ValueEnum;

use crate::build::{self, Progress};
use crate::tools::{self, Tool};
use crate::workspace::{self, cargo, on_path, root, say};
use crate::{playwright, schema, slowest};

#[derive(clap::Args)]
pub struct Options {
    /// Leave the end-to-end tests out.
    #[arg(long)]
    skip_e2e: bool,
    /// Only these steps.
    #[arg(long, value_enum, num_args = 1.., value_name = "STEP", conflicts_with = "skip_e2e")]
    only: Vec<Step>,
    /// Also run the tests that search for faults and take too long for every change.
    #[arg(long)]
    long: bool,
    /// Only the tests whose names contain this, in the steps `tests` and `e2e`, after `--`.
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

    /// Runs the step and prints its result and its time. Returns these as a report.
    fn report(self, options: &Options) -> Report {
        let name = self.name();
        say(format_args!("Step {name}"));
        let start = Instant::now();
        let result = self.run(options);
        let took = start.elapsed();
        let line = match &result {
            Ok(()) => format!("✓ {name:<15} {}", minutes(took)),
            Err(error) => format!("✗ {name:<15} {}  {error:#}", minutes(took)),
        };
        eprintln!("{line}");
        Report { passed: result.is_ok(), line }
    }
}

struct Report {
    passed: bool,
    line: String,
}

fn minutes(time: Duration) -> String {
    format!("{:>3} min {:>2} s", time.as_secs() / 60, time.as_secs() % 60)
}

/// The command for the Rust tests. It uses nextest if that is installed: nextest runs tests side by side and reports
/// the slow ones.
fn rust_tests(options: &Options) -> Command {
    if on_path("cargo-nextest").is_some() {
        let mut tests = cargo("nextest run");
        // A name may match only browser tests.
        tests.args((!options.names.is_empty()).then_some("--no-tests=pass"));
        tests.args(options.long.then_some("--run-ignored=all")).args(&options.names);
        return tests;
    }
    let mut tests = cargo("test --lib --bins --tests");
    tests.args((!options.names.is_empty() || options.long).then_some("--"));
    tests.args(options.long.then_some("--include-ignored")).args(&options.names);
    tests
}

/// Runs the requested steps, or all steps if none is requested. A failed step does not keep the others from running.
pub fn run(options: &Options) -> Result<()> {
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
    let report = thread::scope(|scope| {
        let mut browser = beside.then(|| scope.spawn(|| Step::Browser.report(options)));
        let step = |step: &Step| match browser.take_if(|_| *step == Step::Browser) {
            Some(building) => building.join().expect("building does not panic"),
            None => step.report(options),
        };
        steps.iter().map(step).collect::<Vec<_>>()
    });

    println!();
    for Report { line, .. } in &report {
        println!("{line}");
    }
    println!("  {:<15} {}", "together", minutes(start.elapsed()));
    let failed = report.iter().filter(|report| !report.passed).count();
    println!("{} passed, {failed} failed", report.len() - failed);
    if let Err(error) = slowest::print() {
        eprintln!("The slowest tests cannot be told: {error:#}");
    }
    if failed > 0 {
        bail!("{failed} of {} steps failed", report.len());
    }
    Ok(())
}
