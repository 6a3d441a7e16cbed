//! What fails, what you lose, what to do: each row of the table in the README, carried out for real.

mod append_only;
mod automatic;
mod backup;
mod ledger_away;
mod ledger_lost;
mod other_redis;
mod redis_damaged;
mod redis_evicts;
mod redis_lost;
mod redis_restarted;
mod server_killed;
mod stalled;
mod writer_stopped;

use crate::support::{
    eventually,
    kinds::Sample,
    program::{Home, Running},
    redis::Raw,
    sale, within,
};
use engine::red_packet::scripts::key;
use futures::future::join_all;
use ledger::database::{Ledger, Place};
use model::ledger::{Row, Search};
use serde_json::{Value, json};
use std::{collections::BTreeMap, process::Stdio};
use store::keys;
use tokio::process::Command;

/// The program's folder, and where its Redis and its ledger are.
struct Stand {
    home: Home,
    redis: String,
    /// Another ledger than the one in the folder.
    database: Option<String>,
}

impl Sample {
    async fn open(&self, server: &Running, sale: &str) {
        let (path, terms) = self.open_request(sale);
        let (status, answer) = server.post(&path, &terms).await;
        assert_eq!(status, 200, "{answer}");
    }

    async fn attempt(&self, server: &Running, sale: &str, user: &str) -> (u16, Value) {
        let (path, attempt) = self.attempt_request(sale, user);
        server.post(&path, &attempt).await
    }
}

impl Stand {
    fn on(redis: &str) -> Self {
        Self { home: Home::new(), redis: redis.to_owned(), database: None }
    }

    /// The program with a command and the locations of the data; its errors go to the test's output.
    fn command(&self, redis: &str, name: &str) -> Command {
        let mut command = if name == "serve" { self.home.serve("127.0.0.1:0") } else { self.home.command(name) };
        command.args(["--redis", redis, "--data-dir"]).arg(self.home.data()).stderr(Stdio::inherit());
        command.args(self.database.iter().flat_map(|url| ["--database", url]));
        command
    }

    async fn serve(&self) -> Running {
        self.serve_through(&self.redis).await
    }

    /// A server that connects to Redis through this URL.
    async fn serve_through(&self, redis: &str) -> Running {
        Running::start(self.command(redis, "serve")).await
    }

    async fn audit(&self, sale: &str) -> Said {
        Said::by(self.command(&self.redis, "audit"), sale).await
    }

    async fn recover(&self, sale: &str) -> Said {
        Said::by(self.command(&self.redis, "recover"), sale).await
    }

    async fn ledger(&self) -> Ledger {
        let folder = self.home.data();
        let place = self.database.as_ref().map_or(Place::Folder(&folder), |url| Place::Url(url));
        Ledger::connect(place).await.expect("a ledger")
    }

    /// Waits until the ledger has all of a sale, and compares it with Redis: `wins` wins, each in both, once, with its
    /// request, and nothing else.
    async fn agrees(&self, server: &Running, sale: &str, wins: usize) {
        caught_up(server, sale).await;
        let (held, ledger) = (holdings(&Raw::at(&self.redis).await, sale).await, self.ledger().await);
        assert_eq!(ledger_wins(&ledger, sale).await, held, "what the ledger has, and what Redis has");
        assert_eq!(held.len(), wins);
        let audit = self.audit(sale).await;
        assert_eq!((audit.code, &audit.report["verdict"]), (0, &json!("holds")), "{audit:?}");
    }
}

/// The output of a command.
#[derive(Debug)]
struct Said {
    code: i32,
    report: Value,
    complaint: String,
}

impl Said {
    async fn by(mut command: Command, sale: &str) -> Self {
        let output = command.args(["--json", sale]).stderr(Stdio::piped()).output();
        let output = within("the command ends", output).await.expect("it ran");
        Self {
            code: output.status.code().expect("it ended by itself"),
            report: serde_json::from_slice(&output.stdout).unwrap_or(Value::Null),
            complaint: String::from_utf8(output.stderr).expect("text"),
        }
    }

    /// An invariant of the one sale that was audited: expected and found.
    fn invariant(&self, name: &str) -> (i64, i64) {
        let invariants = self.report["sales"][0]["audit"]["invariants"].as_array();
        let invariant = invariants.and_then(|all| all.iter().find(|invariant| invariant["name"] == name));
        let number = |field| invariant.and_then(|invariant| invariant[field].as_i64());
        number("expected").zip(number("found")).unwrap_or_else(|| panic!("no {name} in {self:?}"))
    }

    /// The sale is back, and its audit holds.
    fn assert_back(&self) {
        assert_eq!((self.code, &self.report["audit"]["verdict"]), (0, &json!("holds")), "{self:?}");
    }

    /// It refused, in one sentence.
    fn assert_refused(&self, why: &str) {
        assert_eq!((self.code, &self.report), (2, &Value::Null), "{self:?}");
        // What it waited for comes before that.
        let last = self.complaint.lines().last().unwrap_or_default();
        let sentence = last.strip_prefix("stampede: ").unwrap_or_else(|| panic!("{self:?}"));
        assert!(sentence.contains(why), "{self:?}");
    }
}

