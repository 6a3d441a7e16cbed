//! One Redis feeds one ledger, and one ledger is fed by one Redis at a time.
//!
//! Two Redis with one ledger would give the same things away twice: what the second one does not have looks lost, and can
//! be rebuilt from the ledger while the first one goes on selling it. So the writer notes in the ledger whose data it
//! records, and keeps raising a number there. Another Redis takes its place only when that number has stood still for a
//! while: then the first one is gone, or has lost everything and is a new one itself.

use super::{
    database::{Ledger, new_identity, on, unreachable},
    scripts::claim_streams,
};
use crate::{
    error::{Code, Error, Result},
    store::{Store, keys},
};
use std::time::Duration;
use tokio::time::{Instant, sleep};

/// How often the writer raises the number.
pub(super) const BEAT: Duration = Duration::from_secs(2);
/// How long it stands still until another Redis may feed the ledger.
const STILL_FOR: Duration = Duration::from_secs(5);
/// The pause between two looks at it.
const PAUSE: Duration = Duration::from_millis(250);

pub(super) const FEEDS_ANOTHER: &str = "This Redis feeds another ledger: give the --database or --data-dir that has it. (A server \
                             that is started with --new-ledger continues with this one, without what is only in the \
                             other.)";
const FED_BY_ANOTHER: &str = "Another Redis feeds this ledger at this moment, and two would give the same things away \
                              twice: give the --redis or --data-dir of the servers that run, or stop them first.";

/// Another Redis that feeds, or has fed, the ledger: the identity of its data, and its number.
#[derive(Clone, Debug, PartialEq, Eq)]
struct Other {
    redis: String,
    beats: i64,
}

/// Who feeds the ledger.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Fed {
    /// This Redis.
    ByThis,
    /// Another one has, and it is not known yet whether it still does.
    Unknown,
    /// Another one.
    ByAnother,
}

/// The claim of a Redis to feed a ledger.
pub struct Feed {
    store: Store,
    ledger: Ledger,
    /// Another one, and since when its number has stood still.
    other: Option<(Other, Instant)>,
    beaten: Option<Instant>,
}

impl Feed {
    pub(super) fn new(store: Store, ledger: Ledger) -> Self {
        Self { store, ledger, other: None, beaten: None }
    }

    /// Claims the streams of this Redis for the ledger, and the ledger for this Redis. Waits a moment where another one
    /// has fed it.
    ///
    /// # Errors
    /// `store_refused` if this Redis feeds another ledger, unless told to `adopt` this one, or if another one feeds this
    /// ledger; `unavailable`, `ledger_unavailable`.
    pub(super) async fn claim(&mut self, adopt: bool) -> Result<()> {
        if adopt {
            self.refuse_while_written().await?;
        }
        while !self.is_beaten() {
            match self.look(adopt).await? {
                Fed::ByThis => self.beaten = Some(Instant::now()),
                Fed::ByAnother => return Err(refused(FED_BY_ANOTHER)),
                Fed::Unknown => sleep(PAUSE).await,
            }
        }
        Ok(())
    }

    /// Raises the number from time to time, for the writer.
    ///
    /// # Errors
    /// `store_refused` while another Redis feeds this ledger, or this Redis another ledger; `unavailable`.
    pub(super) async fn beat(&mut self) -> Result<()> {
        if self.is_beaten() {
            return Ok(());
        }
        match self.look(false).await {
            Ok(Fed::ByThis) => self.beaten = Some(Instant::now()),
            Ok(Fed::Unknown | Fed::ByAnother) => return Err(refused(FED_BY_ANOTHER)),
            // Whatever is to be recorded next says so.
            Err(error) if error.code == Code::LedgerUnavailable => {}
            Err(error) => return Err(error),
        }
        Ok(())
    }

    fn is_beaten(&self) -> bool {
        self.beaten.is_some_and(|beaten| beaten.elapsed() < BEAT)
    }

    async fn look(&mut self, adopt: bool) -> Result<Fed> {
        let redis = claim_streams(&self.store, self.ledger.identity(), adopt, &new_identity()).await?;
        let redis = redis.ok_or_else(|| refused(FEEDS_ANOTHER))?;
        let Some(found) = self.ledger.beat(&redis).await? else {
            self.other = None;
            return Ok(Fed::ByThis);
        };
        match &self.other {
            Some((other, since)) if *other == found => {
                let is_over = since.elapsed() >= STILL_FOR && self.ledger.replace_feed(&redis, &found).await?;
                return Ok(if is_over { Fed::ByThis } else { Fed::Unknown });
            }
            Some((other, _)) if other.redis == found.redis => {
                self.other = Some((found, Instant::now()));
                return Ok(Fed::ByAnother);
            }
            _ => {}
        }
        tracing::warn!(
            "another Redis has fed this ledger; waiting for {} s to see whether it still does",
            STILL_FOR.as_secs()
        );
        self.other = Some((found, Instant::now()));
        Ok(Fed::Unknown)
    }

    /// Refuses another ledger while a server writes the one that it would replace: that server would go on.
    async fn refuse_while_written(&self) -> Result<()> {
        let (fed, writer): (Option<String>, Option<String>) =
            self.store.query("MGET", (keys::LEDGER, keys::WRITER)).await?;
        match writer.filter(|_| fed.is_some_and(|fed| fed != self.ledger.identity())) {
            None => Ok(()),
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
    /// Raises the number of the Redis that feeds this ledger, or that is the first to do so. Returns the other one if that
    /// is not this one.
    async fn beat(&self, redis: &str) -> Result<Option<Other>> {
        const BEAT: &str =
            "UPDATE ledger SET redis = $1, beats = beats + 1 WHERE id = $2 AND (redis IS NULL OR redis = $1)";
        const FOUND: &str = "SELECT redis, beats FROM ledger WHERE id = $1";
        let rows: u64 = on!(write self, pool => sqlx::query(BEAT).bind(redis).bind(self.identity()).execute(pool).await
            .map(|done| done.rows_affected()))
        .map_err(unreachable)?;
        if rows > 0 {
            return Ok(None);
        }
        let (redis, beats): (String, i64) =
            on!(write self, pool => sqlx::query_as(FOUND).bind(self.identity()).fetch_one(pool).await)
                .map_err(unreachable)?;
        Ok(Some(Other { redis, beats }))
    }

    /// Puts this Redis in the place of another, unless that one has raised its number since. Returns whether it did.
    async fn replace_feed(&self, redis: &str, other: &Other) -> Result<bool> {
        const REPLACE: &str =
            "UPDATE ledger SET redis = $1, beats = beats + 1 WHERE id = $2 AND redis = $3 AND beats = $4";
        let rows: u64 =
            on!(write self, pool => sqlx::query(REPLACE).bind(redis).bind(self.identity()).bind(&other.redis)
            .bind(other.beats).execute(pool).await.map(|done| done.rows_affected()))
            .map_err(unreachable)?;
        Ok(rows > 0)
    }
}
