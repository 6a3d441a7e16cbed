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
pub mod keys;
pub mod listing;
pub mod next_database;
mod repeats;
pub mod reply;
mod reply_code;
pub mod runtime;
pub mod script;
pub mod stream;
pub mod tls;
pub mod trace;
pub mod wakefulness;

use crate::{
    batcher::WaitingRoom,
    counts::Counts,
    failure::{displaced_meanwhile, failed, is_full},
    fence::{Fence, Records, SUSPEND, Seen},
    repeats::Repeats,
    reply::{AttemptReply, Reply, ReplyCode},
    script::Script,
    stream::protocol_error,
    wakefulness::Wakefulness,
};
use model::{
    ScriptInfo,
    error::{Code, Error, Result, shell_word},
};
use redis::{
    AsyncConnectionConfig, Client, Cmd, ConnectionAddr, ErrorKind, FromRedisValue, IntoConnectionInfo, Pipeline,
    RedisError, ServerErrorKind, TlsCertificates, ToRedisArgs, Value,
    aio::{ConnectionManager, ConnectionManagerConfig, MultiplexedConnection},
    from_redis_value,
    io::tcp::{TcpSettings, socket2::TcpKeepalive},
};
use std::{
    path::Path,
    sync::{
        Arc, PoisonError, RwLock,
        atomic::{AtomicBool, AtomicU64, Ordering},
    },
    time::{Duration, Instant},
};

/// The oldest version of Redis with all commands of the scripts.
pub const OLDEST_REDIS: (u32, u32) = (7, 0);

/// An answer that takes longer counts as lost, and the outcome as unknown.
pub const RESPONSE_TIMEOUT: Duration = Duration::from_secs(3);
const CONNECTION_TIMEOUT: Duration = Duration::from_secs(1);
/// The time after which the kernel drops a connection with unacknowledged data. A vanished host never closes it, and
/// commands would time out on it one after the other.
const UNACKNOWLEDGED: Duration = Duration::from_secs(5);
/// The idle time before a connection is probed, and the interval between probes.
pub const KEEPALIVE: Duration = Duration::from_secs(15);
const KEEPALIVE_EVERY: Duration = Duration::from_secs(5);

/// The interface to Redis for the rest of the program. Cheap to clone.
#[derive(Clone)]
pub struct Store {
    inner: Arc<Inner>,
}

struct Inner {
    /// For attempts only, so that a large read never delays one.
    attempts: ConnectionManager,
    /// For everything else.
    reads: ConnectionManager,
    scripts: Vec<&'static Script>,
    client: Client,
    waiting_room: WaitingRoom,
    fence: Fence,
    /// Whether Redis was full at its last sign, and this was logged.
    is_full: AtomicBool,
    /// The number of evicted keys at the last check.
    evicted: AtomicU64,
    refusals: RwLock<Refusals>,
    wakefulness: Wakefulness,
    repeats: Repeats,
    counts: Counts,
}

/// The reasons to give nothing new to this Redis.
#[derive(Default)]
struct Refusals {
    /// It may evict keys.
    evicts: Option<Error>,
    /// Another Redis feeds the ledger.
    displaced: Option<Error>,
    /// The disk of the embedded Redis is full.
    no_room: bool,
}

/// A separate connection that waits for new entries, so that it delays no other answers.
pub struct Reader(MultiplexedConnection, Store);

impl Reader {
    /// The entries of several streams after the given ids: at most `count` of each. Waits at most `block` for the first
    /// one. Empty if there are none.
    ///
    /// # Errors
    /// `unavailable`: the reader is no longer usable.
    pub async fn read_streams(
        &mut self,
        keys: &[String],
        after: &[String],
        count: usize,
        block: Duration,
    ) -> Result<Vec<(String, Vec<stream::Entry>)>> {
        let mut command = command("XREAD");
        command.arg("COUNT").arg(count);
        if !block.is_zero() {
            command.arg("BLOCK").arg(block.as_millis() as u64);
        }
        command.arg("STREAMS").arg(keys).arg(after);
        let streams: Option<Vec<(String, Vec<stream::Entry>)>> =
            command.query_async(&mut self.0).await.map_err(|error| self.1.logged("XREAD", &error))?;
        Ok(streams.unwrap_or_default())
    }
}

impl Store {
    /// Connects, checks that this Redis is fit to hold sales, and loads the scripts.
    ///
    /// # Errors
    /// One sentence: the URL is invalid, there is no answer, or the Redis is unfit: it is too old, evicts keys, is a
    /// replica or in a cluster, does not allow the commands of the scripts, or is used by a newer program.
    pub async fn connect(url: &str, scripts: Vec<&'static Script>) -> anyhow::Result<Self> {
        Self::with(client(url)?, scripts).await
    }

