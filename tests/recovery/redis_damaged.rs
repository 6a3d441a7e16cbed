//! Somebody changes a sale's data in Redis by hand: what cannot be read suspends the sale, and it is rebuilt from the
//! ledger.

use super::*;
use crate::support::{app::TestApp, kinds::samples, redis::TestRedis};
use ledger::kind::DeadLetters;
use tokio::io::{AsyncBufReadExt, BufReader};

impl Stand {
    async fn rebuild(&self, sale: &str) -> Said {
        let mut command = self.command(&self.redis, "recover");
        command.arg("--suspend");
        Said::by(command, sale).await
    }
}

/// A field of the record of a kind's sale without which nothing is decided.
fn needed_field(kind: &str) -> &'static str {
    match kind {
        "red_packet" => "bucket_cents",
        "ticket" => "limit",
        "coupon" => "basis",
        "stock" => "ttl_ms",
        _ => unreachable!("there is no kind {kind}"),
    }
}

#[tokio::test]
async fn what_cannot_be_read_suspends_a_sale_of_each_kind_until_it_is_rebuilt_from_the_ledger() {
    let redis = TestRedis::start().await;
    let stand = Stand::on(&redis.url());
    let server = stand.serve().await;
    let raw = redis.raw().await;
    for sample in samples() {
        let (kind, field) = (sample.kind, needed_field(sample.kind));
        let sale = format!("s {kind}");
        sample.open(&server, &sale).await;
        let attempt = async |user: &str| sample.attempt(&server, &sale, user).await;
        let is_suspended = async |user: &str, why: &str| {
            let (status, answer) = attempt(user).await;
            assert_eq!((status, &answer["error"]["code"]), (503, &json!("sale_suspended")), "{kind}: {why}: {answer}");
        };
        let (status, won) = attempt("ann").await;
        assert_eq!(status, 200, "{won}");
        let refused = stand.recover(&sale).await;
        refused.assert_refused(&format!("`stampede recover --suspend 's {kind}'` suspends it and rebuilds it"));

        let meta = keys::sale(kind, &sale, "meta");
        assert_eq!(raw.run::<i64>("HDEL", (&meta, field)).await, 1, "{kind} has a {field}");
        is_suspended("bob", field).await;
        let back = stand.recover(&sale).await;
        back.assert_back();
        assert_eq!((back.report["won"].as_u64(), back.report["unseen"].as_u64()), (Some(1), Some(0)), "{back:?}");
        let (status, again) = attempt("ann").await;
        assert_eq!((status, &again["outcome"]), (200, &json!("repeat")), "{again}");
        let (status, answer) = attempt("bob").await;
        assert_eq!((status, &answer["outcome"]), (200, &won["outcome"]), "{kind}: {answer}");
        caught_up(&server, &sale).await;
        let audit = stand.audit(&sale).await;
        assert_eq!((audit.code, &audit.report["verdict"]), (0, &json!("holds")), "{audit:?}");

        raw.run::<i64>("HSET", (&meta, "generation", b"\xff")).await;
        is_suspended("cid", "generation").await;
        raw.run::<i64>("HSET", (keys::sale(kind, &sale, "stats"), "won", b"\xff", "held", b"\xff")).await;
        stand.recover(&sale).await.assert_back();
        // One that nobody has noticed.
        stand.rebuild(&sale).await.assert_back();
        let (status, again) = attempt("ann").await;
        assert_eq!((status, &again["outcome"]), (200, &json!("repeat")), "{again}");
    }
}

