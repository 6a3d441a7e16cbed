//! `stampede crowd` exits with 0 if the sale held and the limit was kept, 1 if not, 2 if there is no verdict.

use crate::support::{
    eventually,
    program::{Answer, Home, Running, change_in_redis},
    within,
};
use rustix::process::{Pid, Signal, kill_process};
use serde_json::{Value, json};
use tokio::process::Command;

/// A limit that every machine keeps, and one that none does.
const KEPT: &str = "3600s";
const MISSED: &str = "1ns";

fn crowd(home: &Home, args: &[&str]) -> Command {
    let mut command = home.command("crowd");
    command.args(args).arg("--data-dir").arg(home.data());
    command
}

/// Opens sale `s`, with 100 packets.
async fn open(running: &Running) {
    let terms = json!({ "id": "s", "total_cents": 10_000, "count": 100, "splitter": "equal" });
    assert_eq!(running.post("/api/red-packet/open", &terms).await.0, 200);
}

#[tokio::test]
async fn beside_a_server_or_without_one_the_verdict_is_the_exit_code() {
    let home = Home::new();
    let running = Running::start(home.serve_with_data()).await;
    open(&running).await;
    let args = ["s", "--users", "300", "--repeat-rate", "1", "--seed", "7", "--p99-below", KEPT, "--json"];
    let beside = Answer::of(crowd(&home, &args)).await;
    assert_eq!((beside.code, beside.complaint.as_str(), beside.printed.lines().count()), (0, "", 1));
    let report = beside.json();
    assert_eq!((&report["verdict"], &report["p99"]["kept"]), (&json!("holds"), &json!(true)), "{report}");
    let run = &report["run"];
    assert_eq!((&run["kind"], &run["sale"], &run["phase"]), (&json!("red_packet"), &json!("s"), &json!("done")));
    assert_eq!((&run["figures"]["attempts"], &run["figures"]["answered"]), (&json!(600), &json!(600)));
    assert_eq!((&run["figures"]["outcomes"]["won"], &run["settings"]["seed"]), (&json!(100), &json!(7)));
    assert_eq!(&report["p99"]["found_us"], &run["figures"]["p99_us"]);
    // The servers know the run.
    let (status, known) = running.post("/api/crowd/run", &json!({ "run": run["run"] })).await;
    assert_eq!((status, &known), (200, run));

    running.stop().await;
    let without = Answer::of(crowd(&home, &["s", "--users", "50", "--rate", "10000"])).await;
    assert_eq!((without.code, without.complaint.as_str()), (0, ""), "{}", without.printed);
    assert!(without.printed.starts_with("red_packet s: run "), "{}", without.printed);
    assert!(without.printed.contains("  50 users, 50 of 50 attempts in "), "{}", without.printed);
    assert!(!without.printed.contains('✗'), "{}", without.printed);
    assert_eq!(without.printed.lines().last(), Some("holds"));
    assert!(!home.data().join("redis/redis.sock").exists(), "what it started has ended");
    // What it did is in the ledger, without a server.
    let mut audit = home.command("audit");
    audit.arg("--data-dir").arg(home.data());
    let audit = Answer::of(audit).await;
    assert!(audit.code == 0 && audit.printed.contains("the ledger is 0 events"), "{}", audit.printed);
}

#[tokio::test]
async fn a_latency_beyond_the_limit_makes_the_code_1() {
    let home = Home::new();
    let running = Running::start(home.serve_with_data()).await;
    open(&running).await;
    let text = Answer::of(crowd(&home, &["s", "--users", "20", "--p99-below", MISSED])).await;
    assert_eq!((text.code, text.complaint.as_str()), (1, ""));
    let missed: Vec<&str> = text.printed.lines().filter_map(|line| line.strip_prefix("✗ ")).collect();
    let [missed] = missed.as_slice() else { panic!("{}", text.printed) };
    assert_eq!(missed.split_whitespace().take(5).collect::<Vec<_>>(), ["p99", "expected", "<", "0.001", "µs"]);
    assert_eq!(text.printed.lines().last(), Some("holds, LIMIT MISSED"));
    let json = Answer::of(crowd(&home, &["s", "--users", "20", "--p99-below", MISSED, "--json"])).await;
    let report = json.json();
    assert_eq!((json.code, &report["verdict"], &report["p99"]["kept"]), (1, &json!("holds"), &json!(false)));
    assert_eq!(report["p99"]["below_us"], json!(0.001));
}

