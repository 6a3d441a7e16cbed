//! The history of runs: kept once in the ledger, bounded, found again, and reported as files.

use crate::support::{
    app::TestApp,
    eventually,
    ledger::Base,
    postgres::Postgres,
    redis::TestRedis,
    sale::{START, clock, terms},
};
use engine::{red_packet::scripts::key, runs::history::RunHistory};
use ledger::database::{Ledger, Place};
use model::{
    Audit, EventId, Invariant, Verdict,
    crowd::{
        Arrival, ArrivalKind, Change, Counts, Phase, Point, RunConfig, Status, Verification,
        runs::{RunRecord, RunReport},
    },
    error::Code,
    life::Currency,
    runs::KEPT,
};
use serde_json::Value;
use std::{collections::BTreeMap, future::ready};
use tokio_util::sync::CancellationToken;

fn config(sale: &str, users: u32) -> RunConfig {
    RunConfig {
        sale: sale.to_owned(),
        users,
        concurrency: 50,
        repeat_rate: 0.2,
        arrival: Arrival::BURST,
        seed: 11,
        behavior: None,
    }
}

fn slow(sale: &str) -> RunConfig {
    RunConfig { arrival: Arrival { kind: ArrivalKind::Constant, per_s: 1, over_s: 1 }, ..config(sale, 1_000) }
}

/// The report of a run that never was.
fn made_up(sale: &str, run: &str, started_at: i64) -> RunReport {
    let verification = Verification {
        verdict: Verdict::Broken,
        oversold: 0,
        doubled: 1,
        lost: 0,
        unexpected: 0,
        before_start: None,
        expected_cents: 500,
        found_cents: 400,
        currency: Currency::CNY,
        reason: None,
    };
    let status = Status {
        run: run.to_owned(),
        config: config(sale, 10),
        phase: Phase::Done,
        started_at,
        reported_at: started_at + 2_000,
        left_at_start: Some(9),
        elapsed_ms: 1_500,
        left_ms: None,
        attempts: 12,
        expected_attempts: 12,
        answered: 12,
        outcomes: Counts([("won".to_owned(), 9), ("repeat".to_owned(), 2)].into()),
        unknown: 1,
        unanswered: BTreeMap::from([(Code::Unavailable, 1)]),
        per_s: 0,
        mean_per_s: 8,
        p50_us: 900,
        p90_us: 1_900,
        p99_us: 2_900,
        max_us: 3_900,
        history: vec![Point {
            at_ms: 100,
            per_s: 8,
            p50_us: 900,
            p99_us: 2_900,
            answers: vec![9, 2, 1],
            redis_down_since_ms: Some(60),
        }],
        changes: vec![Change { at_ms: 50, per_s: 7 }],
        verdict: Some(Verdict::Broken),
        verification: Some(verification),
    };
    let audit = Audit {
        verdict: Verdict::Broken,
        invariants: vec![Invariant::new("doubled", 0, 1), Invariant::cents("money", 500, -400)],
        event_id: EventId::default(),
        at: started_at + 2_000,
        reason: None,
    };
    RunReport::new("red_packet", status, Some(audit))
}

async fn runs(history: &RunHistory<RunReport>, sale: &str) -> Vec<RunRecord> {
    history.page("red_packet", sale, Some(KEPT), None, ready(None)).await.expect("runs").runs
}

/// Lets a crowd loose, and waits until its run is kept.
async fn kept(app: &TestApp, config: RunConfig) -> RunReport {
    let run = app.crowds.start("red_packet", config).await.expect("a run").run;
    eventually("the run is kept", async || app.run_history.report(&run).await.ok()).await
}

