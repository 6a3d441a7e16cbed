//! A Redis that has lost its newest data gives nothing away, although nobody asks the ledger: the servers that have
//! seen more refuse to go on.

use crate::support::{
    app::TestApp,
    eventually,
    ledger::sqlite,
    redis::TestRedis,
    sale::{clock, open_seats, reserve},
};
use engine::{kind::KindService, red_packet::scripts::key};
use futures::future::join_all;
use ledger::kind::DeadLetters;
use model::{
    Audit, Verdict,
    error::{Code, Error, Result},
    red_packet::{self, Outcome},
    ticket,
};
use sqlx::Executor;
use std::{
    collections::{BTreeMap, BTreeSet},
    sync::Arc,
};
use store::runtime::ManualClock;

/// Two servers on one Redis, whose writers stand still: nobody looks into the ledger.
async fn two(redis: &TestRedis) -> (TestApp, TestApp) {
    let time = clock();
    (TestApp::at(redis, &redis.url(), time.clone(), 1).await, TestApp::at(redis, &redis.url(), time, 2).await)
}

async fn open(app: &TestApp, sale: &str) {
    app.red_packet.open(crate::support::sale::terms(sale, 10_000, 100)).await.expect("a sale");
}

async fn win(app: &TestApp, user: &str) -> u32 {
    match app.red_packet.claim("s", user.into(), None).await {
        Ok(Outcome::Won { packet, .. }) => packet,
        other => panic!("{user}: {other:?}"),
    }
}

/// Tries until there is an answer: after an outage, a server reconnects first.
async fn answer<T>(attempt: impl AsyncFn() -> Result<T>) -> Result<T> {
    eventually("an answer", async || match attempt().await {
        Err(Error { code: Code::Unavailable, .. }) => None,
        answer => Some(answer),
    })
    .await
}

async fn assert_suspended<T: std::fmt::Debug>(what: &str, attempt: impl AsyncFn() -> Result<T>) {
    let refused = answer(attempt).await.expect_err(what);
    assert_eq!(refused.code, Code::SaleSuspended, "{what}: {refused}");
    assert!(refused.message.contains("Nothing was tried; run `stampede recover "), "{what}: {refused}");
}

async fn claimants(redis: &TestRedis) -> i64 {
    redis.raw().await.run("HLEN", key("s", "claimants")).await
}

/// Everybody who won a packet is answered with the same one again, and the sale goes on.
async fn goes_on(app: &TestApp, reported: &BTreeMap<&str, u32>) {
    for (user, reported) in reported {
        let again = app.red_packet.claim("s", (*user).into(), None).await;
        assert!(matches!(again, Ok(Outcome::Repeat { packet, .. }) if packet == *reported), "{user}: {again:?}");
    }
    let new = win(app, "new").await;
    assert!(!reported.values().any(|packet| *packet == new), "{new} is somebody's");
    sound("the sale", async || app.red_packet.audit("s").await).await;
}

/// The audit holds, once it can look: each connection of a server comes back by itself.
async fn sound(sale: &str, audit: impl AsyncFn() -> Result<Audit>) {
    let verdict = eventually("an audit", async || {
        Some(audit().await.ok()?.verdict).filter(|verdict| *verdict != Verdict::Unknown)
    });
    assert_eq!(verdict.await, Verdict::Holds, "{sale}");
}

#[tokio::test]
async fn a_redis_without_its_end_gives_no_packet_away_until_the_sale_is_recovered() {
    let mut redis = TestRedis::durable().await;
    let (app, other) = two(&redis).await;
    open(&app, "s").await;
    let mut reported = BTreeMap::from([("early", win(&app, "early").await)]);
    reported.insert("late", win(&app, "late").await);
    app.writer("one").catch_up().await.expect("the ledger");

    redis.crash_without_its_end("late").await;
    assert_suspended("a claim", async || app.red_packet.claim("s", "new".into(), None).await).await;
    assert_eq!(claimants(&redis).await, 1, "nobody was given anything");
    // Those who saw nothing get the same answer, and the page says it.
    assert_suspended("at another", async || other.red_packet.claim("s", "new".into(), None).await).await;
    let snapshot = answer(async || other.red_packet.snapshot("s").await).await.expect("a snapshot");
    assert_eq!(snapshot.state, red_packet::State::Suspended);

    answer(async || app.red_packet.recover("s", DeadLetters::Refuse).await).await.expect("recovered");
    goes_on(&app, &reported).await;
    win(&other, "another").await;
    // What was seen since counts as before.
    redis.crash_without_its_end("another").await;
    assert_suspended("again", async || other.red_packet.claim("s", "third".into(), None).await).await;
}

