//! Logging: one line per event, for people or for programs.

use std::io::IsTerminal;
use tracing_subscriber::{EnvFilter, fmt, layer::SubscriberExt, util::SubscriberInitExt};

/// The format of the log.
#[derive(Clone, Copy, Debug, PartialEq, Eq, clap::ValueEnum)]
pub enum LogFormat {
    /// For people.
    Text,
    /// One JSON object per line.
    Json,
}

/// Starts logging to standard error, at the level set by `RUST_LOG`, or `info` and above.
pub fn init(format: LogFormat) {
    let filter = EnvFilter::try_from_default_env().unwrap_or_else(|_| EnvFilter::new("info"));
    let registry = tracing_subscriber::registry().with(filter);
    match format {
        LogFormat::Text => {
            // Colours are for terminals; a file or a pipe would get their codes.
            let layer = fmt::layer().with_writer(std::io::stderr).with_target(false);
            registry.with(layer.with_ansi(std::io::stderr().is_terminal())).init();
        }
        LogFormat::Json => registry.with(fmt::layer().json().flatten_event(true).with_writer(std::io::stderr)).init(),
    }
}
