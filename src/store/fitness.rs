//! Whether a Redis is fit to hold sales: it drops no data by itself, takes writes, is a single server, knows
//! every command that is needed and lets the server's user run it, and has served no newer program.

use crate::{
    OLDEST_REDIS, Store,
    format::{FORMAT, newer},
    info_field, keys,
    reply::ReplyCode,
    script::{Script, script},
};
use model::error::{Code, Error, Result};
use std::{collections::BTreeSet, sync::atomic::Ordering};

/// The commands that the server sends itself, besides those of its scripts, in the notation of Redis' ACL. (Those of a
/// connection, such as AUTH, have been allowed by then, and those of `embedded/` go to a Redis of the server's own.)
pub const COMMANDS: [&str; 34] = [
    "EVAL",
    "EVALSHA",
    "EXISTS",
    "GET",
    "GETRANGE",
    "HDEL",
    "HGET",
    "HGETALL",
    "HMGET",
    "HSCAN",
    "HSET",
    "INCR",
    "INFO",
    "LLEN",
    "LRANGE",
    "MGET",
    "PING",
    "PTTL",
    "SCRIPT|EXISTS",
    "SCRIPT|LOAD",
    "SET",
    "TIME",
    "TYPE",
    "UNLINK",
    "XINFO|GROUPS",
    "XRANGE",
    "XREAD",
    "ZADD",
    "ZCARD",
    "ZMSCORE",
    "ZRANGE",
    "ZREM",
    "ZREVRANGE",
    "ZSCORE",
];

/// Finds the commands that the server's user may not run. Its key is [`keys::LEDGER`], which belongs to no sale.
pub static RIGHTS: Script = script!("store/rights.lua");
/// Stores the data version of a program that begins to serve. Its key is [`keys::FORMAT`].
pub static CLAIM_FORMAT: Script = script!("store/claim_format.lua");

/// The answer of `INFO`.
struct Info(String);

impl Info {
    fn field(&self, name: &str) -> &str {
        info_field(&self.0, name).unwrap_or_default()
    }

    fn number(&self, name: &str) -> u64 {
        self.field(name).parse().unwrap_or(0)
    }

    /// One sentence with the remedy, if this Redis drops data by itself.
    fn evicts(&self) -> Option<String> {
        let policy = self.field("maxmemory_policy");
        (!matches!(policy, "noeviction" | "")).then(|| {
            format!(
                "This Redis evicts keys when it is full (maxmemory-policy {policy}), and with them what was sold; set \
                 maxmemory-policy noeviction."
            )
        })
    }

    /// One sentence with the remedy, if this Redis must not be used.
    fn unfit(&self) -> Option<String> {
        let version = self.field("redis_version");
        let mut parts = version.split('.').map_while(|part| part.parse::<u32>().ok());
        let found = (parts.next().unwrap_or(0), parts.next().unwrap_or(0));
        let (major, minor) = OLDEST_REDIS;
        if found < OLDEST_REDIS {
            return Some(format!("This Redis is version {version}; Stampede needs {major}.{minor} or newer."));
        }
        if let Some(why) = self.evicts() {
            return Some(why);
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
        // All sections: a Redis before 7.0 takes no list of them, and it is refused with a clear sentence.
        self.query("INFO", None::<&str>).await.map(Info)
    }

    /// Refuses a Redis that must not be used.
    pub(super) async fn ensure_fit(&self) -> Result<()> {
        match self.info().await?.unfit() {
            Some(why) => Err(Error::new(Code::StoreRefused, why)),
            None => Ok(()),
        }
    }

    /// Refuses a user without the right to run every command that is needed, and a Redis that does not know one.
    pub(super) async fn ensure_allowed(&self) -> Result<()> {
        match self.missing_rights().await? {
            Some(why) => Err(Error::new(Code::StoreRefused, why)),
            None => Ok(()),
        }
    }

    /// One sentence with the rights to grant, if a call would fail at a command that the server's user may not run, or
    /// with the commands that Redis does not know. A script checks this, because a user with only the needed rights may
    /// not use the ACL command. Nothing is asked for a store without scripts.
    async fn missing_rights(&self) -> Result<Option<String>> {
        if self.inner.scripts.is_empty() {
            return Ok(None);
        }
        let of_scripts = self.inner.scripts.iter().flat_map(|script| script.commands());
        let commands: BTreeSet<String> = of_scripts.chain(COMMANDS.map(str::to_owned)).collect();
        let args: Vec<&str> = commands.iter().map(String::as_str).collect();
        let mut reply = self.eval_on(&RIGHTS, &[keys::LEDGER.to_owned()], &args).await?;
        if reply.code != ReplyCode::Done {
            return Err(reply.code.unexpected(&RIGHTS));
        }
        let (forbidden, unknown): (Vec<String>, Vec<String>) = (reply.next_value()?, reply.next_value()?);
        if !unknown.is_empty() {
            return Ok(Some(format!(
                "This Redis does not know {}, which Stampede needs; take the rename-command of it out of Redis' configuration.",
                unknown.join(", ")
            )));
        }
        Ok((!forbidden.is_empty()).then(|| {
            format!(
                "Redis does not allow the server's user to run {}, which Stampede needs; allow it with ACL SETUSER.",
                forbidden.join(", ")
            )
        }))
    }

    /// Stores that this program serves on this Redis.
    ///
    /// # Errors
    /// As [`Store::check_format`].
    pub async fn claim_format(&self) -> Result<()> {
        let mut reply = self.eval_on(&CLAIM_FORMAT, &[keys::FORMAT.to_owned()], FORMAT).await?;
        match reply.code {
            ReplyCode::Done | ReplyCode::Repeat => Ok(()),
            ReplyCode::NewerFormat => Err(newer(reply.next_value()?)),
            code => Err(code.unexpected(&CLAIM_FORMAT)),
        }
    }

    /// The number of keys that this Redis had evicted since its start, at the last check of its fitness.
    pub fn evicted(&self) -> u64 {
        self.inner.evicted.load(Ordering::Relaxed)
    }

    /// Checks that this Redis still keeps its data: somebody may have changed its settings, its role or the rights of
    /// the server's user, or started a newer program on it. Returns whether it is full. A full Redis sells nothing new,
    /// but payments and cancellations go on.
    ///
    /// # Errors
    /// `store_refused` with what to change; `unavailable`.
    pub async fn check_fitness(&self) -> Result<bool> {
        let info = self.info().await?;
        self.inner.evicted.store(info.number("evicted_keys"), Ordering::Relaxed);
        // Not for a replica: it refuses attempts by itself, and may be promoted at any moment.
        self.note_evicts(info.evicts().map(|why| Error::new(Code::StoreRefused, format!("{why} Nothing was tried."))));
        let why = match info.unfit() {
            None => self.missing_rights().await?,
            unfit => unfit,
        };
        match why {
            Some(why) => Err(Error::new(Code::StoreRefused, why)),
            None => {
                // By a script that may write: then Redis itself reports whether it takes no writes, for lack of
                // replicas or of a disk.
                self.claim_format().await?;
                let is_full = info.is_full();
                self.note_full(is_full);
                Ok(is_full)
            }
        }
    }
}
