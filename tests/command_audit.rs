//! `stampede audit` exits with 0 if everything holds, 1 if something is broken, 2 if it could not check.

use crate::support::{
    eventually,
    ledger::sqlite,
    program::{Answer, Home, Running, change_in_redis},
    proxy::FaultProxy,
    redis::TestRedis,
    within,
};
use ledger::database::{Ledger, Place};
use serde_json::{Value, json};
use sqlx::Connection;
use std::path::Path;
use tokio::io::{AsyncBufReadExt, BufReader};

/// An audit of a server's data folder.
async fn audit(home: &Home, args: &[&str]) -> Answer {
    let mut command = home.command("audit");
    command.args(args).arg("--data-dir").arg(home.data());
    Answer::of(command).await
}

/// Sale `s`: three packets, two of them claimed and in the ledger.
async fn sell(running: &Running, sale: &str) {
    let open = json!({ "id": sale, "total_cents": 10, "count": 3, "splitter": "equal" });
    assert_eq!(running.post("/api/red-packet/open", &open).await.0, 200);
    for user in ["ann", "bob"] {
        let claim = json!({ "sale": sale, "user": user });
        assert_eq!(running.post("/api/red-packet/claim", &claim).await.1["outcome"], "won");
    }
}

async fn written(home: &Home) {
    eventually("the ledger has it", async || {
        let report = audit(home, &["--json"]).await.json();
        report["sales"].as_array()?.iter().all(|sale| sale["lag_events"] == 0).then_some(())
    })
    .await;
}

fn keys(value: &Value) -> Vec<&str> {
    value.as_object().expect("an object").keys().map(String::as_str).collect()
}

#[tokio::test]
async fn beside_a_running_server_and_without_one_it_says_that_all_holds() {
    let home = Home::new();
    let running = Running::start(home.serve_with_data()).await;
    sell(&running, "s").await;
    sell(&running, "红包 #1").await;
    written(&home).await;
    let beside = audit(&home, &[]).await;
    assert_eq!((beside.code, beside.complaint.as_str()), (0, ""));
    for part in
        ["red_packet s: holds", "red_packet 红包 #1: holds", "0 events (0.0 s) behind, 0 set aside", "ledger_rows"]
    {
        assert!(beside.printed.contains(part), "{part}: {}", beside.printed);
    }
    assert_eq!(beside.printed.lines().last(), Some("holds"));
    assert_eq!(running.get("/readyz").await, 200, "the server is not disturbed");

    running.stop().await;
    let without = audit(&home, &[]).await;
    assert_eq!((without.code, without.printed), (0, beside.printed));
    assert!(!home.data().join("redis/redis.sock").exists(), "what it started has ended");
    Running::start(home.serve_with_data()).await.stop().await;
}

#[tokio::test]
async fn a_broken_sale_is_named_and_makes_the_code_1() {
    let home = Home::new();
    let running = Running::start(home.serve_with_data()).await;
    sell(&running, "s").await;
    sell(&running, "t").await;
    written(&home).await;
    change_in_redis(&home.data(), "HDEL", &["{red_packet:s}:claimants", "bob"]).await;
    let broken = audit(&home, &[]).await;
    assert_eq!(broken.code, 1, "{}", broken.complaint);
    assert!(broken.printed.contains("red_packet s: BROKEN") && broken.printed.contains("red_packet t: holds"));
    let faults: Vec<&str> = broken.printed.lines().filter_map(|line| line.strip_prefix("✗ ")).collect();
    let faults: Vec<Vec<&str>> = faults.into_iter().map(|line| line.split_whitespace().collect()).collect();
    assert_eq!(
        faults,
        [
            ["packets", "expected", "3", "found", "2"],
            ["lost", "expected", "0", "found", "1"],
            ["ledger", "expected", "2", "found", "1"],
            ["ledger_cents", "expected", "7", "found", "4"],
        ]
    );
    assert_eq!(broken.printed.lines().last(), Some("BROKEN"));
    assert_eq!(audit(&home, &["s"]).await.code, 1);
    assert_eq!(audit(&home, &["t"]).await.code, 0, "the sale that was named holds");
    assert_eq!(audit(&home, &["t", "s"]).await.code, 1);
}