#[tokio::test]
async fn a_run_is_kept_with_its_verdict_and_found_by_other_servers_also_when_its_sale_is_archived() {
    let redis = TestRedis::start().await;
    let app = TestApp::on(&redis).await;
    app.red_packet.open(terms("s", 1_000, 10)).await.expect("a sale");
    let RunReport { record, audit, history, .. } = kept(&app, config("s", 30)).await;
    let status = app.crowds.status(&record.run).await.expect("a status");
    assert_eq!((record.kind.as_str(), record.sale.as_str(), record.phase), ("red_packet", "s", Phase::Done));
    assert_eq!((record.started_at, record.ended_at), (status.started_at, status.reported_at));
    assert_eq!((&record.settings, &record.verification), (&status.config, &status.verification));
    assert_eq!((&record.figures.outcomes, record.figures.p99_us), (&status.outcomes, status.p99_us));
    assert_eq!((record.figures.left_at_start, record.figures.outcomes.get("won")), (Some(10), 10));
    assert_eq!((&history, status.verdict), (&status.history, Some(Verdict::Holds)));
    let audit = audit.expect("an audit");
    assert!(audit.invariants.iter().any(|invariant| invariant.name == "packets"), "{audit:?}");
    assert_eq!(runs(&app.run_history, "s").await, std::slice::from_ref(&record));
    assert_eq!(runs(&app.run_history, "other").await, []);

    app.closing.close("red_packet", "s").await.expect("closed");
    app.writer("one").catch_up().await.expect("the ledger is written");
    app.closing.archive("red_packet", "s").await.expect("archived");
    drop(app);
    let again = TestApp::at(&redis, &redis.url(), clock(), 2).await;
    assert_eq!(runs(&again.run_history, "s").await, [record]);
}

async fn keep_once(base: Base) {
    let ledger = base.ledger().await;
    let history = RunHistory::new(ledger.clone(), vec!["red_packet"], CancellationToken::new());
    let done = made_up("s", "run", START);
    let mut lost = done.clone();
    lost.record.phase = Phase::Lost;
    lost.record.verification = None;
    // What seemed lost came back after all, but not the other way round.
    for (report, phase) in [(&lost, Phase::Lost), (&done, Phase::Done), (&done, Phase::Done), (&lost, Phase::Done)] {
        history.keep(report).await;
        let found: Vec<Phase> = runs(&history, "s").await.iter().map(|record| record.phase).collect();
        assert_eq!(found, [phase]);
    }
    assert_eq!(history.report("run").await, Ok(done));

    history.keep(&made_up("beside", "beside", START - 1)).await;
    let id = |nth: u32| format!("run-{nth:03}");
    for nth in 0..KEPT + 5 {
        // Two of each start at once.
        history.keep(&made_up("s", &id(nth), START + 1 + i64::from(nth / 2))).await;
    }
    let mut found = Vec::new();
    let mut after = None;
    loop {
        let page = history.page("red_packet", "s", Some(77), after.as_ref(), ready(None)).await.expect("a page");
        found.extend(page.runs.into_iter().map(|record| record.run));
        after = page.next;
        if after.is_none() {
            break;
        }
    }
    assert_eq!(found, (5..KEPT + 5).rev().map(id).collect::<Vec<_>>(), "the newest, newest first, each once");
    assert_eq!(runs(&history, "beside").await.len(), 1);
    assert_eq!(history.report("run").await.expect_err("forgotten").code, Code::UnknownRun);
}

#[tokio::test]
async fn each_run_is_kept_once_and_no_more_than_the_newest_of_a_sale_in_sqlite() {
    keep_once(Base::sqlite()).await;
}

#[tokio::test]
async fn each_run_is_kept_once_and_no_more_than_the_newest_of_a_sale_in_postgresql() {
    keep_once(Base::postgres()).await;
}

#[tokio::test]
async fn a_run_that_ends_while_the_database_is_away_is_kept_when_it_is_back() {
    let mut postgres = Postgres::start();
    let redis = TestRedis::start().await;
    let ledger = Ledger::connect(Place::Url(&postgres.url())).await.expect("a ledger");
    let app = TestApp::with(&redis.url(), ledger, clock(), 1, 10_000).await;
    app.red_packet.open(terms("s", 1_000, 10)).await.expect("a sale");
    postgres.stop();
    let run = app.crowds.start("red_packet", config("s", 30)).await.expect("a run").run;
    let status = eventually("the crowd is over", async || {
        let status = app.crowds.status(&run).await.expect("a status");
        status.phase.is_over().then_some(status)
    })
    .await;
    assert_eq!(app.run_history.report(&run).await.expect_err("away").code, Code::LedgerUnavailable);
    postgres.start_again().expect("PostgreSQL");
    let report = eventually("the run is kept", async || app.run_history.report(&run).await.ok()).await;
    assert_eq!(report.record.verification, status.verification);
    assert_eq!(runs(&app.run_history, "s").await.len(), 1);
}

