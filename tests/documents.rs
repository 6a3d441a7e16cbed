//! The documents: their links lead somewhere, and the files that they name exist.

use std::{
    fs,
    path::{Path, PathBuf},
};

const FOLDERS: [&str; 9] =
    ["deploy/", "docs/", "end2end/", "lua/", "migrations/", "src/", "style/", "tests/", "xtask/"];

fn root() -> &'static Path {
    Path::new(env!("CARGO_MANIFEST_DIR"))
}

/// All documents of the project, and their texts.
fn documents() -> Vec<(PathBuf, String)> {
    let mut folders: Vec<PathBuf> = FOLDERS.map(|folder| root().join(folder)).into();
    let mut found = Vec::new();
    for entry in fs::read_dir(root()).expect("the root").map(|entry| entry.expect("an entry").path()) {
        found.extend(entry.is_file().then_some(entry));
    }
    while let Some(folder) = folders.pop() {
        for entry in fs::read_dir(&folder).expect("a folder").map(|entry| entry.expect("an entry").path()) {
            if !entry.is_dir() {
                found.push(entry);
            } else if !entry.ends_with("node_modules") {
                folders.push(entry);
            }
        }
    }
    found.retain(|path| path.extension().is_some_and(|extension| extension == "md"));
    found.into_iter().map(|path| (path.clone(), fs::read_to_string(path).expect("a document"))).collect()
}

/// The anchors of a document's headings, as GitHub makes them.
fn anchors(text: &str) -> Vec<String> {
    let headings = text.lines().filter(|line| line.starts_with('#')).map(|line| line.trim_start_matches('#').trim());
    let kept = |letter: char| letter.is_alphanumeric() || matches!(letter, ' ' | '-' | '_');
    headings
        .map(|heading| heading.to_lowercase().chars().filter(|letter| kept(*letter)).collect::<String>())
        .map(|anchor| anchor.replace(' ', "-"))
        .collect()
}

/// The texts between `open` and the next `close`.
fn between<'a>(text: &'a str, open: &'a str, close: char) -> impl Iterator<Item = &'a str> {
    text.split(open).skip(1).filter_map(move |rest| rest.split(close).next())
}

#[test]
fn every_link_leads_to_a_file_and_a_heading_of_it() {
    let documents = documents();
    let mut links = 0;
    for (document, text) in &documents {
        for link in between(text, "](", ')').filter(|link| !link.contains("://")) {
            links += 1;
            let (path, anchor) = link.split_once('#').unwrap_or((link, ""));
            let target = if path.is_empty() { document.clone() } else { document.with_file_name("").join(path) };
            let target =
                target.canonicalize().unwrap_or_else(|error| panic!("{}: {link}: {error}", document.display()));
            if !anchor.is_empty() {
                let text = fs::read_to_string(target).expect("a document");
                assert!(
                    anchors(&text).iter().any(|has| has == anchor),
                    "{}: {link}: no such heading",
                    document.display()
                );
            }
        }
    }
    assert!(documents.len() > 20 && links > 60, "{} documents with {links} links", documents.len());
}

#[test]
fn every_file_that_is_named_exists() {
    let is_path = |word: &&str| {
        FOLDERS.iter().any(|folder| word.starts_with(folder))
            && !word.contains(|letter: char| letter.is_whitespace() || "<>*{}…".contains(letter))
    };
    let mut named = 0;
    for (document, text) in documents() {
        // Every second part is in backticks, but for blocks of code, whose fences have three.
        for word in text.replace("```", "").split('`').skip(1).step_by(2).filter(is_path) {
            named += 1;
            assert!(root().join(word).exists(), "{}: {word}", document.display());
        }
    }
    assert!(named > 100, "{named} files are named");
}
