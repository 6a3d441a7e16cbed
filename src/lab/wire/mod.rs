//! The wire: all calls that a strategy can make to Redis, to a database and to the server it runs in.
//!
//! In a run, the wire counts round trips and commands, and adds the configured delay to each round trip. In a play,
//! every call waits at the [gate](gate) until its attempt is chosen. It is reported with its arguments, its reply, and
//! its line in the strategy's source. For that line, the methods are not `async fn`: they would lose the caller's
//! location.

pub mod gate;
pub mod text;

use crate::{
    database::{Dialect, Session, is_busy},
    wire::gate::Gate,
};
use anyhow::{Context, Result};
use engine::red_packet::service::RedPackets;
use model::{
    lab::{
        MOST_SECONDS, Told,
        program::Program,
        trace::{Call, Form},
    },
    red_packet::Outcome,
};
use redis::{Cmd, FromRedisValue, Pipeline, ToRedisArgs, Value, aio::MultiplexedConnection, from_redis_value};
use std::{
    fmt::Debug,
    panic::Location,
    sync::Arc,
    time::{Duration, Instant},
};
use store::{command, command_of, is_noscript, script::Script, trace::reply_text};
use tokio::sync::{Mutex, OwnedMutexGuard};

/// The pause before an attempt tries to take a lock again.
const BACK_OFF: Duration = Duration::from_millis(1);

/// The connections of an attempt.
pub struct Link {
    /// A separate connection, as for the clients in the articles.
    pub redis: MultiplexedConnection,
    /// A connection to the database, for strategies that use one. In a run, it is lent for the time of an attempt.
    pub sql: Option<Session>,
    /// The product's own service, for the strategy that uses it.
    pub packets: Option<Packets>,
    /// The program, for the strategy that runs one.
    pub program: Option<Arc<Program>>,
    /// The lock in the memory of the attempt's server.
    pub process: Arc<Mutex<()>>,
}

/// A red packet sale of the lab.
#[derive(Clone)]
pub struct Packets {
    pub service: RedPackets,
    /// The id of the sale.
    pub sale: String,
}

/// The counts of a measurement.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Counts {
    /// Round trips to Redis and the database.
    pub round_trips: u64,
    /// Commands and statements.
    pub commands: u64,
    /// Retried transactions.
    pub retries: u64,
    /// The lowest stock that an attempt has read.
    pub lowest_stock: Option<i64>,
}

impl Counts {
    /// The sum of both. The lowest stock is the lower one.
    pub fn plus(self, other: Self) -> Self {
        Self {
            round_trips: self.round_trips + other.round_trips,
            commands: self.commands + other.commands,
            retries: self.retries + other.retries,
            lowest_stock: self.lowest_stock.into_iter().chain(other.lowest_stock).min(),
        }
    }
}

/// The wire of one attempt at a time.
pub struct Wire {
    link: Link,
    gate: Gate,
    delay: Duration,
    counts: Counts,
    item: Option<i64>,
    /// The prefix of its tokens.
    name: String,
    tokens: u64,
    /// The line of the program that is run, where one is.
    program_line: Option<u32>,
}

impl Wire {
    /// The wire of a worker in a run, with a delay added to each round trip.
    pub fn open(link: Link, name: String, delay: Duration) -> Self {
        Self {
            link,
            gate: Gate::Open,
            delay,
            counts: Counts::default(),
            item: None,
            name,
            tokens: 0,
            program_line: None,
        }
    }

    /// The wire of a participant in a play.
    pub(super) fn stepped(link: Link, name: String, turns: gate::Turns) -> Self {
        let gate = Gate::Stepped(turns);
        Self {
            link,
            gate,
            delay: Duration::ZERO,
            counts: Counts::default(),
            item: None,
            name,
            tokens: 0,
            program_line: None,
        }
    }

    /// The line of a call: that of the program, or else that of the caller, in the strategy's source.
    #[track_caller]
    fn line(&self) -> u32 {
        let of_caller = Location::caller().line();
        self.program_line.unwrap_or(of_caller)
    }

    /// The place of the connection to the database.
    pub(super) fn session(&mut self) -> &mut Option<Session> {
        &mut self.link.sql
    }

    pub fn counts(&self) -> Counts {
        self.counts
    }

