//! Sales on a cluster of three masters, each with a replica.

use crate::support::{
    app::TestApp,
    cluster::TestCluster,
    eventually,
    kinds::samples,
    ledger::Base,
    program::{Home, Running, complaint, embedded, gone},
    redis::TestRedis,
    sale::{clock, terms},
    sse::EventSource,
    within,
};
use futures::{
    StreamExt,
    future::{Either, join_all, select},
    stream,
};
use model::{
    crowd::{Arrival, ArrivalKind, Phase, RunConfig},
    error::Code,
    red_packet::Outcome,
};
use rustix::process::Signal;
use serde_json::json;
use stampede::server::{background, metrics, webhooks::delivery::Deliverer};
use std::{collections::BTreeMap, pin::pin, time::Duration};
use store::{keys, slot::slot_of};

async fn app(cluster: &TestCluster, base: &Base) -> TestApp {
    TestApp::with(&cluster.url(), base.connect().await.expect("a ledger"), clock(), 1, 10_000).await
}

fn key(sale: &str) -> String {
    keys::sale("red_packet", sale, "meta")
}

/// The first ids of sales that each master has.
async fn a_sale_of_each(cluster: &TestCluster) -> Vec<String> {
    let mut sales: Vec<(usize, String)> = Vec::new();
    for number in 0.. {
        let sale = format!("s{number}");
        let master = cluster.master_of(&key(&sale)).await;
        if sales.iter().all(|(other, _)| *other != master) {
            sales.push((master, sale));
        }
        if sales.len() == 3 {
            break;
        }
    }
    sales.sort();
    sales.into_iter().map(|(_, sale)| sale).collect()
}

#[tokio::test]
async fn sales_of_all_kinds_live_on_all_masters_and_their_audits_hold() {
    let (cluster, base) = (TestCluster::start().await, Base::sqlite());
    let app = app(&cluster, &base).await;
    let mut writer = app.writer("one");
    let server = app.serve().await;
    let mut masters = std::collections::BTreeSet::new();
    for sample in samples() {
        for number in 0..4 {
            let sale = format!("s{number}");
            let (path, request) = sample.open_request(&sale);
            let (status, answer) = server.post(&path, &request).await;
            assert_eq!(status, 200, "{answer}");
            let (path, request) = sample.attempt_request(&sale, "ann");
            let (status, answer) = server.post(&path, &request).await;
            assert_eq!(status, 200, "{answer}");
            let (again, repeated) = server.post(&path, &request).await;
            assert_eq!(again, 200, "{repeated}");
            masters.insert(cluster.master_of(&keys::sale(sample.kind, &sale, "meta")).await);
        }
    }
    assert_eq!(masters.len(), 3, "all masters have some");
    writer.catch_up().await.expect("all is recorded");
    for sample in samples() {
        for number in 0..4 {
            let request = json!({ "kind": sample.kind, "sale": format!("s{number}") });
            let (status, audit) = server.post("/api/audit/now", &request).await;
            assert_eq!((status, &audit["verdict"]), (200, &json!("holds")), "{audit}");
        }
    }
    let (status, list) = server.post("/api/sales", &json!({})).await;
    assert_eq!(status, 200, "{list}");
    assert_eq!(list["sales"].as_array().expect("sales").len(), 16);
}

#[tokio::test]
async fn a_server_that_hangs_slows_no_sale_of_the_others() {
    let (cluster, base) = (TestCluster::start().await, Base::sqlite());
    let app = app(&cluster, &base).await;
    let sales = a_sale_of_each(&cluster).await;
    for sale in &sales {
        app.red_packet.open(terms(sale, 10_000, 100)).await.expect("a sale");
    }
    cluster.signal(0, Signal::STOP);
    let hanging = pin!(app.red_packet.claim(&sales[0], "ann".to_owned(), None));
    let others = join_all((0..40).map(|number| {
        let (app, sale) = (&app, &sales[1 + number % 2]);
        async move { app.red_packet.claim(sale, format!("u{number}"), None).await }
    }));
    let Either::Left((others, hanging)) = select(others, hanging).await else { panic!("the others wait for it") };
    assert!(others.iter().all(|outcome| matches!(outcome, Ok(Outcome::Won { .. }))), "{others:?}");
    cluster.signal(0, Signal::CONT);
    // By then a replica may have taken over, and the same attempt was made there.
    match hanging.await {
        Ok(outcome) => assert!(matches!(outcome, Outcome::Won { .. }), "{outcome:?}"),
        Err(error) => assert_eq!(error.code, Code::Unavailable, "{error:?}"),
    }
}

