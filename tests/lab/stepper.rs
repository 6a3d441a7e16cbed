//! Plays: the same schedule gives the same steps, and a step says what there is to see.

use super::TestLab;
use lab::{stepper::replay, strategies::strategy};
use model::{
    error::Code,
    lab::{
        Anomaly, Told,
        trace::{Form, Play, Trace},
    },
};

fn play(strategy: &str, stock: u32, users: &str, schedule: &str) -> Play {
    Play { strategy: strategy.to_owned(), stock, users: users.to_owned(), schedule: schedule.to_owned() }
}

/// The line of the source that a step lights up.
fn line<'a>(trace: &Trace, step: usize, code: &'a str) -> &'a str {
    code.lines().nth(trace.steps[step].call.line as usize - 1).expect("a line")
}

fn records(trace: &Trace, step: usize) -> Vec<(&str, &str)> {
    trace.steps[step].records.iter().map(|record| (record.name.as_str(), record.value.as_str())).collect()
}

#[tokio::test]
async fn an_oversell_by_read_check_write_one_step_at_a_time() {
    let lab = TestLab::new().await;
    let oversell = play("read-check-write", 1, "12", "11221122");
    let trace = replay(&lab.lab, &oversell).await.expect("a trace");
    assert_eq!(replay(&lab.lab, &oversell).await.expect("again"), trace, "the same steps every time");

    let calls: Vec<(char, String, &str)> = trace
        .steps
        .iter()
        .map(|step| (step.letter, step.call.commands[0].join(" "), step.reply.as_deref().expect("a reply")))
        .collect();
    let call = |letter, command: &str, reply| (letter, command.to_owned(), reply);
    assert_eq!(
        calls,
        [
            call('1', "GET stock", "\"1\""),
            call('1', "HGET got user-1", "(nil)"),
            call('2', "GET stock", "\"1\""),
            call('2', "HGET got user-2", "(nil)"),
            call('1', "SET stock 0", "OK"),
            call('1', "HSET got user-1 1", "1"),
            call('2', "SET stock 0", "OK"),
            call('2', "HSET got user-2 1", "1"),
        ]
    );
    assert_eq!(trace.steps[0].locals, [("left".to_owned(), "1".to_owned())]);
    assert_eq!(records(&trace, 3), [("stock", "1")]);
    assert_eq!(records(&trace, 7), [("got", "{user-1: 1, user-2: 1}"), ("stock", "0")]);
    assert_eq!((trace.steps[4].told, trace.steps[5].told), (None, Some(Told::Won)));
    assert_eq!(trace.outcome, Some(vec![Anomaly::Oversold]));
    let code = strategy("read-check-write").expect("a strategy").code;
    assert!(line(&trace, 0, code).contains("wire.call(\"GET\""), "{}", line(&trace, 0, code));
    assert!(line(&trace, 7, code).contains("wire.run(\"HSET\""), "{}", line(&trace, 7, code));
}

#[tokio::test]
async fn a_shorter_schedule_takes_steps_back_and_says_who_may_go_on() {
    let lab = TestLab::new().await;
    let trace = replay(&lab.lab, &play("read-check-write", 1, "12", "112")).await.expect("a trace");
    assert_eq!(trace.outcome, None);
    let next: Vec<(char, String)> = trace
        .participants
        .iter()
        .map(|one| (one.letter, one.next.as_ref().expect("a next call").commands[0].join(" ")))
        .collect();
    assert_eq!(next, [('1', "SET stock 0".to_owned()), ('2', "HGET got user-2".to_owned())]);
    assert!(trace.participants.iter().all(|one| one.can_go));
    let locals = |place: usize| -> Vec<String> {
        trace.participants[place].locals.iter().map(|(name, value)| format!("{name} = {value}")).collect()
    };
    assert_eq!(
        (locals(0), locals(1)),
        (vec!["left = 1".to_owned(), "got = None".to_owned()], vec!["left = 1".to_owned()])
    );
}

#[tokio::test]
async fn four_attempts_are_the_most_that_are_stepped_through() {
    let lab = TestLab::new().await;
    let four =
        replay(&lab.lab, &play("decr-incr", 2, "1234", "123412343434")).await.expect_err("nobody has so many steps");
    assert_eq!(four.field.as_deref(), Some("schedule"));
    let four = replay(&lab.lab, &play("decr-incr", 2, "1234", "12341234")).await.expect("a trace");
    assert_eq!(four.outcome, Some(vec![]));
    let told: Vec<Option<Told>> = four.participants.iter().map(|one| one.told).collect();
    assert_eq!(told, [Told::Won, Told::Won, Told::SoldOut, Told::SoldOut].map(Some));
    assert_eq!(records(&four, 3), [("stock", "-2")], "it dips below zero");
}

