//! Runs, of crowds and of the lab. A run takes place in one process. Its lease and its status are in Redis, so any
//! server can report it and stop it; when it is over, its history is in the ledger.

pub mod history;

use ledger::scripts::lease;
use model::{
    Millis,
    error::{Code, Error, Result},
    runs::RunStatus,
};
use std::time::Duration;
use store::Store;
use tokio::time::sleep;
use tokio_util::sync::CancellationToken;

/// The interval at which a run publishes its status.
pub const TICK: Duration = Duration::from_millis(100);
/// The silence, in milliseconds, after which a run counts as interrupted because its server is gone.
const SILENT_FOR: Millis = 5_000;
/// The number of tries while Redis answers. A connection from before an outage of Redis fails once.
const TRIES: u32 = 2;

/// Takes or renews a lease for a run. It expires by itself when this server is gone, so the next run need not wait for a
/// dead one. Returns the other run that has it, if there is one.
///
/// # Errors
/// `unavailable`.
pub async fn hold(store: &Store, key: &str, run: &str) -> Result<Option<String>> {
    let (is_held, holder) = lease(store, key, run, SILENT_FOR.cast_unsigned()).await?;
    Ok((!is_held).then_some(holder))
}

/// Gives back the lease of a run.
pub async fn give_back(store: &Store, key: &str, run: &str) {
    if let Err(error) = lease(store, key, run, 0).await {
        tracing::warn!(run, %error, "the lease of a run could not be given back; it expires by itself");
    }
}

/// The status that is published under this key. Published statuses are kept for a day.
///
/// # Errors
/// `unavailable`, also if the status cannot be read.
pub async fn published<S: RunStatus>(store: &Store, key: String, now: Millis) -> Result<Option<S>> {
    let json: Option<String> = store.query("GET", key).await?;
    json.map(|json| read(&json, now)).transpose()
}

/// Reads a published status. A run that should be going on but has been silent counts as lost.
///
/// # Errors
/// `unavailable` if it cannot be read.
pub fn read<S: RunStatus>(json: &str, now: Millis) -> Result<S> {
    let mut status: S = serde_json::from_str(json).map_err(|error| {
        tracing::warn!(%error, "the status of a run cannot be read");
        Error::new(Code::Unavailable, "The status of the run cannot be read; the server's log says why.")
    })?;
    if !status.is_over() && now - status.reported_at() > SILENT_FOR {
        status.lose();
    }
    Ok(status)
}

/// Publishes the end of a run, after waiting for Redis if it is away. Otherwise the run would count as interrupted.
pub async fn publish_end<F: Future<Output = Result<()>>>(
    store: &Store,
    run: &str,
    shutdown: &CancellationToken,
    publish: impl Fn() -> F,
) {
    let mut tries = 0;
    while let Err(error) = publish().await {
        if shutdown.is_cancelled() || !try_again(store, &mut tries).await {
            return tracing::warn!(run, %error, "the end of a run could not be published");
        }
    }
}

/// Waits a moment, and returns whether to retry a failed call that needs Redis. Tries are unlimited while Redis is
/// unreachable. Once it is back, `tries` counts the few that are left.
pub async fn try_again(store: &Store, tries: &mut u32) -> bool {
    let answers = store.query::<String>("PING", "there").await.is_ok();
    *tries = if answers { *tries + 1 } else { 0 };
    if *tries < TRIES {
        sleep(TICK).await;
    }
    *tries < TRIES
}
