//! A cluster of the test's own: three masters and a replica of each, on free ports, in a folder of its own.
//!
//! The servers are told of one another by the file in which each keeps what it knows, so that they need not meet first.

use super::{eventually, redis::Raw};
use redis::Value;
use rustix::process::{Pid, Signal, kill_process};
use sha1_smol::Sha1;
use std::{
    fmt::Write,
    fs,
    net::TcpListener,
    path::Path,
    process::{Child, Command, Stdio},
    sync::atomic::{AtomicU32, Ordering},
};
use store::slot::{SLOTS, slot_of};
use tempfile::TempDir;

const MASTERS: usize = 3;
const SERVERS: usize = 2 * MASTERS;
/// The time in milliseconds after which a silent server counts as lost.
const NODE_TIMEOUT: u32 = 1_000;

pub struct TestCluster {
    servers: Vec<Server>,
    // Removed last.
    dir: TempDir,
}

struct Server {
    id: String,
    port: u16,
    bus: u16,
    child: Option<Child>,
}

impl Drop for Server {
    fn drop(&mut self) {
        if let Some(mut child) = self.child.take() {
            child.kill().ok();
            child.wait().ok();
        }
    }
}

impl TestCluster {
    pub async fn start() -> Self {
        let dir = tempfile::Builder::new().prefix("stampede-test-").tempdir().expect("a temporary folder");
        let ports = free_ports();
        let server = |(nth, ports): (usize, &[u16])| {
            let id = Sha1::from(format!("{}-{nth}", dir.path().display())).digest().to_string();
            Server { id, port: ports[0], bus: ports[1], child: None }
        };
        let servers = ports.chunks_exact(2).enumerate().map(server).collect();
        let mut cluster = Self { servers, dir };
        for nth in 0..SERVERS {
            let folder = cluster.folder(nth);
            fs::create_dir(&folder).expect("a folder");
            fs::write(folder.join("nodes.conf"), cluster.known_to(nth)).expect("a file");
            cluster.begin(nth);
        }
        cluster.is_whole().await;
        cluster
    }

    /// What a server knows of all of them, in the format of Redis.
    fn known_to(&self, this: usize) -> String {
        let mut known = String::new();
        for (nth, Server { id, port, bus, .. }) in self.servers.iter().enumerate() {
            let myself = if nth == this { "myself," } else { "" };
            let epoch = nth % MASTERS + 1;
            write!(known, "{id} 127.0.0.1:{port}@{bus} {myself}").expect("text");
            match nth.checked_sub(MASTERS) {
                None => {
                    let share = usize::from(SLOTS).div_ceil(MASTERS);
                    let (first, last) = (nth * share, ((nth + 1) * share).min(usize::from(SLOTS)) - 1);
                    writeln!(known, "master - 0 0 {epoch} connected {first}-{last}").expect("text");
                }
                Some(master) => {
                    writeln!(known, "slave {} 0 0 {epoch} connected", self.servers[master].id).expect("text");
                }
            }
        }
        writeln!(known, "vars currentEpoch {MASTERS} lastVoteEpoch 0").expect("text");
        known
    }

    fn folder(&self, nth: usize) -> std::path::PathBuf {
        self.dir.path().join(nth.to_string())
    }

    /// Starts a server that does not run.
    pub fn begin(&mut self, nth: usize) {
        let folder = self.folder(nth);
        let Server { port, bus, child, .. } = &mut self.servers[nth];
        *child = Some(begin(&folder, *port, *bus));
    }

    /// Waits until every slot has a master, and every master a replica that has all.
    pub async fn is_whole(&self) {
        eventually("the cluster is whole", async || {
            for Server { port, child, .. } in &self.servers {
                child.as_ref()?;
                let raw = Raw::at(&format!("redis://127.0.0.1:{port}")).await;
                let info: String = raw.try_run("CLUSTER", "INFO").await.ok()?;
                let slots: Vec<Vec<Value>> = raw.try_run("CLUSTER", "SLOTS").await.ok()?;
                let replication: String = raw.try_run("INFO", "replication").await.ok()?;
                let is_up = replication.contains("role:master") || replication.contains("master_link_status:up");
                let has_replicas = slots.iter().all(|range| range.len() > 3);
                (is_up && has_replicas && info.contains("cluster_state:ok")).then_some(())?;
            }
            Some(())
        })
        .await;
    }

    /// The address for the program, which names two of the servers.
    pub fn url(&self) -> String {
        let [first, second] = [0, 4].map(|nth| self.servers[nth].port);
        format!("redis+cluster://127.0.0.1:{first},127.0.0.1:{second}")
    }

    pub fn address(&self, nth: usize) -> String {
        format!("127.0.0.1:{}", self.servers[nth].port)
    }

    pub async fn raw(&self, nth: usize) -> Raw {
        Raw::at(&format!("redis://{}", self.address(nth))).await
    }

