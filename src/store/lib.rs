//! Redis: connections, keys, scripts, batches and the embedded server.

pub mod batcher;
pub mod clock;
pub mod counts;
pub mod embedded;
pub mod failure;
pub mod fence;
pub mod fields;
pub mod file_lock;
pub mod fitness;
pub mod format;
mod groups;
pub mod keys;
pub mod lab_redis;
pub mod listing;
mod node;
mod reader;
mod repeats;
pub mod reply;
mod reply_code;
mod routing;
pub mod runtime;
pub mod script;
pub mod servers;
pub mod several;
pub mod slot;
pub mod stream;
pub mod tls;
mod topology;
pub mod trace;
pub mod wakefulness;

pub use groups::JOIN_GROUP;
pub use reader::{Masters, News, Reader};

use crate::{
    batcher::WaitingRoom,
    counts::Counts,
    failure::{displaced_meanwhile, failed, is_full, unreached},
    fence::{Fence, Records, SUSPEND, Seen},
    groups::Groups,
    keys::GlobalKey,
    node::{Lane, Node},
    repeats::Repeats,
    reply::{AttemptReply, Reply, ReplyCode},
    script::Script,
    servers::Servers,
    slot::{slot_of, slot_of_command},
    stream::protocol_error,
    topology::Topology,
    wakefulness::Wakefulness,
};
use futures::future::join_all;
use model::{
    EventId, ScriptInfo,
    error::{Code, Error, Result, shell_word},
};
use redis::{
    AsyncConnectionConfig, Client, Cmd, ConnectionAddr, ErrorKind, FromRedisValue, IntoConnectionInfo, Pipeline,
    RedisError, RedisResult, ServerErrorKind, TlsCertificates, ToRedisArgs, Value, from_redis_value,
    io::tcp::{TcpSettings, socket2::TcpKeepalive},
};
use std::{
    path::Path,
    sync::{Arc, OnceLock, PoisonError, RwLock},
    time::{Duration, Instant},
};
use tokio::time::sleep;

/// The oldest version of Redis with all commands of the scripts.
pub const OLDEST_REDIS: (u32, u32) = (7, 0);

/// An answer that takes longer counts as lost, and the outcome as unknown.
pub const RESPONSE_TIMEOUT: Duration = Duration::from_secs(3);
/// The time in which replicas must have a change that is acknowledged only then.
const REPLICATED_WITHIN: Duration = Duration::from_millis(500);
const CONNECTION_TIMEOUT: Duration = Duration::from_secs(1);
/// The time after which the kernel drops a connection with unacknowledged data. A vanished host never closes it, and
/// commands would time out on it one after the other.
const UNACKNOWLEDGED: Duration = Duration::from_secs(5);
/// The idle time before a connection is probed, and the interval between probes.
pub const KEEPALIVE: Duration = Duration::from_secs(15);
const KEEPALIVE_EVERY: Duration = Duration::from_secs(5);
/// The tries to note that a sale is lost, and the pause between them.
const NOTE_TRIES: u32 = 20;
const NOTE_AGAIN: Duration = Duration::from_millis(250);

/// The codes by which a script refuses everything at a sale, without a look at what is asked.
const REFUSES_SALE: [ReplyCode; 5] =
    [ReplyCode::UnknownSale, ReplyCode::Suspended, ReplyCode::Lost, ReplyCode::NewerFormat, ReplyCode::Trimmed];

/// The interface to Redis for the rest of the program. Cheap to clone.
#[derive(Clone)]
pub struct Store {
    inner: Arc<Inner>,
}

struct Inner {
    topology: Arc<Topology>,
    scripts: Vec<&'static Script>,
    waiting_room: WaitingRoom,
    fence: Fence,
    groups: Groups,
    refusals: RwLock<Refusals>,
    wakefulness: Wakefulness,
    repeats: Repeats,
    counts: Counts,
}

/// The reasons to give nothing new to this Redis.
#[derive(Default)]
struct Refusals {
    /// Another Redis feeds the ledger.
    displaced: Option<Error>,
    /// The disk of the embedded Redis is full.
    no_room: bool,
}

impl Store {
    /// Connects, checks that these servers are fit to hold sales, and loads the scripts.
    ///
    /// # Errors
    /// One sentence: the URL is invalid, there is no answer, or the Redis is unfit: it is too old, evicts keys, is a
    /// replica, is in a cluster but not named as one, does not allow the commands of the scripts, or is used by a newer
    /// program.
    pub async fn connect(url: &str, scripts: Vec<&'static Script>) -> anyhow::Result<Self> {
        Self::with(Servers::of(url, None)?, scripts).await
    }

