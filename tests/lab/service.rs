//! The lab as a service: one run at a time, told while it goes on, stopped, kept and reported; and plays over HTTP.

use crate::support::{
    app::{Server, TestApp},
    eventually,
    ledger::Base,
    redis::TestRedis,
    sale::{START, clock},
};
use futures::future::join_all;
use lab::strategies::STRATEGIES;
use ledger::database::Location;
use model::{
    error::Code,
    iso,
    lab::{
        Settings,
        run::{Phase, Run},
        trace::Play,
    },
    runs::{KEPT, RunStatus},
};
use serde_json::{Value, json};
use store::keys;

/// Small enough to be over soon.
fn small(strategies: &[&str]) -> Value {
    json!({ "stock": 5, "users": 60, "concurrency": 4, "repeat_rate": 0.2, "strategies": strategies })
}

/// So slow that it goes on for as long as anybody looks.
fn slow() -> Settings {
    Settings { delay_ms: 50, strategies: vec!["script".to_owned(), "setnx-lock".to_owned()], ..Settings::default() }
}

async fn over(server: &Server, run: &Value) -> Value {
    eventually("the run is over", async || {
        let (status, found) = server.post("/api/lab/run", run).await;
        assert_eq!(status, 200, "{found}");
        (found["phase"] != "running").then_some(found)
    })
    .await
}

/// Kept in the ledger, a moment after it is over.
async fn kept(server: &Server, run: &Value) -> Value {
    eventually("the run is kept", async || {
        let (_, answer) = server.post("/api/lab/runs", &json!({})).await;
        let runs = answer["runs"].as_array().expect("runs").clone();
        runs.into_iter().find(|entry| entry["run"] == run["run"])
    })
    .await
}

