//! A Redis of the test's own, on a unix socket in a folder of its own. Both are removed with the test.

use super::eventually;
use redis::{Cmd, FromRedisValue, RedisResult, ToRedisArgs, Value, aio::MultiplexedConnection};
use std::{
    fs,
    path::{Path, PathBuf},
};
use store::{
    Store,
    embedded::{Embedded, Fsync},
    script::Script,
};
use tempfile::TempDir;

pub struct TestRedis {
    // The server ends before its folder is removed.
    server: Embedded,
    dir: TempDir,
    fsync: Fsync,
    /// The folders of replicas that were promoted.
    others: Vec<TempDir>,
}

impl TestRedis {
    pub async fn start() -> Self {
        Self::with(Fsync::Everysec).await
    }

    /// A Redis that has every answered change on disk.
    pub async fn durable() -> Self {
        Self::with(Fsync::Always).await
    }

    async fn with(fsync: Fsync) -> Self {
        let dir = tempfile::Builder::new().prefix("stampede-test-").tempdir().expect("a temporary folder");
        let server = Embedded::start(dir.path(), fsync).await.expect("a Redis");
        Self { server, dir, fsync, others: Vec::new() }
    }

    pub fn url(&self) -> String {
        self.server.url()
    }

    /// The data folder, in which the ledger is, too.
    pub fn folder(&self) -> &Path {
        self.dir.path()
    }

    pub fn socket(&self) -> PathBuf {
        PathBuf::from(self.url().trim_start_matches("redis+unix://"))
    }

    /// A plain connection, besides the connections of the program.
    pub async fn raw(&self) -> Raw {
        Raw::at(&self.url()).await
    }

    pub async fn store(&self) -> Store {
        Store::connect(&self.url(), stampede::server::scripts()).await.expect("a store")
    }

    /// Kills Redis abruptly, and starts it again with the data that it has written.
    pub async fn crash_and_restart(&mut self) {
        self.crash(|_| ()).await;
    }

    /// Like [`Self::crash_and_restart`], but after a crash of the machine: the disk lacks everything from this text on.
    pub async fn crash_without_its_end(&mut self, text: &str) {
        let raw = self.raw().await;
        eventually("all is in the file", async || {
            (raw.info::<u64>("persistence", "aof_buffer_length").await == 0).then_some(())
        })
        .await;
        self.crash(|data| lose_the_end(data, text)).await;
    }

    /// A replica that has everything this Redis has now, and gets nothing more, as the network between them is cut.
    pub async fn lagging_replica(&self) -> Self {
        let replica = Self::with(self.fsync).await;
        let (ours, theirs) = (self.raw().await, replica.raw().await);
        let port = super::balancer::free_port();
        ours.run::<String>("CONFIG", ("SET", "repl-diskless-sync-delay", 0)).await;
        ours.run::<String>("CONFIG", ("SET", "port", port)).await;
        theirs.run::<String>("REPLICAOF", ("127.0.0.1", port)).await;
        eventually("the replica has all", async || {
            let ours: u64 = ours.info("replication", "master_repl_offset").await;
            let theirs: String = theirs.run("INFO", "replication").await;
            let is_level = theirs.contains(&format!("slave_repl_offset:{ours}\r"));
            (theirs.contains("master_link_status:up") && is_level).then_some(())
        })
        .await;
        ours.run::<String>("CONFIG", ("SET", "port", 0)).await;
        ours.run::<i64>("CLIENT", ("KILL", "TYPE", "replica")).await;
        eventually("they are apart", async || {
            (ours.info::<u64>("replication", "connected_slaves").await == 0).then_some(())
        })
        .await;
        replica
    }

    /// Kills this Redis, and replaces it with a replica.
    pub async fn fail_over_to(&mut self, replica: Self) {
        self.kill().await;
        let socket = self.socket();
        fs::remove_file(&socket).ok();
        replica.raw().await.run::<String>("REPLICAOF", ("NO", "ONE")).await;
        fs::hard_link(replica.socket(), &socket).expect("the same name");
        let Self { server, dir, others, .. } = replica;
        // The guard of the killed Redis would remove the socket.
        std::mem::forget(std::mem::replace(&mut self.server, server));
        self.others.push(dir);
        self.others.extend(others);
    }

    async fn kill(&mut self) {
        let raw = self.raw().await;
        if self.fsync == Fsync::Everysec {
            // From this answer on, all is written before it is sent: a disk that is busy with the second before is not
            // the subject.
            raw.run::<String>("CONFIG", ("SET", "appendfsync", "no")).await;
        }
        let pid: i32 = raw.info("server", "process_id").await;
        let pid = rustix::process::Pid::from_raw(pid).expect("a process id");
        rustix::process::kill_process(pid, rustix::process::Signal::KILL).expect("a kill");
        super::within("the killed Redis ends", self.server.ended()).await.expect("an exit status");
    }

    async fn crash(&mut self, meanwhile: impl FnOnce(&Path)) {
        self.kill().await;
        // The new Redis can use the folder once the old one has released it.
        let socket = self.socket();
        let elsewhere = tempfile::tempdir().expect("a temporary folder");
        let other = Embedded::start(elsewhere.path(), self.fsync).await.expect("a Redis");
        drop(std::mem::replace(&mut self.server, other));
        meanwhile(self.dir.path());
        self.server = Embedded::start(self.dir.path(), self.fsync).await.expect("a Redis");
        assert_eq!(self.socket(), socket);
    }
}

