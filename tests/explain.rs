//! Explaining an attempt: each command of the script that decides, on a copy of the sale, which is not touched.

use crate::{
    KINDS,
    support::{
        app::TestApp,
        kinds::samples,
        redis::{Raw, TestRedis},
        sale::terms,
    },
};
use engine::kind;
use futures::future::join_all;
use model::{
    error::Code,
    ticket::{self, HallChoice, Outcome, Pick, SeatRequest, halls::HallName},
};
use serde_json::{Value, json};
use std::collections::{BTreeMap, BTreeSet};
use store::trace::MOST_BYTES;

/// Every key with what it holds, byte for byte. What has no order is sorted: Redis moves it about while it is read.
async fn dump(raw: &Raw) -> BTreeMap<String, Vec<Vec<u8>>> {
    let mut held = BTreeMap::new();
    for key in raw.run::<Vec<String>>("KEYS", "*").await {
        let name = key.as_str();
        let what = match raw.run::<String>("TYPE", name).await.as_str() {
            "hash" => {
                let fields: BTreeMap<Vec<u8>, Vec<u8>> = raw.run("HGETALL", name).await;
                fields.into_iter().flat_map(|(field, value)| [field, value]).collect()
            }
            "set" => {
                let members: BTreeSet<Vec<u8>> = raw.run("SMEMBERS", name).await;
                members.into_iter().collect()
            }
            _ => vec![raw.run("DUMP", name).await],
        };
        held.insert(key, what);
    }
    held
}

