//! Connections that read streams, apart from all others, because a read that waits for entries delays what comes after it.

use crate::{CONNECTION_TIMEOUT, RESPONSE_TIMEOUT, Store, command, slot::slot_of, stream::Entry};
use model::error::{Code, Error, Result};
use redis::{AsyncConnectionConfig, Cmd, Pipeline, RedisResult, aio::MultiplexedConnection};
use std::time::Duration;
use tokio::time::{Instant, sleep_until};

/// The least time between reads of streams of a cluster, and the least for each stream: what is read often is few.
const READ_EVERY: Duration = Duration::from_millis(20);
const EACH_EVERY: Duration = Duration::from_micros(200);

/// The new entries of a stream, with its key.
pub type News = (String, Vec<Entry>);

/// The servers that have the sales, at one moment: the one Redis, or the masters of a cluster.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Masters {
    pub addresses: Vec<String>,
    /// Rises whenever another server has something.
    pub version: u64,
}

/// Reads streams of one server, by one connection. If that breaks, another server may have taken the place of this one:
/// whoever reads has to know, so the connection is not made again.
pub struct Reader {
    connection: MultiplexedConnection,
    store: Store,
}

impl Store {
    /// The servers that have the sales now.
    pub fn masters(&self) -> Masters {
        let layout = self.inner.topology.layout();
        let addresses = layout.masters.iter().map(|node| node.address.clone()).collect();
        Masters { addresses, version: layout.version }
    }

    /// Whether this server has this key now.
    pub fn is_at(&self, address: &str, key: &str) -> bool {
        let layout = self.inner.topology.layout();
        layout.master_of(slot_of(key.as_bytes())).is_some_and(|node| node.address == address)
    }

    /// A connection for reading streams of this server. Its reads may block for `longest_block`.
    ///
    /// # Errors
    /// `unavailable`, also if the server is none of the [`Masters`] any more.
    pub async fn reader(&self, address: &str, longest_block: Duration) -> Result<Reader> {
        let layout = self.inner.topology.layout();
        let Some(node) = layout.masters.iter().find(|node| node.address == address) else {
            return Err(Error::new(Code::Unavailable, "Another server of the cluster has these sales now."));
        };
        let config = AsyncConnectionConfig::new()
            .set_connection_timeout(Some(CONNECTION_TIMEOUT))
            .set_response_timeout(Some(longest_block + RESPONSE_TIMEOUT));
        let connection = node.client.get_multiplexed_async_connection_with_config(&config).await;
        connection
            .map(|connection| Reader { connection, store: self.clone() })
            .map_err(|error| self.logged("connecting", &error))
    }
}

impl Reader {
    /// The entries of several streams of this server after the given ids: at most `count` of each. Waits at most `block`
    /// for the first one. Empty if there are none.
    ///
    /// # Errors
    /// `unavailable`: the reader is no longer usable.
    pub async fn read_streams(
        &mut self,
        keys: &[String],
        after: &[String],
        count: usize,
        block: Duration,
    ) -> Result<Vec<News>> {
        let read = match self.store.inner.topology.is_cluster() {
            true => self.read_each(keys, after, count, block).await,
            false => self.read_all(keys, after, count, block).await,
        };
        read.map_err(|error| self.store.logged("XREAD", &error))
    }

    /// By one command, which waits for the first entry.
    async fn read_all(
        &mut self,
        keys: &[String],
        after: &[String],
        count: usize,
        block: Duration,
    ) -> RedisResult<Vec<News>> {
        let streams: Option<Vec<News>> = xread(keys, after, count, block).query_async(&mut self.connection).await?;
        Ok(streams.unwrap_or_default())
    }

    /// By a command for each stream: no command reads streams of several slots of a cluster. So none of them can wait.
    async fn read_each(
        &mut self,
        keys: &[String],
        after: &[String],
        count: usize,
        block: Duration,
    ) -> RedisResult<Vec<News>> {
        let mut pipeline = Pipeline::with_capacity(keys.len());
        for (key, after) in keys.iter().zip(after) {
            pipeline.add_command(xread(std::slice::from_ref(key), std::slice::from_ref(after), count, Duration::ZERO));
        }
        pipeline.ignore_errors();
        let every = READ_EVERY.max(EACH_EVERY * u32::try_from(keys.len()).unwrap_or(u32::MAX));
        let until = Instant::now() + block;
        loop {
            let streams: Vec<RedisResult<Option<Vec<News>>>> = pipeline.query_async(&mut self.connection).await?;
            let mut news: Vec<News> = Vec::new();
            for stream in streams {
                match stream {
                    Ok(entries) => news.extend(entries.into_iter().flatten()),
                    // It is moving to another server, and is read there once that has all of it.
                    Err(error) if self.store.is_elsewhere(&error) => self.store.inner.topology.note_stale(),
                    Err(error) => return Err(error),
                }
            }
            let now = Instant::now();
            if !news.is_empty() || now >= until {
                return Ok(news);
            }
            sleep_until(until.min(now + every)).await;
        }
    }
}

fn xread(keys: &[String], after: &[String], count: usize, block: Duration) -> Cmd {
    let mut command = command("XREAD");
    command.arg("COUNT").arg(count);
    if !block.is_zero() {
        command.arg("BLOCK").arg(block.as_millis() as u64);
    }
    command.arg("STREAMS").arg(keys).arg(after);
    command
}
