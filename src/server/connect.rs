//! Connects to Redis and the ledger as the settings say, for every command of the command line alike.

use super::settings::Stores;
use crate::{
    ledger::database::{Ledger, Place},
    store::{Store, embedded::Embedded},
};
use anyhow::{Result, ensure};

/// Redis, the ledger, and the embedded Redis where one was started.
pub struct Connected {
    pub store: Store,
    pub ledger: Ledger,
    pub embedded: Option<Embedded>,
}

impl Connected {
    /// For the server, whose embedded Redis is its own.
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

    /// For a command that runs beside a server, or without one.
    ///
    /// # Errors
    /// As [`Connected::serve`]; and where there is no data at all, as in a mistyped folder.
    pub async fn beside(settings: &Stores) -> Result<Self> {
        if settings.redis.is_some() {
            return Self::with(settings, None, None).await;
        }
        let dir = &settings.data_dir;
        ensure!(
            dir.join("redis").is_dir(),
            "There is no data in {}; name the folder of the server by --data-dir, or its Redis by --redis.",
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
        let store = Store::connect(&url, super::scripts()).await?;
        let place = match &settings.database {
            Some(url) => Place::Url(url),
            None => Place::Folder(&settings.data_dir),
        };
        let ledger = Ledger::connect(place).await?;
        Ok(Self { store, ledger, embedded })
    }

    /// Stops the embedded Redis where one was started.
    ///
    /// # Errors
    /// As the operating system gives them.
    pub async fn close(self) -> Result<()> {
        match self.embedded {
            Some(embedded) => embedded.stop().await,
            None => Ok(()),
        }
    }
}
