//! The records of a strategy's sale: prepared before a run, read after it, and deleted at the end.

use crate::{
    database::Session,
    sale::{Sale, part},
    slow_wire::SlowWire,
    strategies::Storage,
    verdict::Holdings,
    wire::Packets,
};
use anyhow::{Context, Result};
use engine::red_packet::scripts::{KIND, PARTS, key};
use model::{
    lab::{program::Program, trace::Record},
    red_packet::{Splitter, Terms},
};
use redis::{Cmd, aio::MultiplexedConnection};
use serde::Deserialize;
use std::{collections::BTreeMap, sync::Arc};
use store::{command, command_of, keys};

/// The duration of a sale of the product, in s: longer than any run.
const EXPIRES_IN_S: u64 = 3_600;
/// The maximum number of list elements that one command adds.
const CHUNK: u32 = 4_000;

/// The sale of a strategy, and the connections to it.
pub(super) struct StoredState {
    /// The storage of the strategy's records.
    pub storage: Storage,
    /// The keys of the sale.
    pub sale: Sale,
    pub redis: MultiplexedConnection,
    /// A connection to the database, for [`Storage::Rows`].
    pub sql: Option<Session>,
    /// The sale of the product, for [`Storage::Product`].
    pub packets: Option<Packets>,
    /// The program, for the strategy that runs one.
    pub program: Option<Arc<Program>>,
    /// The delay on the way to Redis, for [`Storage::Product`].
    pub _slow_wire: Option<SlowWire>,
}

/// A packet in the article on queues.
#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Consumed {
    user_id: String,
}

impl StoredState {
    /// Fills the stock with this many items.
    pub async fn prepare(&mut self, stock: u32) -> Result<()> {
        match self.storage {
            Storage::Counts => {
                command_of("SET", (&self.sale.stock, stock)).query_async::<()>(&mut self.redis).await?;
            }
            Storage::Packets => {
                for first in (0..stock).step_by(CHUNK as usize) {
                    let mut push = command_of("LPUSH", &self.sale.pending);
                    for id in first..stock.min(first + CHUNK) {
                        push.arg(format!("{{\"id\":{id},\"money\":{id}}}"));
                    }
                    push.query_async::<()>(&mut self.redis).await?;
                }
            }
            Storage::Rows => {
                let (session, sale) = self.rows()?;
                session.put_stock(sale, stock).await?;
            }
            Storage::Product => {
                let Packets { service, sale } = self.packets.as_ref().context("There is no sale.")?;
                let terms = Terms {
                    sale: sale.clone(),
                    total_cents: i64::from(stock) * 100,
                    count: u64::from(stock),
                    splitter: Splitter::Equal,
                    expires_in_s: EXPIRES_IN_S,
                    seed: Some(1),
                    plan: model::life::Plan::default(),
                };
                service.open(terms).await?;
            }
        }
        Ok(())
    }

    /// Runs additional commands at the beginning of a play.
    pub async fn begin(&mut self, commands: Vec<Cmd>) -> Result<()> {
        for command in commands {
            command.query_async::<()>(&mut self.redis).await?;
        }
        Ok(())
    }

    /// The number of script calls for the attempts at the sale of the product.
    pub async fn calls(&mut self) -> Result<u64> {
        let calls = command_of("HGET", (key(self.product()?, "stats"), "calls"));
        Ok(calls.query_async::<Option<u64>>(&mut self.redis).await?.unwrap_or_default())
    }

    /// The number of items of each user according to the records.
    pub async fn holdings(&mut self) -> Result<Holdings> {
        Ok(match self.storage {
            Storage::Counts => {
                let got = command_of("HGETALL", &self.sale.got);
                let got: BTreeMap<String, i64> = got.query_async(&mut self.redis).await?;
                // A program may take from a user what the user does not have.
                let mut holdings: Holdings =
                    got.into_iter().map(|(user, got)| (user, got.try_into().unwrap_or_default())).collect();
                let winners = command_of("SMEMBERS", &self.sale.winners);
                for user in winners.query_async::<Vec<String>>(&mut self.redis).await? {
                    *holdings.entry(user).or_default() += 1;
                }
                holdings
            }
            Storage::Packets => {
                let mut holdings = Holdings::new();
                let consumed = command_of("LRANGE", (&self.sale.consumed, 0, -1));
                for packet in consumed.query_async::<Vec<String>>(&mut self.redis).await? {
                    let packet: Consumed = serde_json::from_str(&packet)?;
                    *holdings.entry(packet.user_id).or_default() += 1;
                }
                holdings
            }
            Storage::Rows => {
                let (session, sale) = self.rows()?;
                session.holdings(sale).await?
            }
            Storage::Product => {
                let claimants = command_of("HKEYS", key(self.product()?, "claimants"));
                let users: Vec<String> = claimants.query_async(&mut self.redis).await?;
                users.into_iter().map(|user| (user, 1)).collect()
            }
        })
    }