#[tokio::test]
async fn a_part_of_another_type_suspends_the_sale_and_a_recovery_heals_it() {
    let redis = TestRedis::start().await;
    let (app, raw) = (TestApp::on(&redis).await, redis.raw().await);
    let server = app.serve().await;
    for sample in samples() {
        let kind = sample.kind;
        let name = format!("{kind}/recover.lua");
        let recover = stampede::server::scripts().into_iter().find(|script| script.name == name).expect("a script");
        for part in recover.parts() {
            let (path, mut terms) = sample.open_request(part);
            // Sales without these terms do not have these parts.
            if ["users", "deadlines"].contains(&part.as_str()) && kind == "stock" {
                (terms["limit_per_user"], terms["hold_s"]) = (json!(3), json!(60));
            }
            let has_lists = ["codes", "pending", "invited"].contains(&part.as_str()) && kind == "coupon";
            if has_lists {
                (terms["own_codes"], terms["only_for"]) = (json!(2), json!(2));
            }
            assert_eq!(server.post(&path, &terms).await.0, 200);
            let lists = [("codes", ["SUMMER-1", "SUMMER-2"]), ("users", ["ann", "bob"])];
            for (list, entries) in lists.into_iter().filter(|_| has_lists) {
                let request = json!({ "sale": part, "first": 1, list: entries });
                assert_eq!(server.post("/api/coupon/upload", &request).await.0, 200);
            }
            let attempt = async |user: &str| {
                let (path, attempt) = sample.attempt_request(part, user);
                server.post(&path, &attempt).await.1
            };
            let won = attempt("ann").await;
            server.app.writer("one").catch_up().await.expect("the ledger");
            let key = keys::sale(kind, part, part);
            raw.run::<i64>("DEL", &key).await;
            raw.run::<i64>("SADD", (&key, "x")).await;
            let refused = attempt("bob").await;
            assert_eq!(refused["error"]["code"], "sale_suspended", "{kind} {part}: {refused}");
            let recovered = server.app.ledger_service.recover(kind, part, DeadLetters::Refuse).await;
            assert_eq!(recovered.expect("recovered").won, 1, "{kind} {part}");
            assert_eq!(attempt("ann").await["outcome"], "repeat", "{kind} {part}");
            assert_eq!(attempt("bob").await["outcome"], won["outcome"], "{kind} {part}");
        }
    }
}

/// What a server reads of a ticket sale before the first attempt.
#[tokio::test]
async fn an_unreadable_hall_suspends_the_sale() {
    let redis = TestRedis::start().await;
    let stand = Stand::on(&redis.url());
    let server = stand.serve().await;
    let raw = redis.raw().await;
    let [_, tickets, ..] = samples();
    let damages: [(&str, &[u8]); 3] = [("hall", b"{}"), ("prices", b"[100]"), ("hold_ms", b"")];
    for (field, value) in damages {
        tickets.open(&server, field).await;
        caught_up(&server, field).await;
        raw.run::<i64>("HSET", (keys::sale("ticket", field, "meta"), field, value)).await;
    }
    // The other server has the halls in its memory.
    let fresh = stand.serve().await;
    for (field, _) in damages {
        let (status, answer) = tickets.attempt(&fresh, field, "ann").await;
        assert_eq!((status, &answer["error"]["code"]), (503, &json!("sale_suspended")), "{field}: {answer}");
        stand.recover(field).await.assert_back();
        let (status, answer) = tickets.attempt(&fresh, field, "ann").await;
        assert_eq!((status, &answer["outcome"]), (200, &json!("held")), "{field}: {answer}");
    }
}

/// They are dead letters, and hide neither the sale nor what is beside them.
#[tokio::test]
async fn entries_that_cannot_be_read_keep_nobody_from_seeing_the_sale() {
    let redis = TestRedis::start().await;
    let stand = Stand::on(&redis.url());
    let server = stand.serve().await;
    let raw = redis.raw().await;
    for sample in samples() {
        let kind = sample.kind;
        sample.open(&server, kind).await;
        let (status, won) = sample.attempt(&server, kind, "ann").await;
        assert_eq!(status, 200, "{won}");
        for (part, name) in [("events", "claimed"), ("events", "deducted"), ("attempts", "attempts")] {
            let entry = (keys::sale(kind, kind, part), "*", "type", name, "at", "1", "data", b"\xc3");
            raw.run::<String>("XADD", entry).await;
        }
        let (status, shown) = server.post(&sample.path("snapshot"), &json!({ "sale": kind })).await;
        assert_eq!(status, 200, "{kind}: {shown}");
        // Tickets show no list of the newest.
        if let Some(latest) = shown["latest"].as_array() {
            assert_eq!(latest.iter().map(|row| &row["user"]).collect::<Vec<_>>(), ["ann"], "{kind}");
        }
    }
}