    /// Like [`Store::connect`], with a client that knows the trusted authorities.
    ///
    /// # Errors
    /// As [`Store::connect`]; also one sentence for a certificate that is untrusted or belongs to another host.
    pub async fn with(client: Client, scripts: Vec<&'static Script>) -> anyhow::Result<Self> {
        let config = ConnectionManagerConfig::new()
            .set_connection_timeout(Some(CONNECTION_TIMEOUT))
            .set_response_timeout(Some(RESPONSE_TIMEOUT))
            // Callers wait for the reconnection. A few short tries give them a quick, clear answer.
            .set_number_of_retries(2)
            .set_min_delay(Duration::from_millis(50))
            .set_max_delay(Duration::from_millis(200));
        let out_of_reach = |error: RedisError| out_of_reach(&client, &error);
        let attempts =
            ConnectionManager::new_with_config(client.clone(), config.clone()).await.map_err(out_of_reach)?;
        let reads = ConnectionManager::new_with_config(client.clone(), config).await.map_err(out_of_reach)?;
        let (waiting_room, fence) = (WaitingRoom::default(), Fence::default());
        let (is_full, evicted) = (AtomicBool::default(), AtomicU64::default());
        let refusals = RwLock::default();
        let (wakefulness, repeats, counts) = (Wakefulness::default(), Repeats::default(), Counts::of(&scripts));
        let inner = Inner {
            attempts,
            reads,
            scripts,
            client,
            waiting_room,
            fence,
            is_full,
            evicted,
            refusals,
            wakefulness,
            repeats,
            counts,
        };
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

    /// The address of this Redis, without its password.
    pub fn address(&self) -> String {
        address(&self.inner.client)
    }

    /// Whether Redis was full at its last sign.
    pub fn is_full(&self) -> bool {
        self.inner.is_full.load(Ordering::Relaxed)
    }

    /// Sets the ledger that can tell about events that this process has seen and that were trimmed since.
    pub fn ask_for_trimmed(&self, records: Arc<dyn Records>) {
        self.inner.fence.ask(records);
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
        let keys = script.keys(sale.0, sale.1);
        let values = self.call_fenced(self.inner.attempts.clone(), script, sale, &keys, args).await;
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
        self.change_on(script, sale, &script.keys(sale.0, sale.1), args).await
    }

    /// Like [`Store::change`], for a script whose keys depend on the kind.
    ///
    /// # Errors
    /// As [`Store::attempt`].
    pub async fn change_on(
        &self,
        script: &'static Script,
        sale: (&str, &str),
        keys: &[String],
        args: impl ToRedisArgs + Copy,
    ) -> Result<Reply> {
        Reply::read(script, self.call_fenced(self.inner.reads.clone(), script, sale, keys, args).await?)
    }

    /// Calls a script whose first argument is the state that this process has seen of the sale. The reply ends with the
    /// new state.
    async fn call_fenced(
        &self,
        connection: ConnectionManager,
        script: &'static Script,
        (kind, sale): (&str, &str),
        keys: &[String],
        args: impl ToRedisArgs + Copy,
    ) -> Result<Vec<Value>> {
        let call = async |seen: &str| {
            let values = self.call_of_sale(connection.clone(), script, keys, Some(seen), args).await;
            self.or_suspend((kind, sale), values).await
        };
        let seen = self.inner.fence.seen(kind, sale);
        let mut values = call(&seen).await?;
        if values.first() == Some(&Value::Int(ReplyCode::Trimmed as i64)) {
            let looked_up = self.inner.fence.looked_up(kind, sale, &seen).await?;
            values = call(&looked_up).await?;
        }
        let now: String = from_redis_value(values.pop().unwrap_or(Value::Nil)).map_err(protocol_error)?;
        if !now.is_empty() {
            self.inner.fence.saw(kind, sale, now.parse::<Seen>().map_err(protocol_error)?);
        }
        if values.first() == Some(&Value::Int(ReplyCode::Lost as i64)) {
            tracing::error!(
                kind,
                sale,
                seen,
                "Redis has lost events that this server has seen: the sale is suspended until `stampede recover {}`",
                shell_word(sale)
            );
        }
        Ok(values)
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
        self.eval_sale_on(script, &script.keys(kind, sale), args).await
    }

    /// Like [`Store::eval`], for a script whose keys depend on the kind.
    ///
    /// # Errors
    /// As [`Store::attempt`].
    pub async fn eval_sale_on(
        &self,
        script: &'static Script,
        keys: &[String],
        args: impl ToRedisArgs + Copy,
    ) -> Result<Reply> {
        Reply::read(script, self.call_of_sale(self.inner.reads.clone(), script, keys, None, args).await?)
    }

    /// Calls a script of a sale, unless it must not run now.
    async fn call_of_sale(
        &self,
        connection: ConnectionManager,
        script: &'static Script,
        keys: &[String],
        first: Option<&str>,
        args: impl ToRedisArgs + Copy,
    ) -> Result<Vec<Value>> {
        if script.only_reads() {
            return self.call(connection, script, keys, first, args).await;
        }
        if script.grows() {
            self.refuse_new()?
        } else {
            self.refuse_change()?
        }
        let values = self.call(connection, script, keys, first, args).await?;
        // The call may have waited for Redis, and this process may have been paused meanwhile. Then nobody records the
        // change.
        self.refuse_change().map_err(|error| displaced_meanwhile(script.name, &error))?;
        Ok(values)
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
            self.refuse_new()?;
        }
        Reply::read(script, self.call(self.inner.reads.clone(), script, keys, None, args).await?)
    }

