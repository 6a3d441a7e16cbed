//! The same failure again and again, as of every attempt while Redis refuses: it is logged once in a while, with the
//! number of times.

use crate::runtime::locked;
use redis::RedisError;
use std::{
    collections::HashMap,
    sync::Mutex,
    time::{Duration, Instant},
};

/// The interval between two lines about the same failure.
const AGAIN: Duration = Duration::from_secs(5);

/// The failures that were logged.
#[derive(Default)]
pub struct Repeats(Mutex<HashMap<String, Last>>);

struct Last {
    logged: Instant,
    /// How often it has happened since.
    since: u64,
}

impl Repeats {
    /// The number of times that this failure has happened since it was last logged, if it is to be logged now.
    pub fn due(&self, call: &str, error: &RedisError, now: Instant) -> Option<u64> {
        let failure = format!("{call} {:?} {}", error.kind(), error.code().unwrap_or_default());
        let mut failures = locked(&self.0);
        match failures.get_mut(&failure) {
            Some(last) if now - last.logged < AGAIN => {
                last.since += 1;
                None
            }
            Some(last) => Some(std::mem::replace(last, Last { logged: now, since: 0 }).since),
            None => {
                failures.insert(failure, Last { logged: now, since: 0 });
                Some(0)
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use redis::ErrorKind;

    #[test]
    fn the_same_failure_is_due_once_in_a_while() {
        let (repeats, start) = (Repeats::default(), Instant::now());
        let due = |call, after| repeats.due(call, &RedisError::from((ErrorKind::Io, "no answer")), start + after);
        let soon = Duration::from_secs(1);
        assert_eq!(due("claim", Duration::ZERO), Some(0));
        assert_eq!([due("claim", soon), due("claim", soon)], [None, None]);
        assert_eq!(due("reserve", soon), Some(0), "another call");
        assert_eq!(due("claim", AGAIN), Some(2));
        assert_eq!(due("claim", AGAIN + soon), None);
    }
}