/// The one that has seen less goes on for a moment, so that the stream's end is later than what is lost.
#[tokio::test]
async fn a_server_that_has_seen_more_stops_the_sale_also_after_another_has_gone_on() {
    let mut redis = TestRedis::durable().await;
    let (app, other) = two(&redis).await;
    open(&app, "s").await;
    win(&other, "early").await;
    win(&app, "late").await;
    redis.crash_without_its_end("late").await;
    let given = answer(async || other.red_packet.claim("s", "hasty".into(), None).await).await;
    assert!(matches!(given, Ok(Outcome::Won { .. })), "{given:?}");
    assert_suspended("a claim", async || app.red_packet.claim("s", "new".into(), None).await).await;
    assert_suspended("at the other", async || other.red_packet.claim("s", "new".into(), None).await).await;
    assert_eq!(claimants(&redis).await, 2);
}

/// Money is neither refunded nor paid on what Redis no longer knows: each of these would be the first to notice.
#[tokio::test]
async fn whatever_changes_a_sale_notices_the_loss() {
    let mut redis = TestRedis::durable().await;
    let app = TestApp::on(&redis).await;
    for sale in ["claim", "refund", "close"] {
        open(&app, sale).await;
    }
    let tickets = ["reserve", "pay", "cancel", "expire", "shut"];
    let mut orders = BTreeMap::new();
    for sale in tickets {
        open_seats(&app, sale).await;
        orders.insert(sale, hold(&app, sale, "early").await);
    }
    for sale in ["claim", "refund", "close"] {
        app.red_packet.claim(sale, "late".into(), None).await.expect("an outcome");
    }
    for sale in tickets {
        hold(&app, sale, "late").await;
    }
    app.writer("one").catch_up().await.expect("the ledger");
    redis.crash_without_its_end("late").await;
    app.time.advance(3_600_000);

    assert_suspended("claim", async || app.red_packet.claim("claim", "new".into(), None).await).await;
    assert_suspended("refund", async || app.red_packet.refund("refund").await).await;
    assert_suspended("close", async || app.red_packet.close("close").await).await;
    assert_suspended("reserve", async || reserve(&app, "reserve", "new").await).await;
    assert_suspended("pay", async || app.tickets.pay("pay", orders["pay"].clone(), None).await).await;
    assert_suspended("cancel", async || {
        app.tickets.cancel("cancel", orders["cancel"].clone(), String::new(), None).await
    })
    .await;
    assert_suspended("expire", async || app.tickets.expire("expire").await).await;
    assert_suspended("shut", async || app.tickets.close("shut").await).await;

    for sale in tickets {
        let recovered = answer(async || app.tickets.recover(sale, DeadLetters::Refuse).await).await.expect("recovered");
        assert_eq!(recovered.won, 2, "{sale}");
        sound(sale, async || app.tickets.audit(sale).await).await;
        reserve(&app, sale, "new").await.expect("an order");
    }
}

/// The order of a user who is given a seat.
async fn hold(app: &TestApp, sale: &str, user: &str) -> String {
    match reserve(app, sale, user).await {
        Ok(ticket::Outcome::Held(order)) => order.order,
        other => panic!("{user}: {other:?}"),
    }
}

