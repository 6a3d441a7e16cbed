//! Redis comes back empty: what the ledger has is rebuilt, and what it lacks is reported.

use super::*;
use crate::support::{
    app::TestApp,
    program::{embedded, gone},
    proxy::{FaultProxy, Hold},
    redis::TestRedis,
    sale::LIFE_S,
};
use engine::red_packet::scripts::{KIND, RECOVER, RESUME};
use futures::future::join;
use ledger::{kind::DeadLetters, writer::Step};
use model::{Verdict, error::Code, red_packet::Outcome};
use sqlx::{Connection, Executor};
use std::time::Duration;

/// What the page shows of a sale, as far as the ledger knows it.
fn picture(snapshot: &Value) -> Value {
    const FIELDS: [&str; 14] = [
        "state",
        "splitter",
        "total_cents",
        "count",
        "opened_at",
        "expires_at",
        "pending",
        "pending_cents",
        "claimed",
        "claimed_cents",
        "refunded",
        "refunded_cents",
        "luckiest",
        "histogram",
    ];
    FIELDS.iter().map(|field| ((*field).to_owned(), snapshot[field].clone())).collect()
}

/// Sales in each state, lost with Redis's folder, and rebuilt from the ledger next to it.
#[tokio::test]
async fn every_sale_is_built_anew_as_it_was() {
    let home = Home::new();
    let server = Running::start(home.serve_with_data()).await;
    open(&server, "open", 100).await;
    open(&server, "empty", 3).await;
    open_for(&server, "ended", 20, 600).await;
    open(&server, "untouched", 5_000).await;
    let reported = win(&server, "open", "u", 0..40).await;
    let all = win(&server, "empty", "u", 0..3).await;
    let some = win(&server, "ended", "u", 0..5).await;
    let ends = json!({ "kind": "red_packet", "sale": "ended", "ends_in_s": 1 });
    assert_eq!(server.post("/api/sales/schedule", &ends).await.1["outcome"], "scheduled");
    let sales = ["open", "empty", "ended", "untouched"];
    eventually("the ended sale is refunded", async || {
        (snapshot(&server, "ended").await["state"] == "refunded").then_some(())
    })
    .await;
    let mut before = Vec::new();
    for sale in sales {
        caught_up(&server, sale).await;
        before.push(picture(&snapshot(&server, sale).await));
    }
    let (redis, socket) = embedded(&home.data()).await;
    server.stop().await;
    gone(redis).await;
    std::fs::remove_dir_all(home.data().join("redis")).expect("Redis's folder");

    let server = Running::start(home.serve_with_data()).await;
    let stand = Stand { home, ..Stand::on(&format!("redis+unix://{}", socket.display())) };
    for sale in sales {
        let (status, answer) = try_claim(&server, sale, "u-0").await;
        assert_eq!((status, &answer["error"]["code"]), (503, &json!("sale_lost")), "{answer}");
        let audit = stand.audit(sale).await;
        assert_eq!((audit.code, audit.invariant("in_redis")), (1, (1, 0)), "{audit:?}");
    }
    let (status, answer) = server.post("/api/red-packet/open", &terms("open", 100, 3_600)).await;
    assert_eq!((status, &answer["error"]["code"]), (409, &json!("sale_exists")), "{answer}");
    let sentence = answer["error"]["message"].as_str().expect("a sentence");
    assert!(sentence.contains("`stampede recover open`"), "{sentence}");

    let figures = [("open", 40, 60), ("empty", 3, 0), ("ended", 5, 0), ("untouched", 0, 5_000)];
    for ((sale, won, waiting), before) in figures.into_iter().zip(before) {
        let said = stand.recover(sale).await;
        said.assert_back();
        let figures = ["won", "waiting", "unseen"].map(|name| said.report[name].as_i64());
        assert_eq!((figures, &said.report["conflicts"]), ([Some(won), Some(waiting), Some(0)], &json!([])), "{said:?}");
        assert_eq!(picture(&snapshot(&server, sale).await), before, "{sale}");
        stand.agrees(&server, sale, usize::try_from(won).expect("a number")).await;
    }
    all_get_the_original(&server, "open", &reported).await;
    all_get_the_original(&server, "empty", &all).await;
    all_get_the_original(&server, "ended", &some).await;
    // The pending packets are those that nobody has.
    let rest = win(&server, "open", "new", 0..60).await;
    let numbers: std::collections::BTreeSet<&String> = reported.values().chain(rest.values()).collect();
    assert_eq!(numbers.len(), 100, "each packet once");
    assert_eq!(claim(&server, "open", "too-late").await["outcome"], "sold_out");
    assert_eq!(claim(&server, "empty", "too-late").await["outcome"], "sold_out");
    assert_eq!(claim(&server, "ended", "too-late").await["outcome"], "expired");
    let (_, refund) = server.post("/api/red-packet/refund", &json!({ "sale": "ended" })).await;
    assert_eq!(refund["outcome"], "repeat", "the money went back already: {refund}");
    stand.agrees(&server, "open", 100).await;
}

