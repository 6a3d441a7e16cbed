//! The replay of a run: what it gave away, in order, from the ledger.

use crate::support::{
    app::{Server, TestApp},
    eventually,
    redis::TestRedis,
    sale::{self, terms},
};
use model::{
    crowd::{Arrival, KindBehavior, RunConfig, replay::Replay},
    error::Code,
    ticket::crowd::Behavior,
};
use serde_json::{Value, json};
use std::collections::BTreeSet;

fn config(sale: &str, users: u32) -> RunConfig {
    RunConfig {
        sale: sale.to_owned(),
        users,
        concurrency: 20,
        repeat_rate: 0.2,
        arrival: Arrival::BURST,
        seed: 11,
        behavior: None,
    }
}

/// Lets a crowd loose, waits until its run is kept and recorded, and returns its id.
async fn recorded(app: &TestApp, kind: &str, config: RunConfig) -> String {
    let run = app.crowds.start(kind, config).await.expect("a run").run;
    eventually("the run is kept", async || app.run_history.report(&run).await.ok()).await;
    app.writer("one").catch_up().await.expect("the ledger is written");
    run
}

async fn replay(app: &TestApp, run: &str) -> Replay {
    let replay = app.crowds.replay(run).await.expect("a replay");
    let Replay { names, transfers, .. } = &replay;
    let columns = [transfers.at_ms.len(), transfers.users.len(), transfers.quantities.len()];
    assert_eq!(columns, [transfers.len(); 3]);
    assert_eq!(transfers.items.len(), if names.is_empty() { 0 } else { transfers.len() });
    assert!(transfers.at_ms.is_sorted(), "in order");
    replay
}

/// The number of items that users have in the end.
fn kept(replay: &Replay) -> i64 {
    replay.transfers.quantities.iter().sum()
}

#[tokio::test]
async fn a_replay_has_what_the_run_gave_away_and_only_that_also_when_the_sale_is_archived() {
    let redis = TestRedis::start().await;
    let app = TestApp::on(&redis).await;
    app.red_packet.open(terms("s", 1_000, 10)).await.expect("a sale");
    app.red_packet.claim("s", "ann".to_owned(), None).await.expect("an answer");
    app.time.advance(1_000);
    let run = app.crowds.start("red_packet", config("s", 30)).await.expect("a run").run;
    eventually("the run is kept", async || app.run_history.report(&run).await.ok()).await;
    let before = app.crowds.replay(&run).await.expect("a replay");
    assert_eq!((before.is_recorded, before.transfers.len()), (false, 0), "the ledger is not written yet");

    app.writer("one").catch_up().await.expect("the ledger is written");
    let first = replay(&app, &run).await;
    assert_eq!((first.items, kept(&first), first.is_cut, first.is_recorded), (Some(9), 9, false, true));
    let packets: Vec<u32> = first.names.iter().map(|name| name.parse().expect("a packet")).collect();
    assert_eq!(packets.len(), 9, "Ann's is not among them");
    assert!(packets.is_sorted(), "packets in their order: {packets:?}");
    let users: BTreeSet<u32> = first.transfers.users.iter().map(|user| user.expect("one of the crowd")).collect();
    assert!(users.len() == 9 && users.iter().all(|user| *user < 30), "each has one: {users:?}");
    let items: BTreeSet<u32> = first.transfers.items.iter().copied().collect();
    assert_eq!(items, (0..9).collect(), "each packet once");

    // Nothing is left for another crowd, which does not get what the first one got.
    app.time.advance(1_000);
    let second = recorded(&app, "red_packet", config("s", 30)).await;
    let second = replay(&app, &second).await;
    assert_eq!((second.transfers.len(), second.names.len(), second.is_recorded), (0, 0, true));

    app.closing.close("red_packet", "s").await.expect("closed");
    app.writer("one").catch_up().await.expect("the ledger is written");
    app.closing.archive("red_packet", "s").await.expect("archived");
    assert_eq!(replay(&app, &run).await, first);
    assert_eq!(app.crowds.replay("nope").await.expect_err("unknown").code, Code::UnknownRun);
}

#[tokio::test]
async fn what_users_cancel_comes_back_and_is_given_away_again() {
    let redis = TestRedis::start().await;
    let app = TestApp::on(&redis).await;
    sale::open_seats(&app, "s").await;
    let behavior = Behavior { choosers: 0.0, pay: 0.0, cancel: 1.0, ..Behavior::default() };
    let config = RunConfig { behavior: Some(behavior.to_fields()), repeat_rate: 0.0, ..config("s", 40) };
    let run = recorded(&app, "ticket", config).await;
    let replay = replay(&app, &run).await;
    assert_eq!((replay.items, kept(&replay), replay.is_recorded), (Some(200), 0, true));
    assert!(!replay.transfers.is_empty(), "somebody got seats");
    // No seat is given to two, and none comes back that nobody has.
    let mut held = BTreeSet::new();
    for (item, quantity) in replay.transfers.items.iter().zip(&replay.transfers.quantities) {
        let name = &replay.names[*item as usize];
        assert!(if *quantity == 1 { held.insert(name) } else { held.remove(name) }, "{name}");
    }
}

async fn ended(server: &Server, started: &Value) -> Value {
    eventually("the run is kept", async || {
        let (status, run) = server.post("/api/crowd/run", started).await;
        (status == 200).then_some(run)
    })
    .await
}

#[tokio::test]
async fn a_kind_that_counts_has_quantities_and_no_names() {
    let redis = TestRedis::start().await;
    let server = TestApp::on(&redis).await.serve().await;
    let terms = json!({ "id": "s", "quantity": 50, "ttl_s": 60 });
    assert_eq!(server.post("/api/stock/open", &terms).await.0, 200);
    let crowd = json!({
        "kind": "stock", "sale": "s", "users": 60, "concurrency": 10, "repeat_rate": 0, "arrival": "burst", "seed": 3,
    });
    let (_, started) = server.post("/api/crowd/start", &crowd).await;
    let run = ended(&server, &started).await;
    server.app.writer("one").catch_up().await.expect("the ledger is written");
    let (status, answer) = server.post("/api/crowd/replay", &started).await;
    assert_eq!((status, &answer["items"], &answer["names"]), (200, &json!(50), &json!([])));
    let replay: Replay = serde_json::from_value(answer).expect("a replay");
    let won = run["figures"]["outcomes"]["won"].as_u64().expect("a count");
    assert_eq!(replay.transfers.quantities.iter().filter(|quantity| **quantity > 0).count() as u64, won);
    assert!(kept(&replay) <= 50 && replay.transfers.items.is_empty(), "{replay:?}");

    let (status, error) = server.post("/api/crowd/replay", &json!({ "run": "nope" })).await;
    assert_eq!((status, &error["error"]["code"]), (404, &json!("unknown_run")));
    assert_eq!(server.post("/api/crowd/replay", &json!({ "run": "" })).await.0, 400);
}
