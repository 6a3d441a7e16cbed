//! The Redis that both servers use, behind an address that stays the same: it can be killed, filled, given another
//! clock, and replaced by a replica.

use crate::support::{balancer, eventually, proxy::FaultProxy, redis::Raw, within};
use rustix::process::{Pid, Signal, kill_process};
use std::{
    fs,
    path::{Path, PathBuf},
    process::Stdio,
};
use tempfile::TempDir;
use tokio::process::{Child, Command};

/// Where Debian puts libfaketime, by machine.
const FAKETIME: [&str; 3] = [
    "/usr/lib/x86_64-linux-gnu/faketime/libfaketime.so.1",
    "/usr/lib/aarch64-linux-gnu/faketime/libfaketime.so.1",
    "/usr/lib/faketime/libfaketime.so.1",
];

/// The library that gives a program another clock, if it is installed.
pub fn faketime() -> Option<&'static str> {
    FAKETIME.into_iter().find(|path| Path::new(path).exists())
}

/// A program with a wall clock that is off by what the file says, in seconds, read once a second.
pub fn with_clock(command: &mut Command, file: &Path) {
    if let Some(library) = faketime() {
        // The C library's allocator, as Debian's redis-server has one that asks for the time before libfaketime is ready.
        command.env("LD_PRELOAD", format!("{library} libc.so.6")).env("FAKETIME_TIMESTAMP_FILE", file);
        command.env("FAKETIME_CACHE_DURATION", "1").env("FAKETIME_DONT_FAKE_MONOTONIC", "1");
    }
}

/// One redis-server in a folder of its own.
struct Node {
    child: Child,
    port: u16,
    dir: TempDir,
}

impl Node {
    async fn start(replica_of: Option<&Self>, offset_s: i64) -> Self {
        let dir = tempfile::Builder::new().prefix("stampede-test-").tempdir().expect("a temporary folder");
        // Replicas need a port.
        let port = balancer::free_port();
        fs::write(dir.path().join("clock"), format!("{offset_s:+}")).expect("a file");
        let child = Self::spawn(dir.path(), port, replica_of.map(|primary| primary.port));
        let node = Self { child, port, dir };
        node.ready().await;
        node
    }

    fn spawn(dir: &Path, port: u16, replica_of: Option<u16>) -> Child {
        let mut command = Command::new("redis-server");
        command
            .current_dir(dir)
            .args(["--port", &port.to_string(), "--bind", "127.0.0.1", "--daemonize", "no", "--save", ""])
            // Otherwise Redis would answer before it has written anything, while an fsync is slow.
            .args(["--appendonly", "yes", "--appendfsync", "always", "--maxmemory-policy", "noeviction"])
            .args(["--repl-diskless-sync", "yes", "--repl-diskless-sync-delay", "0", "--unixsocketperm", "700"])
            .arg("--unixsocket")
            .arg(dir.join("redis.sock"))
            .stdin(Stdio::null())
            .stdout(Stdio::null())
            .stderr(Stdio::null())
            .kill_on_drop(true);
        command.args(replica_of.iter().flat_map(|port| ["--replicaof".to_owned(), format!("127.0.0.1 {port}")]));
        with_clock(&mut command, &dir.join("clock"));
        command.spawn().expect("redis-server starts")
    }

    fn socket(&self) -> PathBuf {
        self.dir.path().join("redis.sock")
    }

    fn url(&self) -> String {
        format!("redis+unix://{}", self.socket().display())
    }

    async fn raw(&self) -> Raw {
        Raw::at(&self.url()).await
    }

    async fn ready(&self) {
        let client = store::client(&self.url()).expect("a client");
        eventually("Redis answers", async || {
            let mut connection = store::connection(&client).await.ok()?;
            store::command("PING").query_async::<String>(&mut connection).await.ok()
        })
        .await;
    }

    async fn kill(&mut self) {
        let pid = self.child.id().and_then(|pid| Pid::from_raw(pid.cast_signed())).expect("it runs");
        kill_process(pid, Signal::KILL).expect("a signal");
        within("the killed Redis ends", self.child.wait()).await.expect("a status");
    }
}

pub struct Nodes {
    primary: Node,
    replica: Option<Node>,
    proxy: FaultProxy,
    /// By how much the clock is off.
    pub offset_s: i64,
    /// By how much the replica's clock is behind that.
    behind_s: i64,
}

impl Nodes {
    pub async fn start() -> Self {
        let primary = Node::start(None, 0).await;
        let proxy = FaultProxy::to(primary.socket()).await;
        Self { primary, replica: None, proxy, offset_s: 0, behind_s: 0 }
    }

    /// The address, which stays the same.
    pub fn url(&self) -> &str {
        &self.proxy.url
    }

    /// A connection to the primary that bypasses the proxy.
    pub async fn raw(&self) -> Raw {
        self.primary.raw().await
    }

    /// Kills the process, and starts it again with what it has written.
    pub async fn crash_and_restart(&mut self) {
        self.primary.kill().await;
        fs::remove_file(self.primary.socket()).ok();
        self.primary.child = Node::spawn(self.primary.dir.path(), self.primary.port, None);
        self.primary.ready().await;
    }

    /// Leaves Redis without memory, or gives it back.
    pub async fn fill(&self, is_full: bool) {
        let bytes = if is_full { "1mb" } else { "0" };
        self.raw().await.run::<String>("CONFIG", ("SET", "maxmemory", bytes)).await;
    }

    /// Lets the clock jump while everything keeps running.
    pub async fn jump_to(&mut self, offset_s: i64) {
        let raw = self.raw().await;
        let time = async || raw.run::<(i64, i64)>("TIME", None::<&str>).await.0;
        let (before, by) = (time().await, offset_s - self.offset_s);
        fs::write(self.primary.dir.path().join("clock"), format!("{offset_s:+}")).expect("a file");
        // Tests last less than a minute; clocks jump by more.
        eventually("the clock has jumped", async || ((time().await - before - by).abs() < 60).then_some(())).await;
        self.offset_s = offset_s;
    }

    /// Starts a replica whose clock is so many seconds behind, and waits until it has what the primary has.
    pub async fn add_replica(&mut self, behind_s: i64) {
        let replica = Node::start(Some(&self.primary), self.offset_s - behind_s).await;
        self.behind_s = behind_s;
        self.replica = Some(replica);
        self.replica_has_all().await;
    }

    pub async fn replica(&self) -> Raw {
        self.replica.as_ref().expect("a replica").raw().await
    }

    /// Waits until the replica has everything that the primary has answered so far.
    pub async fn replica_has_all(&self) {
        let (primary, replica) = (self.raw().await, self.replica().await);
        let upto: u64 = primary.info("replication", "master_repl_offset").await;
        eventually("the replica has all", async || {
            let linked: String = replica.info("replication", "master_link_status").await;
            let has: u64 = replica.info("replication", "slave_repl_offset").await;
            (linked == "up" && has >= upto).then_some(())
        })
        .await;
    }

    /// Promotes the replica, which no longer follows the primary. The primary still answers: whatever it answers from
    /// now on will be lost with it.
    pub async fn promote(&self) {
        let replica = self.replica().await;
        replica.run::<String>("REPLICAOF", ("NO", "ONE")).await;
    }

    /// Kills the primary; the address then leads to the replica.
    pub async fn fail_over(&mut self) {
        self.proxy.cut();
        self.primary.kill().await;
        self.promote().await;
        self.primary = self.replica.take().expect("a replica");
        self.offset_s -= self.behind_s;
        self.proxy.lead_to(&self.primary.socket());
        self.proxy.heal();
    }
}