    /// Like [`Store::connect`], with clients that know the trusted authorities.
    ///
    /// # Errors
    /// As [`Store::connect`]; also one sentence for a certificate that is untrusted or belongs to another host.
    pub async fn with(servers: Servers, scripts: Vec<&'static Script>) -> anyhow::Result<Self> {
        let topology = Topology::connect(servers).await?;
        let (waiting_room, fence, refusals) = (WaitingRoom::default(), Fence::default(), RwLock::default());
        let groups = Groups::default();
        let (wakefulness, repeats, counts) = (Wakefulness::default(), Repeats::default(), Counts::of(&scripts));
        let inner = Inner { topology, scripts, waiting_room, fence, groups, refusals, wakefulness, repeats, counts };
        let store = Self { inner: Arc::new(inner) };
        store.ensure_fit().await?;
        store.load_scripts().await?;
        store.ensure_allowed().await?;
        store.check_format().await?;
        Ok(store)
    }

    /// The waiting room of all attempts of this process, for attempts at sales of this kind.
    pub fn waiting_room(&self, kind: &'static str) -> WaitingRoom {
        self.inner.waiting_room.with(self.inner.counts.of_kind(kind))
    }

    /// The number of attempts that wait to leave for Redis.
    pub fn waiting_attempts(&self) -> usize {
        self.inner.waiting_room.waiting()
    }

    /// What this process has done.
    pub fn counts(&self) -> &Counts {
        &self.inner.counts
    }

    /// The address of this Redis, or those of the masters of the cluster, without a password.
    pub fn address(&self) -> String {
        let layout = self.inner.topology.layout();
        layout.masters.iter().map(|node| node.address.as_str()).collect::<Vec<_>>().join(", ")
    }

    /// Sets the ledger that can tell about events that this process has seen and that were trimmed since.
    pub fn ask_for_trimmed(&self, records: Arc<dyn Records>) {
        self.inner.fence.ask(records);
    }

    /// The latest event of a sale that this process has seen.
    pub fn latest_event(&self, kind: &str, sale: &str) -> Option<EventId> {
        self.inner.fence.latest_event(kind, sale)
    }

    /// Calls a script for several attempts at a sale. Returns one reply for each, in order. If Redis does not know the
    /// script (after a restart, failover or SCRIPT FLUSH), the same call sends its source, and the retry is counted.
    ///
    /// # Errors
    /// `unavailable`: the script may or may not have run. `internal`: it answered with an unknown code.
    /// `store_refused`: this Redis may lose new data, and nothing was tried. `sale_suspended`: something of the sale could
    /// not be read, and nothing else was done.
    pub async fn attempt(
        &self,
        script: &'static Script,
        sale: (&str, &str),
        args: impl ToRedisArgs + Copy,
        attempts: usize,
    ) -> Result<Vec<AttemptReply>> {
        let values = self.call_fenced(Lane::Attempts, script, sale, script.parts(), args).await;
        let replies = values.and_then(|values| AttemptReply::read_batch(script, values, attempts));
        self.inner.counts.attempted(script, attempts, &replies);
        replies
    }

    /// Calls a script that changes a sale without being an attempt, with the same retry. As with attempts, the script
    /// refuses if Redis has lost an event that this process has seen.
    ///
    /// # Errors
    /// As [`Store::attempt`].
    pub async fn change(
        &self,
        script: &'static Script,
        sale: (&str, &str),
        args: impl ToRedisArgs + Copy,
    ) -> Result<Reply> {
        self.change_on(script, sale, script.parts(), args).await
    }

    /// Like [`Store::change`], for a script whose keys depend on the kind.
    ///
    /// # Errors
    /// As [`Store::attempt`].
    pub async fn change_on(
        &self,
        script: &'static Script,
        sale: (&str, &str),
        parts: &[impl AsRef<str>],
        args: impl ToRedisArgs + Copy,
    ) -> Result<Reply> {
        Reply::read(script, self.call_fenced(Lane::Reads, script, sale, parts, args).await?)
    }