/// Removes the end of the append-only file of a data folder's Redis, from the first command with this text on. A piece
/// of that command remains, as after a crash of a machine.
pub fn lose_the_end(data: &Path, text: &str) {
    let files = fs::read_dir(data.join("redis/appendonlydir")).expect("a folder");
    let files: Vec<PathBuf> = files
        .map(|entry| entry.expect("an entry").path())
        .filter(|path| path.to_string_lossy().ends_with(".incr.aof"))
        .collect();
    let [file] = files.as_slice() else { panic!("one file to write to: {files:?}") };
    let bytes = fs::read(file).expect("the file");
    let place = bytes.windows(text.len()).position(|window| window == text.as_bytes());
    let place = place.unwrap_or_else(|| panic!("there is no {text:?} in the file"));
    fs::File::options().write(true).open(file).expect("the file").set_len(place as u64).expect("a shorter file");
}

/// A plain connection to Redis.
#[derive(Clone)]
pub struct Raw(MultiplexedConnection);

impl Raw {
    /// Connecting may take as long as the disk: a Redis that waits for an fsync answers nobody.
    pub async fn at(url: &str) -> Self {
        let client = store::client(url).expect("a client");
        Self(eventually("a connection to Redis", async || store::connection(&client).await.ok()).await)
    }

    /// Runs a command that must succeed.
    pub async fn run<T: FromRedisValue>(&self, verb: &str, args: impl ToRedisArgs) -> T {
        self.try_run(verb, args).await.unwrap_or_else(|error| panic!("{verb}: {error}"))
    }

    /// The id of the last entry of a stream; `None` if it is empty.
    pub async fn last_entry(&self, stream: &str) -> Option<String> {
        let last: Vec<(String, redis::Value)> = self.run("XREVRANGE", (stream, "+", "-", "COUNT", 1)).await;
        last.into_iter().next().map(|(id, _)| id)
    }

    pub async fn try_run<T: FromRedisValue>(&self, verb: &str, args: impl ToRedisArgs) -> RedisResult<T> {
        store::command(verb).arg(args).query_async(&mut self.0.clone()).await
    }

    /// Runs a command of many parts that must succeed.
    pub async fn send<T: FromRedisValue>(&self, command: &Cmd) -> T {
        command.query_async(&mut self.0.clone()).await.expect("an answer")
    }

    /// The stored values of all keys that match a pattern, for [`Self::restore`].
    pub async fn dump(&self, pattern: &str) -> Vec<(String, Vec<u8>)> {
        let mut stored = Vec::new();
        for key in self.run::<Vec<String>>("KEYS", pattern).await {
            stored.push((key.clone(), self.run("DUMP", key).await));
        }
        assert!(!stored.is_empty(), "nothing is stored under {pattern}");
        stored
    }

    /// Restores the stored values of keys.
    pub async fn restore(&self, stored: Vec<(String, Vec<u8>)>) {
        for (key, was) in stored {
            self.run::<()>("RESTORE", (key, 0, was, "REPLACE")).await;
        }
    }

    /// Runs a script from its source, even if the server does not know it.
    pub async fn script(&self, script: &Script, keys: &[String], args: &[Vec<u8>]) -> RedisResult<Value> {
        store::command("EVAL")
            .arg(script.source())
            .arg(keys.len())
            .arg(keys)
            .arg(args)
            .query_async(&mut self.0.clone())
            .await
    }

    /// The number of keys.
    pub async fn keys(&self) -> i64 {
        store::command("DBSIZE").query_async(&mut self.0.clone()).await.expect("a number")
    }

    /// A number from INFO.
    pub async fn info<T: std::str::FromStr>(&self, section: &str, name: &str) -> T {
        let info: String = self.run("INFO", section).await;
        let line = info.lines().find_map(|line| line.strip_prefix(name)?.strip_prefix(':'));
        let Some(Ok(number)) = line.map(str::parse) else { panic!("no {name} in {info}") };
        number
    }

    /// The number of commands since the last `CONFIG RESETSTAT`. It includes the calls of scripts, but neither the
    /// script call itself nor this query.
    pub async fn commands_in_scripts(&self) -> u64 {
        let info: String = self.run("INFO", "commandstats").await;
        info.lines()
            .filter_map(|line| line.strip_prefix("cmdstat_")?.split_once(":calls="))
            .filter(|(verb, _)| !["info", "eval", "evalsha"].contains(verb) && !verb.starts_with("config"))
            .map(|(_, rest)| rest.split(',').next().and_then(|calls| calls.parse::<u64>().ok()).expect("a count"))
            .sum()
    }
}

/// Waits until this many NOSCRIPT retries of a script are counted: no call waits for that.
pub async fn healed_are(store: &Store, script: &Script, count: u64) {
    let counted = async || (store.healed(script).await == Ok(count)).then_some(());
    eventually(&format!("{count} retries of {} are counted", script.name), counted).await;
}