/// Something else in the place of a sale's record counts as lost, and is rebuilt with whatever else is.
#[tokio::test]
async fn what_has_no_record_is_missing_and_all_of_it_is_recovered() {
    let redis = TestRedis::start().await;
    let stand = Stand::on(&redis.url());
    let server = stand.serve().await;
    let raw = redis.raw().await;
    for sample in samples() {
        let kind = sample.kind;
        sample.open(&server, kind).await;
        caught_up(&server, kind).await;
        let meta = keys::sale(kind, kind, "meta");
        raw.run::<i64>("DEL", &meta).await;
        raw.run::<String>("SET", (&meta, "by hand")).await;
    }
    server.stop().await;
    let server = stand.serve().await;
    eventually("they are missing", async || {
        let answer = reqwest::get(format!("{}/readyz", server.url)).await.expect("an answer");
        (answer.json::<Value>().await.expect("JSON")["missing_sales"] == 4).then_some(())
    })
    .await;
    let mut command = stand.command(&stand.redis, "recover");
    let said = within("the command ends", command.args(["--all", "--json"]).output()).await.expect("it ran");
    assert!(said.status.success(), "{said:?}");
    for Sample { kind, .. } in samples() {
        caught_up(&server, kind).await;
        let audit = stand.audit(kind).await;
        assert_eq!((audit.code, &audit.report["verdict"]), (0, &json!("holds")), "{audit:?}");
    }
}

/// A value that no script writes keeps its own sale from being listed and from expiring, and no other.
#[tokio::test]
async fn an_unreadable_value_keeps_no_other_sale_from_being_listed_or_refunded() {
    let redis = TestRedis::start().await;
    let stand = Stand::on(&redis.url());
    let server = stand.serve().await;
    let raw = redis.raw().await;
    let damages = [
        ("red_packet", "meta", "total_cents"),
        ("red_packet", "meta", "expires_at"),
        ("red_packet", "stats", "claimed_cents"),
        ("ticket", "meta", "hold_ms"),
        ("ticket", "counts", "1:0"),
        ("coupon", "meta", "opened_at"),
        ("stock", "meta", "sum"),
    ];
    for (number, (kind, part, field)) in damages.into_iter().enumerate() {
        let sale = format!("bad {number}");
        let sample = samples().into_iter().find(|sample| sample.kind == kind).expect("the kind");
        sample.open(&server, &sale).await;
        raw.run::<i64>("HSET", (keys::sale(kind, &sale, part), field, "?")).await;
    }
    server.stop().await;
    let server = stand.serve().await;
    open_for(&server, "good", 5, 2).await;
    let (status, list) = server.post("/api/sales", &json!({})).await;
    assert_eq!(status, 200, "{list}");
    let listed = |sale: &str| list["sales"].as_array().is_some_and(|all| all.iter().any(|one| one["sale"] == sale));
    assert!(listed("good") && !listed("bad 0"), "{list}");
    eventually("it is refunded", async || (snapshot(&server, "good").await["state"] == "refunded").then_some(())).await;
}

/// A Redis that refuses to be read at all is not taken for one without sales.
#[tokio::test]
async fn a_list_that_may_not_be_read_is_not_empty() {
    let redis = TestRedis::start().await;
    let stand = Stand::on(&redis.url());
    let server = stand.serve().await;
    open(&server, "s", 5).await;
    open(&server, "t", 5).await;
    redis.raw().await.run::<String>("ACL", ("SETUSER", "default", "-hmget")).await;
    let (status, answer) = server.post("/api/sales", &json!({})).await;
    assert_eq!((status, &answer["error"]["code"]), (503, &json!("store_refused")), "{answer}");
}