    /// Calls a script whose first argument is the state that this process has seen of the sale. The reply ends with the
    /// new state.
    async fn call_fenced(
        &self,
        lane: Lane,
        script: &'static Script,
        (kind, sale): (&str, &str),
        parts: &[impl AsRef<str>],
        args: impl ToRedisArgs + Copy,
    ) -> Result<Vec<Value>> {
        // Of a call that got no answer, in a cluster: the same attempts, under the same ids, get the answers that it may
        // have made. Only these are known then: if they are refused, the first call may have been carried out all the same.
        let unknown = OnceLock::new();
        let or_unknown = |error: Error| unknown.get().cloned().unwrap_or(error);
        let call = async |seen: &str| {
            let values = match self.call_of_sale(lane, script, (kind, sale), parts, Some(seen), args).await {
                Err(error) if self.is_cluster() && error.code == Code::Unavailable => {
                    unknown.get_or_init(|| error);
                    self.inner.topology.next_look(RESPONSE_TIMEOUT).await;
                    self.call_of_sale(lane, script, (kind, sale), parts, Some(seen), args).await
                }
                values => values,
            };
            self.or_suspend((kind, sale), values).await.map_err(or_unknown)
        };
        let seen = self.inner.fence.seen(kind, sale);
        let mut values = call(&seen).await?;
        if values.first() == Some(&Value::Int(ReplyCode::Trimmed as i64)) {
            let looked_up = self.inner.fence.looked_up(kind, sale, &seen).await.map_err(or_unknown)?;
            values = call(&looked_up).await?;
        }
        let now: String = from_redis_value(values.pop().unwrap_or(Value::Nil)).map_err(protocol_error)?;
        if !now.is_empty() {
            self.inner.fence.saw(kind, sale, now.parse::<Seen>().map_err(protocol_error)?);
        }
        if values.first() == Some(&Value::Int(ReplyCode::Lost as i64)) {
            self.report_lost(kind, sale, &seen);
        }
        match unknown
            .into_inner()
            .filter(|_| REFUSES_SALE.iter().any(|code| values.first() == Some(&Value::Int(*code as i64))))
        {
            Some(unknown) => Err(unknown),
            None => Ok(values),
        }
    }

    /// Notes and logs that a script has suspended a sale because Redis has lost what this process has seen of it.
    fn report_lost(&self, kind: &str, sale: &str, seen: &str) {
        self.note_lost(kind, sale);
        tracing::error!(
            kind,
            sale,
            seen,
            "Redis has lost events that this server has seen: the sale is suspended until it is recovered, with `stampede recover {}` unless \
             the server that writes the ledger does it by itself",
            shell_word(sale)
        );
    }

    /// Notes that a sale was suspended because Redis has lost something of it, for the server that recovers such sales by
    /// itself ([`keys::LOST`]). Nobody waits for that: the note may be on another Redis than the sale, and after a
    /// failover connections come back one by one. If it cannot be made, the sale is found all the same, later.
    pub fn note_lost(&self, kind: &str, sale: &str) {
        let (store, name) = (self.clone(), keys::name(kind, sale));
        tokio::spawn(async move {
            for _ in 0..NOTE_TRIES {
                match store.query::<i64>("HSET", (store.key(keys::LOST), &name, "")).await {
                    Ok(_) => return,
                    Err(_) => sleep(NOTE_AGAIN).await,
                }
            }
            tracing::warn!(name, "it could not be noted that a sale is lost; it is looked for");
        });
    }

    /// What was read of a sale. If it is [`damaged`](failure::damaged), the sale is suspended until it is rebuilt from the
    /// ledger.
    ///
    /// # Errors
    /// `sale_suspended` in that case; any other error as it is.
    pub async fn or_suspend<T>(&self, (kind, sale): (&str, &str), read: Result<T>) -> Result<T> {
        let Err(error) = read else { return read };
        if !failure::is_damaged(&error) {
            return Err(error);
        }
        // A sale whose record has another type has no state, and no script changes it anyway.
        self.eval(&SUSPEND, (kind, sale), &["", "0"]).await?;
        tracing::error!(
            kind,
            sale,
            "what Redis has of a sale cannot be read: the sale is suspended until `stampede recover {}`",
            shell_word(sale)
        );
        Err(Error::sale_suspended(sale))
    }

    /// Calls a script of a sale, with the same retry and without the fence: the script changes nothing in the sale, or
    /// must run whatever Redis has lost.
    ///
    /// # Errors
    /// As [`Store::attempt`].
    pub async fn eval(
        &self,
        script: &'static Script,
        (kind, sale): (&str, &str),
        args: impl ToRedisArgs + Copy,
    ) -> Result<Reply> {
        self.eval_sale_on(script, (kind, sale), script.parts(), args).await
    }

    /// Like [`Store::eval`], for a script whose keys depend on the kind.
    ///
    /// # Errors
    /// As [`Store::attempt`].
    pub async fn eval_sale_on(
        &self,
        script: &'static Script,
        sale: (&str, &str),
        parts: &[impl AsRef<str>],
        args: impl ToRedisArgs + Copy,
    ) -> Result<Reply> {
        Reply::read(script, self.call_of_sale(Lane::Reads, script, sale, parts, None, args).await?)
    }