    /// The number of items left according to the records; negative if the strategy allows it.
    pub async fn left(&mut self) -> Result<i64> {
        let redis = &mut self.redis;
        Ok(match self.storage {
            Storage::Counts => {
                let left: Option<i64> = command_of("GET", &self.sale.stock).query_async(redis).await?;
                left.unwrap_or_default()
            }
            Storage::Packets => command_of("LLEN", &self.sale.pending).query_async(redis).await?,
            Storage::Rows => {
                let (session, sale) = self.rows()?;
                session.remaining(sale).await?.unwrap_or_default()
            }
            Storage::Product => {
                let pending = command_of("LLEN", key(self.product()?, "pending"));
                pending.query_async(&mut self.redis).await?
            }
        })
    }

    /// All records as text, ordered by name.
    pub async fn records(&mut self) -> Result<Vec<Record>> {
        let mut records = Vec::new();
        if self.storage == Storage::Rows {
            let (session, sale) = self.rows()?;
            let left = session.remaining(sale).await?.map_or_else(|| "(none)".to_owned(), |left| left.to_string());
            let claims = session.holdings(sale).await?;
            let claims: Vec<String> = claims.iter().map(|(user, got)| format!("{user}: {got}")).collect();
            let record = |name: &str, value| Record { name: name.to_owned(), value };
            records = vec![record("lab_claims", format!("{{{}}}", claims.join(", "))), record("lab_stock", left)];
        }
        let mut keys = self.keys().await?;
        // Of the product's sale, only the keys that concern attempts.
        keys.retain(|key| self.storage != Storage::Product || ["claimants", "pending"].contains(&part(key)));
        for key in keys {
            let value = self.shown(&key).await?;
            records.push(Record { name: part(&key).to_owned(), value });
        }
        records.sort_by(|one, other| one.name.cmp(&other.name));
        Ok(records)
    }

    /// Lets the locks of these holders expire, found by the prefix of their tokens. Returns the commands for it.
    pub async fn expire_locks(&mut self, holders: &[String]) -> Result<Vec<Vec<String>>> {
        let mut commands = Vec::new();
        for key in self.locks().await? {
            let token: String = command_of("GET", &key).query_async(&mut self.redis).await?;
            if !holders.iter().any(|holder| token.starts_with(holder)) {
                continue;
            }
            command_of("PEXPIRE", (&key, 0)).query_async::<()>(&mut self.redis).await?;
            commands.push(vec!["PEXPIRE".to_owned(), part(&key).to_owned(), "0".to_owned()]);
        }
        Ok(commands)
    }

    /// The keys with a lifetime.
    pub async fn locks(&mut self) -> Result<Vec<String>> {
        let mut locks = Vec::new();
        for key in self.keys().await? {
            if command_of("PTTL", &key).query_async::<i64>(&mut self.redis).await? >= 0 {
                locks.push(key);
            }
        }
        Ok(locks)
    }

    /// Deletes all records.
    pub async fn clean_up(&mut self) -> Result<()> {
        let keys = self.keys().await?;
        if !keys.is_empty() {
            command_of("DEL", keys).query_async::<()>(&mut self.redis).await?;
        }
        if let Some(Packets { sale, .. }) = &self.packets {
            command_of("ZREM", (keys::SALES.one, keys::name(KIND, sale))).query_async::<()>(&mut self.redis).await?;
        }
        if self.sql.is_some() {
            let (session, sale) = self.rows()?;
            session.clean_up(sale).await?;
        }
        Ok(())
    }

    /// The existing keys.
    async fn keys(&mut self) -> Result<Vec<String>> {
        if let Storage::Product = self.storage {
            let sale = self.product()?.to_owned();
            return Ok(PARTS.iter().map(|part| key(&sale, part)).collect());
        }
        let (mut keys, mut cursor) = (Vec::new(), 0_u64);
        loop {
            let mut scan = command("SCAN");
            scan.arg(cursor).arg("MATCH").arg(format!("{}:*", self.sale.tag)).arg("COUNT").arg(1_000);
            let (next, found): (u64, Vec<String>) = scan.query_async(&mut self.redis).await?;
            keys.extend(found);
            cursor = next;
            if cursor == 0 {
                return Ok(keys);
            }
        }
    }

    /// The value of a key as text.
    async fn shown(&mut self, key: &str) -> Result<String> {
        let redis = &mut self.redis;
        let kind: String = command_of("TYPE", key).query_async(redis).await?;
        Ok(match kind.as_str() {
            "string" => command_of("GET", key).query_async(redis).await?,
            "hash" => {
                let fields: BTreeMap<String, String> = command_of("HGETALL", key).query_async(redis).await?;
                let fields: Vec<String> = fields.iter().map(|(field, value)| format!("{field}: {value}")).collect();
                format!("{{{}}}", fields.join(", "))
            }
            "set" => {
                let mut members: Vec<String> = command_of("SMEMBERS", key).query_async(redis).await?;
                members.sort();
                format!("{{{}}}", members.join(", "))
            }
            "list" => {
                let elements: Vec<String> = command_of("LRANGE", (key, 0, -1)).query_async(redis).await?;
                format!("[{}]", elements.join(", "))
            }
            // Some keys of a product sale are created only when they are needed.
            _ => "(none)".to_owned(),
        })
    }

    fn product(&self) -> Result<&str> {
        Ok(&self.packets.as_ref().context("There is no sale.")?.sale)
    }

    fn rows(&mut self) -> Result<(&mut Session, &str)> {
        Ok((self.sql.as_mut().context("There is no database.")?, &self.sale.tag))
    }
}