/// What a recovery does not restore, it clears: counts of refusals, locks, and whatever somebody has put there.
#[tokio::test]
async fn nothing_in_the_place_of_a_part_outlasts_a_recovery() {
    let redis = TestRedis::start().await;
    let stand = Stand::on(&redis.url());
    let server = stand.serve().await;
    let raw = redis.raw().await;
    for sample in samples() {
        let kind = sample.kind;
        sample.open(&server, kind).await;
        caught_up(&server, kind).await;
        let parts = parts_not_restored(kind);
        for part in &parts {
            let key = keys::sale(kind, kind, part);
            raw.run::<i64>("DEL", &key).await;
            // Not the type of any of them.
            raw.run::<i64>("SADD", (&key, "x")).await;
        }
        stand.rebuild(kind).await.assert_back();
        for part in &parts {
            let found: String = raw.run("TYPE", keys::sale(kind, kind, part)).await;
            assert_ne!(found, "set", "{kind}: {part}");
        }
        // Strings, as there should be, but not of ours.
        for part in ["crowd", "crowd_lock"] {
            raw.run::<String>("SET", (keys::sale(kind, kind, part), b"\xff")).await;
        }
        stand.rebuild(kind).await.assert_back();
        let (status, answer) = sample.attempt(&server, kind, "ann").await;
        assert_eq!(status, 200, "{kind}: {answer}");
        let (status, answer) = server.post(&sample.path("snapshot"), &json!({ "sale": kind })).await;
        assert_eq!(status, 200, "{kind}: {answer}");
        let crowd = json!({
            "kind": kind, "sale": kind, "users": 1, "concurrency": 1, "repeat_rate": 0.0, "arrival": "burst",
        });
        let (status, answer) = server.post("/api/crowd/start", &crowd).await;
        assert_eq!(status, 200, "{kind}: {answer}");
    }
}

/// The parts of a kind's sales of which the ledger knows nothing.
fn parts_not_restored(kind: &str) -> Vec<&'static str> {
    let more: &[&str] = match kind {
        "ticket" => &["heat"],
        "stock" => &["paused", "rebuild"],
        _ => &[],
    };
    [&["attempts", "crowd", "crowd_lock"][..], more].concat()
}

/// The user was told of an amount that the sale does not have.
#[tokio::test]
async fn a_packet_that_somebody_changed_by_hand_is_a_conflict() {
    let redis = TestRedis::start().await;
    let stand = Stand::on(&redis.url());
    let server = stand.serve().await;
    let raw = redis.raw().await;
    open(&server, "s", 5).await;
    raw.run::<String>("LSET", (key("s", "pending"), 0, "6:99999")).await;
    claim(&server, "s", "ann").await;
    let packet: u32 = raw.run::<String>("LINDEX", (key("s", "pending"), 0)).await[..1].parse().expect("a number");
    raw.run::<String>("LSET", (key("s", "pending"), 0, format!("{packet}:77777"))).await;
    claim(&server, "s", "bob").await;
    claim(&server, "s", "cid").await;
    caught_up(&server, "s").await;
    let back = stand.rebuild("s").await;
    // It is back, and the audit goes on saying that somebody was told of what the sale does not have.
    assert_eq!((back.code, &back.report["audit"]["verdict"]), (1, &json!("broken")), "{back:?}");
    let conflicts = back.report["conflicts"].as_array().expect("conflicts");
    assert_eq!((conflicts.len(), back.report["won"].as_u64()), (2, Some(2)), "{back:?}");
    let named = conflicts.iter().map(|line| line.as_str().unwrap_or_default()).collect::<Vec<_>>().join("\n");
    assert!(named.contains("packet 6 with 99999 cents") && named.contains("was confirmed to ann"), "{named}");
    assert!(named.contains(&format!("bob keeps packet {packet} with")), "{named}");
}