#[tokio::test]
async fn json_has_lag_and_audit_of_each_sale() {
    let home = Home::new();
    let running = Running::start(home.serve_with_data()).await;
    sell(&running, "s").await;
    sell(&running, "t").await;
    written(&home).await;
    let answer = audit(&home, &["--json"]).await;
    assert_eq!((answer.code, answer.printed.lines().count()), (0, 1));
    let report = answer.json();
    assert_eq!((keys(&report), &report["verdict"]), (vec!["sales", "verdict"], &json!("holds")));
    assert_eq!(report["sales"].as_array().map(Vec::len), Some(2));
    let named = audit(&home, &["s", "--json"]).await.json();
    let [line] = named["sales"].as_array().expect("a list").as_slice() else { panic!("{named}") };
    assert_eq!(
        keys(line),
        [
            "alarm",
            "applied_event_id",
            "archived",
            "audit",
            "kind",
            "lag_events",
            "lag_seconds",
            "last_event_id",
            "lost",
            "missing_events",
            "sale",
            "set_aside",
            "stream_length",
        ]
    );
    assert_eq!((&line["kind"], &line["sale"]), (&json!("red_packet"), &json!("s")));
    assert_eq!((&line["lag_events"], &line["stream_length"]), (&json!(0), &json!(3)));
    let audit = &line["audit"];
    assert_eq!(keys(audit), ["at", "event_id", "invariants", "reason", "verdict"]);
    assert_eq!((&audit["verdict"], &audit["event_id"]), (&json!("holds"), &line["last_event_id"]));
    let ledger = json!({ "name": "ledger", "expected": 2, "found": 2 });
    assert!(audit["invariants"].as_array().expect("a list").contains(&ledger), "{audit}");
}

/// As with `| head`.
#[tokio::test]
async fn without_a_reader_the_verdict_is_still_the_exit_code() {
    let home = Home::new();
    let running = Running::start(home.serve_with_data()).await;
    sell(&running, "s").await;
    written(&home).await;
    for args in [["audit", "--json"], ["audit", "s"], ["recover", "--all"]] {
        let mut command = home.command(args[0]);
        let mut child = command.arg(args[1]).arg("--data-dir").arg(home.data()).spawn().expect("it starts");
        drop(child.stdout.take());
        let output = within("the program ends", child.wait_with_output()).await.expect("it ran");
        let complaint = String::from_utf8(output.stderr).expect("text");
        assert_eq!((output.status.code(), complaint.as_str()), (Some(0), ""), "{args:?}");
    }
}

#[tokio::test]
async fn where_there_is_no_sale_it_says_so() {
    let home = Home::new();
    let _running = Running::start(home.serve_with_data()).await;
    let answer = audit(&home, &[]).await;
    assert_eq!((answer.code, answer.printed.as_str()), (0, "There is no sale to audit.\nholds\n"));
}

/// A server that is killed while opening a sale leaves it half open; it accepts no claims.
#[tokio::test]
async fn a_sale_that_is_not_open_yet_keeps_nobody_from_auditing_the_others() {
    let home = Home::new();
    let running = Running::start(home.serve_with_data()).await;
    sell(&running, "s").await;
    written(&home).await;
    change_in_redis(&home.data(), "ZADD", &["stampede:sales", "1", "red_packet:registered"]).await;
    change_in_redis(&home.data(), "ZADD", &["stampede:sales", "1", "red_packet:half"]).await;
    change_in_redis(&home.data(), "HSET", &["{red_packet:half}:meta", "state", "opening"]).await;
    let answer = audit(&home, &["--json"]).await;
    assert_eq!((answer.code, answer.complaint.as_str()), (0, ""));
    let sales: Vec<Value> = answer.json()["sales"].as_array().expect("a list").clone();
    assert_eq!(sales.iter().map(|line| &line["sale"]).collect::<Vec<_>>(), ["s"]);
    for name in ["registered", "half"] {
        assert!(audit(&home, &[name]).await.sentence().contains(name), "it is shown to whoever asks for it");
    }
}

