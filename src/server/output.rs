//! The output of commands.

use serde::Serialize;
use std::{
    io::{self, BufWriter, ErrorKind, Write},
    pin::pin,
    time::Duration,
};
use tokio::time::{Instant, interval_at};

/// How often a command says how far it is.
pub(super) const PROGRESS_EVERY: Duration = Duration::from_secs(2);

/// Runs a long step of a command. Says every two seconds, on standard error, how far it is.
pub async fn with_progress<T>(step: impl Future<Output = T>, progress: impl Fn() -> String) -> T {
    let mut step = pin!(step);
    let mut ticks = interval_at(Instant::now() + PROGRESS_EVERY, PROGRESS_EVERY);
    loop {
        tokio::select! {
            done = &mut step => return done,
            _ = ticks.tick() => eprintln!("{}", progress()),
        }
    }
}

/// Prints the result of a command. A reader that stops early, as with `| head`, is no error.
///
/// # Errors
/// Errors of the operating system, such as a full disk.
pub fn print(write: impl FnOnce(&mut dyn Write) -> io::Result<()>) -> io::Result<()> {
    let mut out = BufWriter::new(io::stdout().lock());
    match write(&mut out).and_then(|()| out.flush()) {
        Err(error) if error.kind() == ErrorKind::BrokenPipe => Ok(()),
        printed => printed,
    }
}

/// Prints the result of a command: as one JSON object, or as text for people.
///
/// # Errors
/// Like [`print`].
pub fn print_result<T: Serialize>(
    as_json: bool,
    result: &T,
    text: impl FnOnce(&T, &mut dyn Write) -> io::Result<()>,
) -> io::Result<()> {
    print(|out| if as_json { writeln!(out, "{}", serde_json::to_string(result)?) } else { text(result, out) })
}
