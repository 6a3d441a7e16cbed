//! Programs that readers write: each statement does on Redis what it says, the search finds in them what it finds in
//! the strategies that they spell out, and nothing but their statements ever runs.

use super::TestLab;
use crate::support::{app::TestApp, redis::TestRedis};
use lab::{
    orders::{Limits, orders},
    runner,
    stepper::replay,
};
use model::{
    Verdict,
    lab::{
        Anomaly, Settings, Told,
        orders::Orders,
        program::Program,
        run::Progress,
        trace::{Play, Trace},
    },
};
use serde_json::json;
use tokio::sync::watch;
use tokio_util::sync::CancellationToken;
use web::lab::{player::pseudo, write::examples::EXAMPLES};

fn id(text: &str) -> String {
    Program::parse(text).expect("a program").id()
}

fn scene(strategy: &str, stock: u32, users: &str) -> Play {
    Play { strategy: strategy.to_owned(), stock, users: users.to_owned(), schedule: String::new() }
}

async fn all(lab: &TestLab, strategy: &str, stock: u32, users: &str) -> Orders {
    let found =
        orders(&lab.lab, &scene(strategy, stock, users), &Limits::of_moments(usize::MAX)).await.expect("orders");
    Orders { strategy: String::new(), ..found }
}

async fn play(lab: &TestLab, text: &str, stock: u32, schedule: &str) -> Trace {
    let play = Play { schedule: schedule.to_owned(), ..scene(&id(text), stock, "12") };
    replay(&lab.lab, &play).await.expect("a trace")
}

/// What the first attempt is told when it goes alone, with the records after it.
async fn alone(text: &str, stock: u32, steps: usize) -> (Option<Told>, Vec<String>) {
    let lab = TestLab::new().await;
    let trace = play(&lab, text, stock, &"1".repeat(steps)).await;
    let records = trace.steps.last().map_or(&trace.before, |step| &step.records);
    let records = records.iter().map(|record| format!("{} {}", record.name, record.value)).collect();
    (trace.participants[0].told, records)
}

#[tokio::test]
async fn a_program_has_the_orders_of_the_strategy_that_it_spells_out() {
    let lab = TestLab::new().await;
    for (example, strategy) in [("read-check-write", "read-check-write"), ("watch", "watch-multi-exec")] {
        let text = EXAMPLES.iter().find(|known| known.id == example).expect("an example").text;
        for (stock, users) in [(1, "12"), (2, "11")] {
            let expected = all(&lab, strategy, stock, users).await;
            assert_eq!(all(&lab, &id(text), stock, users).await, expected, "{strategy}");
        }
    }
    assert_eq!(lab.raw().await.keys().await, 0, "nothing is left");
}

#[tokio::test]
async fn the_examples_break_or_hold_as_their_strategies_do() {
    let lab = TestLab::new().await;
    for (example, users, stock, is_broken) in [
        ("read-check-write", "12", 1, true),
        ("lifetime", "12", 1, true),
        ("lock", "12", 1, false),
        ("decr-incr", "12", 1, false),
        ("decr-incr", "112", 2, true),
        ("watch", "112", 2, false),
        ("script", "12", 1, false),
        ("script", "112", 2, false),
    ] {
        let text = EXAMPLES.iter().find(|known| known.id == example).expect("an example").text;
        let found = all(&lab, &id(text), stock, users).await;
        assert!(found.is_complete && found.total > 1, "{example}: {found:?}");
        assert_eq!(found.broken > 0, is_broken, "{example} with {users}: {:?}", found.shortest);
        // The one step of a script leaves only the order of the attempts.
        assert!(example != "script" || found.total == if users == "12" { 2 } else { 6 }, "{example}: {}", found.total);
    }
}

/// Whoever is told to come back has nothing, and everything is left.
#[tokio::test]
async fn who_sells_nothing_undersells() {
    let lab = TestLab::new().await;
    for text in ["say busy", "say sold out", "left = read stock\nsay busy"] {
        let found = all(&lab, &id(text), 1, "12").await;
        let anomalies: Vec<Anomaly> = found.anomalies.iter().map(|one| one.anomaly).collect();
        assert_eq!((found.broken, anomalies), (found.total, vec![Anomaly::Undersold]), "{text}");
        assert_eq!(found.listed.len() as u64, found.total, "{text}");
    }
}

#[tokio::test]
async fn each_statement_does_what_it_says() {
    let won = |records: &[&str]| (Some(Told::Won), records.iter().map(|&record| record.to_owned()).collect::<Vec<_>>());
    let text = "left = read stock\nwrite stock left + 5\nincr stock\nwrite got 3\nmine = decr got\n\
                if mine != 2: say busy\nsay yours";
    assert_eq!(alone(text, 1, 5).await, won(&["got {user-1: 2}", "stock 7"]));
    let locked = "lock 2ms\nwork 5ms\nunlock unchecked\nlock\nunlock\nsay yours";
    assert_eq!(alone(locked, 1, 5).await, won(&["stock 1"]));
    let together = "watch stock got\nexec {\n  write stock 9\n  decr stock\n  incr got\n}\nsay yours";
    assert_eq!(alone(together, 1, 2).await, won(&["got {user-1: 1}", "stock 8"]));
    // The names of a script and of what surrounds it are the same.
    let script = "first = read stock\nscript {\n  left = decr stock\n  if first != 3: say busy\n  mine = read got\n\
                  \x20 if mine: say already yours\n  if not mine {\n    incr got\n    write stock left - 1\n  }\n}\n\
                  if left = 2: say yours\nsay sold out";
    assert_eq!(alone(script, 3, 2).await, won(&["got {user-1: 1}", "stock 1"]));
    let answer = "script {\n  left = read stock\n  if left >= 1: say already yours\n  incr stock\n}\nsay yours";
    assert_eq!(alone(answer, 1, 1).await, (Some(Told::Already), vec!["stock 1".to_owned()]));
    // Whoever watches and ends nevertheless no longer watches.
    let unwatched = "watch stock\nleft = read stock\nif left: say sold out\nexec {\n  incr stock\n}\nsay yours";
    assert_eq!(alone(unwatched, 1, 3).await.0, Some(Told::SoldOut));
}