    /// Calls a script without checking whether it may run now.
    async fn call(
        &self,
        mut connection: ConnectionManager,
        script: &'static Script,
        keys: &[String],
        first: Option<&str>,
        args: impl ToRedisArgs + Copy,
    ) -> Result<Vec<Value>> {
        let command = |verb: &str, body: &str| {
            let mut command = command(verb);
            command.arg(body).arg(keys.len()).arg(keys).arg(first).arg(args);
            command
        };
        let began = Instant::now();
        // Not `req_packed_command`, which returns errors of Redis as values.
        let mut answer = command("EVALSHA", script.sha()).query_async(&mut connection).await;
        if answer.as_ref().is_err_and(RedisError::is_connection_refusal) {
            // Nothing was sent. An earlier connection attempt may have failed, and Redis may be back since.
            answer = command("EVALSHA", script.sha()).query_async(&mut connection).await;
        }
        let is_forgotten = answer.as_ref().is_err_and(is_noscript);
        if is_forgotten {
            // EVAL is routed by its keys to the node that needs the script, and runs it at once.
            answer = command("EVAL", script.source()).query_async(&mut connection).await;
        }
        self.inner.counts.called(script, began.elapsed());
        if is_forgotten {
            self.inner.counts.reloaded();
            tracing::warn!(script = script.name, "Redis had forgotten a script; the same call sent its source");
            let count = command_of("HINCRBY", (keys::HEALED, script.name, 1));
            if let Err(error) = count.query_async::<i64>(&mut connection).await {
                tracing::warn!(%error, "the NOSCRIPT retry could not be counted");
            }
        }
        let answer: Value = answer.map_err(|error| self.logged(script.name, &error))?;
        from_redis_value(answer).map_err(protocol_error)
    }

    /// Runs one command that is not part of an attempt.
    ///
    /// # Errors
    /// `unavailable`.
    pub async fn query<T: FromRedisValue>(&self, verb: &str, args: impl ToRedisArgs) -> Result<T> {
        command_of(verb, args)
            .query_async(&mut self.inner.reads.clone())
            .await
            .map_err(|error| self.logged(verb, &error))
    }

    /// A connection for reading streams. Its reads may block for `longest_block`.
    ///
    /// # Errors
    /// `unavailable`.
    pub async fn reader(&self, longest_block: Duration) -> Result<Reader> {
        let config = AsyncConnectionConfig::new()
            .set_connection_timeout(Some(CONNECTION_TIMEOUT))
            .set_response_timeout(Some(longest_block + RESPONSE_TIMEOUT));
        let connection = self.inner.client.get_multiplexed_async_connection_with_config(&config).await;
        connection.map(|connection| Reader(connection, self.clone())).map_err(|error| self.logged("connecting", &error))
    }

    /// Runs several commands in one round trip.
    ///
    /// # Errors
    /// `unavailable`.
    pub async fn pipeline<T: FromRedisValue>(&self, pipeline: &Pipeline) -> Result<T> {
        pipeline.query_async(&mut self.inner.reads.clone()).await.map_err(|error| self.logged("a pipeline", &error))
    }