#[tokio::test]
async fn a_broken_sale_makes_the_code_1() {
    let home = Home::new();
    let running = Running::start(home.serve_with_data()).await;
    open(&running).await;
    for user in ["ann", "bob"] {
        let claim = json!({ "sale": "s", "user": user });
        assert_eq!(running.post("/api/red-packet/claim", &claim).await.1["outcome"], "won");
    }
    change_in_redis(&home.data(), "HDEL", &["{red_packet:s}:claimants", "ann"]).await;
    let broken = Answer::of(crowd(&home, &["s", "--users", "20", "--p99-below", KEPT])).await;
    assert_eq!(broken.code, 1, "{}", broken.complaint);
    assert!(broken.printed.contains("\n✗ lost "), "{}", broken.printed);
    assert_eq!(broken.printed.lines().last(), Some("BROKEN"));
}

#[tokio::test]
async fn ctrl_c_stops_the_crowd_and_there_is_no_verdict_on_all_of_it() {
    let home = Home::new();
    let running = Running::start(home.serve_with_data()).await;
    open(&running).await;
    let command = crowd(&home, &["s", "--users", "100000", "--rate", "10", "--json"]).spawn().expect("it starts");
    // The server's page shows it.
    eventually("users have come", async || {
        let (_, snapshot) = running.post("/api/red-packet/snapshot", &json!({ "sale": "s" })).await;
        (snapshot["crowd"]["answered"].as_u64()? > 0).then_some(())
    })
    .await;
    let pid = command.id().and_then(|pid| Pid::from_raw(pid.cast_signed())).expect("it runs");
    kill_process(pid, Signal::INT).expect("a signal");
    let output = within("the command ends", command.wait_with_output()).await.expect("it ran");
    assert_eq!(output.status.code(), Some(2), "{}", String::from_utf8_lossy(&output.stderr));
    let report: Value = serde_json::from_slice(&output.stdout).expect("a report");
    assert_eq!((&report["verdict"], &report["run"]["phase"]), (&json!("unknown"), &json!("stopped")));
    assert_eq!(report["run"]["verification"]["verdict"], "holds", "what had come, held");
    // The sale is free for the next crowd.
    assert_eq!(Answer::of(crowd(&home, &["s", "--users", "10"])).await.code, 0);
}

#[tokio::test]
async fn what_cannot_run_is_said_in_one_sentence() {
    let home = Home::new();
    assert!(Answer::of(crowd(&home, &["s"])).await.sentence().starts_with("There is no data in "));
    assert!(!home.data().exists(), "looking makes nothing");
    let running = Running::start(home.serve_with_data()).await;
    open(&running).await;
    for (args, part) in [
        (&["nope"][..], "nope"),
        (&["s", "--kind", "ticket"], "The sale \"s\" is of kind red_packet, not ticket."),
        (&["s", "--users", "0"], "users"),
        (&["s", "--repeat-rate", "2"], "repeat_rate"),
        (&["s", "--behavior", r#"{"nonsense": 1}"#], "nonsense"),
    ] {
        let answer = Answer::of(crowd(&home, args)).await;
        assert!(answer.sentence().contains(part), "{args:?}: {}", answer.complaint);
    }
    assert_eq!(running.post("/api/sales/close", &json!({ "kind": "red_packet", "sale": "s" })).await.0, 200);
    let closed = Answer::of(crowd(&home, &["s"])).await;
    assert_eq!(closed.sentence(), "The sale \"s\" is closed, so a crowd there would show nothing.");
    // Words that the command does not have.
    for (args, part) in [(["s", "--p99-below", "fast"], "such as 50ms"), (["s", "--rate", "0"], "--rate")] {
        let answer = Answer::of(crowd(&home, &args)).await;
        assert!(answer.code == 2 && answer.complaint.contains(part), "{}", answer.complaint);
    }
}
