//! The red packet service: opening in chunks, what is known of a sale, and the list of sales.

use crate::support::{
    app::TestApp,
    proxy::{FaultProxy, Hold},
    redis::TestRedis,
    sale::{LIFE_S, START, clock, stored, terms},
};
use engine::red_packet::scripts::{Holding, OPEN, key};
use model::{
    Cents, SaleState, Verdict,
    error::Code,
    list::{ListQuery, SaleSummary},
    red_packet::{MAX_COUNT, Outcome, Splitter, State, Terms},
};
use store::{clock::RedisClock, runtime::Clock};

#[tokio::test]
async fn a_sale_holds_the_very_packets_of_its_split_in_their_order() {
    let redis = TestRedis::start().await;
    let app = TestApp::on(&redis).await;
    app.red_packet.open(terms("s", 50_000, 5_000)).await.expect("a sale");
    let split = Splitter::DoubleMean.split(50_000, 5_000, 7);
    let expected: Vec<String> = (1..).zip(&split).map(|(no, cents)| format!("{no}:{cents}")).collect();
    let sale = stored(&redis.raw().await, "s").await;
    assert_eq!(sale.pending, expected);
    let width: Cents = sale.meta["bucket_cents"].parse().expect("a width");
    let largest = *split.iter().max().expect("packets");
    assert!(largest <= 24 * width && largest > 24 * (width - 1), "24 columns hold {largest} at {width} each");
}

#[tokio::test]
async fn a_million_packets_are_opened_in_chunks_and_audited() {
    let redis = TestRedis::start().await;
    let raw = redis.raw().await;
    let app = TestApp::on(&redis).await;
    let million = MAX_COUNT as Cents;
    let terms = Terms { splitter: Splitter::Equal, ..terms("s", 2 * million + 1, MAX_COUNT) };
    raw.run::<()>("CONFIG", "RESETSTAT").await;
    app.red_packet.open(terms).await.expect("a sale");
    let snapshot = app.red_packet.snapshot("s").await.expect("a snapshot");
    assert_eq!((snapshot.state, snapshot.pending, snapshot.pending_cents), (State::Open, MAX_COUNT, 2 * million + 1));
    // One push a chunk, of 4,096 packets: Redis is free in between.
    let stats: String = raw.run("INFO", "commandstats").await;
    assert!(stats.contains(&format!("cmdstat_rpush:calls={},", MAX_COUNT.div_ceil(4_096))), "{stats}");
    let won = app.red_packet.claim("s", "ann".into(), None).await.expect("an outcome");
    assert_eq!(won, Outcome::Won { packet: 1, cents: 3 });
}

#[tokio::test]
async fn an_opening_that_was_cut_off_goes_on_where_it_ended() {
    let redis = TestRedis::start().await;
    let proxy = FaultProxy::before(&redis).await;
    let (cut_off, healthy) = (TestApp::at(&redis, &proxy.url, clock(), 1).await, TestApp::on(&redis).await);
    let terms = terms("s", 40_000, 20_000);
    // The data format is read, the sale is registered and two chunks are loaded; Redis executes the next call, but its
    // reply is lost.
    proxy.cut_after(4);
    let opened = cut_off.red_packet.open(terms.clone()).await;
    let error = opened.expect_err("the wire was cut");
    assert_eq!(error.code, Code::Unavailable);
    let half = healthy.red_packet.snapshot("s").await.expect("a snapshot");
    assert_eq!(half.state, State::Opening);
    assert_eq!(half.pending, 3 * 4_096);
    let error = healthy.red_packet.claim("s", "ann".into(), None).await.expect_err("not open");
    assert_eq!(error.code, Code::SaleOpening);

    healthy.red_packet.open(terms).await.expect("the rest");
    let whole = healthy.red_packet.snapshot("s").await.expect("a snapshot");
    assert_eq!((whole.state, whole.pending), (State::Open, 20_000));
    assert_eq!(healthy.red_packet.audit("s").await.expect("an audit").verdict, Verdict::Holds);
}

/// Both find that no seed was drawn yet.
#[tokio::test]
async fn two_who_open_the_same_sale_at_once_without_a_seed_both_have_it() {
    let redis = TestRedis::start().await;
    let wire = FaultProxy::before(&redis).await;
    let (late, early) = (TestApp::at(&redis, &wire.url, clock(), 2).await, TestApp::on(&redis).await);
    let terms = Terms { seed: None, ..terms("s", 40_000, 20_000) };
    wire.hold(Hold::Command, OPEN.sha());
    let ours = terms.clone();
    let opening = tokio::spawn(async move { late.red_packet.open(ours).await });
    wire.holds().await;
    early.red_packet.open(terms.clone()).await.expect("a sale");
    wire.heal();
    opening.await.expect("no panic").expect("the same sale");
    let snapshot = early.red_packet.snapshot("s").await.expect("a snapshot");
    assert_eq!((snapshot.pending, snapshot.pending_cents), (20_000, 40_000));
    let other = Terms { count: 19_999, ..terms };
    assert_eq!(early.red_packet.open(other).await.expect_err("other terms").code, Code::SaleExists);
}

