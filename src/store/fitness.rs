//! Whether a Redis is fit to hold sales: that it forgets nothing by itself, takes writes, and is one server.

use super::{OLDEST_REDIS, Store, info_field};
use crate::error::{Code, Error, Result};

/// What `INFO` says of a Redis, as far as it matters here.
struct Info(String);

impl Info {
    fn field(&self, name: &str) -> &str {
        info_field(&self.0, name).unwrap_or_default()
    }

    fn number(&self, name: &str) -> u64 {
        self.field(name).parse().unwrap_or(0)
    }

    /// One sentence with what to change, where this Redis must not be used.
    fn unfit(&self) -> Option<String> {
        let version = self.field("redis_version");
        let mut parts = version.split('.').map_while(|part| part.parse::<u32>().ok());
        let found = (parts.next().unwrap_or(0), parts.next().unwrap_or(0));
        let (major, minor) = OLDEST_REDIS;
        if found < OLDEST_REDIS {
            return Some(format!("This Redis is version {version}; Stampede needs {major}.{minor} or newer."));
        }
        let policy = self.field("maxmemory_policy");
        if !matches!(policy, "noeviction" | "") {
            return Some(format!(
                "This Redis evicts keys when it is full (maxmemory-policy {policy}), and with them what was sold; set \
                 maxmemory-policy noeviction."
            ));
        }
        if self.field("role") == "slave" {
            return Some("This Redis is a replica and takes no writes; connect to its primary.".to_owned());
        }
        if self.field("cluster_enabled") == "1" {
            return Some(
                "This Redis is part of a cluster, which Stampede does not support yet; use a single Redis (cluster-enabled no)."
                    .to_owned(),
            );
        }
        None
    }

    fn is_full(&self) -> bool {
        let most = self.number("maxmemory");
        most > 0 && self.number("used_memory").saturating_sub(self.number("mem_not_counted_for_evict")) >= most
    }
}

impl Store {
    async fn info(&self) -> Result<Info> {
        // All of it: before 7.0, which is told so, Redis takes no list of sections.
        self.query("INFO", None::<&str>).await.map(Info)
    }

    /// Refuses a Redis that must not be used.
    pub(super) async fn ensure_fit(&self) -> anyhow::Result<()> {
        match self.info().await?.unfit() {
            Some(why) => anyhow::bail!(why),
            None => Ok(()),
        }
    }

    /// Checks that this Redis still holds what it is given: somebody may have changed its settings or its role, or
    /// started a newer program on it. Returns whether it is full, so that nothing new can be sold; payments and cancellations go on then.
    ///
    /// # Errors
    /// `store_refused` with what to change; `unavailable`.
    pub async fn check_fitness(&self) -> Result<bool> {
        let info = self.info().await?;
        match info.unfit() {
            Some(why) => Err(Error::new(Code::StoreRefused, why)),
            None => self.check_format().await.map(|()| info.is_full()),
        }
    }
}
