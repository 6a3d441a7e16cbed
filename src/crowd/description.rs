//! The crowd's API described.

use super::{
    MAX_CONCURRENCY, MAX_OVER_S, MAX_PER_S, MAX_USERS,
    api::{ChangeRequest, StartRequest, StatusRequest, StopRequest},
    runner::MAX_RUNS,
};
use crate::{
    components::format::count,
    domain::KindInfo,
    error::Code,
    openapi::{Endpoint, Group, OF_A_SALE, OF_THE_STORE},
};
use serde_json::{Map, Value, json};

const RUN: &str = "019b76da-c000-7000-8000-000000000003";

/// The endpoints of crowds. `behavior` are the fields that say how users behave at a sale of each kind.
pub fn group(behavior: Vec<(&'static KindInfo, Map<String, Value>)>) -> Group {
    Group {
        name: "Crowds",
        description: format!(
            "Simulated users, whose attempts take the same path as everybody's.\n\n\
             `arrival` is `\"burst\"`, or `{{\"kind\":\"ramp\",\"per_s\":5000,\"over_s\":10}}`, or \
             `{{\"kind\":\"constant\",\"per_s\":5000}}`.\n\n\
             Limits: crowds of 1 to {} users, up to {} at once and {} a second, ramps of up to {} seconds; up to {MAX_RUNS} crowds at a time on a server.",
            count(MAX_USERS.into()),
            count(MAX_CONCURRENCY.into()),
            count(MAX_PER_S.into()),
            count(MAX_OVER_S.into()),
        ),
        endpoints: vec![start(behavior), status(), change(), stop()],
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
        "elapsed_ms": 12,
        "left_ms": null,
        "attempts": 22,
        "answered": 22,
        "outcomes": { "won": 20, "repeat": 2, "sold_out": 0, "expired": 0, "closed": 0 },
        "unknown": 0,
        "unanswered": {},
        "per_s": 1_833,
        "mean_per_s": 1_833,
        "history": [{ "at_ms": 12, "per_s": 1_833, "p50_us": 1_200, "p99_us": 2_900 }],
        "judgement": {
            "verdict": "holds", "oversold": 0, "doubled": 0, "lost": 0, "unexpected": 0,
            "expected_cents": 8_880, "found_cents": 8_880, "reason": null,
        },
        "verdict": "holds",
    });
    if let (Some(status), Value::Object(figures)) = (status.as_object_mut(), figures) {
        status.extend(figures);
    }
    status
}