#[tokio::test(flavor = "multi_thread")]
async fn an_attempt_of_each_kind_is_explained_and_its_sale_is_not_touched() {
    let redis = TestRedis::start().await;
    let server = TestApp::on(&redis).await.serve().await;
    let raw = redis.raw().await;
    for sample in samples() {
        let kind = sample.kind;
        // The first attempt caches what is cached.
        for (path, body) in [sample.open_request("s"), sample.attempt_request("s", "bob")] {
            assert_eq!(server.post(&path, &body).await.0, 200, "{path}");
        }
        let before = dump(&raw).await;
        let request = json!({ "kind": kind, "sale": "s", "user": "ann" });
        let (status, explanation) = server.post("/api/sales/explain", &request).await;
        assert_eq!(status, 200, "{explanation}");
        assert_eq!(dump(&raw).await, before, "nothing is changed, and nothing is left of the copy ({kind})");

        assert_eq!((&explanation["has_ended"], &explanation["code"]), (&json!(true), &json!("done")), "{explanation}");
        assert!(explanation["reply"].as_str().is_some_and(|reply| reply.starts_with("[0, ")), "{explanation}");
        let script = kind::scripts().find(|script| script.name == explanation["script"]).expect("its script");
        let lines: Vec<&str> = script.source().lines().collect();
        let commands = explanation["commands"].as_array().expect("commands");
        for command in commands {
            let words = command["words"].as_array().expect("words");
            assert!(words.iter().all(|word| !word.as_str().expect("text").contains("}:")), "{command}");
            assert!(command["micros"].is_u64(), "{command}");
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
    let before = raw.keys().await;
    let request = json!({ "kind": "red_packet", "sale": "p", "user": "ann" });
    let (status, explanation) = server.post("/api/sales/explain", &request).await;
    assert_eq!((status, &explanation["has_ended"]), (200, &json!(false)), "{explanation}");
    assert_eq!(explanation["code"], Value::Null, "{explanation}");
    assert!(explanation["reply"].as_str().is_some_and(|reply| reply.contains("WRONGTYPE")), "{explanation}");
    assert!(explanation["commands"].as_array().is_some_and(|commands| !commands.is_empty()), "{explanation}");
    assert_eq!(raw.keys().await, before, "nothing is left of the copy");
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

/// Neither the next own code, as it is spelled and as it is compared, nor one that is given.
#[tokio::test]
async fn explaining_tells_no_own_code() {
    let redis = TestRedis::start().await;
    let server = TestApp::on(&redis).await.serve().await;
    let post = async |path: &str, body: Value| assert_eq!(server.post(path, &body).await.0, 200, "{body}");
    post("/api/coupon/open", json!({ "id": "c", "own_codes": 3 })).await;
    let codes = ["Summer-1", "Winter-2", "AUTUMN3"];
    post("/api/coupon/upload", json!({ "sale": "c", "first": 1, "codes": codes })).await;
    post("/api/coupon/claim", json!({ "sale": "c", "user": "ann" })).await;
    let request = json!({ "kind": "coupon", "sale": "c", "user": "ann" });
    let (status, explanation) = server.post("/api/sales/explain", &request).await;
    let text = explanation.to_string();
    assert_eq!((status, &explanation["code"]), (200, &json!("done")), "{text}");
    for code in ["Summer-1", "SUMMER1", "Winter-2", "W1NTER2", "AUTUMN3"] {
        assert!(!text.contains(code), "{code}: {text}");
    }
}

/// So many fields of a key, or members, that it is not copied whole.
async fn fill(raw: &Raw, key: &str) {
    let fields = (0..1_001).flat_map(|number| [number.to_string(), format!("filler{number}")]);
    let verb = if key.ends_with(":deadlines") { "ZADD" } else { "HSET" };
    raw.run::<i64>(verb, (key, fields.collect::<Vec<_>>())).await;
}

/// The line, the command and the key of each command, and the code.
fn outline(explanation: &Value) -> (Vec<Value>, String) {
    let commands = explanation["commands"].as_array().expect("commands").iter();
    let code = explanation["reply"].as_str().and_then(|reply| reply.split(',').next()).expect("a code");
    (commands.map(|call| json!([call["line"], call["words"][0], call["words"][1]])).collect(), code.to_owned())
}

#[tokio::test(flavor = "multi_thread")]
async fn a_sale_of_each_kind_is_explained_however_many_have_got_something() {
    let redis = TestRedis::start().await;
    let server = TestApp::on(&redis).await.serve().await;
    let raw = redis.raw().await;
    for sample in samples() {
        let (path, terms) = sample.open_request("s");
        assert_eq!(server.post(&path, &terms).await.0, 200);
        let request = json!({ "kind": sample.kind, "sale": "s", "user": "ann" });
        let (_, small) = server.post("/api/sales/explain", &request).await;
        let grows = sample.of.growing_parts;
        for part in grows {
            fill(&raw, &store::keys::sale(sample.kind, "s", part)).await;
        }
        raw.run::<()>("CONFIG", "RESETSTAT").await;
        let (status, large) = server.post("/api/sales/explain", &request).await;
        assert_eq!((status, outline(&large)), (200, outline(&small)), "{large}");
        let script = kind::scripts().find(|script| script.name == large["script"]).expect("its script");
        let copied: String = raw.info("commandstats", "cmdstat_copy").await;
        let whole = script.parts().len() - grows.len();
        assert!(copied.starts_with(&format!("calls={whole},")), "{}: {copied}", sample.kind);
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_sold_out_stadium_is_explained_and_not_touched() {
    let redis = TestRedis::start().await;
    let server = TestApp::on(&redis).await.serve().await;
    let tickets = &server.app.tickets;
    let hall = HallChoice::Hall(HallName::Stadium);
    let terms = ticket::Terms {
        sale: "s".to_owned(),
        hall,
        prices: BTreeMap::new(),
        limit_per_user: 10,
        hold_s: 600,
        extendable: false,
        plan: model::life::Plan::default(),
    };
    let opened = tickets.open(terms).await.expect("a sale");
    let wanted = opened.categories.iter().flat_map(|category| {
        let pick = Pick { category: category.name.clone(), count: 10, adjacent: false, strict: false };
        std::iter::repeat_n(pick, category.capacity as usize / 10)
    });
    let reserved = wanted.enumerate().map(|(number, pick)| {
        let request = SeatRequest { seats: Vec::new(), pick: vec![pick], holders: Vec::new() };
        tickets.reserve("s", format!("u{number}"), None, request)
    });
    // All but ten seats of the best category.
    let outcomes = join_all(reserved.skip(1)).await;
    assert!(outcomes.iter().all(|outcome| matches!(outcome, Ok(Outcome::Held(_)))), "all are held");

    let raw = redis.raw().await;
    let explained = async |user: &str| {
        let before = dump(&raw).await;
        let request = json!({ "kind": "ticket", "sale": "s", "user": user });
        let (status, explanation) = server.post("/api/sales/explain", &request).await;
        assert_eq!((status, &explanation["has_ended"]), (200, &json!(true)), "{explanation}");
        assert!(dump(&raw).await == before, "nothing is changed, and nothing is left of the copy");
        explanation
    };
    let reply_of = |explanation: &Value, verb: &str, key: &str| {
        let mut commands = explanation["commands"].as_array().expect("commands").iter();
        let call = commands.find(|call| call["words"][0] == verb && call["words"][1] == key).expect("the command");
        call["reply"].clone()
    };
    let ann = explained("ann").await;
    assert_eq!(outline(&ann).1, "[0", "{ann}");
    assert_eq!((reply_of(&ann, "HMGET", "bought"), reply_of(&ann, "HSET", "holders")), (json!("[(nil)]"), json!("1")));
    assert_eq!(
        (reply_of(&ann, "ZMSCORE", "deadlines"), reply_of(&ann, "ZADD", "deadlines")),
        (json!("[(nil)]"), json!("1"))
    );
    // What others have got is there as soon as it is looked at.
    let known = explained("u1").await;
    assert_eq!((outline(&known).1.as_str(), reply_of(&known, "HMGET", "bought")), ("[1014", json!("[\"10\"]")));

    let pick = vec![Pick { category: opened.categories[0].name.clone(), count: 10, adjacent: false, strict: false }];
    let last = SeatRequest { seats: Vec::new(), pick, holders: Vec::new() };
    assert!(matches!(tickets.reserve("s", "u0".to_owned(), None, last).await, Ok(Outcome::Held(_))));
    let sold_out = explained("ann").await;
    assert_eq!(outline(&sold_out).1, "[1002", "{sold_out}");
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
    redis.raw().await.run::<()>("XADD", ("{red_packet:p}:events", "*", "filler", large)).await;
    let (status, code, message) = refusal(&server, json!({ "kind": "red_packet", "sale": "p", "user": "ann" })).await;
    assert_eq!((status, code.as_str()), (400, "bad_request"));
    assert!(message.contains("At most 24576 kB are, as"), "{message}");
}

#[tokio::test]
async fn nothing_is_copied_by_who_may_not_or_where_there_is_no_memory() {
    let redis = TestRedis::start().await;
    let server = TestApp::on(&redis).await.serve().await;
    server.app.red_packet.open(terms("p", 100, 5)).await.expect("a sale");
    let raw = redis.raw().await;
    let before = raw.keys().await;
    let request = json!({ "kind": "red_packet", "sale": "p", "user": "ann" });
    for command in ["copy", "unlink", "memory"] {
        raw.run::<String>("ACL", ("SETUSER", "default", format!("-{command}"))).await;
        let (status, code, message) = refusal(&server, request.clone()).await;
        assert_eq!((status, code.as_str()), (503, "store_refused"), "{command}: {message}");
        assert!(!message.contains("no permissions"), "what Redis says is for the log: {message}");
        assert_eq!(raw.keys().await, before, "{command}");
        raw.run::<String>("ACL", ("SETUSER", "default", format!("+{command}"))).await;
    }
    raw.run::<()>("CONFIG", ("SET", "maxmemory", "1mb")).await;
    assert_eq!(refusal(&server, request).await.1, "busy");
    assert_eq!(raw.keys().await, before);
}

/// Each takes its place before anything of it is done.
#[tokio::test]
async fn no_more_than_two_are_explained_at_a_time() {
    let redis = TestRedis::start().await;
    let app = TestApp::on(&redis).await;
    app.red_packet.open(terms("p", 100, 5)).await.expect("a sale");
    let answers = join_all((0..3).map(|_| app.services.explaining.explain("red_packet", "p", "ann".to_owned()))).await;
    let refusals: Vec<Code> = answers.into_iter().filter_map(Result::err).map(|error| error.code).collect();
    assert_eq!(refusals, [Code::Busy]);
    app.services.explaining.explain("red_packet", "p", "ann".to_owned()).await.expect("there is room again");
}
