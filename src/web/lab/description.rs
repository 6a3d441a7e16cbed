//! The description of the lab's API.

use crate::{
    components::format::count,
    lab::{
        api::{
            DuelRequest, LabRunRequest, LabRunsRequest, OrdersRequest, StartLabRequest, StepRequest, StopLabRequest,
            StrategiesRequest,
        },
        faults,
    },
    openapi::{Endpoint, Group, OF_THE_STORE},
};
use model::{
    error::Code,
    id_pattern,
    lab::{
        CONCURRENCY, DELAY_MS, MOST_SECONDS, MOST_SESSIONS, RAMP_SECONDS, STOCK, Settings, USERS,
        duel::{LEFT, Match},
        program::{MOST_CHARACTERS, MOST_LINES, PREFIX},
        run::Run,
        trace::{ATTEMPTS, MOST_STEPS},
    },
    runs::{DEFAULT_LIMIT, KEPT, ReportParams},
};
use serde_json::{Value, json};

const RUN: &str = "019b76da-c000-7000-8000-000000000007";

/// Returns the endpoints of the lab, with these ids of strategies and of mistakes.
pub fn group(strategy_ids: &[&str], mistake_ids: &[&str]) -> Group {
    Group {
        name: "Lab",
        description: format!(
            "Ways to serialize attempts, compared side by side on the server's own Redis and database, under keys \
             and rows of their own. Where the sales are on a cluster, the lab has a Redis of its own.\n\n\
             A strategy may take {MOST_SECONDS} s; users who have not arrived by then are left out. A `verdict` is \
             broken by what `oversold`, `doubled`, `lost` and `undersold` count: items given out beyond the stock, users \
             who got more than one, items that users were told they have and that are in no record, and items left in \
             the end for users who were sent away.\n\n\
             A ramp runs the strategies with 1 user at a time, then with 2, 4, 8 and so on to 512. Then a strategy may \
             take {RAMP_SECONDS} s at each stop, and the run has its figures for each. At most {MOST_SESSIONS} users of \
             a strategy with a database have a connection to it at a time; others wait for one.\n\n\
             In place of the name of a strategy, a request may have a program: `{PREFIX}`, and then its text, in which \
             `_` is a blank, `.` a new line, and `E`, `L`, `G`, `N`, `P`, `T`, `B` and `C` are `=`, `<`, `>`, `!`, `+`, \
             `:`, `{{` and `}}`. It has at most {MOST_LINES} lines of {MOST_CHARACTERS} characters, each one of these: \
             `left = read stock` (or `got`, what the own user has), `incr stock` and `decr stock` (or `left = decr \
             stock`, for the reply), `write stock left - 1`, `if left < 1: say sold out`, `if not mine {{`, `lock` (or \
             `lock 2ms`, which expires), `unlock` (or `unlock unchecked`), `work 5ms`, `watch stock got`, `exec {{` and \
             `script {{`, whose lines are one step, `}}`, and `say yours` (or `sold out`, `already yours`, `busy`), with \
             which it ends.",
        ),
        endpoints: [
            strategies(),
            start(strategy_ids),
            run(),
            stop(),
            runs(),
            step(strategy_ids, mistake_ids),
            orders(strategy_ids, mistake_ids),
            duel(),
            report(),
        ]
        .into_iter()
        .chain(faults::description::endpoints())
        .collect(),
    }
}

fn strategies() -> Endpoint {
    let shortened: Vec<Value> = vec![json!({
        "name": "pipeline",
        "source": "article 2, pipeline and Lua",
        "file": "src/lab/strategies/pipeline.rs",
        "code": "//! Pipeline: the same in two round trips. …",
        "servers": 1,
        "has_worker": false,
        "expected": "broken",
        "failures": [{
            "anomaly": "oversold",
            "play": { "strategy": "pipeline", "stock": 1, "users": "12", "schedule": "11211222" },
        }],
        "turns": { "strategy": "pipeline", "stock": 1, "users": "12", "schedule": "12121212" },
        "safe": [{
            "anomaly": "lost",
            "play": { "strategy": "pipeline", "stock": 1, "users": "11", "schedule": "111122" },
        }],
        "scenes": [{ "stock": 1, "users": "12" }],
        "test": "tests/lab/matrix.rs, pipeline",
    })];
    Endpoint::of::<StrategiesRequest>().example(
        "shortened",
        json!({}),
        json!({ "strategies": shortened, "mistakes": [] }),
    )
}