/// A real replica, cut off from its primary for a while, takes the place of the primary, which is gone.
#[tokio::test]
async fn a_promoted_replica_that_lagged_gives_nothing_away_until_the_sales_are_recovered() {
    let mut redis = TestRedis::start().await;
    let (app, other) = two(&redis).await;
    open(&app, "s").await;
    open_seats(&app, "t").await;
    let mut reported = BTreeMap::from([("early", win(&app, "early").await)]);
    hold(&app, "t", "early").await;
    let replica = redis.lagging_replica().await;
    reported.insert("late", win(&app, "late").await);
    let order = hold(&other, "t", "late").await;
    app.writer("one").catch_up().await.expect("the ledger");

    redis.fail_over_to(replica).await;
    assert_suspended("a claim", async || app.red_packet.claim("s", "new".into(), None).await).await;
    assert_suspended("a payment", async || other.tickets.pay("t", order.clone(), None).await).await;
    assert_suspended("a reservation", async || reserve(&app, "t", "new").await).await;
    assert_eq!(claimants(&redis).await, 1);

    answer(async || app.red_packet.recover("s", DeadLetters::Refuse).await).await.expect("recovered");
    answer(async || app.tickets.recover("t", DeadLetters::Refuse).await).await.expect("recovered");
    goes_on(&other, &reported).await;
    assert!(matches!(other.tickets.pay("t", order, None).await, Ok(ticket::Paid::Paid(_))));
    sound("t", async || app.tickets.audit("t").await).await;
}

#[tokio::test]
async fn a_promoted_replica_that_has_all_goes_on() {
    let mut redis = TestRedis::start().await;
    let (app, other) = two(&redis).await;
    open(&app, "s").await;
    win(&app, "early").await;
    win(&other, "late").await;
    let replica = redis.lagging_replica().await;
    redis.fail_over_to(replica).await;
    for (app, user) in [(&app, "one"), (&other, "another")] {
        let given = answer(async || app.red_packet.claim("s", user.into(), None).await).await;
        assert!(matches!(given, Ok(Outcome::Won { .. })), "{given:?}");
    }
}

/// Another server sells so much of other things that what tells of the loss is trimmed before the first one comes back.
async fn trimmed_meanwhile(app: &TestApp, other: &TestApp, redis: &TestRedis) {
    let given = answer(async || other.red_packet.claim("s", "hasty".into(), None).await).await;
    assert!(matches!(given, Ok(Outcome::Won { .. })), "{given:?}");
    for number in 0..130 {
        win(other, &format!("u{number}")).await;
    }
    let mut writer = other.writer("one");
    eventually("the ledger has it", async || writer.catch_up().await.ok()).await;
    assert_eq!(redis.raw().await.run::<i64>("XLEN", key("s", "events")).await, 64);
    let status = answer(async || app.ledger_service.status(Some("s")).await).await.expect("a status");
    assert_eq!(status.sales[0].lag_events, 0);
}

/// Neither recorded nor replicated: only the server that was told so knows.
#[tokio::test]
async fn a_promoted_replica_that_has_sold_and_trimmed_since_gives_nothing_away_again() {
    let mut redis = TestRedis::start().await;
    let (app, other) = two(&redis).await;
    app.red_packet.open(crate::support::sale::terms("s", 100_000, 1_000)).await.expect("a sale");
    win(&app, "early").await;
    let replica = redis.lagging_replica().await;
    win(&app, "late").await;
    redis.fail_over_to(replica).await;
    trimmed_meanwhile(&app, &other, &redis).await;
    assert_suspended("a claim", async || app.red_packet.claim("s", "new".into(), None).await).await;
    assert_suspended("at the other", async || other.red_packet.claim("s", "new".into(), None).await).await;
    assert_eq!(claimants(&redis).await, 132, "early, hasty and 130 others");
    let mut writer = other.writer("one");
    writer.catch_up().await.expect("the ledger");
    let recovered = answer(async || app.red_packet.recover("s", DeadLetters::Refuse).await).await.expect("recovered");
    assert_eq!((recovered.won, recovered.conflicts), (132, vec![]));
    win(&app, "new").await;
}

