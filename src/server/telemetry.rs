//! Logging: one line per event, for people or for programs.

use std::io::{IsTerminal, stderr};
use tracing_subscriber::{EnvFilter, filter::LevelFilter, fmt, layer::SubscriberExt, util::SubscriberInitExt};

/// The format of the log.
#[derive(Clone, Copy, Debug, PartialEq, Eq, clap::ValueEnum)]
pub enum LogFormat {
    /// One line per event, for people.
    Text,
    /// One JSON object per line, for programs.
    Json,
}

/// Starts logging to standard error, at the level set by `RUST_LOG`, or `info` and above.
pub fn init(format: LogFormat) {
    let registry = tracing_subscriber::registry().with(filter(LevelFilter::INFO));
    match format {
        LogFormat::Text => {
            registry.with(fmt::layer().with_ansi(is_terminal()).with_target(false).with_writer(stderr)).init()
        }
        LogFormat::Json => registry.with(fmt::layer().json().flatten_event(true).with_writer(stderr)).init(),
    }
}

/// Starts logging for a command that is no server. It logs warnings, such as waits and failures.
pub fn init_command() {
    let layer = fmt::layer().with_ansi(is_terminal()).with_target(false).without_time().with_writer(stderr);
    tracing_subscriber::registry().with(filter(LevelFilter::WARN)).with(layer).init();
}

/// The filter of `RUST_LOG`. Names what it cannot read. If nothing is left, as of an empty variable, this level is used.
fn filter(level: LevelFilter) -> EnvFilter {
    EnvFilter::builder().with_default_directive(level.into()).from_env_lossy()
}

/// Whether the log goes to a terminal, which shows colours. A file or a pipe would get their codes.
fn is_terminal() -> bool {
    stderr().is_terminal()
}
