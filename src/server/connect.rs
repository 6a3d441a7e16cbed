//! Connects to Redis and the ledger by the settings, for all commands.

use crate::server::settings::{Serve, Stores};
use anyhow::{Context, Result, ensure};
use lab::slow_wire::SlowWire;
use ledger::{
    database::{Ledger, Place, file_in},
    service::LedgerService,
};
use model::error::{Code, Error};
use std::time::Duration;
use store::{
    Store,
    embedded::{Embedded, ended_unexpectedly, room::Room},
    keys,
    lab_redis::LabRedis,
    servers::Servers,
};
use tokio::time::Instant;

/// The time for which a start waits for a Redis that exists but does not answer, or that still loads its data. Its disk
/// may be slow for a while.
const PATIENCE: Duration = Duration::from_secs(20);
/// The pause between tries.
const PAUSE: Duration = Duration::from_millis(200);

/// The access of a command to the ledger.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Access {
    /// The command only reads, regardless of other users of the ledger.
    Read,
    /// The command brings the ledger up to date, and writes.
    Write,
}

/// Redis, the ledger, and the embedded Redis if one was started.
pub struct Connected {
    pub store: Store,
    pub ledger: Ledger,
    /// The embedded Redis, if this process started one.
    pub embedded: Option<Embedded>,
    /// The wire of the store's connections, which faults may disturb.
    pub wire: Option<SlowWire>,
}

impl Connected {
    /// Connects a server. It starts an embedded Redis unless a URL is given. It makes a ledger if there is none, for a
    /// Redis that feeds another one only with `new_ledger`. With faults, its connections to Redis go through a wire that
    /// can be slowed down and cut, unless they use TLS.
    ///
    /// # Errors
    /// One sentence with the part that cannot be connected to, and the next step; also for faults of a cluster.
    pub async fn serve(settings: &Stores, with_faults: bool, new_ledger: bool) -> Result<Self> {
        if let Some(url) = settings.redis.as_deref().filter(|_| with_faults) {
            ensure!(
                !Servers::of(url, settings.redis_ca.as_deref())?.is_cluster(),
                "Faults are injected into a single Redis, and --redis names a cluster; leave out --faults."
            );
        }
        let embedded = match &settings.redis {
            Some(_) => None,
            None => Some(Embedded::start(&settings.data_dir, settings.fsync).await?),
        };
        let access = Access::Write;
        let connected = match new_ledger {
            true => Self::prepared(settings, embedded, None, access, async |_: &Store| Ok(())).await?,
            false => Self::with(settings, embedded, None, access).await?,
        };
        // The first connection has no wire, so that errors name the address of Redis itself.
        if with_faults { connected.through_wire(settings).await } else { Ok(connected) }
    }

    /// Connects once more, through a wire that faults may disturb.
    async fn through_wire(mut self, settings: &Stores) -> Result<Self> {
        let url = Self::url(settings, self.embedded.as_ref(), None)?;
        let client = store::client_trusting(&url, settings.redis_ca.as_deref())?;
        if SlowWire::can_lead_to(&client) {
            let socket = match &self.embedded {
                Some(embedded) => embedded.socket().with_file_name("wire.sock"),
                None => std::env::temp_dir().join(format!("stampede-faults-{}.sock", std::process::id())),
            };
            // The socket may belong to a server that was killed.
            std::fs::remove_file(&socket).ok();
            let (wire, client) = SlowWire::before(&client, socket, Duration::ZERO)?;
            let connect = patiently(async || {
                Store::with(
                    Servers::one(client.clone()).with_replicas(settings.replicas.into()),
                    crate::server::scripts(),
                )
                .await
            });
            self.store = unless_redis_ends(self.embedded.as_mut(), connect).await?;
            self.wire = Some(wire);
        }
        Ok(self)
    }