/// Whatever would end the recovery afterwards.
#[tokio::test]
async fn what_cannot_be_rebuilt_now_is_not_suspended() {
    let redis = TestRedis::start().await;
    let stand = Stand::on(&redis.url());
    let server = stand.serve().await;
    let raw = redis.raw().await;
    let (status, answer) = server.post("/api/stock/open", &json!({ "id": "s", "quantity": 10 })).await;
    assert_eq!(status, 200, "{answer}");
    caught_up(&server, "s").await;
    let state = async || raw.run::<String>("HGET", (keys::sale("stock", "s", "meta"), "state")).await;
    let pause = async |seconds: u32| {
        let body = json!({ "sale": "s", "seconds": seconds });
        let (status, answer) = server.post("/api/stock/pause", &body).await;
        assert_eq!(status, 200, "{answer}");
    };
    pause(60).await;
    stand.rebuild("s").await.assert_refused("An operator has paused the ledger of this sale, so it was not suspended");
    assert_eq!(state().await, "open");
    pause(0).await;
    raw.run::<String>("CONFIG", ("SET", "maxmemory", "1mb")).await;
    stand.rebuild("s").await.assert_refused("Redis is full, so the sale was not suspended");
    assert_eq!(state().await, "open");
    raw.run::<String>("CONFIG", ("SET", "maxmemory", "0")).await;
    stand.rebuild("s").await.assert_back();
}

/// The sale "s" of five packets, all of it in the ledger.
async fn with_recorded_sale() -> (TestRedis, Raw, Stand, Running) {
    let redis = TestRedis::start().await;
    let (raw, stand) = (redis.raw().await, Stand::on(&redis.url()));
    let server = stand.serve().await;
    open(&server, "s", 5).await;
    caught_up(&server, "s").await;
    (redis, raw, stand, server)
}

/// Without its name on the list, nobody would record a sale.
#[tokio::test]
async fn a_list_that_is_lost_is_made_anew() {
    let (_redis, raw, stand, server) = with_recorded_sale().await;
    assert_eq!(raw.run::<i64>("DEL", keys::SALES.one).await, 1);
    claim(&server, "s", "ann").await;
    let listed = async || raw.run::<Option<f64>>("ZSCORE", (keys::SALES.one, keys::name("red_packet", "s"))).await;
    eventually("it is listed", async || listed().await.map(drop)).await;
    stand.agrees(&server, "s", 1).await;
}

/// No sale is to be blamed for it.
#[tokio::test]
async fn what_stands_in_the_place_of_the_list_is_named() {
    let (_redis, raw, stand, server) = with_recorded_sale().await;
    let ready = async || {
        let answer = reqwest::get(format!("{}/readyz", server.url)).await.expect("an answer");
        (answer.status().as_u16(), answer.text().await.expect("text"))
    };
    for key in [keys::RECOVERED.one, keys::UNLISTED.one] {
        for (command, value) in [("SET", &b"x"[..]), ("SET", &b"\xff"[..]), ("LPUSH", &b"1"[..])] {
            raw.run::<()>(command, (key, value)).await;
            let (status, text) = ready().await;
            assert!(status == 503 && text.contains("store_refused") && text.contains(key), "{text}");
            assert_eq!(raw.run::<i64>("DEL", key).await, 1);
            assert_eq!(ready().await.0, 200);
        }
    }
    claim(&server, "s", "ann").await;
    stand.agrees(&server, "s", 1).await;
}