    /// Calls a script of a sale, unless it must not run now. If Redis does not know the sale, and it is found to be of a
    /// group, the script is called once more, with the keys that it has there.
    async fn call_of_sale(
        &self,
        lane: Lane,
        script: &'static Script,
        (kind, sale): (&str, &str),
        parts: &[impl AsRef<str>],
        first: Option<&str>,
        args: impl ToRedisArgs + Copy,
    ) -> Result<Vec<Value>> {
        loop {
            let keys = self.sale_keys(kind, sale, parts);
            let values = self.call_on_sale(lane, script, &keys, first, args).await?;
            let is_unknown = values.first() == Some(&Value::Int(ReplyCode::UnknownSale as i64));
            if !is_unknown || !self.find_group(kind, sale).await? {
                return Ok(values);
            }
        }
    }

    /// Calls a script on keys of sales, unless it must not run now.
    async fn call_on_sale(
        &self,
        lane: Lane,
        script: &'static Script,
        keys: &[String],
        first: Option<&str>,
        args: impl ToRedisArgs + Copy,
    ) -> Result<Vec<Value>> {
        if script.only_reads() {
            return self.call(lane, script, keys, first, args).await;
        }
        self.refuse_call(script, &keys[0])?;
        let values = self.call(lane, script, keys, first, args).await?;
        self.refuse_after(script)?;
        Ok(values)
    }

    /// Refuses a call of a script that changes a sale, with a key of it, if it must not run now.
    fn refuse_call(&self, script: &Script, key: &str) -> Result<()> {
        if script.grows() { self.refuse_new(key) } else { self.refuse_change() }
    }

    /// The call of a script may have waited for Redis, and this process may have been paused meanwhile. Then nobody
    /// records the change.
    fn refuse_after(&self, script: &Script) -> Result<()> {
        self.refuse_change().map_err(|error| displaced_meanwhile(script.name, &error))
    }

    /// Calls a script on keys that belong to no sale.
    ///
    /// # Errors
    /// As [`Store::attempt`].
    pub async fn eval_on(
        &self,
        script: &'static Script,
        keys: &[String],
        args: impl ToRedisArgs + Copy,
    ) -> Result<Reply> {
        if script.grows() {
            self.refuse_new(keys.first().map_or("", String::as_str))?;
        }
        Reply::read(script, self.call(Lane::Reads, script, keys, None, args).await?)
    }

    /// Calls a script without checking whether it may run now.
    async fn call(
        &self,
        lane: Lane,
        script: &'static Script,
        keys: &[String],
        first: Option<&str>,
        args: impl ToRedisArgs + Copy,
    ) -> Result<Vec<Value>> {
        let answer = self.call_raw(lane, script, keys, first, args).await;
        let answer = answer.map_err(|error| self.logged(script.name, &error))?;
        from_redis_value(answer).map_err(protocol_error)
    }

    /// Calls a script. Its error is that of Redis.
    async fn call_raw(
        &self,
        lane: Lane,
        script: &'static Script,
        keys: &[String],
        first: Option<&str>,
        args: impl ToRedisArgs + Copy,
    ) -> RedisResult<Value> {
        let send = |node: Arc<Node>| async move {
            let began = Instant::now();
            let answer = self.send_script(&node, lane, script, keys, first, args).await;
            self.inner.counts.called(script, &node.address, began.elapsed());
            answer
        };
        self.routed(keys.first().map(|key| slot_of(key.as_bytes())), send).await
    }

    /// Sends a call of a script to a server.
    async fn send_script(
        &self,
        node: &Node,
        lane: Lane,
        script: &'static Script,
        keys: &[String],
        first: Option<&str>,
        args: impl ToRedisArgs + Copy,
    ) -> RedisResult<Value> {
        let command = |verb: &str, body: &str| {
            let mut command = command(verb);
            command.arg(body).arg(keys.len()).arg(keys).arg(first).arg(args);
            command
        };
        // Not `req_packed_command`, which returns errors of Redis as values.
        let answer = self.send_to_replicas(node, lane, script, command("EVALSHA", script.sha())).await;
        if !answer.as_ref().is_err_and(is_noscript) {
            return answer;
        }
        // It runs at once where it is needed.
        let answer = self.send_to_replicas(node, lane, script, command("EVAL", script.source())).await;
        self.note_reload(script);
        answer
    }

