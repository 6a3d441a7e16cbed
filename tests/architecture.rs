//! What cargo does not know of the architecture: that no files use each other in a circle, and where kinds of sale may be
//! named.

use std::{
    collections::{BTreeMap, BTreeSet},
    fs,
    path::{Path, PathBuf},
};

/// They name every kind of sale: the registries, in the roots of the crates, and the benchmarks.
const REGISTRIES: [&str; 5] =
    ["src/model/lib.rs", "src/engine/lib.rs", "src/web/lib.rs", "src/bench/main.rs", "src/bench/tests"];

/// Where else kinds of sale may be named outside of their folders: in which file or folder, and which.
const MAY_NAME_KINDS: [(&str, &[&str]); 21] = [
    // The files that the scripts of a kind share.
    ("src/store/script.rs", &["coupon", "stock"]),
    // The flags of the benchmarks, each of which measures a certain kind.
    ("src/bench/strategies.rs", &["ticket", "coupon", "stock"]),
    ("src/bench/claims.rs", &["red_packet"]),
    ("src/bench/cluster.rs", &["red_packet"]),
    ("src/bench/coupons.rs", &["coupon"]),
    ("src/bench/stock.rs", &["stock"]),
    ("src/bench/tickets.rs", &["ticket"]),
    ("src/bench/tickets", &["ticket", "stock"]),
    // One of the simplest kind fills the ledger; the largest snapshot is watched.
    ("src/bench/ledger.rs", &["red_packet"]),
    ("src/bench/live.rs", &["ticket"]),
    // The word of the articles for what there is to give out; and a fault lets a cached quantity expire.
    ("src/lab", &["stock"]),
    ("src/model/lab", &["stock"]),
    ("src/web/lab", &["stock"]),
    // The lesson is about the last ticket.
    ("src/web/lab/learn", &["ticket"]),
    ("src/web/lab/player", &["ticket", "red_packet"]),
    // The strategy that is the product claims red packets, and its article's script is one for them.
    ("src/lab/home.rs", &["red_packet"]),
    ("src/lab/state.rs", &["red_packet"]),
    ("src/lab/wire", &["red_packet"]),
    ("src/lab/strategies", &["red_packet", "ticket"]), // The ticket is a place in a queue.
    ("src/lab/sale.rs", &["ticket"]),
    // What the articles are about.
    ("src/web/lab/words", &["ticket", "coupon"]),
];

/// No file uses one that uses it, by however many others; a module and its own parts may use each other.
#[test]
fn no_files_use_each_other_in_a_circle() {
    let sources = sources();
    let modules: BTreeMap<String, &String> = sources.iter().map(|(path, source)| (module_of(path), source)).collect();
    let mut uses: BTreeMap<&str, BTreeSet<&str>> = BTreeMap::new();
    for (module, source) in &modules {
        let is_part =
            |other: &str| other.starts_with(&format!("{module}::")) || module.starts_with(&format!("{other}::"));
        let used = paths_in(module, source).into_iter().filter_map(|path| owner(&modules, &path));
        uses.insert(module, used.filter(|used| used != module && !is_part(used)).collect());
    }
    assert!(uses.values().map(BTreeSet::len).sum::<usize>() > 500, "the sources are read");
    // What uses nothing that is left is in no circle.
    loop {
        let left: BTreeSet<&str> = uses.keys().copied().collect();
        let before = uses.len();
        uses.retain(|_, used| used.iter().any(|used| left.contains(used)));
        if uses.len() == before {
            break;
        }
    }
    let left: BTreeSet<&str> = uses.keys().copied().collect();
    uses.values_mut().for_each(|used| used.retain(|used| left.contains(used)));
    assert!(uses.is_empty(), "in circles, or above them: {uses:#?}");
}

/// `src/web/ticket/mod.rs` and `src/web/ticket.rs` are `web::ticket`, and `src/web/lib.rs` is `web`.
fn module_of(path: &Path) -> String {
    let path = path.strip_prefix("src").expect("below src").with_extension("");
    let names: Vec<_> = path.components().map(|name| name.as_os_str().to_string_lossy().into_owned()).collect();
    names.join("::").trim_end_matches("::mod").trim_end_matches("::lib").to_owned()
}