    /// The number of the item that the latest attempt has won, if it has won one: the packet it got, or the stock that
    /// it has read, which is the item that it takes for its own. No strategy with rows or a list of packets says it.
    pub(super) fn item(&self) -> Option<i64> {
        self.item
    }

    /// Ends the participation in a play.
    pub(super) fn end(self, told: Result<Told>) {
        self.gate.end(told);
    }

    /// Sends a command, and reads its reply.
    #[track_caller]
    pub fn call<T: FromRedisValue>(
        &mut self,
        verb: &str,
        args: impl ToRedisArgs,
    ) -> impl Future<Output = Result<T>> + Send {
        let (line, commands) = (self.line(), vec![command_of(verb, args)]);
        async move { Ok(from_redis_value(self.send(line, Form::Command, commands).await?)?) }
    }

    /// Sends a command whose reply does not matter.
    #[track_caller]
    pub fn run(&mut self, verb: &str, args: impl ToRedisArgs) -> impl Future<Output = Result<()>> + Send {
        let (line, commands) = (self.line(), vec![command_of(verb, args)]);
        async move { self.send(line, Form::Command, commands).await.map(drop) }
    }

    /// Sends several commands in one round trip, and reads all their replies. Other commands may run in between.
    #[track_caller]
    pub fn pipeline<T: FromRedisValue>(
        &mut self,
        commands: impl IntoIterator<Item = Cmd>,
    ) -> impl Future<Output = Result<T>> + Send {
        let (line, commands) = (self.line(), commands.into_iter().collect());
        async move { Ok(from_redis_value(self.send(line, Form::Pipeline, commands).await?)?) }
    }

    /// MULTI, the commands, EXEC: all of them in one round trip, with nothing in between. `None` if a watched key has
    /// changed: then none of them was run.
    #[track_caller]
    pub fn transaction<T: FromRedisValue>(
        &mut self,
        commands: impl IntoIterator<Item = Cmd>,
    ) -> impl Future<Output = Result<Option<T>>> + Send {
        let (line, commands) = (self.line(), commands.into_iter().collect());
        async move { Ok(from_redis_value(self.send(line, Form::Transaction, commands).await?)?) }
    }

    /// Calls a script by its hash, and sends its source if Redis does not know it.
    #[track_caller]
    pub fn script<T: FromRedisValue>(
        &mut self,
        script: &'static Script,
        keys: &[&String],
        args: &[&str],
    ) -> impl Future<Output = Result<T>> + Send {
        let line = self.line();
        let call = |verb, body: &str| {
            let mut call = command(verb);
            call.arg(body).arg(keys.len()).arg(keys).arg(args);
            call
        };
        let (by_hash, by_source) = (call("EVALSHA", script.sha()), call("EVAL", script.source()));
        let by_name = self.gate.describe(Form::Script, line, || vec![text::words(&call("EVALSHA", script.name))]);
        async move {
            self.gate.arrive(by_name.as_ref()).await?;
            self.trip(1).await;
            let mut reply = by_hash.query_async(&mut self.link.redis).await;
            if reply.as_ref().is_err_and(is_noscript) {
                self.trip(1).await;
                reply = by_source.query_async(&mut self.link.redis).await;
            }
            let reply: Value = reply?;
            self.gate.replied(|| reply_text(&reply));
            Ok(from_redis_value(reply)?)
        }
    }

    /// BRPOP: takes the oldest entry of a list, and waits for one if it is empty.
    #[track_caller]
    pub fn pop(&mut self, key: &str) -> impl Future<Output = Result<String>> + Send {
        let line = self.line();
        let mut blocking = command("BRPOP");
        blocking.arg(key).arg(0);
        let at_once = command_of("RPOP", key);
        async move {
            let call = self.gate.describe(Form::Command, line, || vec![text::words(&blocking)]);
            loop {
                self.gate.arrive(call.as_ref()).await?;
                self.trip(1).await;
                if self.gate.is_open() {
                    let (_, entry): (String, String) = blocking.query_async(&mut self.link.redis).await?;
                    return Ok(entry);
                }
                // A blocking call would stop the whole play.
                match at_once.query_async::<Option<String>>(&mut self.link.redis).await? {
                    Some(entry) => {
                        self.gate.replied(|| entry.clone());
                        return Ok(entry);
                    }
                    None => self.gate.waits(),
                }
            }
        }
    }

