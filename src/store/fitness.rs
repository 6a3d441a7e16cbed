//! Whether a Redis is fit to hold sales: it drops no data by itself, takes writes, is a single server, knows
//! every command that is needed and lets the server's user run it, and has served no newer program.

use crate::{
    OLDEST_REDIS, Store, command,
    failure::unreached,
    format::{FORMAT, newer},
    info_field, keys,
    node::{Lane, Node},
    reply::{Reply, ReplyCode},
    script::{Script, script},
    slot::slot_of,
    stream::protocol_error,
};
use futures::{StreamExt, stream::FuturesUnordered};
use model::{
    cluster::PartialCluster,
    error::{Code, Error, Result},
};
use redis::from_redis_value;
use std::{
    collections::BTreeSet,
    sync::{Arc, atomic::Ordering},
    time::Duration,
};
use tokio::time::{Instant, timeout_at};

/// How long the other masters of a cluster are waited for once one has answered: one that hangs must not make this server
/// seem to hang as well, whose readiness a load balancer asks for.
const OTHERS_WITHIN: Duration = Duration::from_secs(1);

/// The commands that the server sends itself, besides those of its scripts, in the notation of Redis' ACL. (Those of a
/// connection, such as AUTH, have been allowed by then, and those of `embedded/` go to a Redis of the server's own.)
pub const COMMANDS: [&str; 36] = [
    "EVAL",
    "EVALSHA",
    "EXISTS",
    "EXPIRE",
    "GET",
    "GETRANGE",
    "HDEL",
    "HGET",
    "HGETALL",
    "HINCRBY",
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

/// Those that it sends to the servers of a cluster besides.
pub const COMMANDS_OF_CLUSTERS: [&str; 2] = ["CLUSTER|INFO", "CLUSTER|SLOTS"];

/// Finds the commands that the server's user may not run, on any server.
pub static RIGHTS: Script = script!("store/rights.lua");
/// Stores the data version of a program that begins to serve. Its key is [`keys::FORMAT`].
pub static CLAIM_FORMAT: Script = script!("store/claim_format.lua");

/// A Redis that has sales, the only one or a master of a cluster, at the last look at it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RedisStatus {
    /// Without a password.
    pub address: String,
    pub answers: bool,
    pub is_full: bool,
    /// The number of keys that it has evicted since its start.
    pub evicted: u64,
    /// Why nothing new is given to it, if that is so.
    pub refusal: Option<String>,
}

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

    /// One sentence with the remedy, if what is sold could not be acknowledged.
    fn lacks_replicas(&self, needed: usize) -> Option<String> {
        let found = self.number("connected_slaves");
        (found < needed as u64).then(|| {
            format!(
                "This Redis has {found} replicas, and --replicas asks that {needed} have what was sold; start one, or \
                 restart the server with fewer."
            )
        })
    }

    /// One sentence with the remedy, if this Redis must not be used.
    fn unfit(&self, is_named_cluster: bool) -> Option<String> {
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
        match (self.field("cluster_enabled") == "1", is_named_cluster) {
            (true, false) => Some(
                "This Redis is part of a cluster; name some of its servers: --redis redis+cluster://HOST:PORT,HOST:PORT."
                    .to_owned(),
            ),
            (false, true) => {
                Some("This Redis is not part of a cluster; name it by --redis redis://HOST:PORT.".to_owned())
            }
            _ => None,
        }
    }

    fn is_full(&self) -> bool {
        let most = self.number("maxmemory");
        most > 0 && self.number("used_memory").saturating_sub(self.number("mem_not_counted_for_evict")) >= most
    }
}

impl Store {
    /// Refuses servers that must not be used.
    pub(super) async fn ensure_fit(&self) -> Result<()> {
        let fit = self.of_masters(|node| async move {
            match self.info(&node).await?.unfit(self.is_cluster()) {
                Some(why) => Err(Error::new(Code::StoreRefused, why)),
                None => Ok(()),
            }
        });
        fit.await.map(drop)
    }

    /// Refuses a user without the right to run every command that is needed, and a server that does not know one or
    /// takes no writes.
    pub(super) async fn ensure_allowed(&self) -> Result<()> {
        self.of_masters(|node| async move { self.check_rights(&node).await }).await.map(drop)
    }

    async fn info(&self, node: &Node) -> Result<Info> {
        // All sections: a Redis before 7.0 takes no list of them, and it is refused with a clear sentence.
        let info = command("INFO").query_async(&mut node.connection(Lane::Reads)).await;
        let info = info.map(Info).map_err(|error| self.logged("INFO", &error))?;
        if self.is_cluster() && info.field("role") == "slave" {
            // Another has taken over since the last look at the cluster.
            self.inner.topology.note_stale();
            return Err(unreached());
        }
        Ok(info)
    }

