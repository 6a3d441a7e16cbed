//! Reads the tables of `lua/README.md`, and the scripts.

use std::{collections::BTreeMap, fs, path::PathBuf};

pub fn lua() -> PathBuf {
    PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("lua")
}

pub fn text() -> String {
    fs::read_to_string(lua().join("README.md")).expect("lua/README.md")
}

/// The rows of the table below a heading, cell by cell, without head and rule.
pub fn table(text: &str, heading: &str) -> Vec<Vec<String>> {
    let (_, section) = text.split_once(&format!("\n## {heading}\n")).unwrap_or_else(|| panic!("no {heading}"));
    let section = section.split("\n## ").next().unwrap_or(section);
    let rows = section.lines().filter(|line| line.starts_with('|')).skip(2);
    let rows: Vec<Vec<String>> =
        rows.map(|row| row.trim_matches('|').split('|').map(|cell| cell.trim().to_owned()).collect()).collect();
    assert!(!rows.is_empty(), "the table below {heading} is empty");
    rows
}

/// Every script of the program, `<kind>/<verb>.lua`, and its text; not those that it is compared with.
pub fn scripts() -> BTreeMap<String, String> {
    let mut scripts = BTreeMap::new();
    for kind in fs::read_dir(lua()).expect("lua/").map(|entry| entry.expect("an entry").path()) {
        if !kind.is_dir() || ["lab", "bench", "lib"].iter().any(|folder| kind.ends_with(folder)) {
            continue;
        }
        for script in fs::read_dir(&kind).expect("a kind").map(|entry| entry.expect("an entry").path()) {
            let name = script.strip_prefix(lua()).expect("below lua/").to_string_lossy().into_owned();
            scripts.insert(name, fs::read_to_string(&script).expect("a script"));
        }
    }
    scripts
}

/// A file that scripts include, by the name that they give it: `lib/rows`.
pub fn library(name: &str) -> String {
    fs::read_to_string(lua().join(format!("{name}.lua"))).unwrap_or_else(|error| panic!("{name}: {error}"))
}

/// A script as if it added its event by itself, in place of the function of `lib/fence`.
pub fn with_its_event(source: &str) -> String {
    source.replace(" add_event(meta, events, generation, recent, ", " redis.call('XADD', events, id, ")
}
