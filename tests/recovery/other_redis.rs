//! One ledger is fed by one Redis at a time, and one Redis feeds one ledger.

use super::*;
use crate::support::{
    app::TestApp,
    kinds::samples,
    ledger::{Base, sqlite},
    program::complaint,
    proxy::{FaultProxy, Hold},
    redis::TestRedis,
    sale::clock,
};
use model::{
    error::{Code, Error},
    red_packet::Outcome,
};
use rustix::process::Signal;

/// What the program says of this Redis beside the same ledger, with this flag.
async fn refused(stand: &Stand, redis: &str, flags: &[&str]) -> String {
    let mut command = stand.command(redis, "serve");
    command.args(flags).stderr(Stdio::piped());
    complaint(command).await
}

/// What the second Redis does not have looks lost; it must not be rebuilt there while the first one goes on selling it.
#[tokio::test]
async fn a_second_redis_is_refused_while_the_first_feeds_the_ledger_and_may_take_over_later() {
    let (first, second) = (TestRedis::start().await, TestRedis::start().await);
    let stand = Stand::on(&first.url());
    let server = stand.serve().await;
    open(&server, "s", 20).await;
    let reported = win(&server, "s", "u", 0..5).await;
    caught_up(&server, "s").await;
    let why = refused(&stand, &second.url(), &[]).await;
    assert!(why.starts_with("Another Redis feeds this ledger at this moment"), "{why}");
    let recovery = Said::by(stand.command(&second.url(), "recover"), "s").await;
    assert_eq!(recovery.code, 2, "{recovery:?}");
    assert!(recovery.complaint.contains("Another Redis feeds this ledger"), "{recovery:?}");
    win(&server, "s", "v", 0..1).await;
    caught_up(&server, "s").await;
    server.stop().await;

    let stand = Stand { redis: second.url(), ..stand };
    let server = stand.serve().await;
    stand.recover("s").await.assert_back();
    all_get_the_original(&server, "s", &reported).await;
    stand.agrees(&server, "s", 6).await;
    // Now the first one is refused.
    let why = refused(&stand, &first.url(), &[]).await;
    assert!(why.starts_with("Another Redis feeds this ledger at this moment"), "{why}");
}

/// The server would go on with the first ledger, and trim the streams behind it.
#[tokio::test]
async fn another_ledger_is_refused_while_a_server_writes_the_first() {
    let redis = TestRedis::start().await;
    let (stand, other) = (Stand::on(&redis.url()), Stand::on(&redis.url()));
    let server = stand.serve().await;
    open(&server, "s", 20).await;
    caught_up(&server, "s").await;
    let why = refused(&other, &redis.url(), &["--new-ledger"]).await;
    assert!(why.contains("records this Redis in the other ledger. Stop it before"), "{why}");
    win(&server, "s", "u", 0..5).await;
    stand.agrees(&server, "s", 5).await;

    // A server whose ledger was replaced all the same gives nothing away and records nothing.
    let raw = redis.raw().await;
    let identity: String = raw.run("GET", keys::LEDGER.one).await;
    raw.run::<String>("SET", (keys::LEDGER.one, "another")).await;
    eventually("nothing is given away", async || (try_claim(&server, "s", "late").await.0 == 503).then_some(())).await;
    let (_, answer) = try_claim(&server, "s", "later").await;
    assert_eq!(answer["error"]["code"], "store_refused", "{answer}");
    assert_eq!(server.get("/readyz").await, 503);
    let lease = async || raw.run::<Option<String>>("GET", keys::WRITER.one).await;
    eventually("the lease is free", async || lease().await.is_none().then_some(())).await;
    raw.run::<String>("SET", (keys::LEDGER.one, identity)).await;
    eventually("all goes on", async || (try_claim(&server, "s", "later").await.0 == 200).then_some(())).await;
    assert_eq!(server.get("/readyz").await, 200);
}