/// A server that has had no answer for a while, while nothing was lost: the ledger says so.
#[tokio::test]
async fn what_was_trimmed_while_a_server_was_idle_is_looked_up() {
    let redis = TestRedis::start().await;
    let (app, other) = two(&redis).await;
    app.red_packet.open(crate::support::sale::terms("s", 100_000, 1_000)).await.expect("a sale");
    win(&app, "early").await;
    trimmed_meanwhile(&app, &other, &redis).await;
    // Nobody can tell: nothing is tried, and nothing suspended.
    let mut beside = sqlite(redis.folder()).await;
    beside.execute("ALTER TABLE history RENAME TO away").await.expect("no history");
    let refused = app.red_packet.claim("s", "new".into(), None).await.expect_err("nobody knows");
    assert_eq!(refused.code, Code::LedgerUnavailable, "{refused}");
    assert!(refused.message.contains("Nothing was tried"), "{refused}");
    win(&other, "meanwhile").await;
    beside.execute("ALTER TABLE away RENAME TO history").await.expect("the history");
    win(&app, "new").await;
    sound("s", async || app.red_packet.audit("s").await).await;
}

/// The ledger's last entry came from a clock ahead of the replica's: what the replica acknowledges has ids before it, which
/// no writer reads. The recovery names it, and keeps it as a dead letter.
#[tokio::test]
async fn what_a_promoted_replica_acknowledged_before_the_ledgers_position_is_named() {
    let mut redis = TestRedis::start().await;
    let (app, other) = two(&redis).await;
    open(&app, "s").await;
    open_seats(&app, "t").await;
    win(&app, "early").await;
    hold(&app, "t", "early").await;
    let replica = redis.lagging_replica().await;
    for events in [key("s", "events"), engine::ticket::scripts::key("t", "events")] {
        redis.raw().await.run::<String>("XSETID", (events, "9999999999999-0")).await;
    }
    win(&app, "late").await;
    let late = hold(&app, "t", "late").await;
    app.writer("one").catch_up().await.expect("the ledger");
    redis.fail_over_to(replica).await;
    let given = answer(async || other.red_packet.claim("s", "hasty".into(), None).await).await;
    assert!(matches!(given, Ok(Outcome::Won { .. })), "{given:?}");
    let given = answer(async || reserve(&other, "t", "hasty").await).await;
    let Ok(ticket::Outcome::Held(held)) = given else { panic!("{given:?}") };
    let order = held.order;
    let mut writer = other.writer("one");
    eventually("the ledger looks", async || writer.catch_up().await.ok()).await;

    let refused =
        answer(async || app.red_packet.recover("s", DeadLetters::Refuse).await).await.expect_err("a dead letter");
    assert!(refused.message.contains("They are: won 2 of hasty at "), "{refused}");
    let recovered = answer(async || app.red_packet.recover("s", DeadLetters::GiveUp).await).await.expect("recovered");
    assert_eq!((recovered.won, recovered.dead_letters, recovered.conflicts), (2, 1, vec![]));
    let [change] = recovered.unrecorded.as_slice() else { panic!("{:?}", recovered.unrecorded) };
    assert!(change.starts_with("won 2 of hasty at "), "{change}");
    let recovered = answer(async || app.tickets.recover("t", DeadLetters::GiveUp).await).await.expect("recovered");
    let [change] = recovered.unrecorded.as_slice() else { panic!("{recovered:?}") };
    assert!(change.starts_with("held A-") && change.contains(&format!(" in order {order} of hasty at ")), "{change}");
    let aside = app.ledger.dead_letters(None, None).await.expect("a list");
    assert_eq!(aside.len(), 2, "{aside:?}");
    writer.catch_up().await.expect("the ledger");
    sound("s", async || app.red_packet.audit("s").await).await;
    sound("t", async || app.tickets.audit("t").await).await;
    let paid = answer(async || app.tickets.pay("t", late.clone(), None).await).await;
    assert!(matches!(paid, Ok(ticket::Paid::Paid(_))), "{paid:?}");
    assert!(app.tickets.pay("t", order, None).await.is_err(), "it is not restored");
}