/// Others come between the commands of a pipeline, as they may on any Redis.
#[tokio::test]
async fn each_command_of_a_pipeline_is_a_step_and_a_transaction_is_one() {
    let lab = TestLab::new().await;
    let commands = async |strategy: &str, schedule: &str| -> Vec<String> {
        let trace = replay(&lab.lab, &play(strategy, 1, "12", schedule)).await.expect("a trace");
        let words = |command: &Vec<String>| command.join(" ");
        trace.steps.iter().map(|step| step.call.commands.iter().map(words).collect::<Vec<_>>().join("; ")).collect()
    };
    assert_eq!(
        commands("pipeline", "12112").await,
        ["GET stock", "GET stock", "HGET got user-1", "DECR stock", "HGET got user-2"]
    );
    assert_eq!(commands("watch-multi-exec", "1111").await[3], "DECR stock; HINCRBY got user-1 1");
}

/// Where somebody is at work, only that one's lock expires: the others are as quick as ever.
#[tokio::test]
async fn time_takes_the_lock_of_nobody_but_who_is_at_work() {
    let lab = TestLab::new().await;
    let trace = replay(&lab.lab, &play("setnx-lock", 2, "12", "11111t2t")).await.expect("a trace");
    assert_eq!(trace.steps[5].call.commands, [["PEXPIRE", "lock", "0"]]);
    assert_eq!(trace.steps[7].call.commands, [[""; 0]; 0]);
}

#[tokio::test]
async fn who_waits_for_a_lock_can_go_when_somebody_else_went() {
    let lab = TestLab::new().await;
    let able = async |schedule: &str| -> String {
        let trace = replay(&lab.lab, &play("lock-in-process", 1, "12", schedule)).await.expect("a trace");
        trace.participants.iter().filter(|one| one.can_go).map(|one| one.letter).collect()
    };
    assert_eq!(able("1").await, "12");
    assert_eq!(able("12").await, "1", "the lock is taken");
    assert_eq!(able("121").await, "12");
    let trace = replay(&lab.lab, &play("lock-in-process", 1, "12", "12")).await.expect("a trace");
    assert_eq!((trace.steps[1].call.form, trace.steps[1].reply.as_deref()), (Form::Lock, None));
}

/// A row lock in SQL is waited for as well, and nobody is kept from a step by it.
#[tokio::test]
async fn who_waits_for_a_transaction_can_go_when_it_is_over() {
    let lab = TestLab::new().await;
    let waits = replay(&lab.lab, &play("select-for-update", 1, "12", "12")).await.expect("a trace");
    assert_eq!(waits.steps[1].reply, None);
    let whole = replay(&lab.lab, &play("select-for-update", 1, "12", "12111112222")).await.expect("a trace");
    assert_eq!(whole.outcome, Some(vec![]));
    assert_eq!(whole.steps[5].told, None);
    assert_eq!(records(&whole, 10), [("lab_claims", "{user-1: 1}"), ("lab_stock", "0")]);
}

#[tokio::test]
async fn time_passes_only_while_somebody_is_at_work() {
    let lab = TestLab::new().await;
    let early = replay(&lab.lab, &play("setnx-lock-short-lifetime", 1, "12", "1t")).await.expect_err("nobody works");
    assert_eq!((early.code, early.field.as_deref()), (Code::BadRequest, Some("schedule")));
    let trace = replay(&lab.lab, &play("setnx-lock-short-lifetime", 1, "12", "111t2")).await.expect("a trace");
    assert_eq!(trace.steps[3].call.commands, [["PEXPIRE", "lock", "0"]]);
    assert_eq!(records(&trace, 3), [("stock", "1")], "the lock is gone");
    assert_eq!(records(&trace, 4), [("lock", "2-1"), ("stock", "1")], "and another has it");
    // As it is sent where time passes by itself.
    assert_eq!(trace.steps[4].call.commands[0].join(" "), "SET lock 2-1 NX PX 2");
}

/// With one script there is only one step, and with the product's own as well.
#[tokio::test]
async fn a_script_has_one_step() {
    let lab = TestLab::new().await;
    for strategy in ["script", "batched-script"] {
        let trace = replay(&lab.lab, &play(strategy, 1, "12", "21")).await.expect("a trace");
        assert_eq!((trace.steps[0].told, trace.steps[1].told), (Some(Told::Won), Some(Told::SoldOut)), "{strategy}");
        assert_eq!(trace.outcome, Some(vec![]), "{strategy}");
    }
}

#[tokio::test]
async fn what_nobody_can_play_is_refused() {
    let lab = TestLab::new().await;
    let long = "1".repeat(201);
    for (refused, field) in [
        (play("nothing", 1, "12", ""), "strategy"),
        (play("pipeline", 0, "12", ""), "stock"),
        (play("pipeline", 5, "12", ""), "stock"),
        (play("pipeline", 1, "1", ""), "users"),
        (play("pipeline", 1, "12345", ""), "users"),
        (play("pipeline", 1, "ab", ""), "users"),
        (play("pipeline", 1, "12", "3"), "schedule"),
        (play("pipeline", 1, "12", "11111"), "schedule"),
        (play("pipeline", 1, "12", "w"), "schedule"),
        (play("pipeline", 1, "12", &long), "schedule"),
    ] {
        let error = replay(&lab.lab, &refused).await.expect_err("a refusal");
        assert_eq!((error.code, error.field.as_deref()), (Code::BadRequest, Some(field)), "{refused:?}");
    }
    assert_eq!(lab.raw().await.keys().await, 0, "nothing is left");
}
