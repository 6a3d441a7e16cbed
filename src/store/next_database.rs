//! The logical database after the server's, for the lab and for explaining attempts. It is isolated from sales, lists,
//! the ledger and audits.

use crate::{Store, command_of, connection, failure::failed, keys};
use model::error::{Code, Error, Result};
use redis::{Client, aio::MultiplexedConnection};

/// The prefix of the ids of sales in it. Only keys with such an id, and the lab's own keys, are ever deleted there:
/// other programs may use this database, too.
pub const ID_PREFIX: &str = "lab-";

/// Access to the next logical database.
pub struct NextDatabase {
    /// A client of that database.
    pub client: Client,
    /// A connection to that database.
    pub connection: MultiplexedConnection,
    /// The number of that database. The server's own is one less.
    pub number: i64,
}

impl Store {
    /// Connects to the next logical database of the same Redis.
    ///
    /// # Errors
    /// `store_refused`: Redis has no such database, or another Stampede is in it; `unavailable`.
    pub async fn next_database(&self) -> Result<NextDatabase> {
        let layout = self.inner.topology.layout();
        let info = layout.masters[0].client.get_connection_info().clone();
        let settings = info.redis_settings().clone();
        let number = settings.db() + 1;
        let client = Client::open(info.set_redis_settings(settings.set_db(number)))
            .map_err(|error| Error::internal(format!("the next logical database has no address: {error}")))?;
        let mut connection = connection(&client).await.map_err(|error| {
            if error.to_string().contains("DB index is out of range") {
                let why = format!(
                    "The lab and explaining attempts need a logical database of their own, and this Redis has none with \
                     the number {number}; raise `databases` in its configuration, or use a lower number in --redis."
                );
                return Error::new(Code::StoreRefused, why);
            }
            tracing::warn!(%error, number, "the next logical database of Redis cannot be reached");
            // The client keeps the text of this refusal, but not its code.
            if !error.to_string().contains("no permissions") {
                return failed(&error);
            }
            let why = format!(
                "Redis does not let the server's user into the logical database {number}, which the lab and explaining \
                 attempts need; allow it the command SELECT."
            );
            Error::new(Code::StoreRefused, why)
        })?;
        let others = command_of("EXISTS", &[keys::LEDGER.one, keys::FORMAT.one]);
        let others: u32 = others.query_async(&mut connection).await.map_err(|error| {
            tracing::warn!(%error, number, "the next logical database of Redis could not be looked into");
            failed(&error)
        })?;
        if others > 0 {
            let why = format!(
                "The lab and explaining attempts would use the logical database {number} of this Redis, where another \
                 Stampede has its sales; let that one use another number, or use another in --redis."
            );
            return Err(Error::new(Code::StoreRefused, why));
        }
        Ok(NextDatabase { client, connection, number })
    }
}