#[tokio::test]
async fn exec_starts_again_and_a_lock_is_waited_for() {
    let lab = TestLab::new().await;
    let text = "watch stock\nleft = read stock\nexec {\n  write stock left - 1\n}\nsay yours";
    let trace = play(&lab, text, 3, "112221111").await;
    assert_eq!(trace.steps[5].reply.as_deref(), Some("(nil)"));
    let lines: Vec<u32> = trace.steps.iter().map(|step| step.call.line).collect();
    assert_eq!(lines, [1, 2, 1, 2, 3, 3, 1, 2, 3]);
    assert_eq!(trace.steps[8].records[0].value, "1");
    let text = "lock\nleft = decr stock\nunlock\nsay yours";
    let trace = play(&lab, text, 2, "1211").await;
    assert!(trace.steps[1].waits, "{trace:?}");
}

/// To whoever watches, a write of the same value is a write.
#[tokio::test]
async fn what_exec_does_is_counted_rightly_whatever_was_written() {
    let lab = TestLab::new().await;
    let text = "left = read stock\nif left = 2: write stock 1\nwatch stock\nexec {\n  incr got\n}\nsay yours";
    let (mut total, mut open) = (0_u64, vec![String::new()]);
    while let Some(schedule) = open.pop() {
        let trace = play(&lab, text, 2, &schedule).await;
        match trace.outcome {
            Some(_) => total += 1,
            None => {
                let able = trace.participants.iter().filter(|one| one.can_go);
                open.extend(able.map(|one| format!("{schedule}{}", one.letter)));
            }
        }
    }
    assert_eq!(all(&lab, &id(text), 2, "12").await.total, total);
}

#[tokio::test]
async fn every_call_and_every_answer_has_its_line() {
    let lab = TestLab::new().await;
    for example in &EXAMPLES {
        let id = id(example.text);
        let found = orders(&lab.lab, &scene(&id, 1, "12"), &Limits::of_moments(usize::MAX)).await.expect("orders");
        let schedule = found.listed[found.listed.len() / 2].schedule.clone();
        let trace = replay(&lab.lab, &Play { schedule, ..scene(&id, 1, "12") }).await.expect("a trace");
        let lines = pseudo::lines(&id, Some('1'));
        assert_eq!(lines.len(), example.text.lines().count(), "{}", example.id);
        for at in 0..=trace.steps.len() {
            let counters = ['1', '2'].map(|letter| pseudo::counter(&trace, at, letter, &lines));
            assert!(counters.iter().all(Option::is_some), "{}: after {at} steps of {trace:?}", example.id);
        }
    }
}

#[tokio::test]
async fn a_crowd_goes_through_a_program_as_through_a_strategy() {
    let lab = TestLab::new().await;
    let script = EXAMPLES.iter().find(|known| known.id == "script").expect("an example").text;
    for (text, verdict) in [(script, Verdict::Holds), ("left = decr stock\nsay yours", Verdict::Broken)] {
        let program = id(text);
        let settings = Settings {
            stock: 20,
            users: 200,
            concurrency: 16,
            strategies: vec![program.clone(), "script".to_owned()],
            ..Settings::default()
        };
        let (progress, _) = watch::channel(Progress::default());
        let report = runner::run(&lab.lab, &settings, &progress, &CancellationToken::new()).await.expect("a report");
        let [own, other] = report.strategies.as_slice() else { panic!("{report:?}") };
        assert_eq!((&own.name, own.verdict, own.expected), (&program, verdict, verdict));
        assert!(own.round_trips >= 1.0 && own.attempts == other.attempts, "{own:?}");
    }
    assert_eq!(lab.raw().await.keys().await, 0, "nothing is left");
}

#[tokio::test]
async fn what_is_no_program_is_refused_with_a_sentence() {
    let redis = TestRedis::start().await;
    let server = TestApp::on(&redis).await.serve().await;
    let long = format!("program:{}", "say_yours.".repeat(1_000));
    for (program, why) in [
        ("program:redis.call('FLUSHALL')", "Line 1: This is not one of the steps."),
        ("program:return os.execute", "Line 1: "),
        ("program:watch_stock.say_yoursé", "Line 2: No step has the character"),
        ("program:incr_stock", "Line 1: It may end without an answer"),
        ("program:lock.lock.unlock.say_yours", "Line 2: It has the lock already"),
        (long.as_str(), "A program has at most 24 lines."),
    ] {
        for (path, field) in [("/api/lab/step", "strategy"), ("/api/lab/orders", "strategy")] {
            let (status, answer) = server.post(path, &json!({ "strategy": program })).await;
            assert_eq!((status, &answer["error"]["field"]), (400, &json!(field)), "{answer}");
            let message = answer["error"]["message"].as_str().unwrap_or_default();
            assert!(message.starts_with("The program has a fault.") && message.contains(why), "{message}");
        }
        let (status, answer) = server.post("/api/lab/start", &json!({ "strategies": [program] })).await;
        assert_eq!((status, &answer["error"]["field"]), (400, &json!("strategies")), "{answer}");
    }
    let (status, found) = server.post("/api/lab/orders", &json!({ "strategy": "program:incr_got.say_yours" })).await;
    assert_eq!((status, &found["total"], &found["broken"]), (200, &json!(2), &json!(2)), "{found}");
}
