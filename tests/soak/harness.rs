//! Two servers on one Redis and one ledger, or one with a Redis of its own, any of which may be killed.

use super::{
    crowd::Doors,
    kinds::{Kind, Terms},
    nodes::{Nodes, with_clock},
};
use crate::support::{
    cluster::TestCluster,
    eventually,
    ledger::sqlite,
    program::{Home, Running, embedded},
    redis::Raw,
    within,
};
use model::{EventId, ledger, life::outcome::CHANGES};
use rand::{Rng, seq::IndexedRandom};
use rand_chacha::ChaCha8Rng;
use rustix::process::Signal;
use serde_json::{Value, json};
use sqlx::{Executor, SqliteConnection};
use std::{fs, os::unix::process::ExitStatusExt, path::PathBuf, process::Stdio, sync::Arc, time::Duration};
use store::keys;
use tokio::{process::Command, sync::watch};

/// By how many seconds a clock may be off. No jump is as long as an order is held: otherwise, all orders of all rounds would
/// expire in the next one, and their ends could be lost with a primary.
pub const OFFSETS_S: [i64; 4] = [-3_000, 0, 600, 3_000];

/// Less than the time limit of a test, so that there is time to report what is wrong.
const SETTLED_WITHIN: Duration = Duration::from_secs(25);

pub struct Harness {
    servers: Vec<Running>,
    doors: Doors,
    home: Home,
    /// `None` for a server with an embedded Redis.
    pub redis: Option<Nodes>,
    pub cluster: Option<TestCluster>,
    http: reqwest::Client,
    starts: u32,
}

impl Harness {
    /// Two servers on one Redis.
    pub async fn pair() -> Self {
        let redis = Nodes::start().await;
        Self::with(Some(redis), None, 2).await
    }

    /// One server with a Redis of its own.
    pub async fn alone() -> Self {
        Self::with(None, None, 1).await
    }

    /// Two servers on one cluster, which acknowledge nothing that no replica has. Many sales have users there at the same
    /// time, so each has few, of whom each place has one at most every so often.
    pub async fn on_cluster(every: Duration) -> Self {
        let mut harness = Self::with(None, Some(TestCluster::start().await), 2).await;
        (harness.doors.at_once, harness.doors.every) = (4, every);
        harness
    }

    async fn with(redis: Option<Nodes>, cluster: Option<TestCluster>, servers: usize) -> Self {
        let doors = Doors {
            urls: Arc::new(watch::Sender::new([None, None])),
            recover: cluster.is_some(),
            at_once: 16,
            every: Duration::ZERO,
        };
        let (servers_at_all, http) = (Vec::new(), reqwest::Client::new());
        let mut harness = Self { servers: servers_at_all, doors, home: Home::new(), redis, cluster, http, starts: 0 };
        for _ in 0..servers {
            let server = harness.start(0).await;
            harness.servers.push(server);
        }
        harness.open_doors();
        harness
    }

    pub fn doors(&self) -> Doors {
        self.doors.clone()
    }

    fn open_doors(&self) {
        let url = |server: usize| Some(self.servers[server % self.servers.len()].url.clone());
        self.doors.urls.send_replace([url(0), url(1)]);
    }

    /// A command of the program, with this Redis and this ledger.
    fn command(&self, name: &str) -> Command {
        let mut command = if name == "serve" { self.home.serve("127.0.0.1:0") } else { self.home.command(name) };
        command.arg("--data-dir").arg(self.home.data());
        command.args(self.redis.iter().flat_map(|redis| ["--redis", redis.url()]));
        if let Some(cluster) = &self.cluster {
            command.arg("--redis").arg(cluster.url()).args(["--replicas", "1"]);
        }
        command
    }

    /// A server whose wall clock is off. Only its errors are logged.
    async fn start(&mut self, offset_s: i64) -> Running {
        let mut command = self.command("serve");
        command.env("RUST_LOG", "off").stderr(Stdio::inherit());
        if self.redis.is_some() {
            self.starts += 1;
            let clock: PathBuf = self.home.folder().join(format!("clock-{}", self.starts));
            fs::write(&clock, format!("{offset_s:+}")).expect("a file");
            with_clock(&mut command, &clock);
        }
        Running::start(command).await
    }

    /// The Redis that has a key.
    pub async fn raw_at(&self, key: &str) -> Raw {
        match &self.cluster {
            Some(cluster) => cluster.raw(cluster.master_of(key).await).await,
            None => self.raw().await,
        }
    }

    /// The Redis that has all sales.
    pub async fn raw(&self) -> Raw {
        match &self.redis {
            Some(redis) => redis.raw().await,
            None => {
                let (_, socket) = embedded(&self.home.data()).await;
                Raw::at(&format!("redis+unix://{}", socket.display())).await
            }
        }
    }

