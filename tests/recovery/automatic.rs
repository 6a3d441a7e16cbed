//! A server recovers by itself what Redis has lost, and nothing else.

use super::{Stand, all_get_the_original, caught_up, claim, open, packet, snapshot, status, win};
use crate::support::{
    app::TestApp,
    eventually,
    program::Running,
    redis::TestRedis,
    sale::{clock, terms},
};
use engine::red_packet::scripts::key;
use ledger::apply::{Batch, RejectedEntry};
use model::{
    EventId, Verdict,
    error::{Code, Error},
    ledger::SaleStatus,
    red_packet::Outcome,
};
use serde_json::{Value, json};
use stampede::server::automatic_recovery::AutomaticRecovery;
use store::{fields::Fields, keys};

/// Two servers, of which the first writes the ledger, and whose background work is done by hand.
async fn two(redis: &TestRedis) -> [TestApp; 2] {
    let time = clock();
    let servers =
        [TestApp::at(redis, &redis.url(), time.clone(), 1).await, TestApp::at(redis, &redis.url(), time, 2).await];
    writes(redis, &servers[0]).await;
    servers
}

/// Gives a server the lease.
async fn writes(redis: &TestRedis, server: &TestApp) {
    redis.raw().await.run::<String>("SET", (keys::WRITER.one, server.ids.process())).await;
}

/// Records everything.
async fn records(redis: &TestRedis, server: &TestApp) {
    server.writer(server.ids.process()).catch_up().await.expect("recorded");
    // Its lease would expire.
    writes(redis, server).await;
}

/// Claims until there is an answer other than that Redis cannot be reached.
async fn claimed(app: &TestApp, user: &str) -> model::error::Result<Outcome> {
    eventually("an answer", async || match app.red_packet.claim("s", user.to_owned(), None).await {
        Err(Error { code: Code::Unavailable, .. }) => None,
        answer => Some(answer),
    })
    .await
}

async fn won(app: &TestApp, user: &str) -> u32 {
    match claimed(app, user).await {
        Ok(Outcome::Won { packet, .. }) => packet,
        other => panic!("{user}: {other:?}"),
    }
}

/// A sale in which "early" has won, as the ledger knows, and "late", as only the first server knows: it is suspended.
async fn suspended_by_a_call(redis: &mut TestRedis, [app, _]: &[TestApp; 2]) -> u32 {
    app.red_packet.open(terms("s", 10_000, 100)).await.expect("a sale");
    let early = won(app, "early").await;
    records(redis, app).await;
    won(app, "late").await;
    redis.crash_without_its_end("late").await;
    writes(redis, app).await;
    assert_eq!(claimed(app, "new").await.expect_err("suspended").code, Code::SaleSuspended);
    noted(redis).await;
    early
}

/// Waits until it is noted that the sale is to be recovered.
async fn noted(redis: &TestRedis) {
    let raw = redis.raw().await;
    let is_noted = async || raw.run::<i64>("HEXISTS", (keys::LOST.one, "red_packet:s")).await == 1;
    eventually("it is noted", async || is_noted().await.then_some(())).await;
}

async fn line(app: &TestApp) -> SaleStatus {
    let status = async || app.ledger_service.status(Some("s")).await.ok();
    eventually("a status", status).await.sales.remove(0)
}

/// Searches for lost sales.
async fn searches(app: &TestApp) {
    eventually("a search", async || app.missing.look().await.ok()).await;
}

async fn meta(redis: &TestRedis, field: &str) -> Option<String> {
    redis.raw().await.run("HGET", (key("s", "meta"), field)).await
}

/// Lets a server look until the note is gone.
async fn looks(redis: &TestRedis, recovery: &mut AutomaticRecovery) {
    let raw = redis.raw().await;
    eventually("it is done", async || {
        recovery.round().await.ok()?;
        (raw.run::<i64>("EXISTS", keys::LOST.one).await == 0).then_some(())
    })
    .await;
}

