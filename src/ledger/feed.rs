//! One Redis feeds one ledger, and one ledger is fed by one Redis at a time.
//!
//! Two Redis with one ledger would give the same things away twice: the data missing from the second one looks lost,
//! and can be rebuilt from the ledger while the first one goes on selling it. So the ledger stores the identity of the
//! Redis whose data it records. Every server sends the ledger a heartbeat, a number that it raises. Another Redis
//! replaces the first one only if that number has stood still for a while: then the servers of the first one are gone,
//! or have not reached the ledger for that long. A server that finds its own Redis replaced changes no sale and records
//! nothing, until it is stopped or corrected.

use crate::{
    database::{Ledger, WITHIN, new_identity, on, unreachable},
    postgres::ANSWER,
    scripts::{Claim, Feeds, claim_streams},
};
use model::error::{Code, Error, Result};
use std::time::Duration;
use store::{
    RESPONSE_TIMEOUT, Store, keys,
    wakefulness::{NO_PAUSE, STILL_FOR},
};
use tokio::{
    sync::Notify,
    time::{Instant, sleep, timeout},
};
use tokio_util::sync::CancellationToken;

/// The interval of each server's heartbeat.
const HEARTBEAT: Duration = Duration::from_secs(2);
// Neither a heartbeat that Redis and the database leave unanswered nor a process that runs late must look like the end
// of a server. So the next heartbeat must come within `STILL_FOR`.
const _: () = {
    let unanswered = RESPONSE_TIMEOUT.as_secs() + WITHIN.as_secs() + ANSWER.as_secs();
    let longest = HEARTBEAT.as_secs() + unanswered + HEARTBEAT.as_secs() + NO_PAUSE.as_secs();
    assert!(STILL_FOR.as_secs() > longest);
};
/// The pause between two checks of the feed.
const PAUSE: Duration = Duration::from_millis(250);

pub(super) const FEEDS_ANOTHER: &str = "This Redis feeds another ledger: give the --database or --data-dir that has it. (A server that is started with \
     --new-ledger continues with this one, without what is only in the other.)";
const REPLACED_MEANWHILE: &str = "While this server started, another one noted that this Redis feeds its own ledger: stop \
                                  that server before you start with --new-ledger again.";
const FED_BY_ANOTHER: &str = "Another Redis feeds this ledger at this moment, and two would give the same things away \
                              twice: give the --redis or --data-dir of the servers that run, or stop them first.";

/// Another Redis that feeds, or has fed, the ledger: the identity of its data, and its heartbeat number.
#[derive(Clone, Debug, PartialEq, Eq)]
struct Other {
    redis: String,
    beats: i64,
}

/// The feeder of the ledger.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Fed {
    /// This Redis.
    ByThis,
    /// This Redis, before it lost all of its data.
    ByThisBefore,
    /// Another Redis has fed it. Whether it still does is not known yet.
    Unknown,
    /// Another Redis.
    ByAnother,
    /// This Redis feeds another ledger.
    Elsewhere,
}

/// The claim of a Redis to feed a ledger.
pub struct Feed {
    store: Store,
    ledger: Ledger,
    /// The identity under which this Redis has fed the ledger, and the time of the last confirmation.
    fed: Option<(String, Instant)>,
    /// Another Redis, and since when its number has stood still.
    other: Option<(Other, Instant)>,
}

impl Feed {
    pub(super) fn new(store: Store, ledger: Ledger) -> Self {
        Self { store, ledger, fed: None, other: None }
    }