    /// Sends a call of a script, and, if it is to be acknowledged only then, waits until the replicas have what it has
    /// changed. An answer that they lack is no answer: it may be lost with the server.
    ///
    /// A repeated attempt is counted in its sale, so it changes something as well: what its answer tells of is there
    /// before that, and replicas get all changes in order.
    async fn send_to_replicas(
        &self,
        node: &Node,
        lane: Lane,
        script: &'static Script,
        command: Cmd,
    ) -> RedisResult<Value> {
        let mut connection = node.connection(lane);
        let replicas = self.inner.topology.replicas();
        if replicas == 0 || lane != Lane::Attempts || script.only_reads() {
            return command.query_async(&mut connection).await;
        }
        let mut pipeline = Pipeline::with_capacity(2);
        let wait = command_of("WAIT", (replicas, REPLICATED_WITHIN.as_millis()));
        pipeline.add_command(command).add_command(wait).ignore_errors();
        let (answer, have_it): (RedisResult<Value>, RedisResult<usize>) = pipeline.query_async(&mut connection).await?;
        // The script has run, whatever keeps the server from waiting.
        let (answer, have_it) = (answer?, have_it.unwrap_or(0));
        if have_it < replicas { Err(failure::not_replicated(have_it, replicas)) } else { Ok(answer) }
    }

    /// Counts a NOSCRIPT retry, for all servers together. Nobody waits for that: the count may be on another Redis than
    /// the sale.
    fn note_reload(&self, script: &'static Script) {
        self.inner.counts.reloaded();
        tracing::warn!(script = script.name, "Redis had forgotten a script; the same call sent its source");
        let store = self.clone();
        tokio::spawn(async move {
            if let Err(error) = store.query::<i64>("HINCRBY", (store.key(keys::HEALED), script.name, 1)).await {
                tracing::warn!(%error, "the NOSCRIPT retry could not be counted");
            }
        });
    }

    /// Runs one command that is not part of an attempt, where its key is.
    ///
    /// # Errors
    /// `unavailable`.
    pub async fn query<T: FromRedisValue>(&self, verb: &str, args: impl ToRedisArgs) -> Result<T> {
        let command = command_of(verb, args);
        self.routed_command(&command).await.map_err(|error| self.logged(verb, &error))
    }

    /// Like [`Store::each`], with an error if any command fails.
    ///
    /// # Errors
    /// `unavailable`.
    pub async fn all(&self, commands: Vec<Cmd>) -> Result<Vec<Value>> {
        self.each(commands).await.into_iter().map(|reply| reply.map_err(|error| self.failed(&error))).collect()
    }

    async fn routed_command<T: FromRedisValue>(&self, command: &Cmd) -> RedisResult<T> {
        let send = |node: Arc<Node>| async move { command.query_async(&mut node.connection(Lane::Reads)).await };
        self.routed(slot_of_command(command), send).await
    }

    /// Runs several commands in one round trip. Their keys are in one slot.
    ///
    /// # Errors
    /// `unavailable`.
    pub async fn pipeline<T: FromRedisValue>(&self, pipeline: &Pipeline) -> Result<T> {
        let slot = pipeline.cmd_iter().next().and_then(slot_of_command);
        let send = |node: Arc<Node>| async move { pipeline.query_async(&mut node.connection(Lane::Reads)).await };
        self.routed(slot, send).await.map_err(|error| self.logged("a pipeline", &error))
    }

    /// Runs commands that only read, each where its key is, with one round trip to each server. Returns their replies in
    /// order. A command that a server refuses, or that finds no server, fails alone.
    pub async fn each(&self, commands: Vec<Cmd>) -> Vec<RedisResult<Value>> {
        let layout = self.inner.topology.layout();
        let mut of_masters: Vec<(Pipeline, Vec<usize>)> = layout.masters.iter().map(|_| Default::default()).collect();
        let mut replies: Vec<Option<RedisResult<Value>>> = commands.iter().map(|_| None).collect();
        for (place, command) in commands.iter().enumerate() {
            let of_master = slot_of_command(command).and_then(|slot| of_masters.get_mut(layout.index_of(slot)));
            if let Some((pipeline, places)) = of_master {
                pipeline.add_command(command.clone());
                places.push(place);
            }
        }
        let sent = layout.masters.iter().zip(&mut of_masters).filter(|(_, (_, places))| !places.is_empty());
        let sent = sent.map(async |(node, (pipeline, places))| {
            let mut connection = node.connection(Lane::Reads);
            let read: RedisResult<Vec<RedisResult<Value>>> =
                pipeline.ignore_errors().query_async(&mut connection).await;
            match read {
                Ok(read) => places.iter().copied().zip(read).collect::<Vec<_>>(),
                Err(error) => places.iter().map(|place| (*place, Err(error.clone()))).collect(),
            }
        });
        for (place, reply) in join_all(sent).await.into_iter().flatten() {
            replies[place] = Some(reply);
        }
        // What has moved meanwhile is looked for one by one.
        let found = commands.iter().zip(replies).map(async |(command, reply)| match reply {
            Some(reply) if !reply.as_ref().is_err_and(|error| self.is_elsewhere(error)) => reply,
            _ => self.routed_command(command).await,
        });
        let found = join_all(found).await;
        for error in found.iter().filter_map(|reply| reply.as_ref().err()) {
            self.logged("a pipeline", error);
        }
        found
    }