/// Somebody has set the generation by hand, to a time to come; the servers have been told.
#[tokio::test]
async fn a_recovery_goes_on_later_than_whatever_servers_were_told() {
    let redis = TestRedis::start().await;
    let (app, raw) = (TestApp::on(&redis).await, redis.raw().await);
    open(&app, "s").await;
    raw.run::<i64>("HSET", (key("s", "meta"), "generation", "9999999999999-0")).await;
    win(&app, "early").await;
    app.writer("one").catch_up().await.expect("the ledger");
    raw.run::<i64>("HSET", (key("s", "meta"), "generation", "1-0")).await;
    assert_suspended("a claim", async || app.red_packet.claim("s", "new".into(), None).await).await;
    app.red_packet.recover("s", DeadLetters::Refuse).await.expect("recovered");
    win(&app, "new").await;
    app.writer("one").catch_up().await.expect("the ledger");
    // Nothing comes after the last id that there is.
    let last = "18446744073709551615-18446744073709551615";
    raw.run::<i64>("HSET", (key("s", "meta"), "generation", last, "state", "suspended")).await;
    let refused = app.red_packet.recover("s", DeadLetters::Refuse).await.expect_err("nothing can come after it");
    assert!(refused.message.contains("nothing was recovered"), "{refused}");
    assert_eq!(claimants(&redis).await, 2);
}

/// Redis is brought back to the time before a recovery, which is not what this server has seen last.
#[tokio::test]
async fn a_redis_from_before_a_recovery_gives_nothing_away() {
    let redis = TestRedis::start().await;
    let (app, raw) = (TestApp::on(&redis).await, redis.raw().await);
    open(&app, "s").await;
    win(&app, "early").await;
    app.writer("one").catch_up().await.expect("the ledger");
    let parts = ["pending", "claimants", "meta", "stats", "events"].map(|part| key("s", part));
    let mut before = Vec::new();
    for part in &parts {
        before.push(raw.run::<Vec<u8>>("DUMP", part).await);
    }
    raw.run::<i64>("DEL", &parts).await;
    answer(async || app.red_packet.recover("s", DeadLetters::Refuse).await).await.expect("recovered");
    win(&app, "late").await;
    for (part, was) in parts.iter().zip(before) {
        raw.run::<String>("RESTORE", (part, 0, was, "REPLACE")).await;
    }
    assert_suspended("a claim", async || app.red_packet.claim("s", "new".into(), None).await).await;
}

/// Redis' clock jumps, and the servers follow it one after the other: each recovery is later than what was before it, to
/// all of them.
#[tokio::test]
async fn a_recovery_counts_as_later_whatever_clocks_show() {
    let redis = TestRedis::start().await;
    let ahead = TestApp::at(&redis, &redis.url(), Arc::new(ManualClock::new(9_000_000_000_000)), 1).await;
    let behind = TestApp::at(&redis, &redis.url(), clock(), 2).await;
    open(&ahead, "s").await;
    open_seats(&ahead, "t").await;
    win(&ahead, "early").await;
    ahead.writer("one").catch_up().await.expect("the ledger");
    for (recovering, user) in [(&behind, "first"), (&ahead, "second"), (&behind, "third")] {
        redis.raw().await.run::<String>("FLUSHALL", "SYNC").await;
        answer(async || recovering.red_packet.recover("s", DeadLetters::Refuse).await).await.expect("recovered");
        answer(async || recovering.tickets.recover("t", DeadLetters::Refuse).await).await.expect("recovered");
        // The ledger does not hear of it before Redis has lost it.
        for (app, user) in [(&ahead, format!("a-{user}")), (&behind, format!("b-{user}"))] {
            win(app, &user).await;
            hold(app, "t", &user).await;
        }
    }
    ahead.writer("one").catch_up().await.expect("the ledger");
    sound("s", async || behind.red_packet.audit("s").await).await;
    sound("t", async || behind.tickets.audit("t").await).await;
}