    /// Claims the streams of this Redis for the ledger, and the ledger for this Redis. Waits a while if another Redis
    /// has fed the ledger.
    ///
    /// # Errors
    /// `store_refused` if another Redis feeds this ledger, or this Redis feeds another ledger; with `adopt`, the latter
    /// only while a server writes that ledger, or if it was replaced meanwhile. `unavailable`, `ledger_unavailable`.
    pub(super) async fn claim(&mut self, adopt: bool) -> Result<()> {
        // Only this one is replaced, and none that somebody else adopts meanwhile.
        let replaced = if adopt { Some(self.ledger_not_written().await?) } else { None };
        while self.fed.as_ref().is_none_or(|(_, at)| at.elapsed() >= HEARTBEAT) {
            match self.look(replaced.as_deref(), true).await? {
                Fed::ByThis => {}
                Fed::ByAnother => return Err(refused(FED_BY_ANOTHER)),
                Fed::Elsewhere => return Err(refused(if adopt { REPLACED_MEANWHILE } else { FEEDS_ANOTHER })),
                Fed::ByThisBefore | Fed::Unknown => sleep(PAUSE).await,
            }
        }
        Ok(())
    }

    /// The heartbeat of a server, until it stops.
    pub async fn run(mut self, shutdown: CancellationToken) {
        let store = self.store.clone();
        let wakefulness = store.wakefulness();
        wakefulness.tick();
        let woken = Notify::new();
        let beats = async {
            loop {
                // Begun first: a pause during the heartbeat needs another heartbeat.
                let look = wakefulness.look();
                // After a pause, a request from before may stay unanswered for long, and says nothing.
                let answered = tokio::select! {
                    () = woken.notified() => continue,
                    answered = self.heartbeat() => answered,
                };
                if answered {
                    wakefulness.looked(look);
                }
                timeout(HEARTBEAT, woken.notified()).await.ok();
            }
        };
        let ticks = async {
            loop {
                sleep(PAUSE).await;
                if wakefulness.tick() {
                    woken.notify_one();
                }
            }
        };
        tokio::select! {
            () = shutdown.cancelled() => {}
            () = beats => {}
            () = ticks => {}
        }
    }

    /// Raises the number, and notes whether sales of this Redis may be changed. Returns whether the ledger answered.
    async fn heartbeat(&mut self) -> bool {
        match self.look(None, false).await {
            Ok(Fed::ByThis | Fed::ByThisBefore) => self.store.note_displaced(None),
            Ok(Fed::Unknown | Fed::ByAnother) => self.store.note_displaced(Some(refused(FED_BY_ANOTHER))),
            Ok(Fed::Elsewhere) => self.store.note_displaced(Some(refused(FEEDS_ANOTHER))),
            Err(error) if error.code == Code::LedgerUnavailable => return false,
            // While Redis is away or takes no writes, this server is still there, and sells again as soon as it can.
            Err(_) => {
                let Some((redis, _)) = &self.fed else { return false };
                match self.ledger.raise(redis).await {
                    Ok(Some(_)) => self.store.note_displaced(Some(refused(FED_BY_ANOTHER))),
                    Ok(None) => {}
                    Err(_) => return false,
                }
            }
        }
        true
    }

    /// Raises the number if this Redis feeds the ledger. Otherwise finds the feeder. Replaces a feeder whose number has
    /// stood still if `replace` is set, or if that feeder was this Redis itself. `replaced` is the ledger that this one
    /// may replace in Redis.
    async fn look(&mut self, replaced: Option<&str>, replace: bool) -> Result<Fed> {
        let id = new_identity();
        let looked = claim_streams(&self.store, self.ledger.identity(), Claim::Look, &id);
        let (feeds, redis) = timeout(RESPONSE_TIMEOUT, looked)
            .await
            .unwrap_or_else(|_| Err(Error::new(Code::Unavailable, "Redis did not answer in time.")))?;
        if feeds == Feeds::Another && replaced.is_none() {
            return Ok(Fed::Elsewhere);
        }
        let Some(found) = self.ledger.raise(&redis).await? else { return self.feeds(feeds, redis, replaced).await };
        let is_own = self.fed.as_ref().is_some_and(|(before, _)| *before == found.redis);
        let fed = match &self.other {
            Some((other, since)) if *other == found => {
                let may_replace = (replace || is_own) && since.elapsed() >= STILL_FOR;
                if may_replace && self.ledger.replace_feed(&redis, &found).await? {
                    return self.feeds(feeds, redis, replaced).await;
                }
                Fed::Unknown
            }
            Some((other, _)) if other.redis == found.redis => {
                self.other = Some((found, Instant::now()));
                Fed::ByAnother
            }
            _ => {
                let seconds = STILL_FOR.as_secs();
                tracing::warn!(
                    "another Redis has fed this ledger; waiting for {seconds} s to see whether it still does"
                );
                self.other = Some((found, Instant::now()));
                Fed::Unknown
            }
        };
        Ok(if is_own && fed == Fed::Unknown { Fed::ByThisBefore } else { fed })
    }

