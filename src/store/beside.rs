//! The logical database after the server's, isolated from sales, lists, the ledger and audits: for the lab, and for
//! explaining attempts.

use super::{Store, command_of, connection, keys};
use anyhow::{Context, Result, bail, ensure};
use redis::{Client, aio::MultiplexedConnection};

/// What the ids of sales in it begin with. Only keys with such an id, and the lab's own, are ever deleted there: other
/// programs may use this database too.
pub const ID_PREFIX: &str = "lab-";

/// A way into the next logical database.
pub struct Beside {
    /// A client of it.
    pub client: Client,
    /// A connection to it.
    pub connection: MultiplexedConnection,
    /// Its number; the server's is the one before.
    pub number: i64,
}

impl Store {
    /// Connects to the next logical database of the same Redis.
    ///
    /// # Errors
    /// One sentence: Redis has no such database, another Stampede is in it, or there is no answer.
    pub async fn beside(&self) -> Result<Beside> {
        let info = self.inner.client.get_connection_info().clone();
        let settings = info.redis_settings().clone();
        let number = settings.db() + 1;
        let client = Client::open(info.set_redis_settings(settings.set_db(number)))?;
        let mut connection = match connection(&client).await {
            Err(error) if format!("{error:#}").contains("DB index is out of range") => bail!(
                "The lab and explaining attempts need a logical database of their own, and this Redis has none with the \
                 number {number}; raise `databases` in its configuration, or use a lower number in --redis."
            ),
            connection => {
                connection.with_context(|| format!("The logical database {number} of Redis cannot be reached"))?
            }
        };
        let others = command_of("EXISTS", &[keys::LEDGER, keys::FORMAT]);
        let others: u32 = others.query_async(&mut connection).await?;
        ensure!(
            others == 0,
            "The lab and explaining attempts would use the logical database {number} of this Redis, where another \
             Stampede has its sales; let that one use another number, or use another in --redis."
        );
        Ok(Beside { client, connection, number })
    }
}