/// No other sale is hidden by it.
#[tokio::test]
async fn a_stream_that_is_full_or_none_hides_no_other_sale() {
    let redis = TestRedis::start().await;
    let stand = Stand::on(&redis.url());
    let server = stand.serve().await;
    let raw = redis.raw().await;
    for sale in ["good", "bad"] {
        open(&server, sale, 5).await;
        caught_up(&server, sale).await;
    }
    // After this one, no id is left.
    let last = format!("{0}-{0}", u64::MAX);
    raw.run::<String>("XADD", (key("bad", "events"), last, "foo", "bar")).await;
    let dead_letters = async || server.post("/api/ledger/set-aside", &json!({})).await.1;
    eventually("it is recorded", async || {
        dead_letters().await.as_array().is_some_and(|dead| !dead.is_empty()).then_some(())
    })
    .await;
    for path in ["/api/ledger/status", "/api/audit/board"] {
        let (status, answer) = server.post(path, &json!({})).await;
        assert_eq!(status, 200, "{path}: {answer}");
        let sales = answer["sales"].as_array().expect("sales");
        let is_good = |one: &Value| one["sale"] == "good" || one["status"]["sale"] == "good";
        assert!(sales.iter().any(is_good), "{path}: {answer}");
    }
    // And no attempt is half made at it.
    let kept = async || -> (Vec<String>, BTreeMap<String, String>) {
        let packets = raw.run("LRANGE", (key("bad", "pending"), 0, -1)).await;
        (packets, raw.run("HGETALL", key("bad", "claimants")).await)
    };
    let before = kept().await;
    let [packets, ..] = samples();
    let (status, answer) = packets.attempt(&server, "bad", "ann").await;
    assert_eq!((status, &answer["error"]["code"]), (503, &json!("sale_suspended")), "{answer}");
    assert_eq!(kept().await, before);
    // Nor does something else in its place.
    open(&server, "ugly", 5).await;
    caught_up(&server, "ugly").await;
    raw.run::<String>("SET", (key("ugly", "events"), "x")).await;
    for path in ["/api/ledger/status", "/api/audit/board"] {
        let (status, answer) = server.post(path, &json!({})).await;
        assert_eq!((status, answer["sales"].as_array().map(Vec::len)), (200, Some(3)), "{path}: {answer}");
    }
    // Nor does it stop the next writer.
    server.kill().await;
    let server = stand.serve().await;
    claim(&server, "good", "ann").await;
    stand.agrees(&server, "good", 1).await;
}

/// A sale that cannot be audited hides no other that is broken.
#[tokio::test]
async fn what_cannot_be_read_gets_the_verdict_unknown_and_hides_no_other() {
    let redis = TestRedis::start().await;
    let stand = Stand::on(&redis.url());
    let server = stand.serve().await;
    let raw = redis.raw().await;
    for sale in ["broken", "string", "no state"] {
        open(&server, sale, 5).await;
        caught_up(&server, sale).await;
    }
    let (status, answer) = server.post("/api/coupon/open", &json!({ "id": "unreadable", "total": 10 })).await;
    assert_eq!(status, 200, "{answer}");
    caught_up(&server, "unreadable").await;
    raw.run::<String>("LPOP", keys::sale("red_packet", "broken", "pending")).await;
    raw.run::<String>("SET", (key("string", "meta"), "?")).await;
    raw.run::<i64>("HDEL", (key("no state", "meta"), "state")).await;
    raw.run::<i64>("DEL", keys::sale("coupon", "unreadable", "stats")).await;
    raw.run::<String>("SET", (keys::sale("coupon", "unreadable", "stats"), "?")).await;
    let output = stand.command(&stand.redis, "audit").arg("--json").output().await.expect("it ran");
    let report: Value = serde_json::from_slice(&output.stdout).expect("a report");
    let verdict = |sale: &str| {
        let sales = report["sales"].as_array().expect("sales");
        sales.iter().find(|audited| audited["sale"] == sale).map_or(&Value::Null, |found| &found["audit"]["verdict"])
    };
    assert_eq!((output.status.code(), &report["verdict"]), (Some(1), &json!("broken")), "{report}");
    assert_eq!((verdict("broken"), verdict("unreadable")), (&json!("broken"), &json!("unknown")), "{report}");
    for lost in ["string", "no state"] {
        assert_eq!(verdict(lost), "broken", "{report}");
    }
    // Both count as lost everywhere.
    eventually("they are named", async || {
        let (_, list) = server.post("/api/sales", &json!({})).await;
        (list["missing"]["count"] == 2).then_some(())
    })
    .await;
    for lost in ["string", "no state"] {
        stand.recover(lost).await.assert_back();
    }
}

