//! `stampede-bench --strategies`: the output for programs and for people.

use crate::{Home, complaint};
use serde_json::{Value, json};

#[tokio::test]
async fn the_json_has_a_list_of_strategies_and_progress_is_on_standard_error() {
    let home = Home::new();
    let mut command = home.bench();
    // Where nobody tries twice, both hold.
    command.args(["--strategies", "script,decr-incr", "--users", "50", "--stock", "5", "--concurrency", "4"]);
    command.args(["--repeat", "0", "--json"]);
    let output = command.output().await.expect("it ran");
    let stderr = String::from_utf8(output.stderr).expect("text");
    assert!(output.status.success(), "{stderr}");
    let told: Vec<&str> = stderr.lines().map(|line| line.split(',').next().expect("a beginning")).collect();
    let runs = (1..=5).map(|run| [format!("run {run} of 5"), "1 of 2: script".into(), "2 of 2: decr-incr".into()]);
    assert_eq!(told, runs.flatten().collect::<Vec<String>>(), "they take turns");
    let report: Value = serde_json::from_slice(&output.stdout).expect("JSON");
    let strategies = report["strategies"].as_array().expect("a list");
    for (figures, name) in strategies.iter().zip(["script", "decr-incr"]) {
        assert_eq!(figures["name"], name);
        for number in ["per_s", "p50_ms", "p99_ms"] {
            assert!(figures[number].as_f64().is_some_and(|figure| figure > 0.0), "{number} of {figures}");
        }
        for (count, expected) in [("given", 5), ("oversold", 0), ("doubled", 0), ("lost", 0), ("undersold", 0)] {
            assert_eq!(figures[count], expected, "{count} of {figures}");
        }
        assert_eq!(figures["verdict"], "holds");
        assert_eq!(figures["runs"], json!({ "holds": 5, "broken": 0, "unknown": 0, "unexpected": 0 }));
    }
    assert_eq!(strategies.len(), 2);
    // Each strategy is compared with the last one, which is not compared with itself.
    assert_eq!((&report["runs"], &report["compared_with"]), (&5.into(), &"decr-incr".into()));
    let [least, median, most] = ["least", "median", "most"]
        .map(|figure| strategies[0]["last_to_this"][figure].as_f64().unwrap_or_else(|| panic!("{figure}: {report}")));
    assert!(0.0 < least && least <= median && median <= most, "{report}");
    assert_eq!(strategies[1]["last_to_this"], Value::Null);
}

#[tokio::test]
async fn without_runs_a_verdict_may_be_unexpected_and_people_are_told_how_often() {
    let home = Home::new();
    let mut command = home.bench();
    // A single user meets no other, so nothing fails although it should.
    command.args(["--strategies", "read-check-write,script", "--users", "1", "--stock", "5", "--repeat", "0"]);
    let output = command.output().await.expect("it ran");
    let table = String::from_utf8(output.stdout).expect("text");
    assert!(output.status.success(), "{table}");
    for line in ["holds, as expected in 0 of 5 runs\n", "holds, as expected in 5 of 5 runs\n"] {
        assert!(table.contains(line), "{line:?} in {table}");
    }
    let ratios = table.split("attempts/s of script / of the others, run by run: median and range of 5 runs\n").nth(1);
    let ratios: Vec<&str> = ratios.unwrap_or_else(|| panic!("no ratios in {table}")).lines().collect();
    assert!(matches!(&ratios[..], [one] if one.starts_with("read-check-write ") && one.contains(" to ")), "{table}");
}

#[tokio::test]
async fn an_unknown_strategy_is_told_with_all_names() {
    let home = Home::new();
    let mut command = home.bench();
    command.args(["--strategies", "hope"]);
    let complaint = complaint(command).await;
    assert!(
        complaint.starts_with("There is no strategy `hope`; there are read-check-write, pipeline, "),
        "{complaint}"
    );
    assert!(complaint.ends_with(", batched-script."), "{complaint}");
}

#[tokio::test]
async fn names_that_cannot_be_meant_are_told_why() {
    let home = Home::new();
    for (names, why) in [
        ("", "--strategies has an empty name"),
        ("script,", "--strategies has an empty name"),
        ("all,script", "`all` already stands for every strategy"),
        ("script,queue,script", "The strategy `script` is named twice"),
    ] {
        let mut command = home.bench();
        command.args(["--strategies", names]);
        let complaint = complaint(command).await;
        assert!(complaint.starts_with(why), "{names:?}: {complaint}");
    }
}

/// Otherwise these settings would silently measure something else, for minutes.
#[tokio::test]
async fn what_only_a_crowd_has_is_refused_without_strategies() {
    let home = Home::new();
    for flag in ["--users", "--repeat", "--delay-ms", "--seed", "--runs"] {
        let refused = refusal(&home, &[flag, "5"]).await;
        assert!(refused.contains("required") && refused.contains("--strategies"), "{flag}: {refused}");
    }
}

#[tokio::test]
async fn a_negative_number_is_told_the_range() {
    let home = Home::new();
    for (flag, range) in [
        ("--users", "1..=100000"),
        ("--stock", "1..=10000"),
        ("--repeat", "0..=100"),
        ("--delay-ms", "0..=50"),
        ("--runs", "1..=1000"),
        ("--concurrency", "1..=10000"),
        ("--seed", "invalid digit"),
    ] {
        let refused = refusal(&home, &["--strategies", "script", flag, "-1"]).await;
        assert!(refused.contains("invalid value '-1'") && refused.contains(range), "{flag}: {refused}");
    }
}

/// The refusal of a command line, before anything is done.
async fn refusal(home: &Home, args: &[&str]) -> String {
    let mut command = home.bench();
    command.args(args).kill_on_drop(true);
    let output = command.output().await.expect("it ran");
    assert_eq!(output.status.code(), Some(2));
    String::from_utf8(output.stderr).expect("text")
}

#[tokio::test]
async fn several_runs_are_counted_and_fail_unless_every_verdict_is_as_expected() {
    let home = Home::new();
    let run = async |strategy: &str, users: &str| {
        let mut command = home.bench();
        command.args([
            "--strategies",
            strategy,
            "--users",
            users,
            "--stock",
            "5",
            "--concurrency",
            "4",
            "--runs",
            "3",
            "--json",
        ]);
        let output = command.output().await.expect("it ran");
        let report: Value = serde_json::from_slice(&output.stdout).expect("JSON");
        (output.status.success(), report, String::from_utf8(output.stderr).expect("text"))
    };
    let (succeeded, report, stderr) = run("script", "50").await;
    assert!(succeeded, "{stderr}");
    let expected = json!({ "holds": 3, "broken": 0, "unknown": 0, "unexpected": 0 });
    assert_eq!((&report["runs"], &report["strategies"][0]["runs"]), (&3.into(), &expected));
    // A single user meets no other, so nothing fails although it should.
    let (succeeded, report, stderr) = run("read-check-write", "1").await;
    assert!(!succeeded && stderr.contains("Not as expected in 3 runs: read-check-write (3 times)."), "{stderr}");
    assert_eq!(report["strategies"][0]["runs"]["unexpected"], 3);
}
