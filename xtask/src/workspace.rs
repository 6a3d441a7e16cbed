//! Paths of the workspace, and calls of other programs.

use std::env;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

use anyhow::{Context, Result, bail};

/// The folder of the root `Cargo.toml`.
pub fn root() -> &'static Path {
    Path::new(env!("CARGO_MANIFEST_DIR")).parent().expect("the xtask lives in a folder of the workspace")
}

/// The folder that Cargo builds into.
pub fn target() -> PathBuf {
    env::var_os("CARGO_TARGET_DIR")
        .map(PathBuf::from)
        .and_then(|dir| std::path::absolute(dir).ok())
        .unwrap_or_else(|| root().join("target"))
}

/// Prints the current activity, in one line, to standard error. Standard output is reserved for results.
pub fn say(line: impl std::fmt::Display) {
    eprintln!("▸ {line}");
}

/// The path of the optimized server.
pub fn server() -> PathBuf {
    target().join("release/stampede")
}

/// A longer activity: announced when it begins, reported with its time when it ends, in whichever way.
pub struct Stage {
    what: &'static str,
    since: Instant,
}

impl Stage {
    pub fn begin(what: &'static str) -> Self {
        say(what);
        Self { what, since: Instant::now() }
    }
}

impl Drop for Stage {
    fn drop(&mut self) {
        let took = self.since.elapsed();
        if took >= Duration::from_secs(1) {
            say(format_args!("{}: {:.0} s", self.what, took.as_secs_f64()));
        }
    }
}

/// A command for the Cargo that runs this xtask. Spaces separate its arguments.
///
/// Environment variables that `cargo run` sets for the xtask are removed: build scripts watch some of them, and would
/// run again whenever Cargo is called by hand in between.
pub fn cargo(args: &str) -> Command {
    let mut cargo = Command::new(env::var_os("CARGO").unwrap_or_else(|| "cargo".into()));
    cargo.args(args.split_whitespace()).current_dir(root()).env("CARGO_TARGET_DIR", target());
    for (name, _) in env::vars_os() {
        let text = name.to_string_lossy();
        if text.starts_with("CARGO_PKG_") || text.starts_with("CARGO_MANIFEST_") {
            cargo.env_remove(&name);
        }
    }
    // Otherwise Leptos would request the WebAssembly under another name.
    cargo.env_remove("LEPTOS_OUTPUT_NAME");
    cargo
}

/// Runs a command with visible output. Its failure is an error.
pub fn run(command: &mut Command) -> Result<()> {
    let status = command.status().with_context(|| format!("{} cannot be started", name(command)))?;
    if !status.success() {
        bail!("{} failed ({status})", name(command));
    }
    Ok(())
}

/// Runs a command and returns its output. Its failure is an error with its error message.
pub fn read(command: &mut Command) -> Result<String> {
    let output =
        command.stdin(Stdio::null()).output().with_context(|| format!("{} cannot be started", name(command)))?;
    if !output.status.success() {
        let complaint = String::from_utf8_lossy(&output.stderr);
        bail!("{} failed ({}): {}", name(command), output.status, complaint.trim());
    }
    Ok(String::from_utf8_lossy(&output.stdout).into_owned())
}

/// The path of a program on the PATH.
pub fn on_path(program: &str) -> Option<PathBuf> {
    env::split_paths(&env::var_os("PATH")?).map(|dir| dir.join(program)).find(|path| path.is_file())
}

/// A short name for the command: program and first argument.
fn name(command: &Command) -> String {
    let program = Path::new(command.get_program()).file_name().unwrap_or_default().to_string_lossy();
    let first = command.get_args().next().map(|arg| format!(" {}", arg.to_string_lossy()));
    format!("`{program}{}`", first.unwrap_or_default())
}