    /// Checks that Redis answers, is fit to hold sales, has the list of sales and knows every script. Loads forgotten
    /// scripts again: a server that is not ready gets no attempts, so no attempt would heal them. Returns whether Redis
    /// is full.
    ///
    /// # Errors
    /// As [`Store::check_fitness`] and [`listing::version`].
    pub async fn ready(&self) -> Result<bool> {
        self.wake_attempts().await?;
        let is_full = self.check_fitness().await?;
        if let Some(why) = self.displaced() {
            return Err(why);
        }
        listing::version(self).await?;
        if self.unknown_scripts().await? > 0 {
            tracing::warn!("Redis had forgotten scripts; loaded again");
            self.load_scripts().await?;
        }
        Ok(is_full)
    }

    /// The number of scripts that Redis does not know.
    ///
    /// # Errors
    /// `unavailable`.
    pub async fn unknown_scripts(&self) -> Result<usize> {
        let shas: Vec<&str> = self.inner.scripts.iter().map(|script| script.sha()).collect();
        let known: Vec<bool> = self.query("SCRIPT", ("EXISTS", shas)).await?;
        Ok(known.into_iter().filter(|is_known| !is_known).count())
    }

    /// Reconnects the connection of the attempts if it was lost. A loss is only noticed when the connection is used,
    /// and the first attempt would get no answer.
    ///
    /// # Errors
    /// `unavailable`.
    pub async fn wake_attempts(&self) -> Result<()> {
        command("PING").query_async(&mut self.inner.attempts.clone()).await.map_err(|error| self.logged("PING", &error))
    }

    /// The error of a failed call. Its reason goes to the log. A full Redis is logged once, not for each refused
    /// attempt.
    fn logged(&self, call: &str, error: &RedisError) -> Error {
        if is_full(error) {
            self.note_full(true);
        } else if let Some(not_logged) = self.inner.repeats.due(call, error, Instant::now()) {
            tracing::warn!(call, %error, not_logged, "a call to Redis failed");
        }
        failed(error)
    }

    /// Logs when Redis becomes full, and when it has memory again.
    fn note_full(&self, is_full: bool) {
        if self.inner.is_full.swap(is_full, Ordering::Relaxed) == is_full {
            return;
        }
        if is_full {
            tracing::error!("Redis is full: nothing new can be sold until it has more memory");
        } else {
            tracing::info!("Redis has memory again");
        }
    }

    /// Sets why nothing new may be given to this Redis: it may evict keys. `None` if it does not.
    fn note_evicts(&self, why: Option<Error>) {
        self.inner.refusals.write().unwrap_or_else(PoisonError::into_inner).evicts = why;
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
    /// As [`Store::refuse_change`]; `store_refused` if this Redis may evict keys; `busy` if its disk is full.
    pub fn refuse_new(&self) -> Result<()> {
        self.refuse_change()?;
        let refusals = self.inner.refusals.read().unwrap_or_else(PoisonError::into_inner);
        if refusals.no_room {
            let why = "The disk of the data folder is nearly full, so nothing new is given, and nothing was tried. Free some \
                       space on it; payments and cancellations go on.";
            return Err(Error::new(Code::Busy, why));
        }
        refusals.evicts.clone().map_or(Ok(()), Err)
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
        Ok(self.query::<Option<u64>>("HGET", (keys::HEALED, script.name)).await?.unwrap_or(0))
    }

    /// Whether this Redis keeps an append-only file. `None` if it does not allow the query.
    pub async fn keeps_append_only_file(&self) -> Option<bool> {
        let info: String = self.query("INFO", "persistence").await.ok()?;
        info_field(&info, "aof_enabled").map(|enabled| enabled == "1")
    }

    async fn load_scripts(&self) -> Result<()> {
        for script in &self.inner.scripts {
            let _sha: String = self.query("SCRIPT", ("LOAD", script.source())).await?;
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
    // Without the URL itself: nobody can tell which part of a malformed URL is the password.
    let info = url.into_connection_info().map_err(|error| {
        let why = match error.detail() {
            Some(_) => "it has a parameter of another form".to_owned(),
            None => error.to_string().trim_end_matches(" - InvalidClientConfig").to_owned(),
        };
        anyhow::anyhow!(
            "What --redis gives is not a Redis URL ({why}); one looks like redis://127.0.0.1:6379 or \
             redis+unix:///run/redis.sock. In a password, special characters are percent-encoded, such as / as %2F."
        )
    })?;
    // Python's clients take the number from there. Ours would use database 0.
    let (_, query) = url.split_once('?').unwrap_or_default();
    let is_of_a_socket = matches!(info.addr(), ConnectionAddr::Unix(_));
    anyhow::ensure!(
        is_of_a_socket || !query.split('&').any(|parameter| parameter.starts_with("db=")),
        "The number of the database is the path of what --redis gives, not a parameter: redis://127.0.0.1:6379/1."
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
