//! Explaining an attempt: each command of the script that decides, on a copy of the sale, which is not touched.

use crate::support::{
    app::TestApp,
    redis::{Raw, TestRedis},
    sale::terms,
};
use futures::future::join_all;
use serde_json::{Value, json};
use stampede::{
    error::Code,
    sales::{KINDS, kind},
    store::trace::MOST_BYTES,
};
use std::collections::BTreeMap;

/// Every key with what it holds, byte for byte.
async fn dump(raw: &Raw) -> BTreeMap<String, Vec<u8>> {
    let mut held = BTreeMap::new();
    for key in raw.run::<Vec<String>>("KEYS", "*").await {
        held.insert(key.clone(), raw.run("DUMP", key.as_str()).await);
    }
    held
}

#[tokio::test(flavor = "multi_thread")]
async fn an_attempt_of_each_kind_is_explained_and_its_sale_is_not_touched() {
    let redis = TestRedis::start().await;
    let server = TestApp::on(&redis).await.serve().await;
    let demos = server.app.lists.open_demos().await;
    assert_eq!(demos.len(), KINDS.len());
    let (raw, beside) = (redis.raw().await, Raw::at(&format!("{}?db=1", redis.url())).await);
    for (kind, sale) in demos {
        let sale = sale.expect("a demonstration sale");
        if kind.id == "stock" {
            // Cached by the first who comes.
            let deduct = json!({ "sale": sale, "user": "bob", "quantity": 1 });
            assert_eq!(server.post("/api/stock/deduct", &deduct).await.0, 200);
        }
        let before = dump(&raw).await;
        let request = json!({ "kind": kind.id, "sale": sale, "user": "ann" });
        let (status, explanation) = server.post("/api/sales/explain", &request).await;
        assert_eq!(status, 200, "{explanation}");
        assert_eq!(dump(&raw).await, before, "{}", kind.id);
        assert_eq!(beside.keys().await, 0, "and nothing is left of the copy");

        assert_eq!(explanation["has_ended"], true, "{explanation}");
        assert!(explanation["reply"].as_str().is_some_and(|reply| reply.starts_with("[0, ")), "{explanation}");
        let script = kind::scripts().find(|script| script.name == explanation["script"]).expect("its script");
        let lines: Vec<&str> = script.source.lines().collect();
        let commands = explanation["commands"].as_array().expect("commands");
        for command in commands {
            let words = command["words"].as_array().expect("words");
            assert!(words.iter().all(|word| !word.as_str().expect("text").contains("}:")), "{command}");
            if let Some(line) = command["line"].as_u64() {
                assert!(lines[line as usize - 1].contains("redis."), "{command}: {}", lines[line as usize - 1]);
            }
        }
        let has = |verb: &str, key: &str| {
            commands.iter().any(|command| command["words"][0] == verb && command["words"][1] == key)
        };
        assert!(has("HMGET", "meta") && has("XADD", "events"), "{explanation}");
    }
}

/// The commands before the end are there, and say why.
#[tokio::test]
async fn a_script_that_breaks_off_is_explained_up_to_there() {
    let redis = TestRedis::start().await;
    let server = TestApp::on(&redis).await.serve().await;
    server.app.red_packet.open(terms("p", 100, 5)).await.expect("a sale");
    let raw = redis.raw().await;
    raw.run::<()>("DEL", "{red_packet:p}:stats").await;
    raw.run::<()>("SET", ("{red_packet:p}:stats", "no hash")).await;
    let request = json!({ "kind": "red_packet", "sale": "p", "user": "ann" });
    let (status, explanation) = server.post("/api/sales/explain", &request).await;
    assert_eq!((status, &explanation["has_ended"]), (200, &json!(false)), "{explanation}");
    assert!(explanation["reply"].as_str().is_some_and(|reply| reply.contains("UNTRIED")), "{explanation}");
    assert!(explanation["commands"].as_array().is_some_and(|commands| !commands.is_empty()), "{explanation}");
    let beside = Raw::at(&format!("{}?db=1", redis.url())).await;
    assert_eq!(beside.keys().await, 0, "and nothing is left of the copy");
}

