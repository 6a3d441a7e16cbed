//! Read, decide, then write: whatever keeps a script from one of its writes, it has made none of them before.
//!
//! Every script that writes is called in a state in which it does, and again with each of its keys of another type, and
//! with each field of its hashes missing and each of its numbers unreadable. If it fails then, what is stored is as it
//! was, byte by byte. A recovery may stop anywhere, as long as the sale stays suspended.

use super::cases::cases;
use crate::{
    readme,
    support::redis::{Raw, TestRedis},
};
use std::collections::{BTreeMap, BTreeSet};
use store::script::Script;

/// The user who lacks rights, and the password.
const LIMITED: &str = "limited";
/// Names and values.
type Fields = Vec<(Vec<u8>, Vec<u8>)>;

/// What a key holds: a dump, or the entries of a stream without their ids, which follow the clock.
#[derive(Debug, PartialEq)]
enum Content {
    Dump(Vec<u8>),
    Entries(Vec<Fields>),
    Hash(BTreeMap<String, Vec<u8>>),
}

/// Everything that is stored.
#[derive(Debug, PartialEq)]
struct Stored {
    dumps: BTreeMap<String, Vec<u8>>,
    contents: BTreeMap<String, Content>,
}

async fn stored(redis: &Raw) -> Stored {
    let (mut dumps, mut contents) = (BTreeMap::new(), BTreeMap::new());
    for key in redis.run::<Vec<String>>("KEYS", "*").await {
        let dump: Vec<u8> = redis.run("DUMP", &key).await;
        let content = match redis.run::<String>("TYPE", &key).await.as_str() {
            "stream" => {
                let entries: Vec<(String, Fields)> = redis.run("XRANGE", (&key, "-", "+")).await;
                Content::Entries(entries.into_iter().map(|(_, fields)| fields).collect())
            }
            // But for the ids of events, which are not the same twice.
            "hash" => {
                let mut fields: BTreeMap<String, Vec<u8>> = redis.run("HGETALL", &key).await;
                fields.retain(|name, _| name != "generation" && name != "recent");
                Content::Hash(fields)
            }
            _ => Content::Dump(dump.clone()),
        };
        dumps.insert(key.clone(), dump);
        contents.insert(key, content);
    }
    Stored { dumps, contents }
}

/// The types of a script's keys, as its header has them.
fn types(script: &Script) -> Vec<String> {
    let source = &readme::scripts()[script.name];
    let lines = source.lines().map_while(|line| line.strip_prefix("--")).skip_while(|line| !line.starts_with(" KEYS"));
    let mut types = Vec::new();
    for line in lines.take_while(|line| !line.starts_with(" ARGV")) {
        let mut words = line.trim_start_matches(" KEYS").split_whitespace();
        let is_next = words.next().is_some_and(|word| word.parse() == Ok(types.len() + 1));
        // Further keys, `..`, have any type.
        if is_next && words.next().is_some_and(|name| name != "..") {
            types.push(words.next().expect("a type").to_owned());
        }
    }
    types
}

/// Whether this is a script of a recovery, and the sale stays suspended as it was: what is done of it does not matter, as
/// another recovery begins anew.
fn stays_suspended(script: &Script, keys: &[String], before: &Stored, after: &Stored) -> bool {
    let meta = keys.iter().find(|key| key.ends_with(":meta"));
    let is_of_recovery = script.name.ends_with("/recover.lua") || script.name.ends_with("/resume.lua");
    is_of_recovery && meta.is_some_and(|meta| after.dumps[meta] == before.dumps[meta])
}

#[test]
fn every_script_that_writes_has_a_case() {
    let tried: BTreeSet<&str> = cases().iter().map(|case| case.call.script.name).collect();
    let writing = readme::scripts().into_iter().filter(|(name, _)| {
        let script = stampede::server::scripts().into_iter().find(|script| script.name == name).expect("a script");
        // One without keys only asks whether it might.
        !script.source().starts_with("#!lua flags=no-writes") && !script.parts().is_empty()
    });
    let writing: BTreeSet<String> = writing.map(|(name, _)| name).collect();
    assert_eq!(tried, writing.iter().map(String::as_str).collect());
}