async fn open(server: &Running, sale: &str, packets: u64) {
    open_for(server, sale, packets, 3_600).await;
}

fn terms(sale: &str, packets: u64, life_s: u64) -> Value {
    json!({
        "id": sale, "total_cents": 100 * packets, "count": packets, "splitter": "double_mean",
        "expires_in_s": life_s, "seed": 7,
    })
}

async fn open_for(server: &Running, sale: &str, packets: u64, life_s: u64) {
    let (status, answer) = server.post("/api/red-packet/open", &terms(sale, packets, life_s)).await;
    assert_eq!(status, 200, "{answer}");
}

/// An attempt by `user`, always with the same request id.
fn attempt(sale: &str, user: &str) -> Value {
    json!({ "sale": sale, "user": user, "request_id": format!("r-{user}") })
}

async fn try_claim(server: &Running, sale: &str, user: &str) -> (u16, Value) {
    server.post("/api/red-packet/claim", &attempt(sale, user)).await
}

/// Claims, and is answered.
async fn claim(server: &Running, sale: &str, user: &str) -> Value {
    let (status, answer) = try_claim(server, sale, user).await;
    assert_eq!(status, 200, "{answer}");
    answer
}

/// Claims until there is an answer: after an outage of Redis, the server reconnects first.
async fn claim_until_answered(server: &Running, sale: &str, user: &str) -> Value {
    eventually("an answer", async || {
        let (status, answer) = try_claim(server, sale, user).await;
        assert!(status == 200 || answer["error"]["code"] == "unavailable", "{answer}");
        (status == 200).then_some(answer)
    })
    .await
}

/// `<no>:<cents>` of an answer that must be this outcome.
fn packet(answer: &Value, outcome: &str) -> String {
    assert_eq!(answer["outcome"], outcome, "{answer}");
    format!("{}:{}", answer["packet"], answer["cents"])
}

/// Users with these numbers claim at the same time and all of them win: user and packet.
async fn win(server: &Running, sale: &str, name: &str, users: std::ops::Range<u32>) -> BTreeMap<String, String> {
    let claims = users.map(|number| async move {
        let user = format!("{name}-{number}");
        let won = packet(&claim(server, sale, &user).await, "won");
        (user, won)
    });
    join_all(claims).await.into_iter().collect()
}

/// Each of these users asks again and gets the original answer.
async fn all_get_the_original(server: &Running, sale: &str, reported: &BTreeMap<String, String>) {
    for (user, reported) in reported {
        assert_eq!(packet(&claim_until_answered(server, sale, user).await, "repeat"), *reported, "{user}");
    }
}

async fn status(server: &Running, sale: &str) -> Value {
    let (status, answer) = server.post("/api/ledger/status", &json!({ "sale": sale })).await;
    assert_eq!(status, 200, "{answer}");
    answer
}

async fn snapshot(server: &Running, sale: &str) -> Value {
    let (status, answer) = server.post("/api/red-packet/snapshot", &json!({ "sale": sale })).await;
    assert_eq!(status, 200, "{answer}");
    answer
}

async fn caught_up(server: &Running, sale: &str) {
    eventually("the ledger has all", async || {
        let answer = status(server, sale).await;
        let line = &answer["sales"][0];
        let all = line["lag_events"] == 0 && line["applied_event_id"] == line["last_event_id"];
        (all && answer["unreachable"].is_null()).then_some(())
    })
    .await;
}

/// Who has what: user, request and packet, sorted.
type Holdings = Vec<(String, String, String)>;

async fn holdings(redis: &Raw, sale: &str) -> Holdings {
    let claimants: BTreeMap<String, String> = redis.run("HGETALL", key(sale, "claimants")).await;
    claimants.into_iter().map(|(user, packet)| (user.clone(), format!("r-{user}"), packet)).collect()
}

/// The same, as the ledger has it; a row that is there twice is here twice.
async fn ledger_wins(ledger: &Ledger, sale: &str) -> Holdings {
    let search = Search { sale: Some(sale.to_owned()), outcome: Some("won".to_owned()), ..Search::default() };
    let (mut wins, mut after) = (Vec::new(), None);
    loop {
        let page = ledger.search(&search, None, after).await.expect("a page");
        wins.extend(page.rows.into_iter().map(|row: Row| {
            let packet = format!("{}:{}", row.item.expect("a packet"), row.cents);
            (row.user.expect("a user"), row.request_id.expect("a request"), packet)
        }));
        after = page.next;
        if after.is_none() {
            wins.sort();
            return wins;
        }
    }
}

/// The wins in a sale's stream, in their order; it is short enough that nothing was trimmed.
async fn stream_wins(redis: &Raw, sale: &str) -> Holdings {
    let mut wins = sale::wins(redis, sale).await;
    wins.sort();
    wins
}

/// The process that writes the ledger, of these; a dead one may have the lease for a while.
async fn writer<'a>(redis: &Raw, servers: &[&'a Running]) -> &'a Running {
    eventually("a living server writes the ledger", async || {
        let process: Option<String> = redis.run("GET", keys::WRITER.one).await;
        let pid = process?.split('/').nth(1)?.parse().ok();
        servers.iter().find(|server| server.child.id() == pid).copied()
    })
    .await
}