    /// Runs a query. Returns the first number of its first row.
    #[track_caller]
    pub fn select(&mut self, sql: &'static str, args: &[&str]) -> impl Future<Output = Result<Option<i64>>> + Send {
        let line = self.line();
        async move {
            let call = self.statement(line, sql, args);
            loop {
                self.gate.arrive(call.as_ref()).await?;
                self.trip(1).await;
                let answer = self.sql()?.select(sql, args).await;
                if self.has_to_wait(&answer) {
                    continue;
                }
                let answer = answer.with_context(|| format!("The database refused {sql}"))?;
                self.gate.replied(|| answer.map_or_else(|| "(no row)".to_owned(), |number| number.to_string()));
                return Ok(answer);
            }
        }
    }

    /// Runs a statement. Returns the number of changed rows.
    #[track_caller]
    pub fn execute(&mut self, sql: &'static str, args: &[&str]) -> impl Future<Output = Result<u64>> + Send {
        let line = self.line();
        async move {
            let call = self.statement(line, sql, args);
            loop {
                self.gate.arrive(call.as_ref()).await?;
                self.trip(1).await;
                let answer = self.sql()?.execute(sql, args).await;
                if self.has_to_wait(&answer) {
                    continue;
                }
                let rows = answer.with_context(|| format!("The database refused {sql}"))?;
                self.gate.replied(|| format!("{rows} rows"));
                return Ok(rows);
            }
        }
    }

    /// The SQL dialect of the database.
    ///
    /// # Errors
    /// If the strategy has no database.
    pub fn dialect(&mut self) -> Result<Dialect> {
        self.sql().map(|session| session.dialect())
    }

    /// Takes the lock in the memory of this attempt's server, until the guard is dropped.
    #[track_caller]
    pub fn process_lock(&mut self) -> impl Future<Output = Result<OwnedMutexGuard<()>>> + Send {
        let line = self.line();
        async move {
            let call = self.gate.describe(Form::Lock, line, || vec![vec!["lock".to_owned()]]);
            loop {
                self.gate.arrive(call.as_ref()).await?;
                let lock = self.link.process.clone();
                if self.gate.is_open() {
                    return Ok(lock.lock_owned().await);
                }
                match lock.try_lock_owned() {
                    Ok(guard) => {
                        self.gate.replied(|| "locked".to_owned());
                        return Ok(guard);
                    }
                    Err(_) => self.gate.waits(),
                }
            }
        }
    }

    /// Claims a packet through the product's own service and batcher.
    #[track_caller]
    pub fn claim_packet(&mut self, user: &str) -> impl Future<Output = Result<Outcome>> + Send {
        let line = self.line();
        async move {
            let Packets { service, sale } = self.link.packets.clone().context("The strategy has no sale.")?;
            let request_id = self.token();
            let words = ["claim", user, &request_id].map(str::to_owned).to_vec();
            let call = self.gate.describe(Form::Script, line, || vec![words]);
            self.gate.arrive(call.as_ref()).await?;
            let outcome = service.claim(&sale, user.to_owned(), Some(request_id)).await?;
            self.gate.replied(|| text::outcome(&outcome));
            if let Outcome::Won { packet, .. } = outcome {
                self.item = Some(packet.into());
            }
            Ok(outcome)
        }
    }

    /// Works for this long without making a call.
    #[track_caller]
    pub fn work(&mut self, time: Duration) -> impl Future<Output = Result<()>> + Send {
        let line = self.line();
        async move {
            let call = self.gate.describe(Form::Work, line, || vec![vec!["work".to_owned(), format!("{time:?}")]]);
            self.gate.arrive(call.as_ref()).await?;
            if self.gate.is_open() {
                tokio::time::sleep(time).await;
            }
            self.gate.replied(|| "done".to_owned());
            Ok(())
        }
    }

    /// Waits a moment before the attempt tries to take a lock again.
    pub async fn back_off(&mut self) {
        match &mut self.gate {
            Gate::Open => tokio::time::sleep(BACK_OFF).await,
            Gate::Stepped(turns) => turns.backed_off = true,
        }
    }

    /// A unique text.
    pub fn token(&mut self) -> String {
        self.tokens += 1;
        format!("{}{}", self.name, self.tokens)
    }

