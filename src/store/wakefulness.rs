//! Whether another Redis may have replaced ours while this process was paused: stopped by a signal, or on a sleeping
//! machine.
//!
//! Another Redis may feed the ledger once the ledger has not heard of ours for [`STILL_FOR`] (`ledger/feed.rs`). A
//! process that wakes up later must check the ledger before it changes anything. A waiting call may run before
//! everything else, so each call reads the clock.

use std::{
    sync::atomic::{AtomicU64, Ordering::SeqCst},
    time::Duration,
};

/// The silence of a Redis after which another one may feed the ledger.
pub const STILL_FOR: Duration = Duration::from_secs(20);
/// The longest silence that does not count as a pause: a machine under load runs a task late.
pub const NO_PAUSE: Duration = Duration::from_secs(3);

/// The pauses of this process, and whether it has checked the ledger since the last one. Times are the machine's uptime
/// in milliseconds.
#[derive(Default)]
pub struct Wakefulness {
    /// When the process was last known to be awake; 0 before the first tick.
    ticked_at: AtomicU64,
    /// The start of the latest check that the ledger has answered.
    answered: AtomicU64,
    /// The number of pauses at whose end the ledger had not heard of us for too long. A shorter pause is no worse than
    /// an outage of the ledger of the same length, and sales go on through such an outage.
    pauses: AtomicU64,
    /// The number of these pauses that are settled: the process has checked the ledger since they ended.
    looked: AtomicU64,
}

/// A check of the ledger that has begun.
#[derive(Clone, Copy, Debug)]
pub struct Look {
    began: u64,
    /// The number of pauses before. A pause that begins during the check needs another check.
    pauses: u64,
}

impl Wakefulness {
    /// Reports that the process is awake. One task must call it several times a second. Returns whether the process was
    /// paused.
    pub fn tick(&self) -> bool {
        self.tick_at(uptime())
    }

    /// Begins a check of who feeds the ledger.
    pub fn look(&self) -> Look {
        self.look_at(uptime())
    }

    /// Reports that the ledger has answered: it has heard of this process since the check began.
    pub fn looked(&self, Look { began, pauses }: Look) {
        self.answered.store(began, SeqCst);
        self.looked.store(pauses, SeqCst);
    }

    /// Whether another Redis may have replaced ours during a pause, and the process has not checked since. Always false
    /// in a process that never calls [`Wakefulness::tick`].
    pub fn was_paused(&self) -> bool {
        self.was_paused_at(uptime())
    }

    /// The time since the last answer of the ledger. `None` before the first one.
    pub fn unanswered_for(&self) -> Option<Duration> {
        let answered = self.answered.load(SeqCst);
        (answered > 0).then(|| Duration::from_millis(uptime().saturating_sub(answered)))
    }

    fn tick_at(&self, now: u64) -> bool {
        let is_waking = self.is_waking(now);
        if is_waking && self.is_forgotten(now) {
            self.pauses.fetch_add(1, SeqCst);
        }
        // Last: until then, `was_paused` finds the pause by the clock.
        self.ticked_at.store(now, SeqCst);
        is_waking
    }

    fn look_at(&self, now: u64) -> Look {
        Look { began: now, pauses: self.pauses.load(SeqCst) }
    }

    fn was_paused_at(&self, now: u64) -> bool {
        self.is_waking(now) && self.is_forgotten(now) || self.pauses.load(SeqCst) != self.looked.load(SeqCst)
    }

    /// Whether the process was silent for longer than load explains.
    fn is_waking(&self, now: u64) -> bool {
        let ticked_at = self.ticked_at.load(SeqCst);
        ticked_at > 0 && now.saturating_sub(ticked_at) > millis(NO_PAUSE)
    }

    /// Whether the ledger has heard nothing of this process for so long that another Redis may feed it.
    fn is_forgotten(&self, now: u64) -> bool {
        now.saturating_sub(self.answered.load(SeqCst)) >= millis(STILL_FOR)
    }
}

/// The time since the start of the machine in milliseconds, including sleep.
fn uptime() -> u64 {
    use rustix::time::{ClockId, clock_gettime};
    #[cfg(target_os = "linux")]
    let clock = ClockId::Boottime;
    // Other systems include the time asleep, or do not say.
    #[cfg(not(target_os = "linux"))]
    let clock = ClockId::Monotonic;
    let now = clock_gettime(clock);
    millis(Duration::new(now.tv_sec.cast_unsigned(), now.tv_nsec as u32))
}

fn millis(time: Duration) -> u64 {
    time.as_millis() as u64
}

#[cfg(test)]
mod tests {
    use super::*;

    const START: u64 = 1_000_000;

    /// A process that the ledger has heard of at the start, and that was awake for `after` milliseconds.
    fn awake_until(after: u64) -> Wakefulness {
        let process = Wakefulness::default();
        process.tick_at(START);
        process.looked(process.look_at(START));
        for now in (0..=after).step_by(250) {
            process.tick_at(START + now);
        }
        process
    }

    /// The silence toward the ledger counts. It begins before the pause.
    #[test]
    fn a_pause_counts_from_the_last_answer_of_the_ledger_on() {
        for (awake, paused, matters) in [(0, 19_000, false), (2_000, 17_500, false), (2_000, 18_000, true)] {
            let process = awake_until(awake);
            let now = START + awake + paused;
            assert_eq!(process.was_paused_at(now), matters, "the clock says it, {awake} + {paused}");
            assert!(process.tick_at(now), "it asks at once");
            assert_eq!(process.was_paused_at(now), matters, "and whoever comes later knows, {awake} + {paused}");
        }
    }

    #[test]
    fn only_a_look_that_began_after_the_pause_settles_it() {
        let process = awake_until(0);
        let before = process.look_at(START);
        let now = START + 30_000;
        process.tick_at(now);
        process.looked(before);
        assert!(process.was_paused_at(now));
        let after = process.look_at(now);
        process.looked(after);
        assert!(!process.was_paused_at(now));
    }

    /// Sales do not wait for the database. Each pause alone would be too short.
    #[test]
    fn an_outage_of_the_ledger_stops_nothing_and_pauses_in_it_add_up() {
        let process = awake_until(60_000);
        assert!(!process.was_paused_at(START + 60_000));
        let process = awake_until(0);
        process.tick_at(START + 12_000);
        assert!(!process.was_paused_at(START + 12_000));
        process.tick_at(START + 24_000);
        assert!(process.was_paused_at(START + 24_000));
    }

    #[test]
    fn nobody_is_paused_where_nobody_ticks() {
        assert!(!Wakefulness::default().was_paused());
    }
}