    fn url(settings: &Stores, embedded: Option<&Embedded>, running: Option<String>) -> Result<String> {
        match (&settings.redis, embedded, running) {
            (Some(url), ..) => Ok(url.clone()),
            (None, Some(embedded), _) => Ok(embedded.url()),
            (None, None, Some(url)) => Ok(url),
            (None, None, None) => anyhow::bail!("There is no Redis to connect to."),
        }
    }

    /// Connects a command that runs with or without a running server.
    ///
    /// # Errors
    /// Like [`Connected::serve`]; also if there is no data at all, as with a mistyped folder.
    pub async fn beside(settings: &Stores, access: Access) -> Result<Self> {
        if settings.redis.is_some() {
            return Self::with(settings, None, None, access).await;
        }
        let dir = &settings.data_dir;
        let has_redis = dir.join("redis").try_exists();
        let has_redis = has_redis.with_context(|| format!("The data folder {} cannot be read", dir.display()))?;
        ensure!(
            has_redis || !file_in(dir).is_file(),
            "There is a ledger in {}, but no Redis; name the Redis that the server uses with --redis.",
            dir.display()
        );
        ensure!(
            has_redis,
            "There is no data in {}; name the server's folder with --data-dir, or its Redis with --redis.",
            dir.display()
        );
        match Embedded::running(dir)? {
            Some(url) => Self::with(settings, None, Some(url), access).await,
            None => {
                Self::with(settings, Some(Embedded::start_for_command(dir, settings.fsync).await?), None, access).await
            }
        }
    }

    /// Connects a command that restores a ledger, for a Redis without data. Once that is known, `put` puts the ledger
    /// in place.
    ///
    /// # Errors
    /// Like [`Connected::serve`]; also if Redis has data; the errors of `put`.
    pub async fn restoring(settings: &Stores, put: impl AsyncFnOnce() -> Result<()>) -> Result<Self> {
        let embedded = match &settings.redis {
            Some(_) => None,
            None => Some(Embedded::start_for_command(&settings.data_dir, settings.fsync).await?),
        };
        Self::prepared(settings, embedded, None, Access::Write, async |store: &Store| {
            let found: u64 = store.query("EXISTS", (store.key(keys::LEDGER), store.key(keys::SALES))).await?;
            ensure!(
                found == 0,
                "This Redis has the data of other sales, and a restore overwrites nothing: name an empty one with \
                 --redis or, for an embedded one, an empty folder with --data-dir."
            );
            put().await
        })
        .await
    }

    async fn with(
        settings: &Stores,
        embedded: Option<Embedded>,
        running: Option<String>,
        access: Access,
    ) -> Result<Self> {
        Self::prepared(settings, embedded, running, access, async |store: &Store| {
            // Whoever only reads makes none.
            if access == Access::Read || settings.database.is_some() || file_in(&settings.data_dir).exists() {
                return Ok(());
            }
            let feeds: bool = store.query("EXISTS", store.key(keys::LEDGER)).await?;
            ensure!(
                !feeds,
                "This Redis feeds another ledger, and there is none in {}: name its folder with --data-dir, or put the \
                 ledger.sqlite of a backup there. (A server that is started with --new-ledger continues with a new one, without what is \
                 only in the other.)",
                settings.data_dir.display()
            );
            Ok(())
        })
        .await
    }

    /// Connects to Redis, and to the ledger once `ready` has returned.
    async fn prepared(
        settings: &Stores,
        mut embedded: Option<Embedded>,
        running: Option<String>,
        access: Access,
        ready: impl AsyncFnOnce(&Store) -> Result<()>,
    ) -> Result<Self> {
        let url = Self::url(settings, embedded.as_ref(), running)?;
        let servers = Servers::of(&url, settings.redis_ca.as_deref())?.with_replicas(settings.replicas.into());
        let connect = async {
            let store = patiently(async || Store::with(servers.clone(), crate::server::scripts()).await).await?;
            ready(&store).await?;
            let place = match &settings.database {
                Some(url) => Place::Url(url),
                None => Place::Folder(&settings.data_dir),
            };
            let ledger = match access {
                Access::Write => Ledger::connect(place).await?,
                Access::Read => Ledger::connect_to_read(place).await?,
            };
            Ok((store, ledger))
        };
        let (store, ledger) = unless_redis_ends(embedded.as_mut(), connect).await?;
        Ok(Self { store, ledger, embedded, wire: None })
    }