    /// Notes a value for display in a play.
    pub fn local(&mut self, name: &str, value: impl Debug) {
        if let Gate::Stepped(turns) = &mut self.gate {
            turns.locals.push((name.to_owned(), format!("{value:?}")));
        }
    }

    /// Notes the stock that the attempt has read.
    pub fn saw_stock(&mut self, left: i64) {
        self.item = Some(left);
        self.saw(left);
        self.local("left", left);
    }

    /// The same without showing it.
    pub fn saw(&mut self, left: i64) {
        self.counts.lowest_stock = Some(self.counts.lowest_stock.map_or(left, |lowest| lowest.min(left)));
    }

    /// Notes that the attempt starts again because another attempt has written meanwhile.
    pub fn retry(&mut self) {
        self.counts.retries += 1;
        self.local("retries", self.counts.retries);
    }

    /// The program to run.
    ///
    /// # Errors
    /// If there is none.
    pub fn program(&self) -> Result<Arc<Program>> {
        self.link.program.clone().context("There is no program.")
    }

    /// The calls that follow are those of this line of the program.
    pub fn go_to(&mut self, line: u32) {
        self.program_line = Some(line);
    }

    /// Whether a program has tried for too long, so that a run comes to its end. Never in a play, where no time counts.
    pub fn is_late(&self, began: Instant) -> bool {
        self.gate.is_open() && began.elapsed().as_secs() >= MOST_SECONDS
    }

    async fn send(&mut self, line: u32, form: Form, commands: Vec<Cmd>) -> Result<Value> {
        // Other commands may run between the commands of a pipeline, so each of them is a step.
        if form == Form::Pipeline && !self.gate.is_open() {
            let mut replies = Vec::with_capacity(commands.len());
            for command in commands {
                replies.push(self.exchange(line, form, vec![command]).await?);
            }
            return Ok(Value::Array(replies));
        }
        self.exchange(line, form, commands).await
    }

    /// Makes one round trip: one step in a play.
    async fn exchange(&mut self, line: u32, form: Form, commands: Vec<Cmd>) -> Result<Value> {
        let call = self.gate.describe(form, line, || commands.iter().map(text::words).collect());
        self.gate.arrive(call.as_ref()).await?;
        let brackets = if form == Form::Transaction { 2 } else { 0 };
        self.trip(commands.len() + brackets).await;
        // In a play, lifetimes end only when time is chosen to pass.
        let is_open = self.gate.is_open();
        let mut commands =
            commands.into_iter().map(|command| if is_open { command } else { text::long_lived(&command) });
        let redis = &mut self.link.redis;
        let reply: Value = match (form, commands.next()) {
            (Form::Command, Some(command)) => command.query_async(redis).await?,
            (Form::Pipeline, Some(command)) if !is_open => command.query_async(redis).await?,
            (_, first) => {
                let mut pipeline = Pipeline::new();
                first.into_iter().chain(commands).for_each(|command| _ = pipeline.add_command(command));
                if form == Form::Transaction {
                    pipeline.atomic();
                }
                pipeline.query_async(redis).await?
            }
        };
        self.gate.replied(|| reply_text(&reply));
        Ok(reply)
    }

    /// Counts a round trip, and adds the configured delay.
    async fn trip(&mut self, commands: usize) {
        self.counts.round_trips += 1;
        self.counts.commands += commands as u64;
        if !self.delay.is_zero() {
            tokio::time::sleep(self.delay).await;
        }
    }

    fn statement(&self, line: u32, sql: &str, args: &[&str]) -> Option<Call> {
        let words = || [sql].iter().chain(args).map(|word| text::shown(word.as_bytes())).collect();
        self.gate.describe(Form::Sql, line, || vec![words()])
    }

    fn sql(&mut self) -> Result<&mut Session> {
        self.link.sql.as_mut().context("The strategy has no database.")
    }

    /// Whether a statement must wait. In a play, statements do not block on other participants' locks: the owners could
    /// not take a step meanwhile.
    fn has_to_wait<T>(&mut self, answer: &sqlx::Result<T>) -> bool {
        let waits = !self.gate.is_open() && answer.as_ref().is_err_and(is_busy);
        if waits {
            self.gate.waits();
        }
        waits
    }
}