    /// Checks that Redis answers, is fit to hold sales, has the list of sales and knows every script. Loads forgotten
    /// scripts again: a server that is not ready gets no attempts, so no attempt would heal them. Returns whether Redis
    /// is full. Of a cluster, it is enough that one master answers ([`Store::partial_cluster`] tells about the others): a
    /// server that can serve any sale is needed.
    ///
    /// # Errors
    /// As [`Store::check_fitness`] and [`listing::version`].
    pub async fn ready(&self) -> Result<bool> {
        let is_full = self.check_fitness().await?;
        if let Some(why) = self.displaced() {
            return Err(why);
        }
        if self.is_reachable(self.key(keys::SALES)) {
            listing::version(self).await.map(drop).or_else(|error| self.unless_away(error))?;
        }
        if self.unknown_scripts().await? > 0 {
            tracing::warn!("Redis had forgotten scripts; loaded again");
            self.load_scripts().await?;
        }
        Ok(is_full)
    }

    /// The number of scripts that Redis does not know; of a cluster, those of all its masters together.
    ///
    /// # Errors
    /// `unavailable`.
    pub async fn unknown_scripts(&self) -> Result<usize> {
        let shas: Vec<&str> = self.inner.scripts.iter().map(|script| script.sha()).collect();
        let mut exists = command("SCRIPT");
        exists.arg("EXISTS").arg(shas);
        let known: Vec<Vec<bool>> = self.asked(&exists).await?;
        Ok(known.into_iter().flatten().filter(|is_known| !is_known).count())
    }

    /// Reconnects the connections of the attempts that were lost. A loss is only noticed when the connection is used,
    /// and the first attempt would get no answer.
    ///
    /// # Errors
    /// `unavailable`: the Redis, or no master of a cluster, answers.
    pub async fn wake_attempts(&self) -> Result<()> {
        let woken = self.of_masters(|node| async move {
            let answer = command("PING").query_async::<()>(&mut node.connection(Lane::Attempts)).await;
            answer.map_err(|error| self.logged("PING", &error))
        });
        woken.await.map(drop)
    }

    /// The answers of the masters to a command without a key, without those that do not answer.
    async fn asked<T: FromRedisValue>(&self, command: &Cmd) -> Result<Vec<T>> {
        let asked = self.of_answering_masters(|node| async move {
            let answer = command.query_async(&mut node.connection(Lane::Reads)).await;
            answer.map_err(|error| self.logged("a command to every server", &error))
        });
        asked.await
    }