    /// Closes the ledger, and stops the embedded Redis if one was started.
    ///
    /// # Errors
    /// Errors of the operating system.
    pub async fn close(self) -> Result<()> {
        self.ledger.close().await;
        match self.embedded {
            Some(embedded) => embedded.stop().await,
            None => Ok(()),
        }
    }
}

/// The Redis of the lab, and the server if this process started one: for sales on a cluster. It starts one in a folder of
/// the data folder, which must be done by the thread of [`Embedded::start`]. Without one, the lab refuses everything.
///
/// # Errors
/// One sentence if the URL of `--lab-redis` is invalid.
pub async fn lab_redis(settings: &Serve, store: &Store) -> Result<(LabRedis, Option<Embedded>)> {
    let Serve { lab_redis, stores, .. } = settings;
    if let Some(url) = lab_redis {
        return Ok((LabRedis::at(url, stores.redis_ca.as_deref())?, None));
    }
    if !store.is_cluster() {
        return Ok((LabRedis::NextDatabase, None));
    }
    match Embedded::start_in_memory(&stores.data_dir.join("lab")).await {
        Ok(embedded) => Ok((LabRedis::at(&embedded.url(), None)?, Some(embedded))),
        Err(error) => {
            tracing::warn!(
                error = format!("{error:#}"),
                "the lab has no Redis, as the sales are on a cluster and none could be started: name one by --lab-redis"
            );
            Ok((LabRedis::NextDatabase, None))
        }
    }
}

/// Suspends all sales if the embedded Redis may lack something that it has answered and that nobody else may know.
///
/// # Errors
/// `ledger_unavailable`, `unavailable`; errors of the operating system.
pub async fn suspend_unwritten(service: &LedgerService, room: &Room) -> Result<()> {
    if room.may_lack_answers() {
        let count = service.suspend_all().await?;
        tracing::error!(
            sales = count,
            "Redis had stopped before it could write what it answered last: all sales are suspended; run `stampede recover --all`"
        );
        room.forget_answers()?;
    }
    Ok(())
}

/// Runs a step of the start, unless the embedded Redis ends meanwhile: then there is nothing to wait for.
///
/// # Errors
/// The errors of the step; one sentence if Redis ended.
pub async fn unless_redis_ends<T>(embedded: Option<&mut Embedded>, step: impl Future<Output = Result<T>>) -> Result<T> {
    let Some(embedded) = embedded else { return step.await };
    tokio::select! {
        result = step => result,
        status = embedded.ended() => Err(ended_unexpectedly(status?)),
    }
}

/// Retries a step of the start while Redis does not answer or is not ready. Steps must be idempotent.
///
/// # Errors
/// The errors of the step; the last one has the waiting time.
pub async fn patiently<T>(step: impl AsyncFn() -> Result<T>) -> Result<T> {
    let deadline = Instant::now() + PATIENCE;
    let mut logged = None;
    loop {
        let error = match step().await {
            Err(error) if is_not_ready(&error) => error,
            result => return result,
        };
        if Instant::now() >= deadline {
            return Err(error.context(format!("Redis could not be used for {} s", PATIENCE.as_secs())));
        }
        let reason = error.to_string();
        if logged.as_ref() != Some(&reason) {
            tracing::warn!(error = reason, "Redis does not answer yet; waiting for it");
            logged = Some(reason);
        }
        tokio::time::sleep(PAUSE).await;
    }
}

fn is_not_ready(error: &anyhow::Error) -> bool {
    error.downcast_ref::<Error>().is_some_and(|error| matches!(error.code, Code::Unavailable | Code::Busy))
}
