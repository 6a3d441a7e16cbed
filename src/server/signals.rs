//! The signals that end the program.

use std::io;
use tokio::signal::unix::{Signal, SignalKind, signal};

/// The exit codes of a program that a signal ended, by the convention of shells: of Ctrl-C, and of SIGTERM.
const INTERRUPTED: i32 = 130;
const TERMINATED: i32 = 143;

/// The signals that end the program: the first one after it has stopped, the second one at once.
pub struct Signals {
    interrupt: Signal,
    terminate: Signal,
}

impl Signals {
    /// Handles these signals from now on.
    ///
    /// # Errors
    /// Errors of the operating system.
    pub fn handled() -> io::Result<Self> {
        Ok(Self { interrupt: signal(SignalKind::interrupt())?, terminate: signal(SignalKind::terminate())? })
    }

    /// Waits for the next one. Returns the exit code of a program that it ended.
    pub async fn next(&mut self) -> i32 {
        tokio::select! {
            _ = self.interrupt.recv() => INTERRUPTED,
            _ = self.terminate.recv() => TERMINATED,
        }
    }
}