/// A process may be stopped after it has looked, and go on when another ledger is in use.
#[tokio::test]
async fn a_late_new_ledger_replaces_none_that_was_adopted_meanwhile() {
    let redis = TestRedis::start().await;
    let (wire, raw) = (FaultProxy::before(&redis).await, redis.raw().await);
    raw.run::<String>("SET", (keys::LEDGER.one, "of before")).await;
    let bases = [Base::sqlite(), Base::sqlite()];
    let app = async |url: &str, base: &Base, seed| {
        TestApp::with(url, base.connect().await.expect("a ledger"), clock(), seed, 10_000).await
    };
    let (late, other) = (app(&wire.url, &bases[0], 1).await, app(&redis.url(), &bases[1], 2).await);
    // It has looked for the ledger and its writer.
    wire.hold(Hold::Answer, "MGET");
    let (claimed, ()) = tokio::join!(late.ledger_service.claim_streams(true), async {
        wire.holds().await;
        other.ledger_service.claim_streams(true).await.expect("adopted");
        wire.heal();
    });
    let refused = claimed.err().expect("another ledger is in use");
    assert_eq!(refused.code, Code::StoreRefused);
    assert!(refused.message.contains("--new-ledger again"), "{refused}");
    assert_eq!(raw.run::<String>("GET", keys::LEDGER.one).await, other.ledger.identity());
}

/// The writer's lease passes from a killed server to another, which takes some seconds; no other Redis takes its place
/// meanwhile.
#[tokio::test]
async fn a_server_that_is_killed_leaves_the_ledger_to_the_others_of_its_redis() {
    let (first, second) = (TestRedis::start().await, TestRedis::start().await);
    let stand = Stand::on(&first.url());
    let (one, other) = (stand.serve().await, stand.serve().await);
    open(&one, "s", 20).await;
    caught_up(&one, "s").await;
    let raw = first.raw().await;
    let (killed, left) = match writer(&raw, &[&one, &other]).await.pid() == one.pid() {
        true => (one, other),
        false => (other, one),
    };
    killed.kill().await;
    let why = refused(&stand, &second.url(), &[]).await;
    assert!(why.starts_with("Another Redis feeds this ledger at this moment"), "{why}");
    win(&left, "s", "u", 0..5).await;
    stand.agrees(&left, "s", 5).await;
}

/// It would sell again as soon as its Redis is back.
#[tokio::test]
async fn a_server_whose_redis_is_away_keeps_its_place() {
    let (first, second) = (TestRedis::start().await, TestRedis::start().await);
    let stand = Stand::on(&first.url());
    let server = stand.serve().await;
    open(&server, "s", 20).await;
    caught_up(&server, "s").await;
    drop(first);
    assert_eq!(server.get("/readyz").await, 503);
    let why = refused(&stand, &second.url(), &[]).await;
    assert!(why.starts_with("Another Redis feeds this ledger at this moment"), "{why}");
}

/// Nothing that it would acknowledge is recorded anywhere, and the other Redis may give it away once more.
#[tokio::test]
async fn a_displaced_server_changes_no_sale() {
    let redis = TestRedis::start().await;
    let stand = Stand::on(&redis.url());
    let server = stand.serve().await;
    let post = async |path: &str, body: Value| server.post(path, &body).await;
    let done = async |path: &str, body: Value| {
        let (status, answer) = post(path, body).await;
        assert_eq!(status, 200, "{path}: {answer}");
        answer
    };
    // An attempt of somebody, and every other change, of a sale of each kind, which is called like its kind.
    let mut changes = Vec::new();
    for sample in samples() {
        let sale = sample.kind;
        let (path, terms) = sample.open_request(sale);
        done(&path, terms).await;
        let (path, attempt) = sample.attempt_request(sale, "ann");
        let answer = done(&path, attempt).await;
        let over = format!("{sale} is over");
        let (path, terms) = sample.open_request(&over);
        done(&path, terms).await;
        done("/api/sales/close", json!({ "kind": sale, "sale": over })).await;
        for sale in [sale, &over] {
            caught_up(&server, sale).await;
        }
        changes.push(sample.attempt_request(sale, "bob"));
        changes.extend(sample.change_requests(sale, &answer));
        changes.push(sample.open_request("new"));
        changes.push(("/api/sales/close".to_owned(), json!({ "kind": sale, "sale": sale })));
        changes.push(("/api/sales/archive".to_owned(), json!({ "kind": sale, "sale": over })));
    }

    let feeds = async |redis: &str| {
        let mut ledger = sqlite(&stand.home.data()).await;
        let query = sqlx::query("UPDATE ledger SET redis = ?").bind(redis.to_owned());
        query.execute(&mut ledger).await.expect("an update");
    };
    let raw = redis.raw().await;
    let own: String = raw.run("GET", keys::REDIS.one).await;
    feeds("another").await;
    eventually("it is not ready", async || (server.get("/readyz").await == 503).then_some(())).await;
    let lease = async || raw.run::<Option<String>>("GET", keys::WRITER.one).await;
    eventually("the lease is free", async || lease().await.is_none().then_some(())).await;
    let listed: i64 = raw.run("ZCARD", keys::SALES.one).await;
    for (path, body) in &changes {
        let (status, answer) = post(path, body.clone()).await;
        assert_eq!((status, &answer["error"]["code"]), (503, &json!("store_refused")), "{path}: {answer}");
    }
    assert_eq!(raw.run::<i64>("ZCARD", keys::SALES.one).await, listed, "no name of a sale that was not opened");

    feeds(&own).await;
    eventually("it is ready again", async || (server.get("/readyz").await == 200).then_some(())).await;
    for (path, body) in changes {
        done(&path, body).await;
    }
}

