//! Every check and test, one step after the other.

use std::process::Command;
use std::time::Instant;

use anyhow::{Result, bail};
use clap::ValueEnum;

use crate::tools::{self, Tool};
use crate::workspace::{self, cargo, on_path, root, say};
use crate::{build, playwright};

#[derive(clap::Args)]
pub struct Options {
    /// Leave the end-to-end tests out.
    #[arg(long)]
    skip_e2e: bool,
    /// Only these steps.
    #[arg(long, value_enum, num_args = 1.., value_name = "STEP", conflicts_with = "skip_e2e")]
    only: Vec<Step>,
}

#[derive(Clone, Copy, PartialEq, Eq, ValueEnum)]
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
    /// Unit, property, script and integration tests.
    Tests,
    /// The browser side builds.
    Browser,
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
            Step::Xtask => &[],
            Step::Tests => &[Tool::Redis, Tool::Postgres],
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

    fn run(self) -> Result<()> {
        match self {
            Step::Format => workspace::run(&mut cargo("fmt --all --check")),
            Step::Lua => workspace::run(Command::new("luacheck").args(["lua", "xtask/wrk"]).current_dir(root())),
            Step::ClippyServer => {
                workspace::run(&mut cargo("clippy --workspace --all-targets --features=ssr -- --deny=warnings"))
            }
            Step::ClippyBrowser => workspace::run(&mut cargo(
                "clippy --lib --features=hydrate --target=wasm32-unknown-unknown -- --deny=warnings",
            )),
            Step::Xtask => workspace::run(&mut cargo("test --package=xtask")),
            Step::Tests if on_path("cargo-nextest").is_some() => {
                workspace::run(&mut cargo("nextest run --features=ssr"))
            }
            Step::Tests => workspace::run(&mut cargo("test --lib --bins --tests --features=ssr")),
            Step::Browser => build::site(),
            Step::E2e => {
                build::site()?;
                playwright::tests(&build::tested_server()?)
            }
        }
    }
}

/// Runs the steps asked for, all of them if none is; a step that fails does not keep the others from running.
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

    let mut report = Vec::new();
    for step in steps {
        let name = step.name();
        say(format_args!("Step {name}"));
        let start = Instant::now();
        let result = step.run();
        let line = match &result {
            Ok(()) => format!("✓ {name:<15} {:>6.1} s", start.elapsed().as_secs_f64()),
            Err(error) => format!("✗ {name:<15} {:>6.1} s  {error:#}", start.elapsed().as_secs_f64()),
        };
        eprintln!("{line}");
        report.push((result.is_ok(), line));
    }

    println!();
    for (_, line) in &report {
        println!("{line}");
    }
    let failed = report.iter().filter(|(passed, _)| !passed).count();
    println!("{} passed, {failed} failed", report.len() - failed);
    if failed > 0 {
        bail!("{failed} of {} steps failed", report.len());
    }
    Ok(())
}
