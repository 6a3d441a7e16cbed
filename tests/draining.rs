//! A server that is told to stop: it goes on serving until load balancers have turned to others, and leaves nothing
//! undone.

use crate::support::{
    balancer::{Proxy, free_port},
    eventually,
    program::{Home, Running},
    redis::TestRedis,
    within,
};
use futures::future::join_all;
use ledger::database::{Ledger, Place};
use model::ledger::Search;
use reqwest::{StatusCode, header::CONNECTION};
use rustix::process::Signal;
use serde_json::{Value, json};
use std::fs;
use store::keys;
use tokio::{process::Command, task::JoinHandle};
use tokio_util::sync::CancellationToken;

/// A server on this Redis, at this port.
fn serve(home: &Home, redis: &TestRedis, port: u16, drain: &str) -> Command {
    let mut command = home.serve(&format!("127.0.0.1:{port}"));
    command.args(["--redis", &redis.url(), "--drain", drain, "--data-dir"]).arg(home.data());
    command
}

async fn open(server: &Running, sale: &str, count: u64) {
    let terms = json!({ "id": sale, "total_cents": count, "count": count, "splitter": "equal" });
    assert_eq!(server.post("/api/red-packet/open", &terms).await.0, 200);
}

#[tokio::test]
async fn a_draining_server_is_not_ready_gives_the_lease_back_and_goes_on_selling() {
    let (home, redis) = (Home::new(), TestRedis::start().await);
    let raw = redis.raw().await;
    let writer = async || raw.run::<Option<String>>("GET", keys::WRITER.one).await;
    let mut running = Running::start(serve(&home, &redis, 0, "1h")).await;
    open(&running, "s", 10).await;
    eventually("it writes the ledger", async || writer().await.map(drop)).await;
    running.signal(Signal::TERM);
    eventually("it is not ready", async || (running.get("/readyz").await == 503).then_some(())).await;
    eventually("the lease is given back", async || writer().await.is_none().then_some(())).await;
    assert_eq!(running.get("/healthz").await, 200);

    let claim = reqwest::Client::new()
        .post(format!("{}/api/red-packet/claim", running.url))
        .json(&json!({ "sale": "s", "user": "ann" }));
    let answer = within("an answer", claim.send()).await.expect("an answer");
    assert_eq!((answer.status(), &answer.headers()[CONNECTION]), (StatusCode::OK, &"close".parse().expect("text")));
    assert_eq!(answer.json::<Value>().await.expect("JSON")["outcome"], "won");

    // The hour is not waited for.
    running.signal(Signal::TERM);
    let status = within("the program ends", running.child.wait()).await.expect("a status");
    assert_eq!(status.code(), Some(143));
}

#[tokio::test]
async fn a_server_that_stops_leaves_one_complete_file() {
    let home = Home::new();
    let running = Running::start(home.serve_with_data()).await;
    open(&running, "s", 100).await;
    for user in 0..100 {
        let claim = json!({ "sale": "s", "user": format!("u{user}") });
        assert_eq!(running.post("/api/red-packet/claim", &claim).await.1["outcome"], "won");
    }
    eventually("all is recorded", async || {
        let (_, status) = running.post("/api/ledger/status", &json!({ "sale": "s" })).await;
        (status["sales"][0]["lag_events"] == 0).then_some(())
    })
    .await;
    running.stop().await;
    let mut files: Vec<String> = fs::read_dir(home.data())
        .expect("a folder")
        .map(|entry| entry.expect("an entry").file_name().into_string().expect("text"))
        .filter(|name| name.contains("sqlite"))
        .collect();
    files.sort();
    assert_eq!(files, ["ledger.sqlite"]);

    let copy = tempfile::tempdir().expect("a temporary folder");
    fs::copy(home.data().join("ledger.sqlite"), copy.path().join("ledger.sqlite")).expect("a copy");
    let ledger = Ledger::connect_to_read(Place::Folder(copy.path())).await.expect("a ledger");
    let won = Search { outcome: Some("won".into()), ..Search::default() };
    assert_eq!(ledger.rows(&won, 200, None).await.expect("rows").len(), 100);
}

/// What the users of a load balancer got.
#[derive(Default)]
struct Answers {
    won: u64,
    others: Vec<String>,
}

/// Claims for one user after another until `stop`.
async fn users(nth: u64, claims: String, stop: CancellationToken) -> Answers {
    let http = reqwest::Client::new();
    let mut answers = Answers::default();
    while !stop.is_cancelled() {
        let user = format!("u{nth}-{}", answers.won);
        let claim = json!({ "sale": "s", "user": user, "request_id": user });
        let answer = async {
            let answer = http.post(&claims).json(&claim).send().await?;
            Ok::<_, reqwest::Error>((answer.status(), answer.text().await?))
        };
        match within("an answer", answer).await {
            // A repeat would be a claim that was made twice.
            Ok((StatusCode::OK, text)) if text.contains(r#""outcome":"won""#) => answers.won += 1,
            Ok((status, text)) => answers.others.push(format!("{user}: {status} {text}")),
            Err(error) => answers.others.push(format!("{user}: {error:?}")),
        }
        if !answers.others.is_empty() {
            break;
        }
    }
    answers
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn three_servers_behind_nginx_are_replaced_under_load_and_no_attempt_fails_or_is_unknown() {
    const USERS: u64 = 16;
    let (home, redis) = (Home::new(), TestRedis::start().await);
    let ports = [free_port(), free_port(), free_port()];
    let started = ports.map(|port| Running::start(serve(&home, &redis, port, "2s")));
    let mut servers = join_all(started).await;
    open(&servers[0], "s", 200_000).await;
    let proxy = Proxy::nginx_before(&ports).await;
    let stop = CancellationToken::new();
    let claims = format!("{}/api/red-packet/claim", proxy.url);
    let load: Vec<_> = (0..USERS).map(|nth| tokio::spawn(users(nth, claims.clone(), stop.clone()))).collect();
    let claimed = async || claimed_at(&proxy.url).await;
    eventually("users come", async || (claimed().await > 100).then_some(())).await;
    for (nth, port) in ports.into_iter().enumerate() {
        let old = servers.remove(nth);
        old.stop().await;
        servers.insert(nth, Running::start(serve(&home, &redis, port, "2s")).await);
        let before = claimed().await;
        // A user who got another answer stops, and the answer is shown below.
        let is_refused = || load.iter().any(JoinHandle::is_finished);
        eventually("users go on", async || (is_refused() || claimed().await > before + 100).then_some(())).await;
    }
    stop.cancel();
    let answers: Vec<Answers> = join_all(load).await.into_iter().map(|users| users.expect("no panic")).collect();
    let others: Vec<&String> = answers.iter().flat_map(|answers| &answers.others).collect();
    assert!(others.is_empty(), "{others:#?}");
    assert_eq!(claimed().await, answers.iter().map(|answers| answers.won).sum::<u64>());
    join_all(servers.into_iter().map(Running::stop)).await;
}

/// The number of packets that are claimed, by the answer of any server behind this URL.
async fn claimed_at(url: &str) -> u64 {
    let request = reqwest::Client::new().post(format!("{url}/api/red-packet/snapshot")).json(&json!({ "sale": "s" }));
    let answer = within("an answer", request.send()).await.expect("an answer");
    answer.json::<Value>().await.expect("JSON")["claimed"].as_u64().expect("a number")
}