#[tokio::test]
async fn a_sale_whose_slot_moves_goes_on_where_it_is() {
    let (cluster, base) = (TestCluster::start().await, Base::sqlite());
    let app = app(&cluster, &base).await;
    let sale = a_sale_of_each(&cluster).await.remove(0);
    app.red_packet.open(terms(&sale, 10_000, 100)).await.expect("a sale");
    let mut writer = app.writer("one");
    app.red_packet.claim(&sale, "before".to_owned(), None).await.expect("an outcome");
    writer.catch_up().await.expect("recorded");
    let slot = slot_of(key(&sale).as_bytes());
    for (from, to) in [(0, 1), (1, 0)] {
        cluster.begin_to_move(slot, from, to).await;
        let claim = app.red_packet.claim(&sale, format!("while-it-moves-from-{from}"), None);
        let moving = async {
            // Some of its keys are here, some there: nothing can be tried.
            tokio::time::sleep(Duration::from_millis(100)).await;
            cluster.finish_moving(slot, from, to).await;
        };
        let (outcome, ()) = futures::join!(claim, moving);
        assert!(matches!(outcome, Ok(Outcome::Won { .. })), "{outcome:?}");
        assert_eq!(cluster.master_of(&key(&sale)).await, to);
        within("it is recorded", async { while writer.catch_up().await.is_err() {} }).await;
    }
    let audit = app.ledger_service.audit("red_packet", &sale).await.expect("an audit");
    assert_eq!(audit.verdict, model::Verdict::Holds, "{audit:?}");
}

#[tokio::test]
async fn a_crowd_at_a_sale_of_a_cluster_can_be_slowed_down_and_stopped() {
    let (cluster, base) = (TestCluster::start().await, Base::sqlite());
    let app = app(&cluster, &base).await;
    app.red_packet.open(terms("s", 10_000, 100)).await.expect("a sale");
    let arrival = Arrival { kind: ArrivalKind::Constant, per_s: 10, over_s: 600 };
    let sale = "s".to_owned();
    let config = RunConfig { sale, users: 6_000, concurrency: 10, repeat_rate: 0.0, arrival, seed: 1, behavior: None };
    let run = app.crowds.start("red_packet", config).await.expect("a run").run;
    // The status, the changed load and the stop of a run may be on three masters.
    app.crowds.change(&run, 20).await.expect("another load");
    eventually("it is heard", async || {
        let status = app.crowds.status(&run).await.expect("a status");
        (!status.changes.is_empty()).then_some(())
    })
    .await;
    app.crowds.stop(&run).await.expect("a stop");
    eventually("it stops", async || {
        let status = app.crowds.status(&run).await.expect("a status");
        (status.phase == Phase::Stopped).then_some(())
    })
    .await;
}

/// Kills a master and its replica, so that nobody takes over. Returns the address of the master.
async fn lose(cluster: &mut TestCluster, master: usize) -> String {
    let replica = cluster.replica_of(master).await;
    cluster.kill(replica);
    cluster.kill(master);
    cluster.address(master)
}