#[tokio::test]
async fn a_run_is_kept_as_lost_when_its_server_stops_or_when_somebody_looks_after_it_was_killed() {
    let redis = TestRedis::start().await;
    let app = TestApp::on(&redis).await;
    app.red_packet.open(terms("s", 1_000, 10)).await.expect("a sale");
    let stopped = app.crowds.start("red_packet", slow("s")).await.expect("a run").run;
    app.shutdown.cancel();
    app.crowds.ended().await;
    let lost = |records: Vec<RunRecord>| -> Vec<(String, Option<Verification>)> {
        let lost = records.into_iter().filter(|record| record.phase == Phase::Lost);
        lost.map(|record| (record.run, record.verification)).collect()
    };
    assert_eq!(lost(runs(&app.run_history, "s").await), [(stopped.clone(), None)]);

    // What a server that was killed leaves behind.
    let mut status = app.crowds.status(&stopped).await.expect("a status");
    (status.run, status.phase) = ("killed".to_owned(), Phase::Running);
    status.started_at += 1;
    let json = serde_json::to_string(&status).expect("JSON");
    redis.raw().await.run::<String>("SET", (key("s", "crowd"), json)).await;
    let time = clock();
    time.advance(60_000);
    let again = TestApp::at(&redis, &redis.url(), time, 2).await;
    // It is verified in the background.
    again.crowds.runs("red_packet", "s", None, None).await.expect("runs");
    eventually("it is kept", async || again.run_history.report("killed").await.ok()).await;
    let page = again.crowds.runs("red_packet", "s", None, None).await.expect("runs");
    // By the audit: what its users were told is not known any more.
    let [(first, Some(verified)), (second, None)] = &lost(page.runs)[..] else { panic!("not as expected") };
    assert_eq!((first.as_str(), second, verified.verdict), ("killed", &stopped, Verdict::Holds));
    let status = again.crowds.status("killed").await.expect("a status");
    assert_eq!((status.phase, status.verdict), (Phase::Lost, Some(Verdict::Holds)));
    assert_eq!(status.unrecorded(), status.attempts - status.answered);
    let audit = again.run_history.report("killed").await.expect("kept").audit;
    assert_eq!(audit.map(|audit| audit.verdict), Some(Verdict::Holds));
}

#[tokio::test]
async fn a_run_whose_server_was_killed_is_kept_when_another_crowd_comes() {
    let redis = TestRedis::start().await;
    let app = TestApp::on(&redis).await;
    app.red_packet.open(terms("s", 1_000, 10)).await.expect("a sale");
    let run = kept(&app, config("s", 5)).await.record.run;
    let mut status = app.crowds.status(&run).await.expect("a status");
    (status.run, status.phase) = ("killed".to_owned(), Phase::Running);
    (status.verdict, status.verification) = (None, None);
    let json = serde_json::to_string(&status).expect("JSON");
    redis.raw().await.run::<String>("SET", (key("s", "crowd"), json)).await;
    let time = clock();
    time.advance(60_000);
    let again = TestApp::at(&redis, &redis.url(), time, 2).await;
    kept(&again, config("s", 5)).await;
    let killed = eventually("the one before is kept", async || again.run_history.report("killed").await.ok()).await;
    let verdict = killed.record.verification.map(|verification| verification.verdict);
    assert_eq!((killed.record.phase, verdict), (Phase::Lost, Some(Verdict::Holds)));
    assert_eq!(killed.record.figures.left_at_start, Some(10), "its own server had published it");
}