#[tokio::test]
async fn a_key_of_another_type_keeps_a_script_from_all_of_its_writes() {
    let server = TestRedis::start().await;
    let redis = server.raw().await;
    for case in cases() {
        let name = case.call.script.name;
        case.prepare(&redis).await;
        let before = stored(&redis).await;
        case.call.run(&redis).await.unwrap_or_else(|error| panic!("{name}: {error}"));
        let done = stored(&redis).await;
        assert_ne!(before, done, "{name} writes");

        let types = types(case.call.script);
        assert_eq!(types.len(), case.call.keys.len(), "{name}");
        let mut replaced = Vec::new();
        for (number, (key, right)) in (1..).zip(case.call.keys.iter().zip(types)) {
            case.prepare(&redis).await;
            redis.run::<i64>("DEL", key).await;
            match right.as_str() {
                "STRING" => _ = redis.run::<i64>("RPUSH", (key, "of another type")).await,
                _ => _ = redis.run::<String>("SET", (key, "of another type")).await,
            }
            let before = stored(&redis).await;
            let answer = case.call.run(&redis).await;
            let after = stored(&redis).await;
            let is_suspended = || stays_suspended(case.call.script, &case.call.keys, &before, &after);
            if after == before || answer.is_err() && is_suspended() {
                continue;
            }
            assert!(answer.is_ok(), "{name}: {key} of another type, and half is done: {answer:?}");
            let beside = |stored: &Stored| -> BTreeSet<String> {
                let others = stored.contents.keys().filter(|other| *other != key);
                others.filter(|other| after.contents.get(*other) != done.contents.get(*other)).cloned().collect()
            };
            assert_eq!((beside(&after), beside(&done)), Default::default(), "{name}: {key} of another type");
            replaced.push(number);
        }
        assert_eq!(replaced, case.replaces, "{name}");
    }
}

/// Whether all fields of a hash of a ticket sale are whole numbers.
fn is_count(key: &str) -> bool {
    key.ends_with(":counts") || key.ends_with(":bought")
}

#[tokio::test]
async fn a_missing_or_unreadable_field_keeps_a_script_from_all_of_its_writes() {
    let server = TestRedis::start().await;
    let redis = server.raw().await;
    let (mut failed, mut half_done) = (0, Vec::new());
    for case in cases() {
        let name = case.call.script.name;
        case.prepare(&redis).await;
        let before = stored(&redis).await;
        for key in &case.call.keys {
            let Some(Content::Hash(fields)) = before.contents.get(key) else { continue };
            for field in fields.keys() {
                // Those of outcomes are added to last.
                let is_number = key.ends_with(":meta") || name.starts_with("ticket/") && is_count(key);
                let texts: &[&str] = if is_number {
                    &["", "?", "-1.5", "1e1", "0x10", "-1", "010", "-0", "9007199254740993"]
                } else {
                    &[]
                };
                for damage in [None].into_iter().chain(texts.iter().copied().map(Some)) {
                    case.prepare(&redis).await;
                    match damage {
                        None => _ = redis.run::<i64>("HDEL", (key, field)).await,
                        Some(value) => _ = redis.run::<i64>("HSET", (key, field, value)).await,
                    }
                    let before = stored(&redis).await;
                    let answer = case.call.run(&redis).await;
                    let after = stored(&redis).await;
                    if after == before {
                        failed += 1;
                        let why = answer.err().filter(|error| error.code() != Some("UNREADABLE"));
                        half_done.extend(why.map(|error| format!("{name}, {field} of {key} is {damage:?}: {error}")));
                    } else if let Err(error) = answer {
                        half_done.push(format!("{name}, {field} of {key} is {damage:?}: {error}"));
                    }
                }
            }
        }
    }
    assert!(failed > 0, "some fields are needed");
    assert!(half_done.is_empty(), "done half, or not told as unreadable: {half_done:#?}");
}

/// Behind such an id there is no other, or none that Lua can count to. Only somebody else adds them.
const LAST_IDS: [&str; 2] = ["18446744073709551615-18446744073709551615", "9007199254740993-5"];

#[tokio::test]
async fn a_stream_that_takes_no_event_keeps_a_script_from_all_of_its_writes() {
    let server = TestRedis::start().await;
    let redis = server.raw().await;
    let mut failed = BTreeSet::new();
    for case in cases() {
        let name = case.call.script.name;
        let Some(events) = case.call.keys.iter().find(|key| key.ends_with(":events")) else { continue };
        let meta = case.call.keys.iter().find(|key| key.ends_with(":meta"));
        let added = async || redis.run::<i64>("XLEN", events).await;
        case.prepare(&redis).await;
        let before = added().await;
        case.call.run(&redis).await.unwrap_or_else(|error| panic!("{name}: {error}"));
        if added().await <= before {
            continue;
        }
        for last in LAST_IDS {
            case.prepare(&redis).await;
            redis.run::<String>("XADD", (events, last, "type", "by hand")).await;
            if let Some(meta) = meta.filter(|_| last != LAST_IDS[0]) {
                // As if it was ours: the next one is to be later.
                if redis.run::<bool>("EXISTS", meta).await {
                    redis.run::<i64>("HSET", (meta, "recent", format!(" {last} "))).await;
                }
            }
            let before = stored(&redis).await;
            let answer = case.call.run(&redis).await;
            assert!(answer.is_err(), "{name} behind {last}: {answer:?}");
            let after = stored(&redis).await;
            let is_suspended = stays_suspended(case.call.script, &case.call.keys, &before, &after);
            assert!(after == before || is_suspended, "{name} behind {last} has done half: {answer:?}");
        }
        failed.insert(name);
    }
    let adding =
        readme::scripts().into_iter().filter(|(_, source)| readme::with_its_event(source).contains("'XADD', events, "));
    assert_eq!(failed, adding.map(|(name, _)| name).collect::<BTreeSet<_>>().iter().map(String::as_str).collect());
}