/// Redis lost a sale before the ledger knew it, so its id is free: what was seen of the first does not count.
#[tokio::test]
async fn a_sale_opened_anew_under_an_id_that_nobody_knows_any_more_is_another_sale() {
    let redis = TestRedis::start().await;
    let (app, other) = two(&redis).await;
    for server in [&app, &other] {
        redis.raw().await.run::<String>("FLUSHALL", "SYNC").await;
        server.time.advance(1);
        open(server, "s").await;
        win(&app, "ann").await;
        win(&other, "bob").await;
    }
    // Once it is archived, the id stays taken.
    app.closing.close("red_packet", "s").await.expect("closed");
    app.writer("one").catch_up().await.expect("the ledger");
    app.closing.archive("red_packet", "s").await.expect("archived");
    let refused = app.red_packet.open(crate::support::sale::terms("s", 10_000, 100)).await.expect_err("taken");
    assert_eq!(refused.code, Code::SaleExists);
    let gone = app.red_packet.claim("s", "cid".into(), None).await.expect_err("gone");
    assert_eq!(gone.code, Code::SaleArchived);
}

/// Many batches in flight at four servers, replies in any order, the stream trimmed meanwhile: none is refused.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn under_load_nobody_is_refused_wrongly() {
    const USERS: usize = 4_000;
    let redis = TestRedis::start().await;
    let time = clock();
    let mut servers = Vec::new();
    for seed in 1..=4 {
        servers.push(TestApp::at(&redis, &redis.url(), time.clone(), seed).await);
    }
    let terms = crate::support::sale::terms("s", 1_000_000, USERS as u64);
    servers[0].red_packet.open(terms).await.expect("a sale");
    open_seats(&servers[0], "t").await;
    // In waves of few, so that there are many small batches.
    let claims = async |server: usize| {
        let mut packets = Vec::new();
        let users: Vec<usize> = (server..USERS).step_by(servers.len()).collect();
        for wave in users.chunks(5) {
            let claims = wave.iter().map(|user| servers[server].red_packet.claim("s", format!("u{user}"), None));
            for outcome in join_all(claims).await {
                let Ok(Outcome::Won { packet, .. }) = outcome else { panic!("{outcome:?}") };
                packets.push(packet);
            }
            if packets.len() % 25 == 0 {
                let order = hold(&servers[server], "t", &format!("u{server}-{}", packets.len())).await;
                servers[(server + 1) % 4].tickets.pay("t", order, None).await.expect("a payment");
            }
        }
        packets
    };
    let trimming = async {
        let mut writer = servers[0].writer("one");
        while redis.raw().await.run::<i64>("HLEN", key("s", "claimants")).await < USERS as i64 {
            writer.catch_up().await.expect("the ledger");
        }
    };
    let (all, ()) = tokio::join!(join_all((0..4).map(claims)), trimming);
    let given: BTreeSet<u32> = all.into_iter().flatten().collect();
    assert_eq!(given.len(), USERS);
    assert_eq!(servers[0].red_packet.audit("s").await.expect("an audit").verdict, Verdict::Holds);
    assert_eq!(servers[0].tickets.audit("t").await.expect("an audit").verdict, Verdict::Holds);
}

/// The ledger has the sale as it was opened; Redis has lost the end of the opening.
#[tokio::test]
async fn a_sale_that_was_open_is_not_opened_to_its_end_again() {
    let redis = TestRedis::start().await;
    let (app, raw) = (TestApp::on(&redis).await, redis.raw().await);
    open(&app, "s").await;
    win(&app, "ann").await;
    app.writer("one").catch_up().await.expect("the ledger");
    raw.run::<i64>("HSET", (key("s", "meta"), "state", "opening")).await;
    raw.run::<i64>("DEL", &[key("s", "events"), key("s", "claimants"), key("s", "stats")]).await;
    raw.run::<String>("LTRIM", (key("s", "pending"), 0, 9)).await;
    let server = TestApp::at(&redis, &redis.url(), clock(), 2).await;
    let refused = server.red_packet.open(crate::support::sale::terms("s", 10_000, 100)).await.expect_err("lost");
    assert_eq!(refused.code, Code::SaleSuspended);
    answer(async || app.red_packet.recover("s", DeadLetters::Refuse).await).await.expect("recovered");
    win(&server, "bob").await;
}