#[tokio::test]
async fn what_a_server_had_seen_is_missed_and_only_the_server_that_writes_the_ledger_recovers_the_sale() {
    let mut redis = TestRedis::durable().await;
    let servers = two(&redis).await;
    let early = suspended_by_a_call(&mut redis, &servers).await;
    let [app, other] = &servers;
    let lost: EventId = meta(&redis, "lost").await.expect("the event").parse().expect("an id");

    let mut of_other = AutomaticRecovery::new((**other).clone());
    eventually("it looks", async || of_other.round().await.ok()).await;
    assert_eq!((meta(&redis, "state").await.as_deref(), meta(&redis, "recovery").await), (Some("suspended"), None));
    assert_eq!(line(app).await.recovering, None, "nobody tries");

    looks(&redis, &mut AutomaticRecovery::new((**app).clone())).await;
    assert_eq!((meta(&redis, "state").await.as_deref(), meta(&redis, "lost").await), (Some("open"), None));
    let status = line(app).await;
    let recovery = status.recovery.expect("what it has lost");
    assert!(recovery.lost_something() && status.recovering.is_none());
    assert_eq!((recovery.lost_event, recovery.unseen, recovery.conflicts), (Some(lost), 0, 0));
    assert!(recovery.upto < lost);
    for server in &servers {
        let again = claimed(server, "early").await;
        assert!(matches!(again, Ok(Outcome::Repeat { packet, .. }) if packet == early), "{again:?}");
    }
    assert_ne!(won(app, "late").await, early, "the win that was lost is tried anew");
    won(other, "new").await;
    let audit = app.ledger_service.audit("red_packet", "s").await.expect("an audit");
    assert_eq!(audit.verdict, Verdict::Holds, "{audit:?}");
}

#[tokio::test]
async fn a_sale_that_a_person_has_suspended_or_whose_data_are_damaged_stays_as_it_is() {
    for damage in ["none", "missing", "unreadable"] {
        let redis = TestRedis::start().await;
        let [app, _other] = two(&redis).await;
        app.red_packet.open(terms("s", 10_000, 100)).await.expect("a sale");
        won(&app, "ann").await;
        records(&redis, &app).await;
        let raw = redis.raw().await;
        match damage {
            "none" => app.ledger_service.suspend("red_packet", "s").await.expect("suspended"),
            "missing" => _ = raw.run::<i64>("DEL", key("s", "claimants")).await,
            _ => _ = raw.run::<()>("SET", (key("s", "claimants"), "x")).await,
        }
        assert_eq!(claimed(&app, "bob").await.expect_err("suspended").code, Code::SaleSuspended, "{damage}");
        if damage != "missing" {
            // As if somebody had taken it for one that has lost events.
            app.store.note_lost("red_packet", "s");
        }
        noted(&redis).await;
        looks(&redis, &mut AutomaticRecovery::new((*app).clone())).await;
        let [state, recovery] = [meta(&redis, "state").await, meta(&redis, "recovery").await];
        assert_eq!((state.as_deref(), recovery), (Some("suspended"), None), "{damage}");
        // Nor is it noted by those who look for lost sales.
        searches(&app).await;
        assert_eq!(raw.run::<i64>("EXISTS", keys::LOST.one).await, 0, "{damage}");
    }
}

#[tokio::test]
async fn what_a_dead_letter_gave_is_given_to_nobody_else_and_the_reason_is_shown_until_it_is_recorded() {
    let mut redis = TestRedis::durable().await;
    let servers = two(&redis).await;
    suspended_by_a_call(&mut redis, &servers).await;
    let [app, _] = &servers;
    let rejected = RejectedEntry {
        entry: ("9999999999999-0".to_owned(), Fields::default()),
        reason: "it cannot be read".to_owned(),
        at: 1,
    };
    let (kind, sale) = ("red_packet".to_owned(), "s".to_owned());
    let batch = Batch { kind, sale, dead_letters: vec![rejected], ..Batch::default() };
    app.ledger.apply(&[&batch]).await.expect("a dead letter");

    let mut recovery = AutomaticRecovery::new((**app).clone());
    for tries in 1..=3 {
        let recovering = eventually("it is tried", async || {
            recovery.round().await.ok()?;
            line(app).await.recovering.filter(|recovering| recovering.tries == tries)
        });
        let recovering = recovering.await;
        assert!(recovering.reason.is_some_and(|reason| reason.contains("dead letters")));
        let pause = recovering.again_at.expect("another try") - app.clock.now();
        assert_eq!(pause, 1_000 << (tries - 1), "the pauses grow");
        app.time.advance(pause);
    }
    assert_eq!((meta(&redis, "state").await.as_deref(), meta(&redis, "recovery").await), (Some("suspended"), None));

    let released =
        Batch { released: vec!["9999999999999-0".parse().expect("an id")], dead_letters: Vec::new(), ..batch };
    app.ledger.apply(&[&released]).await.expect("it is none any more");
    app.time.advance(60_000);
    looks(&redis, &mut recovery).await;
    assert_eq!(meta(&redis, "state").await.as_deref(), Some("open"));
}

