//! Whether this process was paused: stopped by a signal, or on a machine that slept.
//!
//! Meanwhile another Redis may have taken the place of ours (`ledger/feed.rs`), so a process that wakes up must look before
//! it changes anything. A call that had been waiting may run before whatever else does, so each one asks the clock.

use std::{
    sync::atomic::{AtomicU64, Ordering::SeqCst},
    time::Duration,
};

/// The longest silence that is no pause: a machine under load runs a task late.
pub const NO_PAUSE: Duration = Duration::from_secs(3);

/// The pauses of this process, and whether it has looked since the last one.
#[derive(Default)]
pub struct Wakefulness {
    /// When the process was last known to be awake, in milliseconds of the machine's uptime; 0 as long as nobody has told.
    ticked_at: AtomicU64,
    /// How many pauses there were.
    pauses: AtomicU64,
    /// How many of them are settled: the process has looked since they ended.
    looked: AtomicU64,
    /// The longest of those that are not settled, in milliseconds.
    longest: AtomicU64,
}

impl Wakefulness {
    /// The process is awake. To be told several times a second, by one task.
    pub fn tick(&self) {
        let (now, before) = (uptime(), self.ticked_at.load(SeqCst));
        let silent = now.saturating_sub(before);
        if before > 0 && silent > millis(NO_PAUSE) {
            self.longest.fetch_max(silent, SeqCst);
            self.pauses.fetch_add(1, SeqCst);
        }
        // Last: until then, the clock says it.
        self.ticked_at.store(now, SeqCst);
    }

    /// How many pauses there were so far, to be asked before looking.
    pub fn pauses(&self) -> u64 {
        self.pauses.load(SeqCst)
    }

    /// The process has looked after so many pauses.
    pub fn looked(&self, pauses: u64) {
        self.looked.store(pauses, SeqCst);
        if self.pauses() == pauses {
            self.longest.store(0, SeqCst);
        }
    }

    /// The longest pause since it last looked.
    pub fn longest_pause(&self) -> Duration {
        Duration::from_millis(self.longest.load(SeqCst))
    }

    /// Whether the process was paused and has not looked since; never in a process where nobody calls [`Wakefulness::tick`].
    pub fn was_paused(&self) -> bool {
        let ticked_at = self.ticked_at.load(SeqCst);
        ticked_at > 0
            && (uptime().saturating_sub(ticked_at) > millis(NO_PAUSE) || self.pauses() != self.looked.load(SeqCst))
    }
}

/// Time since the machine was started, that asleep included.
fn uptime() -> u64 {
    use rustix::time::{ClockId, clock_gettime};
    #[cfg(target_os = "linux")]
    let clock = ClockId::Boottime;
    // Elsewhere the time asleep is included, or not known.
    #[cfg(not(target_os = "linux"))]
    let clock = ClockId::Monotonic;
    let now = clock_gettime(clock);
    millis(Duration::new(now.tv_sec.cast_unsigned(), now.tv_nsec as u32))
}

fn millis(time: Duration) -> u64 {
    time.as_millis() as u64
}