    /// The running server that is the master of a key.
    pub async fn master_of(&self, key: &str) -> usize {
        eventually("a server is its master", async || {
            for nth in (0..SERVERS).filter(|nth| self.servers[*nth].child.is_some()) {
                let slots: Vec<Vec<Value>> = self.raw(nth).await.try_run("CLUSTER", "SLOTS").await.ok()?;
                let number = |value: &Value| redis::from_redis_value::<u16>(value.clone()).expect("a number");
                let slot = slot_of(key.as_bytes());
                let of_slot = slots.iter().find(|range| (number(&range[0])..=number(&range[1])).contains(&slot))?;
                let master: Vec<Value> = redis::from_redis_value(of_slot[2].clone()).expect("a master");
                let port = number(&master[1]);
                let master = self.servers.iter().position(|server| server.port == port).expect("one of these");
                // This one may not know yet that the master is gone.
                if self.servers[master].child.is_some() {
                    return Some(master);
                }
            }
            None
        })
        .await
    }

    /// The replica of a master.
    pub async fn replica_of(&self, master: usize) -> usize {
        for nth in (0..SERVERS).filter(|nth| *nth != master) {
            let role: Vec<Value> = self.raw(nth).await.run("ROLE", None::<&str>).await;
            let port = role.get(2).and_then(|port| redis::from_redis_value::<u16>(port.clone()).ok());
            if role.len() == 5 && port == Some(self.servers[master].port) {
                return nth;
            }
        }
        panic!("server {master} has no replica");
    }

    fn pid(&self, nth: usize) -> Pid {
        let child = self.servers[nth].child.as_ref().expect("it runs");
        Pid::from_raw(i32::try_from(child.id()).expect("a process id")).expect("a process id")
    }

    pub fn signal(&self, nth: usize, signal: Signal) {
        kill_process(self.pid(nth), signal).expect("a signal");
    }

    /// Kills a server abruptly.
    pub fn kill(&mut self, nth: usize) {
        let mut child = self.servers[nth].child.take().expect("it runs");
        child.kill().expect("a kill");
        child.wait().expect("its end");
    }

    /// Has a replica take over from its master, which hands over everything.
    pub async fn promote(&self, replica: usize) {
        let raw = self.raw(replica).await;
        raw.run::<String>("CLUSTER", "FAILOVER").await;
        eventually("it is a master", async || {
            let role: Vec<Value> = raw.run("ROLE", None::<&str>).await;
            (role.len() == 3).then_some(())
        })
        .await;
    }

    /// Begins to move a slot: its keys go from one master to another, one by one.
    pub async fn begin_to_move(&self, slot: u16, from: usize, to: usize) {
        let (source, target) = (self.raw(from).await, self.raw(to).await);
        target.run::<String>("CLUSTER", ("SETSLOT", slot, "IMPORTING", &self.servers[from].id)).await;
        source.run::<String>("CLUSTER", ("SETSLOT", slot, "MIGRATING", &self.servers[to].id)).await;
    }

    /// Moves what a slot has, and then the slot itself.
    pub async fn finish_moving(&self, slot: u16, from: usize, to: usize) {
        let (source, target) = (self.raw(from).await, self.raw(to).await);
        loop {
            let keys: Vec<String> = source.run("CLUSTER", ("GETKEYSINSLOT", slot, 10)).await;
            if keys.is_empty() {
                break;
            }
            let args = ("127.0.0.1", self.servers[to].port, "", 0, 5_000, "KEYS", keys);
            source.run::<String>("MIGRATE", args).await;
        }
        for raw in [target, source] {
            raw.run::<String>("CLUSTER", ("SETSLOT", slot, "NODE", &self.servers[to].id)).await;
        }
    }
}

/// Ports below those that the kernel gives to connections: one that is free while its server is killed stays free. Each
/// cluster begins to look at another one.
fn free_ports() -> Vec<u16> {
    static CLUSTERS: AtomicU32 = AtomicU32::new(0);
    let ports = 2 * SERVERS as u32;
    let cluster = std::process::id() + CLUSTERS.fetch_add(1, Ordering::Relaxed);
    let first = 10_000 + cluster % (20_000 / ports) * ports;
    // All are bound at the same time, so that none is there twice.
    let free = (first..32_768).filter_map(|port| TcpListener::bind(("127.0.0.1", u16::try_from(port).ok()?)).ok());
    let bound: Vec<TcpListener> = free.take(ports as usize).collect();
    bound.iter().map(|free| free.local_addr().expect("an address").port()).collect()
}

fn begin(folder: &Path, port: u16, bus: u16) -> Child {
    let mut command = Command::new("redis-server");
    for (setting, value) in [
        ("port", port.to_string()),
        ("cluster-port", bus.to_string()),
        ("bind", "127.0.0.1".to_owned()),
        ("dir", folder.display().to_string()),
        ("logfile", "log".to_owned()),
        ("save", String::new()),
        ("appendonly", "yes".to_owned()),
        // Written before it is answered, so that it survives a kill, however slow the disk.
        ("appendfsync", "no".to_owned()),
        ("cluster-enabled", "yes".to_owned()),
        ("cluster-config-file", "nodes.conf".to_owned()),
        ("cluster-node-timeout", NODE_TIMEOUT.to_string()),
        ("cluster-require-full-coverage", "no".to_owned()),
        ("repl-diskless-sync-delay", "0".to_owned()),
        ("repl-ping-replica-period", "1".to_owned()),
    ] {
        command.arg(format!("--{setting}")).arg(value);
    }
    command.stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null()).spawn().expect("a server")
}