#[tokio::test]
async fn the_sales_of_a_lost_master_are_away_and_the_others_go_on() {
    let (mut cluster, base) = (TestCluster::start().await, Base::sqlite());
    let app = app(&cluster, &base).await;
    let sales = a_sale_of_each(&cluster).await;
    for sale in &sales {
        app.red_packet.open(terms(sale, 10_000, 100)).await.expect("a sale");
        app.red_packet.claim(sale, "ann".to_owned(), None).await.expect("an outcome");
    }
    app.writer("one").catch_up().await.expect("all is recorded");
    app.missing.look().await.expect("nothing is lost");
    let server = app.serve().await;
    let (status, ready) = server.get("/readyz").await;
    assert_eq!((status, ready.get("cluster")), (200, None), "{ready}");

    let of_the_list = cluster.master_of(keys::SALES.cluster).await;
    let lost = (0..3).find(|master| *master != of_the_list).expect("another one");
    let address = lose(&mut cluster, lost).await;
    let (away, mut others): (Vec<&String>, Vec<&String>) = sales.iter().partition(|sale| **sale == sales[lost]);
    others.sort_unstable();
    let name = json!({ "kind": "red_packet", "sale": away[0] });
    let two_of_three = json!({ "answering": 2, "masters": 3 });

    let (status, ready) = server.get("/readyz").await;
    assert_eq!((status, &ready["cluster"]), (200, &json!("2 of 3 masters answer")), "{ready}");
    assert_eq!(ready["silent_masters"], json!([address]));
    let text = metrics::text(&server.app).await;
    for master in 0..3 {
        let up = format!("stampede_redis_up{{node=\"{}\"}} {}", cluster.address(master), u8::from(master != lost));
        assert!(text.contains(&up), "{up}: {text}");
    }

    for query in [json!({}), json!({ "state": "open" })] {
        let (status, list) = server.post("/api/sales", &query).await;
        assert_eq!(status, 200, "{list}");
        let mut listed: Vec<&str> =
            list["sales"].as_array().expect("sales").iter().filter_map(|sale| sale["sale"].as_str()).collect();
        listed.sort_unstable();
        assert_eq!(listed, others);
        assert_eq!(list["away"], json!({ "cluster": two_of_three, "count": 1, "sales": [name] }));
    }
    let (status, list) = server.post("/api/sales", &json!({ "sale": others[0] })).await;
    assert_eq!((status, &list["away"]["count"]), (200, &json!(0)), "{list}");
    // It is away, not lost.
    server.app.missing.look().await.expect("a look");
    assert_eq!(server.app.missing.latest().count, 0);

    let (status, board) = server.post("/api/audit/board", &json!({})).await;
    assert_eq!((status, &board["cluster"]), (200, &two_of_three), "{board}");
    for audited in board["sales"].as_array().expect("sales") {
        let status = &audited["status"];
        assert_eq!(status["away"].as_bool().unwrap_or_default(), status["sale"] == **away[0], "{status}");
        assert_ne!(status["applied_event_id"], "0-0", "the ledger has it: {status}");
    }
    for sale in others {
        let (status, audit) = server.post("/api/audit/now", &json!({ "kind": "red_packet", "sale": sale })).await;
        assert_eq!((status, &audit["verdict"]), (200, &json!("holds")), "{audit}");
        let mut view = EventSource::connect(&format!("{}/live/red-packet/{sale}", server.url), None).await;
        let before = view.next().await;
        let claim = json!({ "sale": sale, "user": "ben" });
        assert_eq!(server.post("/api/red-packet/claim", &claim).await.1["outcome"], "won");
        view.find(|message| message.id.is_some() && message.id != before.id).await;
    }
}

#[tokio::test]
async fn a_server_stays_ready_while_a_replica_takes_over() {
    let (cluster, base) = (TestCluster::start().await, Base::sqlite());
    let server = app(&cluster, &base).await.serve().await;
    for master in 0..3 {
        cluster.promote(cluster.replica_of(master).await).await;
        let (status, ready) = server.get("/readyz").await;
        assert_eq!(status, 200, "{ready}");
    }
    eventually("all new masters are known", async || {
        let (_, ready) = server.get("/readyz").await;
        ready.get("cluster").is_none().then_some(())
    })
    .await;
}

#[tokio::test]
async fn sales_go_on_without_the_master_of_the_list() {
    let (mut cluster, base) = (TestCluster::start().await, Base::sqlite());
    let app = app(&cluster, &base).await;
    let sales = a_sale_of_each(&cluster).await;
    for sale in &sales {
        app.red_packet.open(terms(sale, 10_000, 100)).await.expect("a sale");
    }
    let server = app.serve().await;
    let of_the_list = cluster.master_of(keys::SALES.cluster).await;
    lose(&mut cluster, of_the_list).await;
    let (status, ready) = server.get("/readyz").await;
    assert_eq!((status, &ready["cluster"]), (200, &json!("2 of 3 masters answer")), "{ready}");
    for sale in sales.iter().filter(|sale| **sale != sales[of_the_list]) {
        let claim = json!({ "sale": sale, "user": "ann" });
        assert_eq!(server.post("/api/red-packet/claim", &claim).await.1["outcome"], "won");
    }
    let (status, list) = server.post("/api/sales", &json!({})).await;
    assert_eq!(status, 503, "{list}");
}