#[tokio::test]
async fn opening_again_without_a_seed_means_the_same_sale() {
    let redis = TestRedis::start().await;
    let app = TestApp::on(&redis).await;
    let terms = Terms { seed: None, ..terms("s", 1_000, 10) };
    app.red_packet.open(terms.clone()).await.expect("a sale");
    let before = stored(&redis.raw().await, "s").await;
    app.red_packet.open(terms).await.expect("the same sale");
    assert_eq!(stored(&redis.raw().await, "s").await, before);
}

#[tokio::test]
async fn other_terms_under_the_same_id_are_refused_by_name() {
    let redis = TestRedis::start().await;
    let app = TestApp::on(&redis).await;
    app.red_packet.open(terms("s", 1_000, 10)).await.expect("a sale");
    let error = app.red_packet.open(terms("s", 1_001, 10)).await.expect_err("another sale");
    assert_eq!((error.code, error.field.as_deref()), (Code::SaleExists, Some("id")));
}

#[tokio::test]
async fn holdings_are_told_in_the_order_of_the_users() {
    let redis = TestRedis::start().await;
    let app = TestApp::on(&redis).await;
    app.red_packet.open(Terms { splitter: Splitter::Equal, ..terms("s", 7, 3) }).await.expect("a sale");
    for user in ["ann", "bob"] {
        app.red_packet.claim("s", user.into(), None).await.expect("an outcome");
    }
    let users = ["bob", "eve", "ann"].map(str::to_owned);
    let holdings = app.red_packet.holdings("s", &users).await.expect("holdings");
    assert_eq!(holdings, [Some(Holding { packet: 2, cents: 2 }), None, Some(Holding { packet: 1, cents: 3 })]);
}

#[tokio::test]
async fn a_page_of_the_list_has_fifty_sales_newest_first_with_what_is_left() {
    let redis = TestRedis::start().await;
    let app = TestApp::on(&redis).await;
    assert_eq!(listed(&app).await, []);
    for nth in 0..52 {
        app.red_packet.open(terms(&format!("s{nth}"), 100, 5)).await.expect("a sale");
        app.time.advance(1);
    }
    app.red_packet.claim("s51", "ann".into(), None).await.expect("an outcome");
    let summaries = listed(&app).await;
    let sales: Vec<&str> = summaries.iter().map(|summary| summary.sale.as_str()).collect();
    let expected: Vec<String> = (2..52).rev().map(|nth| format!("s{nth}")).collect();
    assert_eq!(sales, expected);
    assert_eq!((summaries[0].left, summaries[1].left), (Some(4), Some(5)));
    assert_eq!(summaries[0].opened_at, START + 51);
    assert_eq!(summaries[0].details["expires_at"], START + 51 + LIFE_S * 1_000);
    app.time.advance(LIFE_S * 1_000);
    assert!(listed(&app).await.iter().all(|summary| summary.state == SaleState::Expired));
}

async fn listed(app: &TestApp) -> Vec<SaleSummary> {
    app.lists.list(ListQuery::default()).await.expect("the sales").sales
}

/// The sale is registered, and the connection fails before the first packet: it must not be listed.
#[tokio::test]
async fn a_sale_without_a_packet_is_not_listed() {
    let redis = TestRedis::start().await;
    let app = TestApp::on(&redis).await;
    redis.raw().await.run::<i64>("ZADD", ("stampede:sales", START, "red_packet:ghost")).await;
    assert_eq!(listed(&app).await, []);
}

#[tokio::test]
async fn a_script_that_fails_is_told_as_refused_or_unknown_and_its_reason_stays_on_the_server() {
    let redis = TestRedis::start().await;
    let app = TestApp::on(&redis).await;
    app.red_packet.open(terms("s", 100, 5)).await.expect("a sale");
    let raw = redis.raw().await;
    raw.run::<i64>("DEL", key("s", "pending")).await;
    raw.run::<()>("SET", (key("s", "pending"), "not a list")).await;
    let error = app.red_packet.claim("s", "ann".into(), None).await.expect_err("no outcome");
    assert_eq!(error.code, Code::SaleSuspended);
    assert!(error.message.contains("Nothing was tried") && !error.message.contains("WRONGTYPE"), "{}", error.message);
    // A malformed call is reported, too, and nobody knows what it did.
    assert_eq!(app.store.eval_on(&OPEN, &[], &[1]).await.expect_err("no keys").code, Code::Unavailable);
}

/// Whatever the machine's own clock says, servers go by that of their Redis.
#[tokio::test]
async fn the_servers_clock_is_that_of_redis() {
    const A_STALL: i64 = 60_000;
    let redis = TestRedis::start().await;
    let (store, raw) = (redis.store().await, redis.raw().await);
    let clock = RedisClock::of(&store).await.expect("a clock");
    let (seconds, _): (i64, i64) = raw.run("TIME", None::<&str>).await;
    let shown = clock.now();
    assert!((shown - seconds * 1_000).abs() < A_STALL, "{shown} {seconds}");
    assert!(clock.now() >= shown, "it goes on");
}