/// Text in a count of outcomes, which only somebody stores by hand, comes between no change and its event.
#[tokio::test]
async fn a_count_that_is_no_number_keeps_no_change_from_having_its_event() {
    let server = TestRedis::start().await;
    let redis = server.raw().await;
    let mut failed = 0;
    for case in cases() {
        let name = case.call.script.name;
        let Some(stats) = case.call.keys.iter().find(|key| key.ends_with(":stats")) else { continue };
        let but_for_the_counts = async || {
            let mut contents = stored(&redis).await.contents;
            contents.retain(|key, _| key != stats && !key.ends_with(":attempts"));
            contents
        };
        case.prepare(&redis).await;
        let before = but_for_the_counts().await;
        case.call.run(&redis).await.unwrap_or_else(|error| panic!("{name}: {error}"));
        let done = but_for_the_counts().await;
        for count in redis.run::<Vec<String>>("HKEYS", stats).await {
            case.prepare(&redis).await;
            redis.run::<i64>("HSET", (stats, &count, "text")).await;
            failed += u32::from(case.call.run(&redis).await.is_err());
            let after = but_for_the_counts().await;
            assert!(after == before || after == done, "{name}, {count}: {after:#?} instead of {done:#?}");
        }
    }
    assert!(failed > 0, "some counts are needed");
}

/// Strings have a form, too: `layout` and `seats` of a hall, for example.
#[tokio::test]
async fn a_string_that_is_cut_off_keeps_a_script_from_all_of_its_writes() {
    let server = TestRedis::start().await;
    let redis = server.raw().await;
    let (mut failed, mut half_done) = (0, Vec::new());
    for case in cases() {
        let name = case.call.script.name;
        for key in &case.call.keys {
            case.prepare(&redis).await;
            if redis.run::<String>("TYPE", key).await != "string" {
                continue;
            }
            for damage in ["", "?"] {
                case.prepare(&redis).await;
                redis.run::<String>("SET", (key, damage)).await;
                let before = stored(&redis).await;
                if let Err(error) = case.call.run(&redis).await {
                    failed += 1;
                    if stored(&redis).await != before || error.code() != Some("UNREADABLE") {
                        half_done.push(format!("{name}, {key} is {damage:?}: {error}"));
                    }
                }
            }
        }
    }
    assert!(failed > 0, "some strings are needed");
    assert!(half_done.is_empty(), "done half, or not told as unreadable: {half_done:#?}");
}

/// Redis does not replicate rights: a replica that is promoted may let the user do less.
#[tokio::test]
async fn an_event_is_added_only_with_the_right_to_all_that_follows() {
    let server = TestRedis::start().await;
    let redis = server.raw().await;
    redis.run::<String>("ACL", ("SETUSER", LIMITED, "on", format!(">{LIMITED}"), "~*", "+@all")).await;
    let limited = Raw::at(&format!("{}?user={LIMITED}&pass={LIMITED}", server.url())).await;
    let allow = async |sign: &str, command: &str| {
        redis.run::<String>("ACL", ("SETUSER", LIMITED, format!("{sign}{}", command.to_lowercase()))).await
    };
    let asks = ["add_event(", "ensure_allowed(", "continue_stream("];
    for case in cases() {
        let name = case.call.script.name;
        if !asks.iter().any(|ask| readme::scripts()[name].contains(ask)) {
            continue;
        }
        case.prepare(&redis).await;
        case.call.run(&limited).await.unwrap_or_else(|error| panic!("{name}: {error}"));
        let done = stored(&redis).await.contents;
        let commands: BTreeSet<String> = case.call.script.commands().collect();
        for command in commands {
            case.prepare(&redis).await;
            let before = stored(&redis).await;
            allow("-", &command).await;
            let answer = case.call.run(&limited).await;
            allow("+", &command).await;
            let after = stored(&redis).await;
            match answer {
                Ok(_) => assert_eq!(after.contents, done, "{name} without {command}"),
                Err(error) => {
                    let is_suspended = stays_suspended(case.call.script, &case.call.keys, &before, &after);
                    assert!(after == before || is_suspended, "{name} without {command} is half done: {error}");
                }
            }
        }
    }
}