    /// Stores in Redis, too, that this Redis feeds the ledger. A server with another ledger may have been faster there.
    async fn feeds(&mut self, feeds: Feeds, redis: String, replaced: Option<&str>) -> Result<Fed> {
        if feeds != Feeds::This {
            let claim = Claim::Claim(replaced.unwrap_or_default());
            let (feeds, _) = claim_streams(&self.store, self.ledger.identity(), claim, &redis).await?;
            if feeds != Feeds::This {
                return Ok(Fed::Elsewhere);
            }
        }
        self.other = None;
        self.fed = Some((redis, Instant::now()));
        Ok(Fed::ByThis)
    }

    /// The ledger that this Redis feeds; `""` for none. Refused while a server writes it, if it is not this one: that
    /// server would go on.
    async fn ledger_not_written(&self) -> Result<String> {
        let (fed, writer): (Option<String>, Option<String>) =
            self.store.query("MGET", (self.store.key(keys::LEDGER), self.store.key(keys::WRITER))).await?;
        let fed = fed.unwrap_or_default();
        match writer.filter(|_| !fed.is_empty() && fed != self.ledger.identity()) {
            None => Ok(fed),
            Some(process) => Err(refused(format!(
                "A server ({process}) records this Redis in the other ledger. Stop it before you start with --new-ledger; \
                 if it was killed, wait 5 s."
            ))),
        }
    }
}

fn refused(why: impl Into<String>) -> Error {
    Error::new(Code::StoreRefused, why)
}

impl Ledger {
    /// The identity of the data of the Redis that feeds this ledger, or was the last to do so. `None` if none has.
    ///
    /// # Errors
    /// `ledger_unavailable`.
    pub async fn fed_by(&self) -> Result<Option<String>> {
        const FED_BY: &str = "SELECT redis FROM ledger WHERE id = $1";
        on!(read self, pool => sqlx::query_scalar(FED_BY).bind(self.identity()).fetch_one(pool).await)
            .map_err(unreachable)
    }

    /// Raises the number if this Redis feeds this ledger, or is the first to do so. Otherwise returns the other Redis.
    async fn raise(&self, redis: &str) -> Result<Option<Other>> {
        const RAISE: &str =
            "UPDATE ledger SET redis = $1, beats = beats + 1 WHERE id = $2 AND (redis IS NULL OR redis = $1)";
        const FOUND: &str = "SELECT redis, beats FROM ledger WHERE id = $1";
        let rows: u64 =
            on!(beside self, pool => sqlx::query(RAISE).bind(redis).bind(self.identity()).execute(pool).await
            .map(|done| done.rows_affected()))
            .map_err(unreachable)?;
        if rows > 0 {
            return Ok(None);
        }
        let (redis, beats): (String, i64) =
            on!(beside self, pool => sqlx::query_as(FOUND).bind(self.identity()).fetch_one(pool).await)
                .map_err(unreachable)?;
        Ok(Some(Other { redis, beats }))
    }

    /// Puts this Redis in the place of another, unless the other one has raised its number since. Returns whether it
    /// did.
    async fn replace_feed(&self, redis: &str, other: &Other) -> Result<bool> {
        const REPLACE: &str =
            "UPDATE ledger SET redis = $1, beats = beats + 1 WHERE id = $2 AND redis = $3 AND beats = $4";
        let rows: u64 =
            on!(beside self, pool => sqlx::query(REPLACE).bind(redis).bind(self.identity()).bind(&other.redis)
            .bind(other.beats).execute(pool).await.map(|done| done.rows_affected()))
            .map_err(unreachable)?;
        Ok(rows > 0)
    }
}
