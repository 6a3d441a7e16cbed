//! Redis' time: the one clock that all servers on a Redis share.
//!
//! Deadlines and ends of sales must not depend on the server that checks them. A server whose own clock is an hour
//! ahead must not end everything. So the machine's clock only measures the time since Redis was last asked. Decisions
//! are made in scripts, which ask Redis themselves.

use crate::{Store, runtime::Clock};
use model::{Millis, error::Result};
use std::{
    sync::{
        Arc,
        atomic::{AtomicI64, Ordering::Relaxed},
    },
    time::Duration,
};
use tokio::time::{Instant, MissedTickBehavior};
use tokio_util::sync::CancellationToken;

/// The interval between requests for Redis' time: clocks drift apart, and Redis may move to another machine. It also keeps
/// the connections from being idle for so long that Redis, or a proxy before it, closes them.
const ASK_EVERY: Duration = Duration::from_secs(1);

/// A clock that shows Redis' time.
pub struct RedisClock {
    start: Instant,
    /// Redis' time at `start`, in milliseconds.
    redis_at_start: AtomicI64,
}

impl Clock for RedisClock {
    fn now(&self) -> Millis {
        self.redis_at_start.load(Relaxed) + millis(self.start.elapsed())
    }

    /// Empty: scripts ask Redis themselves. The time of a decision must not be stale, not even after Redis' clock has
    /// jumped.
    fn script_time(&self) -> String {
        String::new()
    }
}

impl RedisClock {
    /// Creates a clock set to the time of this Redis.
    ///
    /// # Errors
    /// `unavailable`.
    pub async fn of(store: &Store) -> Result<Arc<Self>> {
        let clock = Self { start: Instant::now(), redis_at_start: AtomicI64::new(0) };
        clock.set(store).await?;
        Ok(Arc::new(clock))
    }

    /// Sets the clock repeatedly until `shutdown`. While Redis is unreachable, the clock runs on by itself.
    pub async fn follow(self: Arc<Self>, store: Store, shutdown: CancellationToken) {
        let mut tick = tokio::time::interval(ASK_EVERY);
        tick.set_missed_tick_behavior(MissedTickBehavior::Delay);
        loop {
            tokio::select! {
                () = shutdown.cancelled() => return,
                _ = tick.tick() => {}
            }
            if let Err(error) = self.set(&store).await {
                tracing::debug!(%error, "the clock could not be set");
            }
            if let Err(error) = store.wake_attempts().await {
                tracing::debug!(%error, "the connection of the attempts is lost");
            }
        }
    }

    async fn set(&self, store: &Store) -> Result<()> {
        let asked = self.start.elapsed();
        let (seconds, micros): (Millis, Millis) = store.query("TIME", None::<&str>).await?;
        // Redis read its clock about half-way through the round trip.
        let half_way = (asked + self.start.elapsed()) / 2;
        self.redis_at_start.store(seconds * 1_000 + micros / 1_000 - millis(half_way), Relaxed);
        Ok(())
    }
}

fn millis(duration: Duration) -> Millis {
    Millis::try_from(duration.as_millis()).unwrap_or(Millis::MAX)
}
