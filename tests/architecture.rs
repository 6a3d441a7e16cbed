//! The architecture: which room of `src/` may use which, and where kinds of sale may be named.

use std::{
    collections::{BTreeMap, BTreeSet},
    fs,
    path::{Path, PathBuf},
};

/// The rooms, each of which may use those after it. `main` and `lib` are the roots of the two crates.
const ROOMS: [&str; 17] = [
    "main",
    "server",
    "lib",
    "app",
    "lab",
    "sales",
    "crowd",
    "ledger",
    "live",
    "openapi",
    "components",
    "i18n",
    "cookie",
    "store",
    "runtime",
    "domain",
    "error",
];

/// It names every kind of sale.
const REGISTRY: &str = "src/sales/mod.rs";

/// Where else kinds of sale may be named outside of their folders: in which file or folder, and which.
const MAY_NAME_KINDS: [(&str, &[&str]); 16] = [
    // The flags of the benchmarks, each of which measures a certain kind.
    ("src/server/bench/mod.rs", &["red_packet", "ticket", "coupon", "stock"]),
    ("src/server/bench/strategies.rs", &["ticket", "coupon", "stock"]),
    ("src/server/bench/claims.rs", &["red_packet"]),
    ("src/server/bench/coupons.rs", &["coupon"]),
    ("src/server/bench/stock.rs", &["stock"]),
    ("src/server/bench/tickets.rs", &["ticket"]),
    ("src/server/bench/tickets", &["ticket", "stock"]),
    // One of the simplest kind fills the ledger; the largest snapshot is watched.
    ("src/server/bench/ledger.rs", &["red_packet"]),
    ("src/server/bench/live.rs", &["ticket"]),
    // The word of the articles for what there is to give out; and a fault lets a cached quantity expire.
    ("src/lab", &["stock"]),
    // The strategy that is the product claims red packets, and its article's script is one for them.
    ("src/lab/home.rs", &["red_packet"]),
    ("src/lab/state.rs", &["red_packet"]),
    ("src/lab/wire", &["red_packet"]),
    ("src/lab/strategies", &["red_packet", "ticket"]), // The ticket is a place in a queue.
    ("src/lab/sale.rs", &["ticket"]),
    // What the articles are about.
    ("src/lab/words", &["ticket", "coupon"]),
];

/// The files of the server that may name the lab. It is no part of the live path: what answers an attempt is not among them.
const MAY_NAME_LAB: [&str; 6] = [
    // What it does when it is asked for.
    "src/server/mod.rs",
    "src/server/routes.rs",
    "src/server/api.rs",
    // The socket of `--faults`, which is not there without it.
    "src/server/connect.rs",
    "src/server/bench/claims.rs",
    "src/server/bench/strategies.rs",
];

#[test]
fn the_lab_is_no_part_of_the_live_path() {
    let names_lab = |source: &str| source.split(|c: char| !c.is_alphanumeric() && c != '_').any(|word| word == "lab");
    let named = sources().into_iter().filter(|(path, source)| room_of(path) == "server" && names_lab(source));
    let named: BTreeSet<String> = named.map(|(path, _)| path.display().to_string()).collect();
    assert_eq!(named, MAY_NAME_LAB.map(str::to_owned).into());
}

#[test]
fn rooms_use_only_rooms_below_them() {
    let floor = |room: &str| ROOMS.iter().position(|known| *known == room);
    let mut breaches: BTreeMap<String, Vec<String>> = BTreeMap::new();
    for (path, source) in sources() {
        let room = room_of(&path);
        for used in rooms_used(&source).into_iter().filter(|used| *used != room) {
            let is_below = matches!((floor(&room), floor(&used)), (Some(from), Some(to)) if from < to);
            if !is_below {
                breaches.entry(format!("{room} uses {used}")).or_default().push(path.display().to_string());
            }
        }
    }
    assert!(breaches.is_empty(), "{breaches:#?}");
}

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

/// `src/sales/ticket/mod.rs` and `src/sales/ticket.rs` are `sales::ticket`.
fn module_of(path: &Path) -> String {
    let path = path.strip_prefix("src").expect("below src").with_extension("");
    let names: Vec<_> = path.components().map(|name| name.as_os_str().to_string_lossy().into_owned()).collect();
    names.join("::").trim_end_matches("::mod").to_owned()
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
            "crate" => String::new(),
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
        if path == Path::new(REGISTRY) || kinds.iter().any(|kind| path.starts_with(Path::new("src/sales").join(kind))) {
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

/// Rooms and parts of rooms that know no kind, also in their comments: what `schemars` publishes is read by clients of all
/// kinds.
const KNOW_NO_KIND: [&str; 7] =
    ["src/crowd", "src/ledger", "src/live", "src/i18n", "src/components", "src/sales/list", "src/sales/stage"];

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
    let entries = fs::read_dir("src/sales").expect("the sales").map(|entry| entry.expect("an entry").path());
    let kinds: Vec<String> = entries
        .filter(|path| path.join("kind.rs").is_file())
        .map(|path| path.file_name().expect("a name").to_string_lossy().into_owned())
        .collect();
    assert!(kinds.len() >= 2, "{kinds:?}");
    kinds
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

/// `src/sales/mod.rs` and `src/sales.rs` both belong to the room `sales`.
fn room_of(path: &Path) -> String {
    let first = path.components().nth(1).expect("a file below src");
    first.as_os_str().to_string_lossy().trim_end_matches(".rs").to_owned()
}

/// The rooms that a file names: the first segment of every path that begins with `crate` (in `main.rs`, with the
/// crate's name).
fn rooms_used(source: &str) -> Vec<String> {
    let mut rooms = Vec::new();
    for start in ["crate::", "use stampede::"] {
        let starts = source.match_indices(start).filter(|(at, _)| {
            let before = source[..*at].chars().next_back();
            before.is_none_or(|c| !c.is_alphanumeric() && c != '_' && c != ':')
        });
        for (at, _) in starts {
            let rest = &source[at + start.len()..];
            match rest.strip_prefix('{') {
                Some(group) => rooms.extend(names_in(group)),
                None => rooms.push(name(rest)),
            }
        }
    }
    rooms.retain(|room| room.starts_with(|c: char| c.is_lowercase()));
    rooms
}

/// The names at the top of a group in a `use`, up to the brace that closes it.
fn names_in(group: &str) -> Vec<String> {
    let (mut depth, mut names, mut begins) = (0, Vec::new(), true);
    for (at, c) in group.char_indices() {
        match c {
            '{' => depth += 1,
            '}' if depth == 0 => break,
            '}' => depth -= 1,
            ',' if depth == 0 => begins = true,
            c if begins && depth == 0 && !c.is_whitespace() => {
                names.push(name(&group[at..]));
                begins = false;
            }
            _ => {}
        }
    }
    names
}

fn name(text: &str) -> String {
    text.chars().take_while(|c| c.is_alphanumeric() || *c == '_').collect()
}