/// The crate of a module; empty for that of the program, whose modules are in `src` itself.
fn crate_of(module: &str) -> String {
    let first = name(module);
    if Path::new("src").join(&first).join("Cargo.toml").is_file() { first } else { String::new() }
}

/// The module whose file has what this path names.
fn owner<'a>(modules: &'a BTreeMap<String, &String>, path: &str) -> Option<&'a str> {
    let mut path = path;
    loop {
        if let Some((module, _)) = modules.get_key_value(path) {
            return Some(module);
        }
        path = path.rsplit_once("::")?.0;
    }
}

/// Every path in a module's source that begins with `crate`, `super`, `self` or one of its own parts, from the root.
fn paths_in(module: &str, source: &str) -> Vec<String> {
    let mut paths = Vec::new();
    for (at, _) in source.match_indices("::") {
        let before = &source[..at];
        let start = before.rfind(|c: char| !c.is_alphanumeric() && c != '_').map_or(0, |at| at + 1);
        // The beginning of a path, not its middle.
        if before[..start].ends_with("::") {
            continue;
        }
        let base = match &before[start..] {
            "crate" => crate_of(module),
            "self" => module.to_owned(),
            "super" => parent(module),
            part => format!("{module}::{part}"),
        };
        expand(&base, &source[at + 2..], &mut paths);
    }
    paths
}

/// Adds the paths that a tree of names leads to: `a::{b, c::d}`.
fn expand(base: &str, tree: &str, paths: &mut Vec<String>) {
    let tree = tree.trim_start();
    if let Some(group) = tree.strip_prefix('{') {
        let (mut depth, mut begins) = (0, true);
        for (at, c) in group.char_indices() {
            match c {
                '{' => depth += 1,
                '}' if depth == 0 => break,
                '}' => depth -= 1,
                ',' if depth == 0 => begins = true,
                c if begins && depth == 0 && !c.is_whitespace() => {
                    expand(base, &group[at..], paths);
                    begins = false;
                }
                _ => {}
            }
        }
        return;
    }
    let first = name(tree);
    let path = match first.as_str() {
        "super" => parent(base),
        "self" => base.to_owned(),
        _ if base.is_empty() => first.clone(),
        _ => format!("{base}::{first}"),
    };
    match tree[first.len()..].strip_prefix("::") {
        Some(rest) => expand(&path, rest, paths),
        None => paths.push(path),
    }
}

fn parent(module: &str) -> String {
    module.rsplit_once("::").map_or_else(String::new, |(parent, _)| parent.to_owned())
}

#[test]
fn only_the_registry_names_the_kinds() {
    let kinds = kinds();
    let mut named = Vec::new();
    for (path, source) in sources() {
        if REGISTRIES.iter().any(|registry| path.starts_with(registry)) || is_of_a_kind(&path, &kinds) {
            continue;
        }
        let allowed = MAY_NAME_KINDS.iter().filter(|(allowed, _)| path.starts_with(allowed));
        let allowed: Vec<&str> = allowed.flat_map(|(_, kinds)| kinds.iter().copied()).collect();
        let foreign: Vec<&String> = kinds.iter().filter(|kind| !allowed.contains(&kind.as_str())).collect();
        for (number, line) in (1..).zip(source.lines()) {
            let words = line.split(|c: char| !c.is_alphanumeric() && c != '_');
            if words.into_iter().any(|word| foreign.iter().any(|kind| is_about(word, kind))) {
                named.push(format!("{}:{number}: {}", path.display(), line.trim()));
            }
        }
    }
    assert!(named.is_empty(), "{named:#?}");
}

/// Folders that know no kind, also in their comments: what `schemars` publishes is read by clients of all kinds.
const KNOW_NO_KIND: [&str; 12] = [
    "src/model/crowd",
    "src/model/ledger",
    "src/model/list",
    "src/engine/crowd",
    "src/engine/list",
    "src/ledger",
    "src/web/crowd",
    "src/web/ledger",
    "src/web/list",
    "src/web/stage",
    "src/web/i18n",
    "src/web/components",
];