/// A recovery that was interrupted, after it had deleted what was left.
#[tokio::test]
async fn a_recovery_that_was_interrupted_is_made_again() {
    let mut redis = TestRedis::durable().await;
    let servers = two(&redis).await;
    let early = suspended_by_a_call(&mut redis, &servers).await;
    let [app, _] = &servers;
    let raw = redis.raw().await;
    let [begin, recover] = [&engine::recovery::BEGIN_RECOVERY, &engine::red_packet::scripts::RECOVER];
    raw.script(begin, &[key("s", "meta")], &[b"t".to_vec()]).await.expect("it begins");
    let chunk = ["t", "0", "0"].map(|arg| arg.as_bytes().to_vec());
    raw.script(recover, &recover.keys("red_packet", "s"), &chunk).await.expect("a chunk");
    assert_eq!(meta(&redis, "generation").await, None, "what was left is deleted");
    // The server that made it took its note along.
    raw.run::<i64>("DEL", keys::LOST.one).await;

    searches(app).await;
    noted(&redis).await;
    looks(&redis, &mut AutomaticRecovery::new((**app).clone())).await;
    let again = claimed(app, "early").await;
    assert!(matches!(again, Ok(Outcome::Repeat { packet, .. }) if packet == early), "{again:?}");
}

#[tokio::test]
async fn a_sale_that_is_gone_as_a_whole_comes_back() {
    let redis = TestRedis::start().await;
    let [app, _other] = two(&redis).await;
    app.red_packet.open(terms("s", 10_000, 100)).await.expect("a sale");
    let ann = won(&app, "ann").await;
    records(&redis, &app).await;
    let raw = redis.raw().await;
    let parts: Vec<String> = raw.run("KEYS", "{red_packet:s}:*").await;
    raw.run::<i64>("DEL", parts).await;
    // A Redis without any sale of the ledger may be another one than was meant.
    searches(&app).await;
    assert_eq!(raw.run::<i64>("EXISTS", keys::LOST.one).await, 0);
    app.red_packet.open(terms("other", 10_000, 100)).await.expect("a sale");
    records(&redis, &app).await;
    searches(&app).await;
    noted(&redis).await;
    looks(&redis, &mut AutomaticRecovery::new((*app).clone())).await;
    let again = claimed(&app, "ann").await;
    assert!(matches!(again, Ok(Outcome::Repeat { packet, .. }) if packet == ann), "{again:?}");
}

/// The program as a whole: the ledger knows more than the Redis that came back.
#[tokio::test]
async fn with_recover_auto_a_running_server_brings_the_sale_back() {
    let mut redis = TestRedis::start().await;
    let stand = Stand::on(&redis.url());
    let mut command = stand.command(&stand.redis, "serve");
    command.args(["--recover", "auto"]);
    let server = Running::start(command).await;
    open(&server, "s", 100).await;
    let mut reported = win(&server, "s", "early", 0..10).await;
    caught_up(&server, "s").await;
    reported.extend(win(&server, "s", "late", 0..10).await);
    caught_up(&server, "s").await;

    redis.crash_without_its_end("late-").await;
    eventually("it is recovered", async || {
        let (status, answer) = server.post("/api/ledger/status", &json!({ "sale": "s" })).await;
        (status == 200 && answer["sales"][0]["recovery"].is_object()).then_some(())
    })
    .await;
    eventually("it is live", async || (snapshot(&server, "s").await["state"] == "open").then_some(())).await;
    all_get_the_original(&server, "s", &reported).await;
    let new = packet(&claim(&server, "s", "new").await, "won");
    assert!(!reported.values().any(|packet| *packet == new), "{new} is somebody's");
    stand.agrees(&server, "s", 21).await;
    let recovery = status(&server, "s").await["sales"][0]["recovery"].clone();
    let lost = ["unseen", "lost_wins", "given_up", "conflicts"].map(|field| recovery[field].as_u64());
    assert_eq!((lost, &recovery["lost_event"]), ([Some(0); 4], &Value::Null), "the ledger had all: {recovery}");
}
