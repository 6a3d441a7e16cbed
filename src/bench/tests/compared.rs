//! `stampede-bench --coupons` and `--stock`: the output for programs. (The measurements need an idle machine.)

use crate::Home;
use serde_json::Value;

async fn report(of: &str, attempts: &str) -> Value {
    let home = Home::new();
    let mut command = home.bench();
    command.args([of, "--packets", attempts, "--concurrency", "50", "--json"]);
    let output = command.output().await.expect("it ran");
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    serde_json::from_slice(&output.stdout).expect("JSON")
}

fn assert_compared(report: &Value) {
    for figure in ["article_per_s", "stampede_per_s", "ratio_article"] {
        assert!(report[figure].as_f64().is_some_and(|figure| figure > 0.0), "{figure} of {report}");
    }
    let [least, median, most] = ["least", "median", "most"]
        .map(|figure| report["rounds_article"][figure].as_f64().unwrap_or_else(|| panic!("{figure} of {report}")));
    assert!(least <= median && median <= most, "{report}");
    assert_eq!(report["ratio_article"], report["rounds_article"]["median"]);
}

#[tokio::test]
async fn coupons_are_compared_with_the_article() {
    let report = report("--coupons", "1000").await;
    assert_compared(&report);
    assert_eq!(report["coupons"], 1_000);
}

#[tokio::test]
async fn stock_is_compared_with_the_article_and_its_way_to_the_ledger_is_told() {
    let report = report("--stock", "20000").await;
    assert_compared(&report);
    assert_eq!(report["deductions"], 20_000);
    let ledger = &report["ledger"];
    assert_eq!((&ledger["items"], &ledger["deductions"]), (&1_000.into(), &20_000.into()));
    let figure = |name: &str| ledger[name].as_f64().unwrap_or_else(|| panic!("{name} of {report}"));
    assert!(figure("deductions_per_s") > 0.0 && figure("lag_s") >= 0.0, "{report}");
    // There is one UPDATE for each item and transaction, for any number of deductions.
    assert!(figure("updates") >= 1_000.0 && figure("updates") < 20_000.0, "{report}");
}