/// Neither the key of the codes, nor a code of somebody.
#[tokio::test]
async fn explaining_tells_no_code_of_a_coupon() {
    let redis = TestRedis::start().await;
    let server = TestApp::on(&redis).await.serve().await;
    assert_eq!(server.post("/api/coupon/open", &json!({ "id": "c", "total": 9 })).await.0, 200);
    let (_, claimed) = server.post("/api/coupon/claim", &json!({ "sale": "c", "user": "ann" })).await;
    let code = claimed["code"].as_str().expect("a code");
    let basis: String = redis.raw().await.run("HGET", ("{coupon:c}:meta", "basis")).await;
    let key = basis.split(' ').next_back().expect("a key");
    let request = json!({ "kind": "coupon", "sale": "c", "user": "ann" });
    let (status, explanation) = server.post("/api/sales/explain", &request).await;
    let text = explanation.to_string();
    assert_eq!(status, 200, "{text}");
    assert!(!text.contains(code) && !text.contains(key), "{text}");
    // A reply is shown as Redis gave it, although the script goes on to change what it got.
    let counts = explanation["commands"].as_array().expect("commands").iter().find(|command| {
        command["words"].as_array().is_some_and(|words| words.len() == 4 && words[0] == "HMGET" && words[1] == "counts")
    });
    let reply = counts.expect("what is counted")["reply"].as_str().expect("a reply");
    assert!(reply.contains("total=1") && !reply.contains("total=2"), "{reply}");
}

async fn refusal(server: &crate::support::app::Server, request: Value) -> (u16, String, String) {
    let (status, answer) = server.post("/api/sales/explain", &request).await;
    let text = |name: &str| answer["error"][name].as_str().unwrap_or_default().to_owned();
    (status, text("code"), text("message"))
}

#[tokio::test]
async fn what_cannot_be_explained_is_said_in_a_sentence() {
    let redis = TestRedis::start().await;
    let server = TestApp::on(&redis).await.serve().await;
    server.app.red_packet.open(terms("p", 100, 5)).await.expect("a sale");
    for kind in KINDS {
        let unknown = json!({ "kind": kind.info.id, "sale": "nope", "user": "ann" });
        assert_eq!(refusal(&server, unknown).await.1, "unknown_sale", "{}", kind.info.id);
    }
    // The ledger has it.
    server.app.red_packet.open(terms("lost", 100, 5)).await.expect("a sale");
    let mut writer = server.app.writer("one");
    writer.catch_up().await.expect("the ledger");
    redis.raw().await.run::<i64>("DEL", "{red_packet:lost}:meta").await;
    let lost = json!({ "kind": "red_packet", "sale": "lost", "user": "ann" });
    assert_eq!(refusal(&server, lost).await.1, "sale_lost");
    let raffle = json!({ "kind": "raffle", "sale": "p", "user": "ann" });
    assert_eq!(refusal(&server, raffle).await.1, "bad_request");

    let large = vec![b'x'; MOST_BYTES as usize];
    redis.raw().await.run::<()>("HSET", ("{red_packet:p}:claimants", "bob", large)).await;
    let (status, code, message) = refusal(&server, json!({ "kind": "red_packet", "sale": "p", "user": "ann" })).await;
    assert_eq!((status, code.as_str()), (400, "bad_request"));
    assert!(message.contains("At most 4096 kB are copied"), "{message}");
}

/// What Redis says is for the log.
#[tokio::test]
async fn a_copy_that_redis_forbids_is_refused_without_the_words_of_redis() {
    let redis = TestRedis::start().await;
    let server = TestApp::on(&redis).await.serve().await;
    server.app.red_packet.open(terms("p", 100, 5)).await.expect("a sale");
    redis.raw().await.run::<String>("ACL", ("SETUSER", "default", "-select")).await;
    let (status, code, message) = refusal(&server, json!({ "kind": "red_packet", "sale": "p", "user": "ann" })).await;
    assert_eq!((status, code.as_str()), (503, "store_refused"));
    assert!(
        message.contains("does not let the server's user into") && !message.contains("no permissions"),
        "{message}"
    );
}

/// Each takes its place before anything of it is done.
#[tokio::test]
async fn no_more_than_two_are_explained_at_a_time() {
    let redis = TestRedis::start().await;
    let app = TestApp::on(&redis).await;
    app.red_packet.open(terms("p", 100, 5)).await.expect("a sale");
    let answers = join_all((0..3).map(|_| app.explaining.explain("red_packet", "p", "ann".to_owned()))).await;
    let refusals: Vec<Code> = answers.into_iter().filter_map(Result::err).map(|error| error.code).collect();
    assert_eq!(refusals, [Code::Busy]);
    app.explaining.explain("red_packet", "p", "ann".to_owned()).await.expect("there is room again");
}
