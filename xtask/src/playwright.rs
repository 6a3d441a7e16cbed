//! Runs Playwright in the system's Chromium, against a built server.

use std::path::Path;
use std::process::Command;

use anyhow::Result;

use crate::tools::{self, Tool};
use crate::workspace::{root, run, say, server};

/// Runs the end-to-end tests, or those with the given names. Their types are checked first.
pub fn tests(server: &Path, names: &[String]) -> Result<()> {
    tools::install(&[Tool::Redis, Tool::Chromium, Tool::Playwright])?;
    run(script("typescript/bin/tsc", server).arg("--noEmit"))?;
    let mut tests = script("@playwright/test/cli.js", server);
    tests.arg("test");
    if !names.is_empty() {
        // A name may match only Rust tests.
        tests.args(["--pass-with-no-tests", "--grep", &names.join("|")]);
    }
    run(&mut tests)
}

/// Retakes the README's pictures.
pub fn screenshots() -> Result<()> {
    tools::install(&[Tool::Redis, Tool::Chromium, Tool::Playwright])?;
    run(script("@playwright/test/cli.js", &server()).args(["test", "--config", "playwright.screenshots.config.ts"]))?;
    say("The pictures are in docs/");
    Ok(())
}

/// Measures the pages under load.
pub fn speed() -> Result<()> {
    tools::install(&[Tool::Redis, Tool::Chromium, Tool::Playwright])?;
    run(script("@playwright/test/cli.js", &server()).args(["test", "--config", "playwright.speed.config.ts"]))
}

fn script(path: &str, server: &Path) -> Command {
    let mut node = tools::node();
    node.current_dir(root().join("end2end")).env("STAMPEDE_BIN", server);
    node.arg(root().join("end2end/node_modules").join(path));
    node
}