/// A sale of each kind that Redis has lost, and what its page says.
async fn lost_of_each_kind(server: &Running, redis: &TestRedis) {
    open(server, "s", 10).await;
    let (status, answer) = server.post("/api/ticket/open", &json!({ "id": "t t", "hall": "theatre" })).await;
    assert_eq!(status, 200, "{answer}");
    caught_up(server, "s").await;
    caught_up(server, "t t").await;
    redis.raw().await.run::<String>("FLUSHALL", "SYNC").await;
}

#[tokio::test]
async fn whoever_asks_for_a_lost_sale_is_told_how_it_comes_back() {
    let redis = TestRedis::start().await;
    let stand = Stand::on(&redis.url());
    let server = stand.serve().await;
    lost_of_each_kind(&server, &redis).await;
    let pick = json!([{ "category": "stalls", "count": 1 }]);
    let crowd =
        |sale: &str| json!({ "sale": sale, "users": 1, "concurrency": 1, "repeat_rate": 0, "arrival": "burst" });
    let requests = [
        ("red-packet/claim", json!({ "sale": "s", "user": "ann" })),
        ("red-packet/refund", json!({ "sale": "s" })),
        ("red-packet/snapshot", json!({ "sale": "s" })),
        ("sales/close", json!({ "kind": "red_packet", "sale": "s" })),
        ("sales/archive", json!({ "kind": "red_packet", "sale": "s" })),
        ("crowd/start", crowd("s")),
        ("ticket/reserve", json!({ "sale": "t t", "user": "ann", "pick": pick })),
        ("ticket/pay", json!({ "sale": "t t", "order": "o" })),
        ("ticket/cancel", json!({ "sale": "t t", "order": "o" })),
        ("ticket/order", json!({ "sale": "t t", "order": "o" })),
        ("ticket/snapshot", json!({ "sale": "t t" })),
        ("ticket/hall", json!({ "sale": "t t" })),
        ("crowd/start", crowd("t t")),
    ];
    for (endpoint, body) in requests {
        let (status, answer) = server.post(&format!("/api/{endpoint}"), &body).await;
        assert_eq!((status, &answer["error"]["code"]), (503, &json!("sale_lost")), "{endpoint}: {answer}");
        let sentence = answer["error"]["message"].as_str().expect("a sentence");
        let command = if body["sale"] == "s" { "`stampede recover s`" } else { "`stampede recover 't t'`" };
        assert!(sentence.contains(command), "{endpoint}: {sentence}");
    }
    for (page, sale) in [("red-packets/s", "s"), ("tickets/t%20t", "'t t'")] {
        let page = reqwest::get(format!("{}/{page}", server.url)).await.expect("a page");
        assert_eq!(page.status(), 503);
        let text = page.text().await.expect("text");
        // With the flags of this server, so that it finds the same data.
        let command =
            format!("stampede recover --redis {} --data-dir {} {sale}", redis.url(), stand.home.data().display());
        let text = text.replace("&#x27;", "'");
        assert!(text.contains(&command) && text.contains("/ledger?sale="), "{text}");
    }
    // What nobody knows stays unknown.
    let (status, answer) = try_claim(&server, "t t", "ann").await;
    assert_eq!((status, &answer["error"]["code"]), (404, &json!("unknown_sale")), "the kind matters: {answer}");
}