    /// The name of a key that belongs to no sale.
    pub fn key(&self, key: GlobalKey) -> &'static str {
        if self.is_cluster() { key.cluster } else { key.one }
    }

    /// Whether the sales are on a cluster.
    pub fn is_cluster(&self) -> bool {
        self.inner.topology.is_cluster()
    }

    /// The error of a failed call. Its reason goes to the log, except that Redis is full: that is logged once, not for
    /// each refused attempt.
    fn logged(&self, call: &str, error: &RedisError) -> Error {
        if !is_full(error)
            && let Some(not_logged) = self.inner.repeats.due(call, error, Instant::now())
        {
            tracing::warn!(call, %error, not_logged, "a call to Redis failed");
        }
        self.failed(error)
    }

    /// The error of a failed call, without a line in the log.
    pub fn failed(&self, error: &RedisError) -> Error {
        match self.is_elsewhere(error) {
            true => unreached(),
            false => failed(error),
        }
    }

    /// Notes whether the disk of the embedded Redis has space. Logs each change.
    pub(crate) fn note_room(&self, has_room: bool) {
        let mut refusals = self.inner.refusals.write().unwrap_or_else(PoisonError::into_inner);
        if refusals.no_room != has_room {
            return;
        }
        refusals.no_room = !has_room;
        if has_room {
            tracing::info!("the disk of the data folder has room again");
        } else {
            tracing::error!("the disk of the data folder is nearly full: nothing new is given until it has room");
        }
    }

    /// Whether the disk of the embedded Redis has space. Any other Redis reports a lack of space by itself.
    pub fn has_room(&self) -> bool {
        !self.inner.refusals.read().unwrap_or_else(PoisonError::into_inner).no_room
    }

    /// Sets why nothing may be changed in this Redis: another Redis feeds the ledger. `None` if none does.
    pub fn note_displaced(&self, why: Option<Error>) {
        let mut refusals = self.inner.refusals.write().unwrap_or_else(PoisonError::into_inner);
        match (&refusals.displaced, &why) {
            (None, Some(error)) => tracing::error!(%error, "no sale is changed and nothing is recorded"),
            (Some(_), None) => tracing::info!("this Redis feeds the ledger again"),
            _ => {}
        }
        refusals.displaced = why;
    }

    /// Why this Redis was displaced, if another one feeds the ledger.
    pub fn displaced(&self) -> Option<Error> {
        self.inner.refusals.read().unwrap_or_else(PoisonError::into_inner).displaced.clone()
    }

    /// Refuses to change a sale if another Redis feeds the ledger instead of this one, or may do so since this process
    /// was paused for long. A sale, payment or return made here would be recorded nowhere, and might happen there once
    /// more.
    ///
    /// # Errors
    /// `store_refused`; `busy` after a pause.
    pub fn refuse_change(&self) -> Result<()> {
        if self.inner.wakefulness.was_paused() {
            let why = "This server was paused, and is checking whether it may still change sales. Nothing was tried; send the \
                       same request again in a moment.";
            return Err(Error::new(Code::Busy, why));
        }
        self.displaced().map_or(Ok(()), Err)
    }

    /// The pauses of this process, as reported by the heartbeat of the ledger (`ledger/feed.rs`).
    pub fn wakefulness(&self) -> &Wakefulness {
        &self.inner.wakefulness
    }

    /// Refuses anything new. Calls that settle or free something go on in a Redis that evicts, as in a full one.
    ///
    /// # Errors
    /// As [`Store::refuse_change`]; `store_refused` if the Redis with this key may lose it; `busy` if its disk is full.
    pub fn refuse_new(&self, key: &str) -> Result<()> {
        self.refuse_change()?;
        let refusals = self.inner.refusals.read().unwrap_or_else(PoisonError::into_inner);
        if refusals.no_room {
            let why = "The disk of the data folder is nearly full, so nothing new is given, and nothing was tried. Free some \
                       space on it; payments and cancellations go on.";
            return Err(Error::new(Code::Busy, why));
        }
        drop(refusals);
        let layout = self.inner.topology.layout();
        layout.master_of(slot_of(key.as_bytes())).and_then(|node| node.is_unsafe()).map_or(Ok(()), Err)
    }

    /// The source of a script and its counts, for display.
    ///
    /// # Errors
    /// `unavailable`.
    pub async fn script_info(&self, script: &Script) -> Result<ScriptInfo> {
        Ok(ScriptInfo {
            name: script.name.to_owned(),
            source: script.source().to_owned(),
            sha: script.sha().to_owned(),
            healed: self.healed(script).await?,
        })
    }

    /// The number of NOSCRIPT retries of a script, by all servers on this Redis.
    ///
    /// # Errors
    /// `unavailable`.
    pub async fn healed(&self, script: &Script) -> Result<u64> {
        Ok(self.query::<Option<u64>>("HGET", (self.key(keys::HEALED), script.name)).await?.unwrap_or(0))
    }

    /// Whether this Redis keeps an append-only file. `None` if it does not allow the query.
    pub async fn keeps_append_only_file(&self) -> Option<bool> {
        let info: String = self.query("INFO", "persistence").await.ok()?;
        info_field(&info, "aof_enabled").map(|enabled| enabled == "1")
    }

    async fn load_scripts(&self) -> Result<()> {
        for script in &self.inner.scripts {
            let mut load = command("SCRIPT");
            load.arg("LOAD").arg(script.source());
            self.asked::<String>(&load).await?;
        }
        Ok(())
    }
}

/// A command for a pipeline. Outside of [`Store`], commands are made only here.
#[expect(clippy::disallowed_methods, reason = "this is the store")]
pub fn command(verb: &str) -> Cmd {
    redis::cmd(verb)
}

/// Like [`command`], with arguments.
pub fn command_of(verb: &str, args: impl ToRedisArgs) -> Cmd {
    let mut command = command(verb);
    command.arg(args);
    command
}

/// A client that sends small packets at once and drops connections to vanished hosts. With `rediss://`, it trusts the
/// usual certificate authorities.
///
/// # Errors
/// One sentence if the URL is invalid.
pub fn client(url: &str) -> anyhow::Result<Client> {
    client_trusting(url, None)
}

/// Like [`client`]. If a file is given, the client trusts only the certificate authorities in it.
///
/// # Errors
/// As [`client`]; also if the URL has no TLS, or the file holds no certificate.
pub fn client_trusting(url: &str, authorities: Option<&Path>) -> anyhow::Result<Client> {
    client_named("--redis", url, authorities)
}