    /// Opens a sale.
    pub async fn open(&self, kind: &dyn Kind, terms: &Terms) {
        let (path, mut request) = kind.opening(terms);
        if let Some(seconds) = terms.opens_in_s {
            request["opens_in_s"] = json!(seconds);
        }
        self.post("the sale is open", path, &request).await;
    }

    /// Repeats a request until there is an answer: a server that was started before Redis was killed has to reconnect.
    pub async fn post(&self, what: &str, path: &str, request: &Value) {
        eventually(what, async || {
            let (status, answer) = self.servers[0].post(path, request).await;
            assert!(status == 200 || status == 503, "{answer}");
            (status == 200).then_some(())
        })
        .await;
    }

    /// Redis' time, in epoch milliseconds.
    pub async fn redis_time(&self) -> i64 {
        let (seconds, micros): (i64, i64) = self.raw().await.run("TIME", None::<&str>).await;
        seconds * 1_000 + micros / 1_000
    }

    /// Kills a server abruptly this many times, and starts it again at once.
    pub async fn kill_server(&mut self, which: usize, times: u32, random: &mut ChaCha8Rng) {
        let only = self.servers.len() == 1;
        for _ in 0..times {
            self.doors.urls.send_modify(|doors| {
                doors
                    .iter_mut()
                    .enumerate()
                    .filter(|(door, _)| only || *door == which)
                    .for_each(|(_, url)| *url = None);
            });
            let server = &mut self.servers[which];
            server.signal(Signal::KILL);
            let status = within("the killed server ends", server.child.wait()).await.expect("a status");
            assert_eq!(status.signal(), Some(Signal::KILL.as_raw()), "it lived until it was killed");
            let offset_s = *OFFSETS_S.choose(random).expect("an offset");
            self.servers[which] = self.start(offset_s).await;
        }
        self.open_doors();
    }

    /// Either server.
    pub fn any_server(&self, random: &mut ChaCha8Rng) -> usize {
        random.random_range(0..self.servers.len())
    }

    /// The server that has the lease; a dead one may still have it for a while.
    pub async fn writer(&self) -> usize {
        let raw = self.raw().await;
        eventually("a living server writes the ledger", async || {
            let process: Option<String> = raw.run("GET", keys::WRITER.one).await;
            let pid = process?.split('/').nth(1)?.parse().ok();
            self.servers.iter().position(|server| server.child.id() == pid)
        })
        .await
    }

    /// Locks the ledger, until [`Self::ledger_back`].
    pub async fn ledger_away(&self) -> SqliteConnection {
        let mut lock = sqlite(&self.home.data()).await;
        // A server may be writing at this moment.
        lock.execute("PRAGMA busy_timeout = 20000").await.expect("a setting");
        lock.execute("BEGIN IMMEDIATE").await.expect("a lock");
        lock
    }

    pub async fn ledger_back(mut lock: SqliteConnection) {
        lock.execute("ROLLBACK").await.expect("an end");
    }

    /// Whether the ledger has all of a sale.
    pub async fn is_recorded(&self, kind: &dyn Kind, sale: &str) -> bool {
        let (status, answer) = self.servers[0].post("/api/ledger/status", &json!({ "sale": sale })).await;
        assert!(status == 200 || status == 503, "{answer}");
        answer["sales"]
            .as_array()
            .is_some_and(|sales| sales.iter().any(|status| status["kind"] == kind.id() && status["lag_events"] == 0))
    }

    /// The last entry of a sale that the ledger has.
    async fn applied(&self, kind: &dyn Kind, sale: &str) -> Option<EventId> {
        let (_, answer) = self.servers[0].post("/api/ledger/status", &json!({ "sale": sale })).await;
        let of_kind = answer["sales"].as_array()?.iter().find(|status| status["kind"] == kind.id())?;
        of_kind["applied_event_id"].as_str()?.parse().ok()
    }

    /// Waits until the ledger has something of a sale that the promoted replica lacks, if the primary has anything
    /// newer.
    pub async fn ledger_goes_ahead_of_the_replica(&self, kind: &dyn Kind, sale: &str) {
        let replica = last_event(&self.redis.as_ref().expect("a Redis").replica().await, kind, sale).await;
        if last_event(&self.raw().await, kind, sale).await <= replica {
            return;
        }
        eventually("the ledger is ahead", async || (self.applied(kind, sale).await? > replica).then_some(())).await;
    }

    pub async fn ledger_has_all(&self, kind: &dyn Kind, sale: &str) {
        let what = format!("the ledger has all of {sale}");
        eventually(&what, async || self.is_recorded(kind, sale).await.then_some(())).await;
    }