fn start(strategy_ids: &[&str]) -> Endpoint {
    let defaults = Settings::default();
    Endpoint::of::<StartLabRequest>()
        .range("stock", STOCK.start(), STOCK.end())
        .default("stock", defaults.stock)
        .range("users", USERS.start(), USERS.end())
        .default("users", defaults.users)
        .range("concurrency", CONCURRENCY.start(), CONCURRENCY.end())
        .default("concurrency", defaults.concurrency)
        .default("ramp", defaults.ramp)
        .range("repeat_rate", 0, 1)
        .default("repeat_rate", defaults.repeat_rate)
        .range("delay_ms", DELAY_MS.start(), DELAY_MS.end())
        .default("delay_ms", defaults.delay_ms)
        .range("seed", 0, u64::MAX)
        .default("seed", defaults.seed)
        .limit("strategies", json!({ "items": name_or_program(strategy_ids), "minItems": 1, "uniqueItems": true }))
        .errors(&OF_THE_STORE)
        .errors(&[Code::LabRunning, Code::LabUnavailable])
        .example(
            "two strategies",
            json!({ "stock": 5, "users": 50, "concurrency": 4, "strategies": ["script", "batched-script"] }),
            json!({ "run": RUN }),
        )
}

fn run() -> Endpoint {
    Endpoint::of::<LabRunRequest>()
        .id("run")
        .errors(&OF_THE_STORE)
        .errors(&[Code::UnknownRun, Code::LedgerUnavailable])
        .example("done", json!({ "run": RUN }), done())
}

fn stop() -> Endpoint {
    Endpoint::of::<StopLabRequest>()
        .id("run")
        .errors(&OF_THE_STORE)
        .errors(&[Code::UnknownRun, Code::LedgerUnavailable])
        .example("over already", json!({ "run": RUN }), done())
}

fn runs() -> Endpoint {
    let done = done();
    let entry = json!({
        "run": RUN,
        "settings": done["settings"],
        "phase": "done",
        "started_at": done["started_at"],
        "ended_at": done["reported_at"],
        "held": ["script", "batched-script"],
        "broken": [],
    });
    Endpoint::of::<LabRunsRequest>()
        .range("limit", 1, KEPT)
        .default("limit", DEFAULT_LIMIT)
        .limit("after", json!({ "pattern": format!("^[0-9]{{1,18}}-{}", &id_pattern()[1..]) }))
        .errors(&[Code::LedgerUnavailable])
        .example("the newest", json!({ "limit": 1 }), json!({ "runs": [entry], "next": null }))
}

fn step(strategy_ids: &[&str], mistake_ids: &[&str]) -> Endpoint {
    let (fewest, most) = (ATTEMPTS.start(), ATTEMPTS.end());
    let call = |command: &[&str]| json!({ "form": "pipeline", "commands": [command], "line": 9 });
    let playable = name_or_program(&[strategy_ids, mistake_ids].concat());
    Endpoint::of::<StepRequest>()
        .limit("strategy", playable)
        .range("attempts", fewest, most)
        .default("attempts", fewest)
        .limit("users", json!({ "pattern": format!("^[0-9]{{{fewest},{most}}}$") }))
        .range("stock", 1, most)
        .limit(
            "schedule",
            json!({ "description": format!(
            "Who takes each step, at most {} steps, with or without commas: the number of the attempt, `w` for the \
             worker that some strategies have, `t` to let the locks of attempts that are at work expire. Nothing is \
             played if left out.",
            count(MOST_STEPS as u64)
        ) }),
        )
        .errors(&OF_THE_STORE)
        .errors(&[Code::LabUnavailable])
        .example(
            "one step, shortened",
            json!({ "strategy": "pipeline", "attempts": 2, "schedule": "1" }),
            json!({
                "before": [{ "name": "stock", "value": "1" }],
                "steps": [{
                    "letter": "1",
                    "call": call(&["GET", "stock"]),
                    "reply": "\"1\"",
                    "waits": false,
                    "locals": [["left", "1"]],
                    "told": null,
                    "records": [{ "name": "stock", "value": "1" }],
                }],
                "participants": [{ "letter": "1", "next": call(&["HGET", "got", "user-1"]), "can_go": true, "locals": [["left", "1"]], "told": null }],
                "outcome": null,
            }),
        )
}

fn orders(strategy_ids: &[&str], mistake_ids: &[&str]) -> Endpoint {
    let (fewest, most) = (ATTEMPTS.start(), ATTEMPTS.end());
    let playable = name_or_program(&[strategy_ids, mistake_ids].concat());
    let order = |schedule: &str, anomalies: &[&str]| json!({ "schedule": schedule, "anomalies": anomalies });
    Endpoint::of::<OrdersRequest>()
        .limit("strategy", playable)
        .range("stock", 1, most)
        .limit("users", json!({ "pattern": format!("^[0-9]{{{fewest},{most}}}$") }))
        .errors(&OF_THE_STORE)
        .errors(&[Code::LedgerUnavailable, Code::LabUnavailable])
        .example(
            "two users for one item, shortened",
            json!({ "strategy": "read-check-write" }),
            json!({
                "strategy": "read-check-write",
                "stock": 1,
                "users": "12",
                "total": 66,
                "broken": 60,
                "anomalies": [{ "anomaly": "oversold", "orders": 60, "first": "11211222" }],
                "moments": 33,
                "shortest": "11211222",
                "listed": [order("111122", &[]), order("11211222", &["oversold"])],
                "is_complete": true,
            }),
        )
}

