//! Where the lab keeps its records, apart from sales, lists, the ledger and audits: the logical database after the
//! server's, or a Redis of its own. A cluster has one database only.

use crate::{Store, client_named, command_of, connection, failure::failed, info_field, keys};
use model::error::{Code, Error, Result};
use redis::{Client, RedisError, RedisResult, aio::MultiplexedConnection};
use std::path::Path;

/// The prefix of the ids of the lab's sales. Only keys with such an id, and the lab's own keys, are ever deleted there:
/// other programs may use this database, too.
pub const ID_PREFIX: &str = "lab-";

/// Which Redis the lab uses.
#[derive(Clone, Default)]
pub enum LabRedis {
    /// That of the sales, in the database after theirs. A cluster has none.
    #[default]
    NextDatabase,
    /// One of its own.
    OfItsOwn(Box<Client>),
}

impl LabRedis {
    /// The one of a URL. If a file is given, only the certificate authorities in it are trusted.
    ///
    /// # Errors
    /// One sentence if the URL is invalid.
    pub fn at(url: &str, authorities: Option<&Path>) -> anyhow::Result<Self> {
        let authorities = authorities.filter(|_| url.starts_with("rediss://"));
        client_named("--lab-redis", url, authorities).map(|client| Self::OfItsOwn(Box::new(client)))
    }
}

impl Store {
    /// A client of the lab's Redis.
    ///
    /// # Errors
    /// `lab_unavailable`: the sales are on a cluster, and the lab has no Redis of its own. `store_refused`: Redis has no
    /// such database, or a Stampede has its sales there; `unavailable`.
    pub async fn lab_client(&self, redis: &LabRedis) -> Result<Client> {
        match redis {
            LabRedis::OfItsOwn(client) => {
                ensure_single(client).await?;
                Ok(Client::clone(client))
            }
            LabRedis::NextDatabase if self.is_cluster() => Err(Error::new(
                Code::LabUnavailable,
                "The sales are on a cluster, so the lab needs a Redis of its own, and this server has none; name one by \
                 --lab-redis. The server's log says why none was started.",
            )),
            LabRedis::NextDatabase => self.next_database().await,
        }
    }

    async fn next_database(&self) -> Result<Client> {
        let layout = self.inner.topology.layout();
        let info = layout.masters[0].client.get_connection_info().clone();
        let settings = info.redis_settings().clone();
        let number = settings.db() + 1;
        let client = Client::open(info.set_redis_settings(settings.set_db(number)))
            .map_err(|error| Error::internal(format!("the next logical database has no address: {error}")))?;
        let mut connection = connection(&client).await.map_err(|error| {
            if error.to_string().contains("DB index is out of range") {
                let why = format!(
                    "The lab needs a logical database of its own, and this Redis has none with the number {number}; raise \
                     `databases` in its configuration, or use a lower number in --redis."
                );
                return Error::new(Code::StoreRefused, why);
            }
            // The client keeps the text of this refusal, but not its code.
            if !error.to_string().contains("no permissions") {
                return unusable(&client, &error);
            }
            tracing::warn!(%error, number, "the next logical database of Redis cannot be reached");
            let why = format!(
                "Redis does not let the server's user into the logical database {number}, which the lab needs; allow it the \
                 command SELECT."
            );
            Error::new(Code::StoreRefused, why)
        })?;
        if has_sales(&mut connection).await.map_err(|error| unusable(&client, &error))? {
            let why = format!(
                "The lab would use the logical database {number} of this Redis, where another Stampede has its sales; let \
                 that one use another number, or use another in --redis."
            );
            return Err(Error::new(Code::StoreRefused, why));
        }
        Ok(client)
    }
}

/// Refuses a cluster, and a database in which a Stampede has its sales.
async fn ensure_single(client: &Client) -> Result<()> {
    let unusable = |error: RedisError| unusable(client, &error);
    let mut connection = connection(client).await.map_err(unusable)?;
    let info: String = command_of("INFO", "cluster").query_async(&mut connection).await.map_err(unusable)?;
    if info_field(&info, "cluster_enabled") == Some("1") {
        let why = "The Redis of --lab-redis is part of a cluster, and the lab needs one that is not.";
        return Err(Error::new(Code::StoreRefused, why));
    }
    if has_sales(&mut connection).await.map_err(unusable)? {
        let why = "A Stampede has its sales in the Redis of --lab-redis; name another, or another database of it.";
        return Err(Error::new(Code::StoreRefused, why));
    }
    Ok(())
}

/// Whether a Stampede serves on this database.
async fn has_sales(connection: &mut MultiplexedConnection) -> RedisResult<bool> {
    let found: u32 = command_of("EXISTS", &[keys::LEDGER.one, keys::FORMAT.one]).query_async(connection).await?;
    Ok(found > 0)
}

fn unusable(client: &Client, error: &RedisError) -> Error {
    tracing::warn!(%error, address = crate::address(client), "the lab's Redis cannot be used");
    failed(error)
}