#[tokio::test]
async fn reports_are_files_to_read_to_compute_with_and_to_print() {
    let redis = TestRedis::start().await;
    let server = TestApp::on(&redis).await.serve().await;
    // A name that is markup, and a formula.
    let sale = "=<b>1\"</b>";
    let report = made_up(sale, "run-1", START);
    server.app.run_history.keep(&report).await;
    let file = async |query: &str| {
        let url = format!("{}/api/crowd/report?run=run-1&{query}", server.url);
        let answer = server.http.get(url).header("accept-language", "zh").send().await.expect("an answer");
        let header = |name: &str| answer.headers()[name].to_str().expect("text").to_owned();
        (header("content-type"), header("content-disposition"), answer.text().await.expect("a body"))
    };

    let (mime, name, csv) = file("format=csv").await;
    let named = |ending: &str| format!("attachment; filename=\"=_b_1___b_-red-packets-run-2023-11-14.{ending}\"");
    assert_eq!((mime.as_str(), name), ("text/csv; charset=utf-8", named("csv")));
    let csv = csv.strip_prefix('\u{feff}').expect("a byte order mark, by which a spreadsheet knows the alphabet");
    let mut lines = csv::Reader::from_reader(csv.as_bytes());
    assert_eq!(lines.headers().expect("names"), vec!["section", "name", "at_ms", "value"]);
    let lines: Vec<[String; 4]> = lines.deserialize().collect::<Result<_, _>>().expect("four in each line");
    let cells: BTreeMap<[&str; 3], &str> = lines
        .iter()
        .map(|[section, name, at, value]| ([section, name, at].map(String::as_str), value.as_str()))
        .collect();
    assert_eq!(cells.len(), lines.len(), "each figure once");
    for (cell, value) in [
        (["run", "sale", ""], "'=<b>1\"</b>"),
        (["run", "phase", ""], "done"),
        (["run", "started_at", ""], "2023-11-14T22:13:20.000Z"),
        (["settings", "arrival.kind", ""], "burst"),
        (["figures", "left_at_start", ""], "9"),
        (["figures", "outcomes.won", ""], "9"),
        (["figures", "p99_us", ""], "2900"),
        (["verification", "doubled", ""], "1"),
        (["found", "money", ""], "-400"),
        (["history", "p99_us", "100"], "2900"),
        (["answers", "won", "100"], "9"),
        (["answers", "unknown", "100"], "1"),
        (["changes", "per_s", "50"], "7"),
    ] {
        assert_eq!(cells.get(&cell).copied(), Some(value), "{cell:?}");
    }

    let (mime, _, json) = file("format=json").await;
    assert_eq!(mime, "application/json");
    assert_eq!(serde_json::from_str::<RunReport>(&json).expect("a report"), report);

    let (mime, name, html) = file("format=html&lang=en").await;
    assert_eq!((mime.as_str(), name), ("text/html; charset=utf-8", named("html")));
    for outside in ["<script", "<link", "src=", "href=", "url(", "@import", "<b>1\"</b>"] {
        assert!(!html.contains(outside), "{outside}");
    }
    for shown in
        ["<html lang=\"en\"", "Red packets", "Broken", "<svg", "2023-11-14 22:13:20 UTC", "¥4.00", "Left at the start"]
    {
        assert!(html.contains(shown), "{shown}");
    }
    let (.., chinese) = file("format=html").await;
    assert!(chinese.contains("<html lang=\"zh-CN\"") && chinese.contains("红包"), "the reader's language");

    for (query, status, field) in [
        ("format=csv", 400, "run"),
        ("run=run-1", 400, "format"),
        ("run=run-1&format=pdf", 400, "format"),
        ("run=run-1&format=csv&sale=s", 400, "sale"),
        ("run=run-1&format=html&lang=xx", 400, "lang"),
        ("run=%00&format=csv", 400, "run"),
        ("run=nope&format=csv", 404, "run"),
    ] {
        let (found, answer) = server.get(&format!("/api/crowd/report?{query}")).await;
        assert_eq!((found, &answer["error"]["field"]), (status, &Value::from(field)), "{query}: {answer}");
    }
}

#[tokio::test]
async fn what_is_asked_of_the_history_is_checked() {
    let redis = TestRedis::start().await;
    let server = TestApp::on(&redis).await.serve().await;
    let ask = async |body: Value| server.post("/api/crowd/runs", &body).await;
    let good = serde_json::json!({ "kind": "ticket", "sale": "s" });
    assert_eq!(ask(good.clone()).await, (200, serde_json::json!({ "runs": [], "next": null })));
    for (field, value) in
        [("kind", Value::from("raffle")), ("sale", "".into()), ("limit", 0.into()), ("limit", (KEPT + 1).into())]
    {
        let mut bad = good.clone();
        bad[field] = value;
        let (status, answer) = ask(bad).await;
        assert_eq!((status, &answer["error"]["field"]), (400, &Value::from(field)), "{answer}");
    }
    let mut bad = good;
    bad["after"] = "yesterday".into();
    assert_eq!(ask(bad).await.0, 400);
    let (status, answer) = server.post("/api/crowd/run", &serde_json::json!({ "run": "nope" })).await;
    assert_eq!((status, &answer["error"]["code"]), (404, &Value::from("unknown_run")));
}