/// What waited meanwhile runs before anything else does.
#[tokio::test]
async fn a_server_that_was_paused_meanwhile_looks_before_it_sells() {
    let (first, second) = (TestRedis::start().await, TestRedis::start().await);
    let (stand, wire) = (Stand::on(&first.url()), FaultProxy::before(&first).await);
    let paused = stand.serve_through(&wire.url).await;
    open(&paused, "s", 40).await;
    caught_up(&paused, "s").await;
    // This one has left already, and Redis carries it out after the other one has taken over.
    wire.hold(Hold::Command, "on_the_way");
    let on_the_way = attempt("s", "on_the_way");
    let on_the_way = paused.try_post("/api/red-packet/claim", &on_the_way);
    tokio::pin!(on_the_way);
    tokio::select! {
        answer = &mut on_the_way => panic!("{answer:?}"),
        () = wire.holds() => {}
    }
    paused.suspend(&stand.home.data()).await;
    let users: Vec<String> = (0..20).map(|number| format!("w{number}")).collect();
    let bodies: Vec<Value> = users.iter().map(|user| attempt("s", user)).collect();
    let waiting = join_all(bodies.iter().map(|body| paused.try_post("/api/red-packet/claim", body)));
    let other = async {
        let stand = Stand { redis: second.url(), ..stand };
        let server = stand.serve().await;
        stand.recover("s").await.assert_back();
        wire.heal();
        let raw = first.raw().await;
        eventually("the first one has done it", async || {
            raw.run::<bool>("HEXISTS", (key("s", "claimants"), "on_the_way")).await.then_some(())
        })
        .await;
        paused.signal(Signal::CONT);
        (stand, server)
    };
    let (answers, on_the_way, (stand, server)) = tokio::join!(waiting, on_the_way, other);
    let (status, answer) = on_the_way.expect("an answer");
    assert_eq!((status, &answer["error"]["code"]), (503, &json!("unavailable")), "{answer}");
    for answer in answers {
        let (status, answer) = answer.expect("an answer");
        let code = answer["error"]["code"].as_str().unwrap_or_default();
        assert!(status == 503 && ["busy", "store_refused"].contains(&code), "{status}: {answer}");
    }
    assert_eq!(try_claim(&paused, "s", "late").await.0, 503);
    stand.agrees(&server, "s", 0).await;
}

/// A call may wait for Redis for long, and what it did is recorded nowhere.
#[tokio::test]
async fn what_a_displaced_redis_answers_is_not_handed_on() {
    let redis = TestRedis::start().await;
    let wire = FaultProxy::before(&redis).await;
    let app = TestApp::at(&redis, &wire.url, clock(), 1).await;
    app.red_packet.open(crate::support::sale::terms("s", 100, 10)).await.expect("a sale");
    let claim = || app.red_packet.claim("s", "ann".into(), None);
    wire.hold(Hold::Answer, "ann");
    let (claimed, ()) = tokio::join!(claim(), async {
        wire.holds().await;
        app.store.note_displaced(Some(Error::new(Code::StoreRefused, "Another one feeds the ledger.")));
        wire.heal();
    });
    let unknown = claimed.expect_err("nobody records it");
    assert_eq!(unknown.code, Code::Unavailable);
    assert!(unknown.message.contains("the outcome is unknown"), "{unknown}");
    let refused = claim().await.expect_err("nothing is tried any more");
    assert_eq!(refused.code, Code::StoreRefused);
    app.store.note_displaced(None);
    assert!(matches!(claim().await, Ok(Outcome::Repeat { .. })), "what was done is done");
}