#[tokio::test]
async fn an_audit_that_cannot_check_says_why_in_one_sentence() {
    let home = Home::new();
    let answer = audit(&home, &[]).await;
    let sentence = answer.sentence();
    assert!(sentence.starts_with(&format!("There is no data in {}", home.data().display())), "{sentence}");
    assert!(sentence.contains("--data-dir") && sentence.contains("--redis"), "{sentence}");
    assert!(!home.data().exists(), "looking makes nothing");

    let running = Running::start(home.serve_with_data()).await;
    sell(&running, "s").await;
    let answer = audit(&home, &["nope"]).await;
    assert!(answer.sentence().contains("nope"), "{}", answer.complaint);
    let answer = audit(&home, &["s", "nope"]).await;
    assert!(answer.sentence().contains("nope"), "{}", answer.complaint);

    let nowhere = home.folder().join("no.sock");
    let mut command = home.command("audit");
    command.arg("--data-dir").arg(home.data()).args(["--redis", &format!("redis+unix://{}", nowhere.display())]);
    let answer = Answer::of(command).await;
    assert!(answer.sentence().starts_with("Redis at "), "{}", answer.complaint);
    let answer = audit(&home, &["--database", "postgres://me@127.0.0.1:1/none"]).await;
    assert!(answer.sentence().starts_with("PostgreSQL at 127.0.0.1:1 cannot be reached"), "{}", answer.complaint);
}

/// It only reads: whoever writes is not kept waiting, nor is it.
#[tokio::test]
async fn an_audit_needs_no_lock_of_the_database() {
    let home = Home::new();
    let running = Running::start(home.serve_with_data()).await;
    sell(&running, "s").await;
    written(&home).await;
    let mut writer = sqlite(&home.data()).await;
    let lock = writer.begin_with("BEGIN IMMEDIATE").await.expect("the lock of who writes");
    let answer = audit(&home, &[]).await;
    assert_eq!((answer.code, answer.complaint.as_str()), (0, ""));
    lock.rollback().await.expect("the end");
}

#[tokio::test]
async fn the_ledger_of_another_redis_is_not_taken_for_this_ones() {
    let home = Home::new();
    let external = TestRedis::start().await;
    let mut serve = home.serve_with_data();
    serve.args(["--redis", &external.url()]);
    let running = Running::start(serve).await;
    sell(&running, "s").await;
    let with = async |data: &Path| {
        let mut command = home.command("audit");
        command.args(["--redis", &external.url(), "--data-dir"]).arg(data);
        Answer::of(command).await
    };
    eventually("the ledger has it", async || {
        let answer = with(&home.data()).await;
        (answer.code == 0 && answer.printed.contains(" 0 events")).then_some(())
    })
    .await;
    let other = home.folder().join("other");
    let answer = with(&other).await;
    assert!(answer.sentence().starts_with("There is no ledger in "), "{}", answer.complaint);
    assert!(!other.exists(), "looking makes nothing");
    // With the ledger alone, it says what is missing.
    let answer = audit(&home, &[]).await;
    let sentence = answer.sentence();
    assert!(sentence.starts_with("There is a ledger in ") && sentence.contains("with --redis"), "{sentence}");

    drop(Ledger::connect(Place::Folder(&other)).await.expect("another ledger"));
    let answer = with(&other).await;
    assert!(answer.sentence().starts_with("This Redis feeds another ledger"), "{}", answer.complaint);
}

/// The command does not wait without a word.
#[tokio::test]
async fn it_says_that_it_waits_for_redis() {
    let home = Home::new();
    let server = TestRedis::start().await;
    let proxy = FaultProxy::before(&server).await;
    proxy.vanish();
    let mut command = home.command("audit");
    let mut child = command.args(["--redis", &proxy.url]).spawn().expect("the command starts");
    let mut log = BufReader::new(child.stderr.take().expect("its log")).lines();
    loop {
        let line = within("a word", log.next_line()).await.expect("text").expect("it goes on");
        if line.contains("Redis does not answer yet; waiting for it") {
            break;
        }
    }
    child.kill().await.expect("a signal");
}