/// What some kind gives out.
const ITEMS: [&str; 2] = ["packet", "seat"];

#[test]
fn comments_of_shared_rooms_name_no_kind() {
    let kinds = kinds();
    let foreign: Vec<&str> = kinds.iter().map(String::as_str).chain(ITEMS).collect();
    let (mut named, mut read) = (Vec::new(), 0);
    for (path, source) in files().filter(|(path, _)| KNOW_NO_KIND.iter().any(|room| path.starts_with(room))) {
        for (number, line) in (1..).zip(without_tests(&source).lines()) {
            let Some((_, comment)) = line.split_once("//") else { continue };
            read += 1;
            // What is between backticks is an example of a value: `red_packet`.
            let prose: String = comment.split('`').step_by(2).collect();
            let words: Vec<&str> =
                prose.split(|c: char| !c.is_alphanumeric()).filter(|word| !word.is_empty()).collect();
            // "red packets" are two words.
            let pairs = words.windows(2).map(|pair| pair.join("_"));
            if words
                .iter()
                .map(|word| (*word).to_owned())
                .chain(pairs)
                .any(|word| foreign.iter().any(|kind| is_about(&word, kind)))
            {
                named.push(format!("{}:{number}: {}", path.display(), line.trim()));
            }
        }
    }
    assert!(read > 1_000, "the comments are read: {read}");
    assert!(named.is_empty(), "{named:#?}");
}

/// Every kind, by its folder.
fn kinds() -> Vec<String> {
    let entries = fs::read_dir("src/engine").expect("the engine").map(|entry| entry.expect("an entry").path());
    let kinds: Vec<String> = entries
        .filter(|path| path.join("kind.rs").is_file())
        .map(|path| path.file_name().expect("a name").to_string_lossy().into_owned())
        .collect();
    assert!(kinds.len() >= 2, "{kinds:?}");
    kinds
}

/// Whether a file is in the folder of a kind: `src/engine/ticket/service.rs`.
fn is_of_a_kind(path: &Path, kinds: &[String]) -> bool {
    path.components().nth(2).is_some_and(|folder| kinds.iter().any(|kind| folder.as_os_str() == kind.as_str()))
}

/// Whether an identifier or a word names a kind: `red_packet`, `RedPackets`, `TICKET_PARTS`, `TicketSales`.
fn is_about(word: &str, kind: &str) -> bool {
    let mut snake = "_".to_owned();
    let mut was_lower = false;
    for c in word.chars() {
        if c.is_uppercase() && was_lower {
            snake.push('_');
        }
        was_lower = c.is_lowercase();
        snake.extend(c.to_lowercase());
    }
    snake.push('_');
    snake.contains(&format!("_{kind}_")) || snake.contains(&format!("_{kind}s_"))
}

/// Every source file, without its comments and its unit tests.
fn sources() -> Vec<(PathBuf, String)> {
    let without_comments = |source: &str| {
        let lines = without_tests(source).lines().map(|line| line.split("//").next().unwrap_or_default());
        lines.collect::<Vec<_>>().join("\n")
    };
    files().map(|(path, source)| (path, without_comments(&source))).collect()
}

/// A source without its unit tests.
fn without_tests(source: &str) -> &str {
    source.split("#[cfg(test)]").next().unwrap_or_default()
}

/// Every source file.
fn files() -> impl Iterator<Item = (PathBuf, String)> {
    let mut found = Vec::new();
    let mut folders = vec![PathBuf::from("src")];
    while let Some(folder) = folders.pop() {
        for entry in fs::read_dir(&folder).expect("a folder") {
            let path = entry.expect("an entry").path();
            if path.is_dir() {
                folders.push(path);
            } else if path.extension().is_some_and(|extension| extension == "rs") {
                let source = fs::read_to_string(&path).expect("a source");
                found.push((path, source));
            }
        }
    }
    found.sort();
    found.into_iter()
}

fn name(text: &str) -> String {
    text.chars().take_while(|c| c.is_alphanumeric() || *c == '_').collect()
}
