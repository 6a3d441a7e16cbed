//! The description of the crowd's API.

use crate::{
    components::format::count,
    crowd::api::{ChangeRequest, ReplayRequest, RunRequest, RunsRequest, StartRequest, StatusRequest, StopRequest},
    openapi::{Endpoint, Group, OF_A_SALE, OF_THE_STORE},
};
use model::{
    KindInfo,
    crowd::{MAX_CONCURRENCY, MAX_OVER_S, MAX_PER_S, MAX_RUNS, MAX_USERS, runs::RunReport},
    error::Code,
    id_pattern,
    runs::{DEFAULT_LIMIT, KEPT, ReportParams},
};
use serde_json::{Map, Value, json};

const RUN: &str = "019b76da-c000-7000-8000-000000000003";

/// Returns the endpoints of crowds. `behavior` has each kind's fields for the behavior of users.
pub fn group(behavior: Vec<(&'static KindInfo, Map<String, Value>)>) -> Group {
    let kinds: Vec<&str> = behavior.iter().map(|(kind, _)| kind.id).collect();
    Group {
        name: "Crowds",
        description: format!(
            "Simulated users, whose attempts take the same path as everybody's.\n\n\
             `arrival` is `\"burst\"`, or `{{\"kind\":\"ramp\",\"per_s\":5000,\"over_s\":10}}`, or \
             `{{\"kind\":\"constant\",\"per_s\":5000}}`.\n\n\
             Limits: crowds of 1 to {} users, up to {} at once and {} a second, ramps of up to {} seconds; up to {MAX_RUNS} crowds at a time on a server.\n\n\
             When a run is over, the ledger keeps it: of each sale the newest {KEPT}. A run whose server was killed is \
             kept when the next crowd comes to its sale.",
            count(MAX_USERS.into()),
            count(MAX_CONCURRENCY.into()),
            count(MAX_PER_S.into()),
            count(MAX_OVER_S.into()),
        ),
        endpoints: vec![
            start(behavior),
            status(),
            change(),
            stop(),
            runs(&kinds),
            run(&kinds),
            report(&kinds),
            replay(),
        ],
    }
}

fn start(behavior: Vec<(&'static KindInfo, Map<String, Value>)>) -> Endpoint {
    let kinds: Vec<&str> = behavior.iter().map(|(kind, _)| kind.id).collect();
    let example = json!({
        "sale": "spring", "users": 20, "concurrency": 10, "repeat_rate": 0.1, "arrival": "burst", "seed": 7,
    });
    let mut start = Endpoint::of::<StartRequest>()
        .id("sale")
        .range("users", 1, MAX_USERS)
        .range("concurrency", 1, MAX_CONCURRENCY)
        .range("repeat_rate", 0, 1)
        .range("seed", 0, u64::MAX)
        .limit("kind", json!({ "enum": kinds }))
        .errors(&OF_A_SALE)
        .errors(&[Code::SaleOpening, Code::CrowdRunning])
        .example("a burst", example, json!({ "run": RUN }));
    for (kind, mut fields) in behavior {
        for field in fields.values_mut() {
            let description = field["description"].as_str().unwrap_or_default();
            field["description"] = format!("At sales of the kind `{}`: {description}", kind.id).into();
        }
        start = start.fields(fields);
    }
    start
}

fn status() -> Endpoint {
    Endpoint::of::<StatusRequest>().id("run").errors(&OF_THE_STORE).errors(&[Code::UnknownRun]).example(
        "done",
        json!({ "run": RUN }),
        done(),
    )
}

fn change() -> Endpoint {
    Endpoint::of::<ChangeRequest>()
        .id("run")
        .range("per_s", 1, MAX_PER_S)
        .errors(&OF_THE_STORE)
        .errors(&[Code::UnknownRun])
        .example("over already", json!({ "run": RUN, "per_s": 500 }), done())
}

fn stop() -> Endpoint {
    Endpoint::of::<StopRequest>().id("run").errors(&OF_THE_STORE).errors(&[Code::UnknownRun]).example(
        "over already",
        json!({ "run": RUN }),
        done(),
    )
}

fn runs(kinds: &[&str]) -> Endpoint {
    Endpoint::of::<RunsRequest>()
        .limit("kind", json!({ "enum": kinds }))
        .id("sale")
        .range("limit", 1, KEPT)
        .default("limit", DEFAULT_LIMIT)
        .limit("after", json!({ "pattern": format!("^[0-9]{{1,18}}-{}", &id_pattern()[1..]) }))
        .errors(&[Code::LedgerUnavailable])
        .example(
            "of a sale",
            json!({ "kind": kinds.first(), "sale": "spring" }),
            json!({ "runs": [Value::Object(record(kinds))], "next": null }),
        )
}

fn run(kinds: &[&str]) -> Endpoint {
    Endpoint::of::<RunRequest>().id("run").errors(&[Code::UnknownRun, Code::LedgerUnavailable]).example(
        "of twenty users",
        json!({ "run": RUN }),
        kept(kinds),
    )
}

fn report(kinds: &[&str]) -> Endpoint {
    Endpoint::get::<ReportParams>(
        "/api/crowd/report",
        &[],
        "The report of a run that is over, as a file. In JSON, it is what `/api/crowd/run` answers. In CSV, which begins \
         with a byte order mark so that spreadsheets know the text for UTF-8, each line has a figure with its section, its \
         name and, for the course of the run, its time in milliseconds after the start; a text that begins with `=`, `+`, \
         `-` or `@` gets a `'` before it, so that no spreadsheet takes it for a formula. The HTML needs no other file and no script.",
    )
    .json::<RunReport>()
    .or_text(&[
        ("text/csv", "section,name,at_ms,value\nrun,run,,019b76da-c000-7000-8000-000000000003\n"),
        ("text/html", "<!DOCTYPE html><html lang=\"en\">"),
    ])
    .id("run")
    .limit("lang", json!({ "enum": ["en", "zh"] }))
    .errors(&[Code::BadRequest, Code::UnknownRun, Code::Internal, Code::LedgerUnavailable])
    .example("JSON", json!({ "run": RUN, "format": "json" }), kept(kinds))
}

fn replay() -> Endpoint {
    let transfers = json!({ "at_ms": [3, 9], "users": [4, 11], "items": [0, 1], "quantities": [1, 1] });
    Endpoint::of::<ReplayRequest>().id("run").errors(&[Code::UnknownRun, Code::LedgerUnavailable, Code::Busy]).example(
        "of two items",
        json!({ "run": RUN }),
        json!({
            "run": RUN, "items": 100, "names": ["1", "2"], "transfers": transfers, "is_cut": false, "is_recorded": true,
        }),
    )
}

/// Returns the run of the examples, as in lists.
fn record(kinds: &[&str]) -> Map<String, Value> {
    let Value::Object(mut status) = done() else { return Map::new() };
    let mut record = Map::new();
    for name in ["run", "phase", "started_at"] {
        record.extend(status.remove_entry(name));
    }
    let fields = [
        ("kind", json!(kinds.first())),
        ("sale", json!("spring")),
        ("ended_at", status.remove("reported_at").unwrap_or_default()),
        ("settings", status.remove("orders").unwrap_or_default()),
        ("verification", status.remove("judgement").unwrap_or_default()),
    ];
    record.extend(fields.map(|(name, value)| (name.to_owned(), value)));
    let of_running = ["left_ms", "expected_attempts", "per_s", "history", "changes", "verdict"];
    status.retain(|name, _| !of_running.contains(&name.as_str()));
    record.insert("figures".to_owned(), status.into());
    record
}

/// Returns the run of the examples, with all stored data.
fn kept(kinds: &[&str]) -> Value {
    let mut report = record(kinds);
    report.insert("history".to_owned(), done()["history"].take());
    report.insert("changes".to_owned(), done()["changes"].take());
    let audit = json!({
        "verdict": "holds",
        "invariants": [{ "name": "packets", "expected": 100, "found": 100 }],
        "event_id": "1767225601500-0",
        "at": 1_767_225_610_040_i64,
        "reason": null,
    });
    report.insert("audit".to_owned(), audit);
    report.into()
}

fn done() -> Value {
    let figures = json!({ "p50_us": 1_200, "p90_us": 2_100, "p99_us": 2_900, "max_us": 3_100 });
    let mut status = json!({
        "run": RUN,
        "orders": {
            "sale": "spring", "users": 20, "concurrency": 10, "repeat_rate": 0.1,
            "arrival": { "kind": "burst", "per_s": 5_000, "over_s": 10 }, "seed": 7,
        },
        "phase": "done",
        "started_at": 1_767_225_610_000_i64,
        "reported_at": 1_767_225_610_040_i64,
        "left_at_start": 100,
        "elapsed_ms": 12,
        "left_ms": null,
        "attempts": 22,
        "expected_attempts": 22,
        "answered": 22,
        "outcomes": { "won": 20, "repeat": 2, "sold_out": 0, "expired": 0, "closed": 0 },
        "unknown": 0,
        "unanswered": {},
        "per_s": 1_833,
        "mean_per_s": 1_833,
        "history": [{ "at_ms": 12, "per_s": 1_833, "p50_us": 1_200, "p99_us": 2_900, "answers": [20, 2, 0, 0, 0, 0] }],
        "changes": [],
        "judgement": {
            "verdict": "holds", "oversold": 0, "doubled": 0, "lost": 0, "unexpected": 0,
            "expected_cents": 8_880, "found_cents": 8_880, "currency": "CNY", "reason": null,
        },
        "verdict": "holds",
    });
    if let (Some(status), Value::Object(figures)) = (status.as_object_mut(), figures) {
        status.extend(figures);
    }
    status
}