    /// Refuses with the rights to grant, if a call would fail at a command that the server's user may not run, or with
    /// the commands that Redis does not know. A script checks this, because a user with only the needed rights may not
    /// use the ACL command. It is one that may write: then Redis itself reports whether it takes no writes, for lack of
    /// replicas or of a disk. Nothing is asked for a store without scripts.
    async fn check_rights(&self, node: &Node) -> Result<()> {
        if self.inner.scripts.is_empty() {
            return Ok(());
        }
        let of_scripts = self.inner.scripts.iter().flat_map(|script| script.commands());
        let of_server = COMMANDS.into_iter().chain(COMMANDS_OF_CLUSTERS.into_iter().filter(|_| self.is_cluster()));
        let of_server = of_server.chain(["WAIT"].into_iter().filter(|_| self.inner.topology.replicas() > 0));
        let commands: BTreeSet<String> = of_scripts.chain(of_server.map(str::to_owned)).collect();
        let args: Vec<&str> = [self.key(keys::LEDGER)].into_iter().chain(commands.iter().map(String::as_str)).collect();
        let answer = self.send_script(node, Lane::Reads, &RIGHTS, &[], None, &args).await;
        let values = from_redis_value(answer.map_err(|error| self.logged(RIGHTS.name, &error))?);
        let mut reply = Reply::read(&RIGHTS, values.map_err(protocol_error)?)?;
        if reply.code != ReplyCode::Done {
            return Err(reply.code.unexpected(&RIGHTS));
        }
        let (forbidden, unknown): (Vec<String>, Vec<String>) = (reply.next_value()?, reply.next_value()?);
        let why = if !unknown.is_empty() {
            format!(
                "This Redis does not know {}, which Stampede needs; take the rename-command of it out of Redis' configuration.",
                unknown.join(", ")
            )
        } else if !forbidden.is_empty() {
            format!(
                "Redis does not allow the server's user to run {}, which Stampede needs; allow it with ACL SETUSER.",
                forbidden.join(", ")
            )
        } else {
            return Ok(());
        };
        Err(Error::new(Code::StoreRefused, why))
    }

    /// Stores that this program serves on this Redis.
    ///
    /// # Errors
    /// As [`Store::check_format`].
    pub async fn claim_format(&self) -> Result<()> {
        let mut reply = self.eval_on(&CLAIM_FORMAT, &[self.key(keys::FORMAT).to_owned()], FORMAT).await?;
        match reply.code {
            ReplyCode::Done | ReplyCode::Repeat => Ok(()),
            ReplyCode::NewerFormat => Err(newer(reply.next_value()?)),
            code => Err(code.unexpected(&CLAIM_FORMAT)),
        }
    }

    /// Each Redis that has sales.
    pub fn redis_statuses(&self) -> Vec<RedisStatus> {
        let status = |node: &Arc<Node>| RedisStatus {
            address: node.address.clone(),
            answers: !node.is_silent(),
            is_full: node.is_full(),
            evicted: node.evicted.load(Ordering::Relaxed),
            refusal: node.is_unsafe().map(|why| why.message),
        };
        self.inner.topology.layout().masters.iter().map(status).collect()
    }

    /// The number of keys that these servers had evicted since their start, at the last check of their fitness.
    pub fn evicted(&self) -> u64 {
        self.redis_statuses().iter().map(|status| status.evicted).sum()
    }

    /// Checks that Redis answers and still keeps its data: somebody may have changed its settings, its role or the rights
    /// of the server's user, or started a newer program on it. Returns whether it is full. A full Redis sells nothing new,
    /// but payments and cancellations go on. Masters of a cluster that do not answer are [noted](Store::redis_statuses), as
    /// long as one does.
    ///
    /// # Errors
    /// `store_refused` with what to change, of a cluster if all masters are unfit; `unavailable`.
    pub async fn check_fitness(&self) -> Result<bool> {
        self.wake_attempts().await?;
        let full = self.of_answering_masters(|node| async move {
            let info = self.info(&node).await?;
            node.evicted.store(info.number("evicted_keys"), Ordering::Relaxed);
            // Not for a replica: it refuses attempts by itself, and may be promoted at any moment.
            let why = info.evicts().or_else(|| info.lacks_replicas(self.inner.topology.replicas()));
            let why = why.map(|why| Error::new(Code::StoreRefused, format!("{why} Nothing was tried.")));
            let fit = match info.unfit(self.is_cluster()) {
                Some(why) => Err(Error::new(Code::StoreRefused, why)),
                None => self.check_rights(&node).await,
            };
            match fit {
                // The other masters go on, and so does this server.
                Err(unfit) if self.is_cluster() && unfit.code == Code::StoreRefused => {
                    node.note_unsafe(Some(unfit.clone()));
                    Ok(Err(unfit))
                }
                fit => {
                    node.note_unsafe(why);
                    fit?;
                    node.note_full(info.is_full());
                    Ok(Ok(info.is_full()))
                }
            }
        });
        let full: Vec<Result<bool>> = full.await?;
        if full.iter().all(Result::is_err) {
            full.iter().cloned().collect::<Result<Vec<bool>>>()?;
        }
        if self.is_reachable(self.key(keys::FORMAT)) {
            self.claim_format().await.or_else(|error| self.unless_away(error))?;
        }
        Ok(full.contains(&Ok(true)))
    }