/// A sale of another kind that has the same id may be far behind.
#[tokio::test]
async fn a_recovery_waits_for_no_sale_of_another_kind() {
    let redis = TestRedis::start().await;
    let stand = Stand::on(&redis.url());
    let server = stand.serve().await;
    let raw = redis.raw().await;
    open(&server, "s", 5).await;
    for (path, body) in [
        ("open", json!({ "id": "s", "quantity": 10 })),
        ("pause", json!({ "sale": "s", "seconds": 60 })),
        ("deduct", json!({ "sale": "s", "user": "ann", "quantity": 1 })),
    ] {
        if path == "pause" {
            caught_up(&server, "s").await;
        }
        let (status, answer) = server.post(&format!("/api/stock/{path}"), &body).await;
        assert_eq!(status, 200, "{answer}");
    }
    raw.run::<i64>("DEL", key("s", "meta")).await;
    let mut command = stand.command(&stand.redis, "recover");
    command.args(["--kind", "red_packet"]);
    let back = Said::by(command, "s").await;
    back.assert_back();
    assert!(!back.complaint.contains("waiting"), "{back:?}");
}

#[tokio::test]
async fn what_the_ledger_cannot_rebuild_is_not_suspended() {
    let redis = TestRedis::start().await;
    let stand = Stand::on(&redis.url());
    drop(stand.ledger().await);
    let raw = redis.raw().await;
    raw.run::<i64>("HSET", (key("s", "meta"), "state", "opening")).await;
    raw.run::<i64>("ZADD", (keys::SALES.one, 1, keys::name("red_packet", "s"))).await;
    raw.run::<String>("XGROUP", ("CREATE", key("s", "events"), "ledger", 0, "MKSTREAM")).await;
    stand.rebuild("s").await.assert_refused("The ledger cannot rebuild the sale \"s\", so it was not suspended.");
    assert_eq!(raw.run::<String>("HGET", (key("s", "meta"), "state")).await, "opening");
}

/// The command does not wait without a word.
#[tokio::test]
async fn it_says_that_it_waits_for_the_ledger() {
    let redis = TestRedis::start().await;
    let stand = Stand::on(&redis.url());
    let server = stand.serve().await;
    let (status, answer) = server.post("/api/stock/open", &json!({ "id": "s", "quantity": 10 })).await;
    assert_eq!(status, 200, "{answer}");
    caught_up(&server, "s").await;
    let (status, answer) = server.post("/api/stock/pause", &json!({ "sale": "s", "seconds": 60 })).await;
    assert_eq!(status, 200, "{answer}");
    let deduction = json!({ "sale": "s", "user": "ann", "quantity": 1 });
    assert_eq!(server.post("/api/stock/deduct", &deduction).await.0, 200);

    let raw = redis.raw().await;
    raw.run::<i64>("DEL", keys::sale("stock", "s", "meta")).await;
    let mut command = stand.command(&stand.redis, "recover");
    let mut child = command.arg("s").stderr(Stdio::piped()).spawn().expect("the command starts");
    let mut log = BufReader::new(child.stderr.take().expect("its log")).lines();
    loop {
        let line = within("a word", log.next_line()).await.expect("text").expect("it goes on");
        if line.contains("waiting for the ledger to record") {
            assert!(line.contains("lag_events=1"), "{line}");
            break;
        }
    }
    raw.run::<i64>("DEL", keys::sale("stock", "s", "paused")).await;
    let ended = within("the command ends", child.wait()).await.expect("a status");
    assert!(ended.success(), "{ended}");
}