/// A sale whose opening the ledger has forgotten cannot come back; it keeps no other from it.
#[tokio::test]
async fn all_lost_sales_are_recovered_at_once_and_each_result_is_named() {
    let redis = TestRedis::start().await;
    let stand = Stand::on(&redis.url());
    let server = stand.serve().await;
    let nothing = stand.recover("--all").await;
    assert_eq!((nothing.code, &nothing.report), (0, &json!({ "verdict": "holds", "sales": [] })));
    open(&server, "forgotten", 10).await;
    caught_up(&server, "forgotten").await;
    lost_of_each_kind(&server, &redis).await;
    open(&server, "living", 10).await;
    caught_up(&server, "living").await;
    let database = format!("sqlite://{}", stand.home.data().join("ledger.sqlite").display());
    let mut ledger = sqlx::SqliteConnection::connect(&database).await.expect("a connection");
    ledger.execute("UPDATE sales SET terms = NULL WHERE sale = 'forgotten'").await.expect("no terms");

    let tickets = {
        let mut command = stand.command(&stand.redis, "recover");
        command.args(["--kind", "ticket"]);
        Said::by(command, "--all").await
    };
    assert_eq!((tickets.code, &tickets.report["verdict"]), (0, &json!("holds")), "{tickets:?}");
    let named = |said: &Said| {
        let sales = said.report["sales"].as_array().expect("a list").clone();
        let name = |sale: &Value| format!("{} {}", sale["sale"], sale["audit"]["verdict"]);
        sales.iter().map(name).collect::<Vec<_>>()
    };
    assert_eq!(named(&tickets), [r#""t t" "holds""#]);
    let said = stand.recover("--all").await;
    assert_eq!((said.code, &said.report["verdict"]), (2, &json!("unknown")), "{said:?}");
    assert_eq!(named(&said), [r#""forgotten" null"#, r#""s" "holds""#]);
    let why = said.report["sales"][0]["error"].as_str().expect("a sentence");
    assert!(why.contains("never saw the sale \"forgotten\" being opened"), "{why}");
    assert_eq!(claim(&server, "s", "ann").await["outcome"], "won");

    let text = stand.command(&stand.redis, "recover").arg("--all").output().await.expect("it ran");
    let text = String::from_utf8(text.stdout).expect("text");
    assert!(text.contains("red_packet forgotten is NOT back: ") && text.ends_with("\nunknown\n"), "{text}");
}

#[tokio::test]
async fn beside_a_running_server_it_goes_on_where_it_ended() {
    let redis = TestRedis::start().await;
    let stand = Stand::on(&redis.url());
    let server = stand.serve().await;
    open(&server, "s", 100).await;
    let reported = win(&server, "s", "u", 0..40).await;
    caught_up(&server, "s").await;
    let raw = redis.raw().await;
    raw.run::<String>("FLUSHALL", "SYNC").await;

    stand.recover("s").await.assert_back();
    all_get_the_original(&server, "s", &reported).await;
    win(&server, "s", "v", 0..10).await;
    stand.agrees(&server, "s", 50).await;
}

#[tokio::test]
async fn what_the_ledger_had_not_seen_is_named() {
    let redis = TestRedis::start().await;
    let app = TestApp::on(&redis).await;
    app.red_packet.open(crate::support::sale::terms("s", 20_000, 200)).await.expect("a sale");
    for number in 0..100 {
        app.red_packet.claim("s", format!("u-{number}"), None).await.expect("an outcome");
    }
    // One step takes 64 of the 101 entries, and sees how many there are.
    let step = app.writer("w").step(Duration::ZERO).await.expect("a step");
    assert_eq!(step, Step::Wrote { entries: 64, rows: 64 });
    redis.raw().await.run::<String>("FLUSHALL", "SYNC").await;

    let recovered = app.ledger_service.recover(KIND, "s", DeadLetters::Refuse).await.expect("a recovery");
    assert_eq!((recovered.won, recovered.waiting, recovered.unseen), (63, 137, 37));
    let event = crate::support::sale::stored(&redis.raw().await, "s").await.events.remove(0);
    assert_eq!(event.fields()[0], ("type", "recovered"));
    assert_eq!(event.fields()[2..], [("won", "63"), ("unseen", "37")]);
    // Users who were told of one of those may try again, and get a packet that is left.
    let reported =
        async |number: u32| app.red_packet.claim("s", format!("u-{number}"), None).await.expect("an outcome");
    assert!(matches!(reported(62).await, Outcome::Repeat { packet: 63, .. }));
    assert!(matches!(reported(99).await, Outcome::Won { packet: 64, .. }));
    app.writer("w").catch_up().await.expect("the ledger");
    assert_eq!(app.red_packet.audit("s").await.expect("an audit").verdict, Verdict::Holds);
}

#[tokio::test]
async fn a_living_sale_is_refused() {
    let redis = TestRedis::start().await;
    let stand = Stand::on(&redis.url());
    let server = stand.serve().await;
    open(&server, "s", 10).await;
    let reported = win(&server, "s", "u", 0..4).await;
    caught_up(&server, "s").await;
    stand.recover("s").await.assert_refused("The sale \"s\" is live in Redis");
    all_get_the_original(&server, "s", &reported).await;
    stand.agrees(&server, "s", 4).await;
}

#[tokio::test]
async fn a_sale_that_nobody_knows_is_refused() {
    let redis = TestRedis::start().await;
    let stand = Stand::on(&redis.url());
    stand.recover("nothing").await.assert_refused("There is no sale \"nothing\"");
    assert_eq!(redis.raw().await.run::<i64>("EXISTS", key("nothing", "meta")).await, 0);
}

/// A sale of several chunks with claims, lost.
async fn lost(redis: &TestRedis) -> TestApp {
    let app = TestApp::on(redis).await;
    app.red_packet.open(crate::support::sale::terms("s", 1_000_000, 10_000)).await.expect("a sale");
    for number in 0..50 {
        app.red_packet.claim("s", format!("u-{number}"), Some(format!("r-u-{number}"))).await.expect("an outcome");
    }
    let mut writer = app.writer("w");
    writer.catch_up().await.expect("the ledger");
    writer.give_up().await;
    redis.raw().await.run::<String>("FLUSHALL", "SYNC").await;
    app
}

async fn is_whole(redis: &TestRedis, app: &TestApp) {
    let snapshot = app.red_packet.snapshot("s").await.expect("a snapshot");
    assert_eq!((snapshot.claimed, snapshot.pending), (50, 9_950));
    app.writer("w").catch_up().await.expect("the ledger");
    assert_eq!(app.red_packet.audit("s").await.expect("an audit").verdict, Verdict::Holds);
    assert_eq!(ledger_wins(&app.ledger, "s").await, holdings(&redis.raw().await, "s").await);
}

#[tokio::test]
async fn of_two_recoveries_at_once_one_does_it() {
    let redis = TestRedis::start().await;
    let one = lost(&redis).await;
    let other = TestApp::at(&redis, &redis.url(), one.time.clone(), 2).await;
    let (here, there) = join(
        one.ledger_service.recover(KIND, "s", DeadLetters::Refuse),
        other.ledger_service.recover(KIND, "s", DeadLetters::Refuse),
    )
    .await;
    let (done, refused) = match (here, there) {
        (Ok(done), Err(refused)) | (Err(refused), Ok(done)) => (done, refused),
        both => panic!("one of them, and not the other: {both:?}"),
    };
    assert_eq!((done.won, done.waiting), (50, 9_950));
    assert!(matches!(refused.code, Code::Busy | Code::SaleExists), "{refused}");
    is_whole(&redis, &one).await;
}

#[tokio::test]
async fn killed_between_two_chunks_it_may_be_run_again() {
    killed_and_run_again(RECOVER.sha(), Hold::Answer).await;
}

#[tokio::test]
async fn killed_before_its_last_step_it_may_be_run_again() {
    killed_and_run_again(RESUME.sha(), Hold::Command).await;
}

async fn killed_and_run_again(script: &str, hold: Hold) {
    let redis = TestRedis::start().await;
    let app = lost(&redis).await;
    let (home, wire) = (Home::new(), FaultProxy::before(&redis).await);
    let command = |url: &str| {
        let mut command = home.command("recover");
        command.args(["s", "--redis", url, "--data-dir"]).arg(redis.folder());
        command
    };
    wire.hold(hold, script);
    let mut killed = command(&wire.url).spawn().expect("the program starts");
    wire.holds().await;
    eventually("a part of it is there", async || {
        let packets: i64 = redis.raw().await.run("LLEN", key("s", "pending")).await;
        (packets > 0).then_some(())
    })
    .await;
    within("the killed program ends", killed.kill()).await.expect("a kill");
    let error = app.red_packet.claim("s", "ann".into(), None).await.expect_err("nobody may claim");
    assert_eq!(error.code, Code::SaleSuspended);
    // What is not back yet is not lost.
    let audit = app.red_packet.audit("s").await.expect("an audit");
    let why = audit.reason.unwrap_or_default();
    assert!(audit.verdict == Verdict::Unknown && why.contains("run `stampede recover s` again"), "{why}");
    let open = app.red_packet.open(sale::terms("s", 100, 5)).await.expect_err("it is being recovered");
    assert_eq!(open.code, Code::SaleSuspended);

    let output = within("the command ends", command(&redis.url()).output()).await.expect("it ran");
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    is_whole(&redis, &app).await;
}

#[tokio::test]
async fn a_sale_that_ends_while_it_is_lost_is_refunded_when_it_is_back() {
    let redis = TestRedis::start().await;
    let app = lost(&redis).await;
    app.time.advance(LIFE_S * 1_000);
    assert_eq!(app.ledger_service.sweep().await, Ok(0), "there is nothing to refund");
    app.ledger_service.recover(KIND, "s", DeadLetters::Refuse).await.expect("a recovery");
    assert_eq!(app.ledger_service.sweep().await, Ok(1));
    let snapshot = app.red_packet.snapshot("s").await.expect("a snapshot");
    assert_eq!((snapshot.claimed, snapshot.refunded, snapshot.pending), (50, 9_950, 0));
    app.writer("w").catch_up().await.expect("the ledger");
    assert_eq!(app.red_packet.audit("s").await.expect("an audit").verdict, Verdict::Holds);
}

/// Held, paid, cancelled and free seats, lost with Redis, and rebuilt by the command.
#[tokio::test]
async fn tickets_are_built_anew_as_they_were() {
    let redis = TestRedis::start().await;
    let stand = Stand::on(&redis.url());
    let server = stand.serve().await;
    let post = async |verb: &str, body: &Value| {
        let (status, answer) = server.post(&format!("/api/ticket/{verb}"), body).await;
        assert_eq!(status, 200, "{answer}");
        answer
    };
    let reserve = |user: &str, request: &Value| {
        let mut attempt = json!({ "sale": "t", "user": user, "request_id": format!("r-{user}") });
        attempt.as_object_mut().expect("an object").extend(request.as_object().expect("an object").clone());
        attempt
    };
    let standing = async || {
        let snapshot = post("snapshot", &json!({ "sale": "t" })).await;
        ["categories", "remaining", "held", "sold", "seats", "hold_s", "limit_per_user", "opened_at"]
            .map(|field| snapshot[field].clone())
    };
    post("open", &json!({ "id": "t", "hall": "arena", "hold_s": 3_600 })).await;
    let requests: Vec<(String, Value)> = (0..40)
        .map(|number| {
            let category = ["floor", "lower", "upper"][number % 3];
            (format!("u-{number}"), json!({ "pick": [{ "category": category, "count": number % 6 + 1 }] }))
        })
        .collect();
    let mut reported = Vec::new();
    for (number, (user, request)) in requests.iter().enumerate() {
        let held = post("reserve", &reserve(user, request)).await;
        assert_eq!(held["outcome"], "held", "{held}");
        let end = [None, Some("pay"), Some("cancel")][number % 3];
        if let Some(verb) = end {
            post(verb, &json!({ "sale": "t", "order": held["order"] })).await;
        }
        reported.push(post("order", &json!({ "sale": "t", "order": held["order"] })).await);
    }
    let before = standing().await;
    caught_up(&server, "t").await;
    redis.raw().await.run::<String>("FLUSHALL", "SYNC").await;

    stand.recover("t").await.assert_back();
    assert_eq!(standing().await, before, "by its name alone, as no other has it");
    for ((user, request), reported) in requests.iter().zip(&reported) {
        let again = post("reserve", &reserve(user, request)).await;
        assert_eq!(again["outcome"], "repeat", "{again}");
        for field in ["order", "state", "seats", "cents", "held_until"] {
            assert_eq!(again[field], reported[field], "{user}: {field}");
        }
    }
    // The sale continues: another user gets other seats, and a held order is paid.
    let more = post("reserve", &reserve("new", &json!({ "pick": [{ "category": "floor", "count": 6 }] }))).await;
    assert_eq!(more["outcome"], "held", "{more}");
    let paid = post("pay", &json!({ "sale": "t", "order": reported[0]["order"] })).await;
    assert_eq!(paid["outcome"], "paid", "{paid}");
    caught_up(&server, "t").await;
    let audit = stand.audit("t").await;
    assert_eq!((audit.code, &audit.report["verdict"]), (0, &json!("holds")), "{audit:?}");
    stand.recover("t").await.assert_refused("\"t\"");
}

#[tokio::test]
async fn of_two_kinds_with_one_name_the_operator_says_which() {
    let redis = TestRedis::start().await;
    let stand = Stand::on(&redis.url());
    let server = stand.serve().await;
    open(&server, "s", 10).await;
    let (status, answer) = server.post("/api/ticket/open", &json!({ "id": "s", "hall": "theatre" })).await;
    assert_eq!(status, 200, "{answer}");
    win(&server, "s", "u", 0..3).await;
    let both_are_written = async || {
        let sales = self::status(&server, "s").await["sales"].as_array().expect("a list").clone();
        (sales.len() == 2 && sales.iter().all(|line| line["lag_events"] == 0)).then_some(())
    };
    eventually("the ledger has all", both_are_written).await;
    redis.raw().await.run::<String>("FLUSHALL", "SYNC").await;

    let recover = async |kind: &str| {
        let mut command = stand.command(&stand.redis, "recover");
        command.args(["--kind", kind]);
        Said::by(command, "s").await
    };
    stand.recover("s").await.assert_refused("--kind");
    recover("coupon").await.assert_refused("red_packet and ticket, not coupon");
    recover("ticket").await.assert_back();
    recover("red_packet").await.assert_back();
    let audit = stand.audit("s").await;
    assert_eq!((audit.code, &audit.report["verdict"]), (0, &json!("holds")), "{audit:?}");
}

/// The ids of the demonstration sales are taken by sales that only the ledger has: the server opens others, and starts.
#[tokio::test]
async fn a_demonstration_begins_again_without_the_old_one() {
    let home = Home::new();
    let demonstrate = || {
        let mut command = home.serve_with_data();
        command.arg("--demo");
        command
    };
    let server = Running::start(demonstrate()).await;
    caught_up(&server, "demo").await;
    caught_up(&server, "stadium").await;
    let (redis, _) = embedded(&home.data()).await;
    server.stop().await;
    gone(redis).await;
    std::fs::remove_dir_all(home.data().join("redis")).expect("Redis's folder");

    let server = Running::start(demonstrate()).await;
    assert_eq!(snapshot(&server, "demo-2").await["pending"], 1_000);
    let (status, seats) = server.post("/api/ticket/snapshot", &json!({ "sale": "stadium-2" })).await;
    assert_eq!((status, &seats["remaining"]["cat1"]), (200, &json!(8_800)), "{seats}");
}
