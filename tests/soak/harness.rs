//! Two servers on one Redis and one ledger, any of which may be killed.

use super::{
    check::{Packet, Row},
    crowd::Doors,
};
use crate::support::{
    eventually,
    program::{Home, Running},
    redis::TestRedis,
    within,
};
use rand::Rng;
use rand_chacha::ChaCha8Rng;
use rustix::process::Signal;
use serde_json::{Value, json};
use stampede::{ledger, sales::red_packet::scripts::key, store::keys};
use std::{
    collections::BTreeMap,
    os::unix::process::ExitStatusExt,
    process::Stdio,
    sync::{Arc, Mutex},
};

/// What is killed.
#[derive(Clone, Copy, Debug)]
pub enum Victim {
    /// A server, whichever.
    Server,
    /// The server that writes the ledger.
    Writer,
    Redis,
}

impl Victim {
    pub const ALL: [Self; 3] = [Self::Server, Self::Writer, Self::Redis];
}

pub struct Harness {
    servers: [Running; 2],
    doors: Doors,
    home: Home,
    redis: TestRedis,
    http: reqwest::Client,
    killed: Killed,
}

/// What was killed, how often.
#[derive(Clone, Copy, Debug, Default)]
pub struct Killed {
    pub servers: u32,
    pub writers: u32,
    pub redis: u32,
}

impl Harness {
    pub async fn start() -> Self {
        let (redis, home) = (TestRedis::durable().await, Home::new());
        let servers = [serve(&home, &redis).await, serve(&home, &redis).await];
        let doors = Arc::new(Mutex::new([0, 1].map(|door: usize| Some(servers[door].url.clone()))));
        Self { servers, doors, home, redis, http: reqwest::Client::new(), killed: Killed::default() }
    }

    pub fn doors(&self) -> Doors {
        self.doors.clone()
    }

    pub fn killed(&self) -> Killed {
        self.killed
    }

    pub async fn open(&self, sale: &str, packets: u64, life_s: u64) {
        let terms = json!({
            "id": sale, "total_cents": 100 * packets, "count": packets, "splitter": "double_mean",
            "expires_in_s": life_s, "seed": 7,
        });
        // A server that was started before Redis was killed may have to reconnect first.
        eventually("the sale is open", async || {
            let (status, answer) = self.servers[0].post("/api/red-packet/open", &terms).await;
            assert!(status == 200 || status == 503, "{answer}");
            (status == 200).then_some(())
        })
        .await;
    }

    /// Kills one of them abruptly, and starts it again.
    pub async fn kill(&mut self, victim: Victim, random: &mut ChaCha8Rng) {
        let which = match victim {
            Victim::Redis => {
                self.redis.crash_and_restart().await;
                self.killed.redis += 1;
                return;
            }
            Victim::Server => random.random_range(0..2),
            Victim::Writer => self.writer().await,
        };
        self.doors.lock().expect("the doors")[which] = None;
        let server = &mut self.servers[which];
        server.signal(Signal::KILL);
        let status = within("the killed server ends", server.child.wait()).await.expect("a status");
        assert_eq!(status.signal(), Some(Signal::KILL.as_raw()), "it lived until it was killed");
        *if matches!(victim, Victim::Writer) { &mut self.killed.writers } else { &mut self.killed.servers } += 1;
        self.servers[which] = serve(&self.home, &self.redis).await;
        self.doors.lock().expect("the doors")[which] = Some(self.servers[which].url.clone());
    }

    /// The server that has the lease; a dead one may have it for a while.
    async fn writer(&self) -> usize {
        let raw = self.redis.raw().await;
        eventually("a living server writes the ledger", async || {
            let process: Option<String> = raw.run("GET", keys::WRITER).await;
            let pid = process?.split('/').nth(1)?.parse().ok();
            self.servers.iter().position(|server| server.child.id() == pid)
        })
        .await
    }

    pub async fn ledger_has_all(&self, sale: &str) {
        eventually("the ledger has all", async || {
            let (status, answer) = self.servers[0].post("/api/ledger/status", &json!({ "sale": sale })).await;
            assert!(status == 200 || status == 503, "{answer}");
            (answer["sales"][0]["lag_events"] == 0).then_some(())
        })
        .await;
    }

    /// Who has what, as Redis knows it.
    pub async fn claimants(&self, sale: &str) -> BTreeMap<String, Packet> {
        let raw = self.redis.raw().await;
        let claimants: BTreeMap<String, String> = raw.run("HGETALL", key(sale, "claimants")).await;
        claimants.into_iter().map(|(user, held)| (user, packet(&held))).collect()
    }

    /// Who won what, as the ledger tells it.
    pub async fn rows(&self, sale: &str) -> Vec<Row> {
        let query = [("format", "jsonl"), ("sale", sale), ("outcome", "won")];
        let url = format!("{}/api/ledger/export", self.servers[1].url);
        let answer = self.http.get(url).query(&query).send().await.expect("an answer");
        assert_eq!(answer.status(), 200);
        let rows = answer.text().await.expect("a file");
        rows.lines()
            .map(|line| {
                let row: ledger::Row = serde_json::from_str(line).expect("a row");
                let number = row.item.and_then(|item| item.parse().ok()).expect("a packet");
                Row {
                    user: row.user.expect("a user"),
                    request_id: row.request_id.expect("a request"),
                    packet: (number, row.cents),
                }
            })
            .collect()
    }

    /// Asserts that the command reports that the audits of this number of sales hold.
    pub async fn audit_holds(&self, sales: usize) {
        let mut audit = self.home.command("audit");
        audit.args(["--json", "--redis", &self.redis.url(), "--data-dir"]).arg(self.redis.folder());
        let output = audit.output().await.expect("it ran");
        let (report, complaint) = (String::from_utf8_lossy(&output.stdout), String::from_utf8_lossy(&output.stderr));
        assert_eq!(output.status.code(), Some(0), "{report}{complaint}");
        let report: Value = serde_json::from_str(&report).expect("JSON");
        assert_eq!(
            (report["verdict"].as_str(), report["sales"].as_array().map(Vec::len)),
            (Some("holds"), Some(sales))
        );
    }
}

/// A server beside Redis's own folder, where the ledger is. Only its errors are of interest.
async fn serve(home: &Home, redis: &TestRedis) -> Running {
    let mut command = home.serve("127.0.0.1:0");
    command.args(["--redis", &redis.url(), "--data-dir"]).arg(redis.folder());
    command.env("RUST_LOG", "error").stderr(Stdio::inherit());
    Running::start(command).await
}

fn packet(held: &str) -> Packet {
    let (number, cents) = held.split_once(':').expect("a packet");
    (number.parse().expect("a number"), cents.parse().expect("cents"))
}