    /// What is asked of all masters at once. Those that do not answer are noted and left out, unless none does.
    pub(super) async fn of_masters<T, Asked: Future<Output = Result<T>>>(
        &self,
        ask: impl Fn(Arc<Node>) -> Asked,
    ) -> Result<Vec<T>> {
        self.of_those(&self.inner.topology.layout().masters, ask).await
    }

    /// Like [`Store::of_masters`], without those that did not answer when they were last asked.
    pub(super) async fn of_answering_masters<T, Asked: Future<Output = Result<T>>>(
        &self,
        ask: impl Fn(Arc<Node>) -> Asked,
    ) -> Result<Vec<T>> {
        let masters = self.inner.topology.layout().masters.clone();
        let answering: Vec<Arc<Node>> = masters.into_iter().filter(|node| !node.is_silent()).collect();
        self.of_those(&answering, ask).await
    }

    async fn of_those<T, Asked: Future<Output = Result<T>>>(
        &self,
        nodes: &[Arc<Node>],
        ask: impl Fn(Arc<Node>) -> Asked,
    ) -> Result<Vec<T>> {
        let ask = |node: &Arc<Node>| {
            let (node, asked) = (node.clone(), ask(node.clone()));
            async move { (node, asked.await) }
        };
        let mut asked: FuturesUnordered<_> = nodes.iter().map(ask).collect();
        let mut unheard: Vec<&Arc<Node>> = nodes.iter().collect();
        let (mut found, mut failure, mut deadline) = (Vec::new(), None, None);
        loop {
            let answer = match deadline {
                None => asked.next().await,
                Some(deadline) => timeout_at(deadline, asked.next()).await.unwrap_or_default(),
            };
            let Some((node, answer)) = answer else { break };
            unheard.retain(|other| !Arc::ptr_eq(other, &node));
            let is_silent = answer.as_ref().is_err_and(is_silence);
            self.note_silent(&node, is_silent);
            match answer {
                Ok(answer) => {
                    found.push(answer);
                    deadline.get_or_insert_with(|| Instant::now() + OTHERS_WITHIN);
                }
                Err(error) if is_silent => failure = Some(error),
                Err(error) => return Err(error),
            }
        }
        for node in unheard {
            self.note_silent(node, true);
        }
        match failure.filter(|_| found.is_empty()) {
            Some(error) => Err(error),
            None => Ok(found),
        }
    }

    /// Logs each change, of a cluster.
    fn note_silent(&self, node: &Node, is_silent: bool) {
        if !node.note_silent(is_silent) || !self.is_cluster() {
            return;
        }
        if is_silent {
            tracing::error!(
                redis = node.address,
                "a master of the cluster does not answer: its sales cannot be reached"
            );
        } else {
            tracing::info!(redis = node.address, "a master of the cluster answers again");
        }
    }

    /// The masters of a cluster, if some of them did not answer when they were last asked. `None` if all did, and for a
    /// single Redis.
    pub fn partial_cluster(&self) -> Option<PartialCluster> {
        let layout = self.inner.topology.layout();
        let count = |number: usize| u32::try_from(number).unwrap_or(u32::MAX);
        let silent = layout.masters.iter().filter(|node| node.is_silent()).count();
        let (answering, masters) = (count(layout.masters.len() - silent), count(layout.masters.len()));
        (self.is_cluster() && silent > 0).then_some(PartialCluster { answering, masters })
    }

    /// Whether the master of a cluster that has this key answered when it was last asked. A single Redis counts as one that
    /// does, as then there is nothing to go on with.
    pub fn is_reachable(&self, key: &str) -> bool {
        let layout = self.inner.topology.layout();
        !self.is_cluster() || layout.master_of(slot_of(key.as_bytes())).is_some_and(|node| !node.is_silent())
    }

    /// Reads what leaves out the keys that are not [reachable](Store::is_reachable). If a master does not answer, looks
    /// which ones do, and reads once more.
    ///
    /// # Errors
    /// Those of `read`.
    pub async fn of_reachable<T, Read: Future<Output = Result<T>>>(&self, read: impl Fn() -> Read) -> Result<T> {
        match read().await {
            Err(error) if self.is_cluster() && is_silence(&error) => {
                self.wake_attempts().await?;
                read().await
            }
            read => read,
        }
    }

    /// Goes on without the keys that belong to no sale, if their part of a cluster cannot be reached now: it has no
    /// master, or is being moved.
    ///
    /// # Errors
    /// Any other error.
    pub(super) fn unless_away<T: Default>(&self, error: Error) -> Result<T> {
        if self.is_cluster() && is_silence(&error) { Ok(T::default()) } else { Err(error) }
    }
}

/// Whether a server did not answer, or has no successor yet.
fn is_silence(error: &Error) -> bool {
    matches!(error.code, Code::Unavailable | Code::Busy)
}