fn duel() -> Endpoint {
    let Match { left, seed } = Match::default();
    let figures = |name: &str, given: u64, verdict: &str| {
        json!({
            "name": name, "concurrency": 64, "attempts": 22_000, "cut_short": false, "per_s": 90_000, "p50_ms": 0.5,
            "p99_ms": 1.2, "round_trips": 2.0, "commands": 2.0, "given": given, "oversold": given - 400, "doubled": 0, "lost": 0,
            "undersold": 0, "retries": 0, "lowest_stock": null, "verdict": verdict, "expected": verdict,
        })
    };
    let side = |figures: Value, awards: Value| json!({ "figures": figures, "took_us": 240_000, "answered": [110, 220], "awards": awards });
    let twice = json!({ "at_us": [410, 470], "users": [1_151, 293], "items": [400, 400] });
    let once = json!({ "at_us": [380, 380], "users": [1_151, 293], "items": [1, 2] });
    Endpoint::of::<DuelRequest>()
        .limit("left", json!({ "enum": LEFT }))
        .default("left", &left)
        .range("seed", 0, u64::MAX)
        .default("seed", seed)
        .default("again", false)
        .errors(&OF_THE_STORE)
        .errors(&[Code::LabRunning, Code::LabUnavailable])
        .example(
            "shortened",
            json!({ "left": &left, "seed": seed }),
            json!({
                "settings": {
                    "stock": 400, "users": 20_000, "concurrency": 64, "ramp": false, "repeat_rate": 0.1,
                    "delay_ms": 0, "seed": seed, "strategies": [&left, "batched-script"],
                },
                "ended_at": 1_767_225_610_000_i64,
                "left": side(figures(&left, 13_396, "broken"), twice),
                "right": side(figures("batched-script", 400, "holds"), once),
            }),
        )
}

/// One of these names, or a program.
fn name_or_program(names: &[&str]) -> Value {
    let names: Vec<Value> = names.iter().map(|name| json!({ "type": "string", "const": name })).collect();
    let program = json!({ "type": "string", "pattern": format!("^{PREFIX}") });
    json!({ "anyOf": [{ "oneOf": names }, program] })
}

fn report() -> Endpoint {
    Endpoint::get::<ReportParams>(
        "/api/lab/report",
        &[],
        "A run as a file. In JSON, it is what `/api/lab/run` answers. In CSV, which begins \
         with a byte order mark so that spreadsheets know the text for UTF-8, each line is a strategy with its figures. \
         The HTML is self-contained, without scripts.",
    )
    .json::<Run>()
    .or_text(&[
        ("text/csv", "name,concurrency,attempts,cut_short,per_s,p50_ms,p99_ms,round_trips,commands,given,oversold\n"),
        ("text/html", "<!DOCTYPE html><html lang=\"en\">"),
    ])
    .id("run")
    .limit("lang", json!({ "enum": ["en", "zh"] }))
    .errors(&OF_THE_STORE)
    .errors(&[Code::BadRequest, Code::UnknownRun, Code::Internal, Code::LedgerUnavailable])
    .example("JSON", json!({ "run": RUN, "format": "json" }), done())
}

fn done() -> Value {
    let figures = |name: &str, per_s: u64, trips: f64| {
        json!({
            "name": name, "concurrency": 4, "attempts": 55, "cut_short": false, "per_s": per_s, "p50_ms": 0.4,
            "p99_ms": 1.2, "round_trips": trips, "commands": trips, "given": 5, "oversold": 0, "doubled": 0, "lost": 0,
            "undersold": 0, "retries": 0, "lowest_stock": null, "verdict": "holds", "expected": "holds",
        })
    };
    json!({
        "run": RUN,
        "settings": {
            "stock": 5, "users": 50, "concurrency": 4, "ramp": false, "repeat_rate": 0.1, "delay_ms": 0, "seed": 1,
            "strategies": ["script", "batched-script"],
        },
        "database": "SQLite",
        "phase": "done",
        "started_at": 1_767_225_610_000_i64,
        "reported_at": 1_767_225_610_040_i64,
        "now": null,
        "strategies": [figures("script", 9_000, 1.0), figures("batched-script", 20_000, 0.5)],
        "courses": [{ "name": "script", "every_ms": 100, "answered": [] }],
        "reason": null,
    })
}