/// Like [`client_trusting`], for the URL of a flag.
fn client_named(flag: &str, url: &str, authorities: Option<&Path>) -> anyhow::Result<Client> {
    // Without the URL itself: nobody can tell which part of a malformed URL is the password.
    let info = url.into_connection_info().map_err(|error| {
        let why = match error.detail() {
            Some(_) => "it has a parameter of another form".to_owned(),
            None => error.to_string().trim_end_matches(" - InvalidClientConfig").to_owned(),
        };
        let cluster = if flag == "--redis" { " or, for a cluster, redis+cluster://HOST:PORT,HOST:PORT" } else { "" };
        anyhow::anyhow!(
            "What {flag} gives is not a Redis URL ({why}); one looks like redis://127.0.0.1:6379, \
             redis+unix:///run/redis.sock{cluster}. In a password, special characters are percent-encoded, such as / as %2F."
        )
    })?;
    // Python's clients take the number from there. Ours would use database 0.
    let (_, query) = url.split_once('?').unwrap_or_default();
    let is_of_a_socket = matches!(info.addr(), ConnectionAddr::Unix(_));
    anyhow::ensure!(
        is_of_a_socket || !query.split('&').any(|parameter| parameter.starts_with("db=")),
        "The number of the database is the path of what {flag} gives, not a parameter: redis://127.0.0.1:6379/1."
    );
    let keepalive = TcpKeepalive::new().with_time(KEEPALIVE).with_interval(KEEPALIVE_EVERY);
    let tcp = TcpSettings::default().set_nodelay(true).set_keepalive(keepalive).set_user_timeout(UNACKNOWLEDGED);
    let info = info.set_tcp_settings(tcp);
    if has_tls(info.addr()) {
        // Every crate must use the same provider. Installing it again changes nothing.
        rustls::crypto::ring::default_provider().install_default().ok();
    }
    let Some(authorities) = authorities else { return Ok(Client::open(info)?) };
    anyhow::ensure!(
        has_tls(info.addr()),
        "--redis-ca is for a Redis with TLS, whose URL begins with rediss://, and that of {} does not.",
        info.addr()
    );
    let root_cert = Some(tls::certificates(authorities, "--redis-ca")?);
    Ok(Client::build_with_tls(info, TlsCertificates { client_tls: None, root_cert })?)
}

fn has_tls(address: &ConnectionAddr) -> bool {
    matches!(address, ConnectionAddr::TcpTls { .. })
}

/// The sentence for a Redis that cannot be reached, or the error `unavailable` if it is reachable but sends nothing.
fn out_of_reach(client: &Client, error: &RedisError) -> anyhow::Error {
    let address = address(client);
    if error.is_timeout() && !has_tls(client.get_connection_info().addr()) {
        tracing::warn!(%error, address, "Redis does not answer");
        let sentence = format!("Redis at {address} does not answer; start it or correct --redis.");
        return Error::new(Code::Unavailable, sentence).into();
    }
    match tls::Fault::of(error) {
        Some(tls::Fault::Untrusted) => anyhow::anyhow!(
            "Redis at {address} has a certificate that is not trusted ({error}); name the file of its certificate \
             authority with --redis-ca."
        ),
        Some(tls::Fault::OtherHost) => anyhow::anyhow!(
            "Redis at {address} has a certificate for another host ({error}); correct the host in --redis."
        ),
        Some(tls::Fault::NoTls) => {
            anyhow::anyhow!("Redis at {address} does not speak TLS as expected ({error}); correct --redis.")
        }
        // A server without TLS waits for the end of a command, and sends nothing.
        None if has_tls(client.get_connection_info().addr()) => anyhow::anyhow!(
            "Redis at {address} cannot be reached with TLS ({error}); start it, or use redis:// if it has no TLS."
        ),
        None => anyhow::anyhow!("Redis at {address} cannot be reached ({error}); start it or correct --redis."),
    }
}

/// A separate connection, without the reconnecting of [`Store`]. For benchmarks and the lab, which wait longer.
///
/// # Errors
/// Errors of Redis.
pub async fn connection(client: &Client) -> redis::RedisResult<redis::aio::MultiplexedConnection> {
    const PATIENCE: Option<Duration> = Some(Duration::from_secs(30));
    let config = AsyncConnectionConfig::new().set_connection_timeout(PATIENCE).set_response_timeout(PATIENCE);
    client.get_multiplexed_async_connection_with_config(&config).await
}

/// The address of a client's server, without its password.
fn address(client: &Client) -> String {
    client.get_connection_info().addr().to_string()
}

fn info_field<'a>(info: &'a str, name: &str) -> Option<&'a str> {
    info.lines().find_map(|line| line.strip_prefix(name)?.strip_prefix(':'))
}

/// Whether Redis does not know the script, by its hash.
pub fn is_noscript(error: &RedisError) -> bool {
    error.kind() == ErrorKind::Server(ServerErrorKind::NoScript)
}
