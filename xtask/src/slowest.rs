//! Finds the slowest tests of a run in the reports of nextest and Playwright.

use std::fs;
use std::path::{Path, PathBuf};

use anyhow::{Context, Result};
use serde_json::Value;

use crate::workspace::{root, target};

/// The number of printed tests.
const SLOWEST: usize = 10;

/// A test by its full name, and its time in seconds.
type Timed = (String, f64);

/// The report files of nextest and Playwright.
fn reports() -> [PathBuf; 2] {
    [target().join("nextest/default/junit.xml"), root().join("end2end/test-results/report.json")]
}

/// Removes the reports of earlier runs.
pub fn forget() {
    for report in reports() {
        // Usually there is none.
        fs::remove_file(report).ok();
    }
}

/// Prints the slowest tests of the existing reports.
pub fn print() -> Result<()> {
    let mut tests = Vec::new();
    let [nextest, playwright] = reports();
    if nextest.exists() {
        tests.extend(by_nextest(&read(&nextest)?)?);
    }
    if playwright.exists() {
        by_playwright(&serde_json::from_str(&read(&playwright)?)?, &mut tests);
    }
    if !tests.is_empty() {
        println!("\nThe slowest of {} tests:", tests.len());
    }
    tests.sort_by(|(_, a), (_, b)| b.total_cmp(a));
    for (name, seconds) in tests.iter().take(SLOWEST) {
        println!("{seconds:>8.1} s  {name}");
    }
    Ok(())
}

fn read(path: &Path) -> Result<String> {
    fs::read_to_string(path).with_context(|| format!("{} cannot be read", path.display()))
}

/// Reads JUnit's XML.
fn by_nextest(report: &str) -> Result<Vec<Timed>> {
    let document = roxmltree::Document::parse(report)?;
    let cases = document.descendants().filter(|node| node.has_tag_name("testcase"));
    Ok(cases
        .filter_map(|case| Some((case.attribute("name")?.to_owned(), case.attribute("time")?.parse().ok()?)))
        .collect())
}

/// Reads Playwright's JSON: nested suites. The outermost suites are files.
fn by_playwright(suite: &Value, tests: &mut Vec<Timed>) {
    let list = |of: &Value, key: &str| of[key].as_array().cloned().unwrap_or_default();
    for spec in list(suite, "specs") {
        let results: Vec<Value> = list(&spec, "tests").iter().flat_map(|test| list(test, "results")).collect();
        let took: f64 = results.iter().filter_map(|result| result["duration"].as_f64()).sum();
        let text = |key: &str| spec[key].as_str().unwrap_or_default();
        tests.push((format!("{}:{} {}", text("file"), spec["line"], text("title")), took / 1_000.0));
    }
    for inner in list(suite, "suites") {
        by_playwright(&inner, tests);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn both_reports_are_read() -> Result<()> {
        let xml = r#"<testsuites><testsuite name="s"><testcase name="a::b" time="1.5"/></testsuite></testsuites>"#;
        assert_eq!(by_nextest(xml)?, [("a::b".to_owned(), 1.5)]);
        let spec =
            json!({ "title": "t", "file": "a.spec.ts", "line": 3, "tests": [{ "results": [{ "duration": 2_500 }] }] });
        let mut tests = Vec::new();
        by_playwright(&json!({ "suites": [{ "suites": [{ "specs": [spec] }] }] }), &mut tests);
        assert_eq!(tests, [("a.spec.ts:3 t".to_owned(), 2.5)]);
        Ok(())
    }
}
