//! Connects to Redis and the ledger according to the settings, for all commands alike.

use super::settings::Stores;
use crate::{
    ledger::database::{Ledger, Place},
    store::{self, Store, embedded::Embedded},
};
use anyhow::{Result, ensure};

/// Redis, the ledger, and the embedded Redis if one was started.
pub struct Connected {
    /// Redis.
    pub store: Store,
    /// The ledger.
    pub ledger: Ledger,
    /// The embedded Redis, if this process started one.
    pub embedded: Option<Embedded>,
}

impl Connected {
    /// Connects a server, which starts an embedded Redis unless given a URL.
    ///
    /// # Errors
    /// One sentence: what cannot be connected to, and what to do.
    pub async fn serve(settings: &Stores) -> Result<Self> {
        let embedded = match &settings.redis {
            Some(_) => None,
            None => Some(Embedded::start(&settings.data_dir, settings.fsync).await?),
        };
        Self::with(settings, embedded, None).await
    }

    /// Connects a command that runs with or without a running server.
    ///
    /// # Errors
    /// As [`Connected::serve`]; also if there is no data at all, as with a mistyped folder.
    pub async fn beside(settings: &Stores) -> Result<Self> {
        if settings.redis.is_some() {
            return Self::with(settings, None, None).await;
        }
        let dir = &settings.data_dir;
        ensure!(
            dir.join("redis").is_dir(),
            "There is no data in {}; name the server's folder with --data-dir, or its Redis with --redis.",
            dir.display()
        );
        match Embedded::running(dir)? {
            Some(url) => Self::with(settings, None, Some(url)).await,
            None => Self::with(settings, Some(Embedded::start(dir, settings.fsync).await?), None).await,
        }
    }

    async fn with(settings: &Stores, embedded: Option<Embedded>, running: Option<String>) -> Result<Self> {
        let url = match (&settings.redis, &embedded, running) {
            (Some(url), ..) => url.clone(),
            (None, Some(embedded), _) => embedded.url(),
            (None, None, Some(url)) => url,
            (None, None, None) => anyhow::bail!("There is no Redis to connect to."),
        };
        let client = store::client_trusting(&url, settings.redis_ca.as_deref())?;
        let store = Store::with(client, super::scripts()).await?;
        let place = match &settings.database {
            Some(url) => Place::Url(url),
            None => Place::Folder(&settings.data_dir),
        };
        let ledger = Ledger::connect(place).await?;
        Ok(Self { store, ledger, embedded })
    }

    /// Stops the embedded Redis if one was started.
    ///
    /// # Errors
    /// Errors of the operating system.
    pub async fn close(self) -> Result<()> {
        match self.embedded {
            Some(embedded) => embedded.stop().await,
            None => Ok(()),
        }
    }
}
