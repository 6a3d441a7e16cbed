//! Two versions of the program on one Redis: the older one refuses what the newer one has written.

use crate::support::{
    app::TestApp,
    kinds::samples,
    program::{Home, Running},
    redis::TestRedis,
    sale::terms,
};
use engine::red_packet::scripts::key;
use model::{error::Code, red_packet::Outcome};
use serde_json::json;
use store::{Store, format::FORMAT, keys};

#[tokio::test]
async fn a_server_writes_its_version_down() {
    let redis = TestRedis::start().await;
    let home = Home::new();
    let mut command = home.serve("127.0.0.1:0");
    command.args(["--redis", &redis.url(), "--data-dir"]).arg(home.data());
    let server = Running::start(command).await;
    assert_eq!(redis.raw().await.run::<u32>("GET", keys::FORMAT.one).await, FORMAT);
    server.stop().await;
}

#[tokio::test]
async fn where_a_newer_program_serves_an_older_one_does_not_start_and_opens_nothing_more() {
    let redis = TestRedis::start().await;
    let (app, raw) = (TestApp::on(&redis).await, redis.raw().await);
    app.red_packet.open(terms("s", 100, 10)).await.expect("a sale");
    raw.run::<String>("SET", (keys::FORMAT.one, FORMAT + 1)).await;
    let error = Store::connect(&redis.url(), stampede::server::scripts()).await.err().expect("a refusal").to_string();
    assert!(error.contains("A newer version of Stampede uses this Redis") && error.contains("start that version"));
    for opened in [
        app.red_packet.open(terms("new", 100, 10)).await.expect_err("newer"),
        app.store.ready().await.expect_err("newer"),
        app.store.claim_format().await.expect_err("newer"),
    ] {
        assert_eq!(opened.code, Code::StoreRefused, "{opened}");
    }
    assert!(!raw.run::<bool>("EXISTS", key("new", "meta")).await);
    // It ends what it has begun, unless the newer program has changed the sale.
    let outcome = app.red_packet.claim("s", "ann".into(), None).await;
    assert!(matches!(outcome, Ok(Outcome::Won { .. })), "{outcome:?}");
    raw.run::<i64>("HSET", (key("s", "meta"), "format", FORMAT + 1)).await;
    let refused = app.red_packet.claim("s", "bob".into(), None).await.expect_err("newer");
    assert_eq!(refused.code, Code::StoreRefused);
    assert!(refused.message.contains("newer version of Stampede, so nothing was tried"), "{refused}");
    assert_eq!(raw.run::<i64>("HLEN", key("s", "claimants")).await, 1);
}

/// An older program may not be able to read it, but that is no damage.
#[tokio::test]
async fn what_a_newer_program_writes_in_another_form_suspends_no_sale() {
    let redis = TestRedis::start().await;
    let raw = redis.raw().await;
    let server = TestApp::on(&redis).await.serve().await;
    for sample in samples() {
        let (path, terms) = sample.open_request("s");
        assert_eq!(server.post(&path, &terms).await.0, 200);
        let meta = keys::sale(sample.kind, "s", "meta");
        let form = ("state", "paused", "hall", "{}", "table", "?", "basis", "?", "generation", "?", "sum", "?");
        raw.run::<i64>("HSET", (&meta, "format", FORMAT + 1, form)).await;
        let (path, attempt) = sample.attempt_request("s", "ann");
        let (status, answer) = server.post(&path, &attempt).await;
        assert_eq!((status, &answer["error"]["code"]), (503, &json!("store_refused")), "{answer}");
        assert_eq!(raw.run::<String>("HGET", (&meta, "state")).await, "paused", "{}", sample.kind);
    }
}

#[tokio::test]
async fn an_entry_of_a_newer_program_is_set_aside_whole() {
    let redis = TestRedis::start().await;
    let (app, raw) = (TestApp::on(&redis).await, redis.raw().await);
    app.red_packet.open(terms("s", 100, 10)).await.expect("a sale");
    let entry = (key("s", "events"), "*", "type", "refunded", "at", 1, "cents", 7, "format", FORMAT + 1);
    raw.run::<String>("XADD", entry).await;
    app.writer("one").catch_up().await.expect("the ledger");
    let letters = app.ledger.dead_letters(None, None).await.expect("letters");
    let [letter] = letters.as_slice() else { panic!("{letters:?}") };
    assert!(letter.reason.contains("was written by a newer version of Stampede"), "{letter:?}");
    let known = app.ledger.sale("red_packet", "s").await.expect("a ledger").expect("a sale");
    assert!(!known.closed, "it was not taken for what it seems to be");
}