#[tokio::test(flavor = "multi_thread")]
async fn a_run_ends_with_a_verdict_for_each_strategy_and_is_kept() {
    let redis = TestRedis::start().await;
    let server = TestApp::on(&redis).await.serve().await;
    assert_eq!(server.post("/api/lab/run", &json!({})).await, (200, Value::Null), "nothing goes on");
    let names = ["script", "queue", "conditional-update", "batched-script"];
    let (status, run) = server.post("/api/lab/start", &small(&names)).await;
    assert_eq!(status, 200, "{run}");
    let done = over(&server, &run).await;
    assert_eq!((&done["phase"], &done["now"], &done["database"]), (&json!("done"), &Value::Null, &json!("SQLite")));
    let strategies = done["strategies"].as_array().expect("figures");
    assert!(strategies.iter().map(|figures| &figures["name"]).eq(names.iter()), "{done}");
    for figures in strategies {
        let counts =
            ["given", "oversold", "doubled", "lost", "undersold"].map(|name| figures[name].as_u64().expect("a count"));
        assert_eq!((counts, &figures["verdict"]), ([5, 0, 0, 0, 0], &json!("holds")), "{figures}");
        assert!(figures["per_s"].as_u64() > Some(0) && figures["p50_ms"].as_f64() <= figures["p99_ms"].as_f64());
    }
    let entry = kept(&server, &run).await;
    assert_eq!((&entry["held"], &entry["broken"]), (&json!(names), &json!([])));
    assert_eq!((&entry["settings"], &entry["ended_at"]), (&done["settings"], &done["reported_at"]));
    // Redis forgets it after a day.
    let key = format!("lab:{}", run["run"].as_str().expect("an id"));
    redis.raw().await.run::<()>("DEL", key.as_str()).await;
    assert_eq!(server.post("/api/lab/run", &run).await, (200, done));
    assert_eq!(server.post("/api/lab/run", &json!({ "run": "nope" })).await.1["error"]["code"], "unknown_run");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_run_that_is_over_keeps_no_other_from_starting_though_it_never_gave_its_lease_back() {
    let redis = TestRedis::start().await;
    let server = TestApp::on(&redis).await.serve().await;
    let (_, first) = server.post("/api/lab/start", &small(&["script"])).await;
    over(&server, &first).await;
    let lease = async || redis.raw().await.run::<Option<String>>("GET", keys::LAB.one).await;
    eventually("the lease is given back", async || lease().await.is_none().then_some(())).await;
    // As if Redis had been away just then.
    redis.raw().await.run::<()>("SET", (keys::LAB.one, first["run"].as_str())).await;
    let (status, second) = server.post("/api/lab/start", &small(&["script"])).await;
    assert_eq!(status, 200, "{second}");
    over(&server, &second).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn one_run_goes_on_at_a_time_whichever_server_is_asked_and_can_be_stopped_from_any() {
    let redis = TestRedis::start().await;
    let time = clock();
    let one = TestApp::at(&redis, &redis.url(), time.clone(), 1).await;
    let other = TestApp::at(&redis, &redis.url(), time, 2).await;
    let run = one.lab.start(slow()).await.expect("a run").run;
    assert_eq!(other.lab.start(slow()).await.expect_err("a refusal").code, Code::LabRunning);
    // Seen moving from the other one.
    let going_on = eventually("attempts are answered", async || {
        let run = other.lab.current().await.expect("an answer").expect("a run");
        run.now.clone().filter(|now| now.answered > 0).map(|now| (now, run))
    })
    .await;
    let (now, found) = going_on;
    assert_eq!((now.strategy.as_str(), now.nth, now.of), ("script", 1, 2));
    assert_eq!((found.run.as_str(), found.phase, found.settings), (run.as_str(), Phase::Running, slow()));
    eventually("samples are taken", async || {
        let run: Run = other.lab.find(&run).await.expect("the run");
        run.courses.first().is_some_and(|course| course.answered.len() > 1).then_some(())
    })
    .await;
    other.lab.stop(&run).await.expect("it is asked");
    let stopped =
        eventually("the run is over", async || other.lab.find(&run).await.expect("the run").is_over().then_some(()));
    stopped.await;
    let found = other.lab.find(&run).await.expect("the run");
    assert_eq!((found.phase, found.now), (Phase::Stopped, None));
    assert_eq!(one.lab.current().await, Ok(None));
    // Its lease is given back just after that, which this server does not wait for.
    one.lab.start(slow()).await.expect("another run");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_run_ends_with_its_server_and_leaves_nothing_behind() {
    let redis = TestRedis::start().await;
    let app = TestApp::on(&redis).await;
    let run = app.lab.start(slow()).await.expect("a run").run;
    eventually("attempts are answered", async || {
        let now = app.lab.find(&run).await.expect("the run").now;
        now.filter(|now| now.answered > 0)
    })
    .await;
    app.shutdown.cancel();
    app.lab.ended().await;
    assert_eq!(app.lab.find(&run).await.expect("the run").phase, Phase::Lost);
    let raw = crate::support::redis::Raw::at(&format!("{}?db=1", redis.url())).await;
    assert_eq!(raw.keys().await, 0, "nothing is left");
    assert_eq!(redis.raw().await.run::<i64>("EXISTS", "stampede:lab").await, 0, "and the lease is free");
}

/// What a database says is for the log, not for those who look at a run.
#[tokio::test]
async fn a_run_that_fails_says_what_failed_without_the_words_of_the_database() {
    let redis = TestRedis::start().await;
    let base = Base::sqlite();
    let app = TestApp::with(&redis.url(), base.connect().await.expect("a ledger"), clock(), 1, 10_000).await;
    let server = app.serve().await;
    // Where the lab's own database goes is a folder.
    let Location::Folder(folder) = server.app.ledger.location() else { panic!("a file") };
    std::fs::create_dir(folder.join("lab.sqlite")).expect("a folder");
    let run = server.post("/api/lab/start", &small(&["conditional-update"])).await.1["run"].clone();
    let run = over(&server, &json!({ "run": run })).await;
    let reason = "The lab's database failed; the server's log says how. Start again once it works.";
    assert_eq!((&run["phase"], &run["reason"]), (&json!("failed"), &json!(reason)));
}

/// A server that is killed keeps nothing, so the next one that is asked does.
#[tokio::test]
async fn a_run_whose_server_was_killed_enters_the_history_as_lost() {
    let redis = TestRedis::start().await;
    let server = TestApp::on(&redis).await.serve().await;
    let raw = redis.raw().await;
    // As it left them: silent for longer than a run ever is.
    let killed = Run {
        run: "killed".to_owned(),
        settings: slow(),
        database: "SQLite".to_owned(),
        phase: Phase::Running,
        started_at: 1_000,
        reported_at: 2_000,
        now: None,
        strategies: Vec::new(),
        courses: Vec::new(),
        reason: None,
    };
    raw.run::<()>("SET", ("lab:killed", serde_json::to_string(&killed).expect("JSON"))).await;
    raw.run::<()>("SET", ("stampede:lab_latest", "killed")).await;
    let entry = kept(&server, &json!({ "run": "killed" })).await;
    assert_eq!((&entry["phase"], &entry["ended_at"]), (&json!("lost"), &json!(2_000)));
    // Redis forgets it after a day, and the ledger has it.
    raw.run::<()>("DEL", ("lab:killed", "stampede:lab_latest")).await;
    assert_eq!(server.post("/api/lab/run", &json!({ "run": "killed" })).await.1["phase"], "lost");
}

/// More than take place at a time, as when a class opens a page.
#[tokio::test]
async fn plays_wait_for_their_turn() {
    let redis = TestRedis::start().await;
    let app = TestApp::on(&redis).await;
    let play = Play::of("pipeline".to_owned(), None, None, None, "12121212").expect("a play");
    let trace = app.lab.step(&play).await.expect("a trace");
    for other in join_all((0..30).map(|_| app.lab.step(&play))).await {
        assert_eq!(other.as_ref(), Ok(&trace));
    }
}

#[tokio::test]
async fn a_wrong_field_is_named_with_its_limit() {
    let redis = TestRedis::start().await;
    let server = TestApp::on(&redis).await.serve().await;
    for (path, request, field, limit) in [
        ("start", json!({ "stock": 0 }), "stock", "1 to 10000"),
        ("start", json!({ "users": 100_001 }), "users", "1 to 100000"),
        ("start", json!({ "concurrency": 513 }), "concurrency", "1 to 512"),
        ("start", json!({ "users": 511, "ramp": true }), "users", "512 to 100000 in a ramp"),
        ("start", json!({ "repeat_rate": 1.5 }), "repeat_rate", "0 to 1"),
        ("start", json!({ "delay_ms": 51 }), "delay_ms", "0 to 50"),
        ("start", json!({ "seed": -1 }), "seed", "a whole number, 0 or more"),
        ("step", json!({ "strategy": "script", "stock": 5 }), "stock", "1 to 4"),
        ("orders", json!({ "strategy": "script", "stock": 5 }), "stock", "1 to 4"),
        ("orders", json!({ "strategy": "script", "users": "12345" }), "users", "2 to 4"),
        ("start", json!({ "strategies": ["hope"] }), "strategies", "there are read-check-write"),
        ("start", json!({ "strategies": ["script", "queue", "script"] }), "strategies", "`script` is named twice"),
        ("runs", json!({ "limit": KEPT + 1 }), "limit", "1 to 200"),
        ("step", json!({ "strategy": "hope" }), "strategy", "no strategy"),
        ("step", json!({ "strategy": "script", "attempts": 5 }), "attempts", "2 to 4"),
        ("step", json!({ "strategy": "script", "attempts": 2, "users": "123" }), "users", "2 attempts"),
        ("step", json!({ "strategy": "script", "users": "ab" }), "users", "digits"),
        ("step", json!({ "strategy": "script", "stock": 0 }), "stock", "1 to 4"),
        ("step", json!({ "strategy": "script", "schedule": "9" }), "schedule", "does not take part"),
        ("orders", json!({ "strategy": "hope" }), "strategy", "no strategy"),
        ("orders", json!({ "strategy": "script", "users": "12345" }), "users", "2 to 4"),
        ("orders", json!({ "strategy": "script", "stock": 5 }), "stock", "1 to 4"),
    ] {
        let (status, answer) = server.post(&format!("/api/lab/{path}"), &request).await;
        assert_eq!((status, &answer["error"]["field"]), (400, &json!(field)), "{request}: {answer}");
        let message = answer["error"]["message"].as_str().expect("a sentence");
        assert!(message.contains(limit), "{request}: {message}");
    }
    assert_eq!(server.post("/api/lab/run", &json!({})).await, (200, Value::Null), "nothing was started");
}

#[tokio::test]
async fn every_strategy_is_listed_with_plays_that_end_as_they_say() {
    let redis = TestRedis::start().await;
    let server = TestApp::on(&redis).await.serve().await;
    let (_, answer) = server.post("/api/lab/strategies", &json!({})).await;
    let strategies = answer["strategies"].as_array().expect("strategies");
    assert_eq!(strategies.len(), STRATEGIES.len());
    let mut failures = 0;
    for strategy in strategies {
        assert!(strategy["code"].as_str().is_some_and(|code| code.starts_with("//! ")), "{strategy}");
        let known = strategy["failures"].as_array().expect("failures");
        assert_eq!(strategy["expected"] == "holds", known.is_empty(), "{strategy}");
        for failure in known {
            let (status, trace) = server.post("/api/lab/step", &failure["play"]).await;
            assert_eq!(status, 200, "{trace}");
            assert!(trace["outcome"].as_array().expect("an end").contains(&failure["anomaly"]), "{failure}");
            failures += 1;
        }
    }
    assert!(failures > 10, "{failures}");
}

/// The address says what is to be played, so only its reader can correct it.
#[tokio::test]
async fn a_page_that_cannot_show_a_play_says_why() {
    let redis = TestRedis::start().await;
    let server = TestApp::on(&redis).await.serve().await;
    for (query, why) in [
        ("strategy=hope", "There is no strategy `hope`."),
        ("strategy=script&schedule=1111", "`1` does not take part, or has no step left."),
        ("strategy=script&stock=9", "`stock` is 9; it must be 1 to 4."),
        ("strategy=script&stock=abc", "which is not a number."),
        ("strategy=setnx-lock&schedule=t", "Nobody is at work, so no time passes."),
    ] {
        let (status, page) = server.get(&format!("/lab/step?{query}")).await;
        let page = page.as_str().expect("a page");
        assert_eq!(status, 400, "{query}");
        assert!(page.contains("This play cannot be shown.") && page.contains(why), "{query}: {page}");
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn whoever_comes_during_a_run_sees_its_settings() {
    let redis = TestRedis::start().await;
    let server = TestApp::on(&redis).await.serve().await;
    let settings = json!({ "users": 1_234, "delay_ms": 50, "strategies": ["setnx-lock"] });
    let (status, run) = server.post("/api/lab/start", &settings).await;
    assert_eq!(status, 200, "{run}");
    let (_, page) = server.get("/lab").await;
    let page = page.as_str().expect("a page");
    assert!(page.contains("1,234 users for 100 items, 64 at a time"), "{page}");
    server.post("/api/lab/stop", &run).await;
}

#[tokio::test]
async fn a_run_of_no_strategy_is_refused() {
    let redis = TestRedis::start().await;
    let server = TestApp::on(&redis).await.serve().await;
    let (status, answer) = server.post("/api/lab/start", &json!({ "strategies": [] })).await;
    assert_eq!((status, &answer["error"]["field"]), (400, &json!("strategies")), "{answer}");
    assert_eq!(server.post("/api/lab/run", &json!({})).await, (200, Value::Null), "nothing goes on");
}

#[tokio::test]
async fn a_play_says_who_may_go_next() {
    let redis = TestRedis::start().await;
    let server = TestApp::on(&redis).await.serve().await;
    let step = async |schedule: &str| {
        let request = json!({ "strategy": "read-check-write", "attempts": 2, "schedule": schedule });
        server.post("/api/lab/step", &request).await.1
    };
    let begun = step("1,2").await;
    assert_eq!(begun["steps"][1]["reply"], "\"1\"");
    assert_eq!((&begun["participants"][0]["can_go"], &begun["outcome"]), (&json!(true), &Value::Null));
    assert_eq!(step("1,1,2,2,1,1,2,2").await["outcome"], json!(["oversold"]));
}

#[tokio::test(flavor = "multi_thread")]
async fn a_run_is_reported_as_csv_as_json_and_as_a_page_of_its_own() {
    let redis = TestRedis::start().await;
    let server = TestApp::on(&redis).await.serve().await;
    let (_, run) = server.post("/api/lab/start", &small(&["script", "decr-incr"])).await;
    let done = over(&server, &run).await;
    let id = run["run"].as_str().expect("an id");
    let get = async |query: &str| {
        let url = format!("{}/api/lab/report?run={id}&{query}", server.url);
        let answer = server.http.get(url).send().await.expect("an answer");
        let disposition =
            answer.headers().get("content-disposition").map(|value| value.to_str().expect("text").to_owned());
        (disposition, answer.text().await.expect("a file"))
    };
    let (disposition, csv) = get("format=csv").await;
    let day = &iso(START)[..10];
    assert_eq!(disposition, Some(format!("attachment; filename=\"lab-{day}.csv\"")));
    let csv = csv.strip_prefix('\u{feff}').expect("a byte order mark");
    let lines: Vec<&str> = csv.lines().collect();
    assert!(lines[0].starts_with("name,concurrency,attempts,cut_short,per_s,p50_ms,p99_ms,"), "{csv}");
    assert!(lines.len() == 3 && lines[1].starts_with("script,") && lines[2].starts_with("decr-incr,"), "{csv}");
    let json: Value = serde_json::from_str(&get("format=json").await.1).expect("JSON");
    assert_eq!(json, done);
    for (lang, word) in [("en", "One script per attempt"), ("zh", "每次请求一个脚本")] {
        let (_, html) = get(&format!("format=html&lang={lang}")).await;
        assert!(html.starts_with("<!DOCTYPE html>") && html.contains(word) && html.contains("<rect "), "{html}");
        assert!(!html.contains("<script") && !html.contains("<link") && !html.contains("<button"), "{html}");
    }
    let (status, refused) = server.get(&format!("/api/lab/report?run={id}&format=pdf")).await;
    assert_eq!((status, &refused["error"]["field"]), (400, &json!("format")));
    assert_eq!(server.get("/api/lab/report?run=nope&format=csv").await.0, 404);
}

/// The page is shown without its history then.
#[tokio::test]
async fn a_ledger_that_is_away_keeps_nobody_from_a_run_or_a_play() {
    let redis = TestRedis::start().await;
    let server = crate::support::postgres::Postgres::start();
    let ledger = Base::Postgres(server);
    let app = TestApp::with(&redis.url(), ledger.connect().await.expect("a ledger"), clock(), 1, 10_000).await;
    drop(ledger);
    assert_eq!(app.lab.runs(None, None).await.expect_err("no ledger").code, Code::LedgerUnavailable);
    let play = Play::of("pipeline".to_owned(), None, None, None, "12121212").expect("a play");
    assert!(app.lab.step(&play).await.expect("a trace").outcome.is_some());
    let settings = Settings { users: 20, stock: 2, strategies: vec!["script".to_owned()], ..Settings::default() };
    let run = app.lab.start(settings).await.expect("a run").run;
    let done =
        eventually("the run is over", async || Some(app.lab.find(&run).await.expect("the run")).filter(Run::is_over));
    assert_eq!(done.await.phase, Phase::Done);
}
