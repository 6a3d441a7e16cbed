//! Whether this process was paused: stopped by a signal, or on a machine that slept.
//!
//! Meanwhile another Redis may have taken the place of ours (`ledger/feed.rs`), so a process that wakes up must look before
//! it changes anything. A call that had been waiting may run before whatever else does, so each one asks the clock.

use std::{
    sync::atomic::{AtomicU64, Ordering::Relaxed},
    time::Duration,
};

/// The longest silence that is no pause: a machine under load runs a task late.
pub const NO_PAUSE: Duration = Duration::from_secs(3);

/// When this process was last known to be awake.
#[derive(Default)]
pub struct Wakefulness {
    /// In milliseconds of the machine's uptime; 0 as long as nobody keeps it.
    awake_at: AtomicU64,
}

impl Wakefulness {
    /// The process is awake, and if it was paused, it has looked since.
    pub fn begin(&self) {
        self.awake_at.store(uptime(), Relaxed);
    }

    /// The process is awake, unless it was paused since it was last told so.
    pub fn go_on(&self) {
        if !self.was_paused() {
            self.begin();
        }
    }

    /// Whether the process was paused and has not looked since; never where nobody keeps this.
    pub fn was_paused(&self) -> bool {
        let awake_at = self.awake_at.load(Relaxed);
        awake_at > 0 && uptime().saturating_sub(awake_at) > NO_PAUSE.as_millis() as u64
    }
}

/// Milliseconds since the machine was started, those asleep among them.
fn uptime() -> u64 {
    use rustix::time::{ClockId, clock_gettime};
    #[cfg(target_os = "linux")]
    let clock = ClockId::Boottime;
    // Elsewhere the time asleep is among them, or not known.
    #[cfg(not(target_os = "linux"))]
    let clock = ClockId::Monotonic;
    let now = clock_gettime(clock);
    Duration::new(now.tv_sec.cast_unsigned(), now.tv_nsec as u32).as_millis() as u64
}