/// `stampede serve` with its sales on a cluster.
fn serve(home: &Home, cluster: &TestCluster) -> tokio::process::Command {
    let mut command = home.serve_with_data();
    command.args(["--redis", &cluster.url()]);
    command
}

#[tokio::test]
async fn the_lab_of_a_cluster_has_a_redis_of_its_own_or_says_what_to_do() {
    let (cluster, home) = (TestCluster::start().await, Home::new());
    let play = json!({ "strategy": "pipeline", "attempts": 2, "schedule": "11211222" });
    let server = Running::start(serve(&home, &cluster)).await;
    let (redis, socket) = embedded(&home.data().join("lab")).await;
    let (status, trace) = server.post("/api/lab/step", &play).await;
    assert_eq!((status, &trace["outcome"]), (200, &json!(["oversold"])), "{trace}");
    let settings = json!({
        "stock": 5, "users": 50, "concurrency": 4, "strategies": ["setnx-lock", "batched-script"],
    });
    let (status, run) = server.post("/api/lab/start", &settings).await;
    assert_eq!(status, 200, "{run}");
    let done = eventually("the run is over", async || {
        let (_, found) = server.post("/api/lab/run", &run).await;
        (found["phase"] != "running").then_some(found)
    })
    .await;
    assert_eq!((&done["phase"], done["strategies"].as_array().map(Vec::len)), (&json!("done"), Some(2)), "{done}");
    assert!(!socket.with_file_name("appendonlydir").exists(), "it keeps nothing");
    server.stop().await;
    gone(redis).await;

    // Where no Redis can be started, the sales go on without the lab.
    let mut command = serve(&home, &cluster);
    command.env("PATH", home.folder());
    let server = Running::start(command).await;
    assert_eq!(server.get("/readyz").await, 200);
    for (path, request) in [("step", &play), ("start", &settings), ("duel", &json!({}))] {
        let (status, answer) = server.post(&format!("/api/lab/{path}"), request).await;
        assert_eq!((status, &answer["error"]["code"]), (503, &json!("lab_unavailable")), "{answer}");
        assert!(answer["error"]["message"].as_str().is_some_and(|why| why.contains("--lab-redis")), "{answer}");
    }
    server.stop().await;

    // Several servers can share one.
    let other = TestRedis::start().await;
    let mut command = serve(&home, &cluster);
    command.env("PATH", home.folder()).args(["--lab-redis", &other.url()]);
    let server = Running::start(command).await;
    let (status, trace) = server.post("/api/lab/step", &play).await;
    assert_eq!((status, &trace["outcome"]), (200, &json!(["oversold"])), "{trace}");
    server.stop().await;

    let mut command = serve(&home, &cluster);
    command.args(["--lab-redis", &format!("redis://{}", cluster.address(0))]);
    let server = Running::start(command).await;
    let (status, answer) = server.post("/api/lab/step", &play).await;
    assert_eq!((status, &answer["error"]["code"]), (503, &json!("store_refused")), "{answer}");
    server.stop().await;

    let mut command = serve(&home, &cluster);
    command.arg("--faults");
    let why = complaint(command).await;
    assert!(why.contains("leave out --faults"), "{why}");
}