    /// Waits until a sale is suspended or known to lack nothing. Returns whether it is suspended.
    pub async fn is_suspended(&self, kind: &dyn Kind, sale: &str) -> bool {
        let raw = self.raw().await;
        let state = async || raw.run::<Option<String>>("HGET", (kind.key(sale, "meta"), "state")).await;
        // Users go on, so the ledger may never be seen with everything. If Redis lacks an earlier entry that the ledger
        // has, the audit finds it.
        let last = last_event(&raw, kind, sale).await;
        let known = eventually("the sale is suspended, or in step", async || {
            if state().await.as_deref() == Some("suspended") {
                return Some(true);
            }
            let is_recorded = self.applied(kind, sale).await.is_some_and(|applied| applied >= last);
            (is_recorded && self.audit(kind, sale).await["verdict"] == "holds").then_some(false)
        });
        match tokio::time::timeout(SETTLED_WITHIN, known).await {
            Ok(known) => known,
            Err(_) => {
                let (_, status) = self.servers[0].post("/api/ledger/status", &json!({ "sale": sale })).await;
                let lease: (Option<String>, i64) =
                    (raw.run("GET", keys::WRITER.one).await, raw.run("PTTL", keys::WRITER.one).await);
                let servers: Vec<_> = self.servers.iter().map(|server| server.child.id()).collect();
                panic!(
                    "{sale} is neither suspended nor in step: {:?}, {status}, {}, the lease is {lease:?}, servers {servers:?}",
                    state().await,
                    self.audit(kind, sale).await
                );
            }
        }
    }

    /// An audit by a server.
    pub async fn audit(&self, kind: &dyn Kind, sale: &str) -> Value {
        let body = json!({ "kind": kind.id(), "sale": sale });
        let (status, answer) = self.servers[0].post("/api/audit/now", &body).await;
        assert!(status == 200 || status == 503, "{answer}");
        answer
    }

    /// Recovers a suspended sale. Returns the conflicts: things that two users were given.
    pub async fn recover(&self, kind: &dyn Kind, sale: &str) -> Vec<String> {
        let mut command = self.command("recover");
        // A replica with a clock behind acknowledges what cannot be recorded; the verdict counts it.
        command.args(["--json", "--without-dead-letters", "--kind", kind.id(), sale]);
        let output = within("the recovery ends", command.output()).await.expect("it ran");
        let (report, complaint) = (String::from_utf8_lossy(&output.stdout), String::from_utf8_lossy(&output.stderr));
        let report: Value = serde_json::from_str(&report).unwrap_or_else(|_| panic!("{report}{complaint}"));
        let conflicts = report["conflicts"].as_array().expect("a list");
        // The audit reports these conflicts, too.
        let code = i32::from(!conflicts.is_empty());
        assert_eq!(output.status.code(), Some(code), "{report}");
        conflicts.iter().map(|conflict| conflict.as_str().expect("a sentence").to_owned()).collect()
    }

    /// The history of a sale in the ledger.
    pub async fn rows(&self, kind: &str, sale: &str) -> Vec<ledger::Row> {
        let query = [("format", "jsonl"), ("sale", sale)];
        let url = format!("{}/api/ledger/export", self.servers[self.servers.len() - 1].url);
        let answer = self.http.get(url).query(&query).send().await.expect("an answer");
        assert_eq!(answer.status(), 200);
        let file = answer.text().await.expect("a file");
        let (rows, end) = file.trim_end().rsplit_once('\n').unwrap_or(("", file.trim_end()));
        assert_eq!(end, json!({ "end": true, "rows": rows.lines().count() }).to_string(), "the file is whole");
        let rows = rows.lines().map(|line| serde_json::from_str::<ledger::Row>(line).expect("a row"));
        rows.filter(|row| row.kind == kind).collect()
    }

    /// The changes of the sale's life in its history.
    pub async fn changes(&self, kind: &str, sale: &str) -> Vec<ledger::Row> {
        let rows = self.rows(kind, sale).await.into_iter();
        rows.filter(|row| CHANGES.contains(&row.outcome.as_str())).collect()
    }

    /// The result of `stampede audit` for all sales: how many hold, and the names of those that do not.
    pub async fn audit_of_all(&self) -> (usize, Vec<String>) {
        let output = self.command("audit").arg("--json").output().await.expect("it ran");
        let (report, complaint) = (String::from_utf8_lossy(&output.stdout), String::from_utf8_lossy(&output.stderr));
        let report: Value = serde_json::from_str(&report).unwrap_or_else(|_| panic!("{report}{complaint}"));
        let sales = report["sales"].as_array().expect("sales");
        let (hold, broken): (Vec<_>, Vec<_>) = sales.iter().partition(|sale| sale["audit"]["verdict"] == "holds");
        let name = |sale: &&Value| sale["sale"].as_str().expect("a name").to_owned();
        (hold.len(), broken.iter().map(name).collect())
    }
}

/// The last event of a sale in this Redis.
async fn last_event(redis: &Raw, kind: &dyn Kind, sale: &str) -> EventId {
    let key = kind.key(sale, "events");
    redis.last_entry(&key).await.map_or_else(EventId::default, |id| id.parse().expect("an id"))
}
