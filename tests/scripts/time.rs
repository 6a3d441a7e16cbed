//! A script goes by Redis' time, unless its caller gives one.

use super::cases::{Call, Case, Step, cases};
use crate::{
    readme,
    support::{
        redis::{Raw, TestRedis},
        sale::{END, START},
    },
};
use redis::Value;
use std::collections::{BTreeMap, BTreeSet};

/// The argument of a script that is its time, as its header has it, from 0.
fn place_of_time(call: &Call) -> Option<usize> {
    let source = &readme::scripts()[call.script.name];
    let line = source.lines().find(|line| line.contains("\"\" for Redis' time"))?;
    let number: usize =
        line.trim_start_matches("-- ARGV").trim_start_matches("--").split_whitespace().next()?.parse().ok()?;
    Some(number - 1)
}

/// The same call without a time.
fn without_time(mut call: Call) -> Call {
    if let Some(place) = place_of_time(&call) {
        call.args[place].clear();
    }
    call
}

async fn now(redis: &Raw) -> i64 {
    let (seconds, micros): (i64, i64) = redis.run("TIME", None::<&str>).await;
    seconds * 1_000 + micros / 1_000
}

/// The times in every entry of every stream, and of every load of a quantity.
async fn times(redis: &Raw) -> BTreeMap<(String, String), i64> {
    let mut times = BTreeMap::new();
    for key in redis.run::<Vec<String>>("KEYS", "*").await {
        if redis.run::<String>("TYPE", &key).await == "stream" {
            let entries: Vec<(String, BTreeMap<String, Vec<u8>>)> = redis.run("XRANGE", (&key, "-", "+")).await;
            for (id, fields) in entries {
                let at = String::from_utf8(fields["at"].clone()).expect("text");
                times.insert((key.clone(), id), at.parse().expect("a time"));
            }
        } else if key.ends_with(":meta") {
            let loads: Option<String> = redis.run("HGET", (&key, "rebuilds")).await;
            for line in loads.unwrap_or_default().lines() {
                let at = line.split(' ').next().and_then(|at| at.parse().ok());
                times.insert((key.clone(), line.to_owned()), at.expect("a time"));
            }
        }
    }
    times
}

#[tokio::test]
async fn without_a_time_a_script_takes_that_of_redis() {
    let server = TestRedis::start().await;
    let redis = server.raw().await;
    let mut tried = BTreeSet::new();
    for case in cases() {
        let name = case.call.script.name;
        if place_of_time(&case.call).is_none() {
            continue;
        }
        // What is due has been due for long.
        let before = case.before.into_iter().map(|step| match step {
            Step::Call(call) if !case.is_due => Step::Call(without_time(call)),
            step => step,
        });
        let case = Case { before: before.collect(), call: without_time(case.call), ..case };
        case.prepare(&redis).await;
        let (earliest, old) = (now(&redis).await, times(&redis).await);
        let _reply: Value = case.call.run(&redis).await.unwrap_or_else(|error| panic!("{name}: {error}"));
        let (latest, new) = (now(&redis).await, times(&redis).await);
        let added = new.iter().filter(|(entry, _)| !old.contains_key(entry));
        let added: Vec<i64> = added.map(|(_, at)| *at).collect();
        // A chunk, a sale that is sealed, and an id that joins a group have no event.
        let has_no_event = ["red_packet/open.lua", "sale/seal.lua", "sale/join_group.lua"].contains(&name);
        assert!(has_no_event || !added.is_empty(), "{name} tells nobody");
        for at in added {
            assert!((earliest..=latest).contains(&at), "{name} went by {at}, not by {earliest} to {latest}");
        }
        tried.insert(name);
    }
    // What only reads adds nothing that would tell its time.
    let writes = |source: &str| !source.contains("-- Flags: no-writes");
    let all = readme::scripts().into_iter().filter(|(_, source)| source.contains("for Redis' time") && writes(source));
    assert_eq!(tried.into_iter().map(str::to_owned).collect::<BTreeSet<_>>(), all.map(|(name, _)| name).collect());
    assert!(START < END && END < now(&redis).await);
}