/// The replica may lack the last events. Then the sale is suspended, and comes back.
#[tokio::test]
async fn a_sale_whose_master_is_killed_in_the_middle_of_claims_goes_on_by_itself() {
    const USERS: usize = 400;
    let (mut cluster, base) = (TestCluster::start().await, Base::sqlite());
    let app = app(&cluster, &base).await;
    let deliverer = Deliverer::new(&app).expect("a client");
    let background = background::start(&app, Duration::from_secs(86_400), true, None, None, deliverer);
    let sale = a_sale_of_each(&cluster).await.remove(0);
    let master = cluster.master_of(&key(&sale)).await;
    app.red_packet.open(terms(&sale, 100_000, 1_000)).await.expect("a sale");

    let mut told = BTreeMap::new();
    let claims = (0..USERS).map(|number| {
        let (app, sale, user) = (&app, &sale, format!("u{number}"));
        async move { (user.clone(), app.red_packet.claim(sale, user, None).await) }
    });
    let mut claims = stream::iter(claims).buffer_unordered(16);
    let mut ended = 0;
    while let Some((user, outcome)) = claims.next().await {
        ended += 1;
        if ended == USERS / 4 {
            cluster.kill(master);
        }
        match outcome {
            Ok(Outcome::Won { packet, .. } | Outcome::Repeat { packet, .. }) => _ = told.insert(user, packet),
            Ok(other) => panic!("{user}: {other:?}"),
            // Nobody was told anything.
            Err(_) => {}
        }
    }
    drop(claims);
    assert!(told.len() >= USERS / 4);
    eventually("the sale goes on", async || {
        matches!(
            app.red_packet.claim(&sale, "last".to_owned(), None).await,
            Ok(Outcome::Won { .. } | Outcome::Repeat { .. })
        )
        .then_some(())
    })
    .await;
    assert_ne!(cluster.master_of(&key(&sale)).await, master);

    let mut lost = 0;
    for (user, told) in &told {
        match app.red_packet.claim(&sale, user.clone(), None).await {
            Ok(Outcome::Repeat { packet, .. }) if packet == *told => {}
            Ok(Outcome::Won { .. }) => lost += 1,
            other => panic!("{user} was told {told}: {other:?}"),
        }
    }
    let audit = eventually("an audit", async || {
        let audit = app.ledger_service.audit("red_packet", &sale).await.ok()?;
        (audit.verdict != model::Verdict::Unknown).then_some(audit)
    })
    .await;
    assert_eq!(audit.verdict, model::Verdict::Holds, "{audit:?}");
    let status = app.ledger_service.status(Some(&sale)).await.expect("a status").sales.remove(0);
    let names_a_loss = status.recovery.is_some_and(|recovery| recovery.lost_something());
    assert!(lost == 0 || names_a_loss, "{lost} wins were lost, and nothing says so");
    app.shutdown.cancel();
    within("it ends", background.wait()).await;
}

/// As `docs/operating.md` describes it.
#[tokio::test]
async fn the_sales_of_one_redis_move_to_a_cluster_with_the_ledger() {
    let (cluster, home) = (TestCluster::start().await, Home::new());
    let server = Running::start(home.serve_with_data()).await;
    for sample in samples() {
        for (path, request) in [sample.open_request("s"), sample.attempt_request("s", "ann")] {
            assert_eq!(server.post(&path, &request).await.0, 200, "{path}");
        }
    }
    eventually("the ledger has everything", async || {
        let (_, status) = server.post("/api/ledger/status", &json!({ "sale": "s" })).await;
        let sales = status["sales"].as_array().expect("sales");
        (sales.len() == 4 && sales.iter().all(|sale| sale["lag_events"] == 0)).then_some(())
    })
    .await;
    let recorded = server.post("/api/ledger/search", &json!({ "sale": "s" })).await.1["rows"].clone();
    server.stop().await;

    let mut recovery = home.command("recover");
    recovery.args(["--all", "--json", "--redis", &cluster.url(), "--data-dir"]).arg(home.data());
    let output = within("all are recovered", recovery.output()).await.expect("it ran");
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    let server = Running::start(serve(&home, &cluster)).await;
    for sample in samples() {
        let (path, request) = sample.attempt_request("s", "ann");
        let (status, answer) = server.post(&path, &request).await;
        assert_eq!(status, 200, "{answer}");
        let request = json!({ "kind": sample.kind, "sale": "s" });
        let (_, audit) = server.post("/api/audit/now", &request).await;
        assert_eq!(audit["verdict"], "holds", "{audit}");
    }
    // What was given before was given again.
    let (_, found) = server.post("/api/ledger/search", &json!({ "sale": "s" })).await;
    assert!(recorded.as_array().is_some_and(|rows| rows.len() >= 4), "{recorded}");
    let rows = found["rows"].as_array().expect("rows").iter().filter(|row| row["outcome"] != "recovered");
    assert_eq!(rows.cloned().collect::<serde_json::Value>(), recorded);
    server.stop().await;
}
