//! Each script's header, its binding in Rust and `lua/README.md`, held against each other.

use crate::{readme, support::sale};
use stampede::{
    ledger::scripts::reply as ledger_reply,
    sales::{
        red_packet::service::{claim_keys, key, reply},
        ticket::service::{self as ticket, reply as ticket_reply},
    },
    server::scripts,
    store::keys,
};
use std::collections::{BTreeMap, BTreeSet};

/// The comment that a script opens with.
fn header(source: &str) -> Vec<&str> {
    source.lines().map_while(|line| line.strip_prefix("--")).collect()
}

/// What follows the header, without comments.
fn body(source: &str) -> String {
    let code = source.lines().skip_while(|line| line.starts_with("--"));
    code.map(|line| line.split(" --").next().unwrap_or(line)).collect::<Vec<_>>().join("\n")
}

/// The lines of one part of a header: from its title to the next.
fn part<'a>(header: &[&'a str], title: &str) -> Vec<&'a str> {
    let titles = ["KEYS", "ARGV", "Reply", "Event", "Cost"];
    let begins =
        |line: &str, title: &str| line.trim_start().starts_with(title) && line.starts_with(&format!(" {title}"));
    let start = header.iter().position(|line| begins(line, title)).unwrap_or_else(|| panic!("no {title} line"));
    let rest = header[start + 1..].iter();
    let more = rest.take_while(|line| !titles.iter().any(|title| begins(line, title)));
    [header[start]].into_iter().chain(more.copied()).collect()
}

/// The parts of a sale's keys that a header numbers, in their order.
fn keys_in_header(header: &[&str]) -> Vec<String> {
    let mut parts = Vec::new();
    for line in part(header, "KEYS") {
        let mut words = line.trim_start_matches(" KEYS").split_whitespace();
        if let Some(number) = words.next().and_then(|word| word.parse::<usize>().ok()) {
            assert_eq!(number, parts.len() + 1, "{line}");
            parts.push(words.next().expect("a name").to_owned());
            let kind = words.next().expect("a type");
            assert!(["LIST", "HASH", "STREAM", "STRING", "ZSET", "SET"].contains(&kind), "{line}");
        }
    }
    parts
}

#[test]
fn every_script_states_its_contract() {
    let scripts = readme::scripts();
    assert_eq!(scripts.len(), self::scripts().len());
    for (name, source) in scripts {
        let header = header(&source);
        let purpose = format!(" {}: ", name.trim_end_matches(".lua"));
        assert!(header[0].starts_with(&purpose), "{name} does not open with {purpose:?}");
        for title in ["KEYS", "ARGV", "Reply", "Event", "Cost"] {
            assert!(!part(&header, title).is_empty(), "{name}: {title}");
        }
    }
}

#[test]
fn the_program_knows_every_script_as_it_stands_in_its_file() {
    let files = readme::scripts();
    let known: BTreeMap<String, String> = scripts()
        .into_iter()
        .map(|script| {
            // What scripts share is put before them, as it stands in its file.
            let own = script.source.strip_prefix(&readme::shared()).unwrap_or(script.source);
            (script.name.to_owned(), own.trim_start_matches('\n').to_owned())
        })
        .collect();
    assert_eq!(known, files);
    let listed: BTreeSet<String> =
        readme::table(&readme::text(), "Scripts").into_iter().map(|row| row[0].trim_matches('`').to_owned()).collect();
    for name in files.keys() {
        assert!(listed.contains(name), "{name} is not in the README");
    }
}

/// The key that a header's word stands for: one of a sale, or one of all.
fn full(part: &str) -> String {
    let of_all = format!("stampede:{part}");
    if of_all == keys::WRITER { of_all } else { key("s", part) }
}

fn of_tickets(parts: &[&str]) -> Vec<String> {
    parts.iter().map(|part| ticket::key("s", part)).collect()
}

#[test]
fn header_assertion_and_binding_agree_on_the_keys() {
    let bound: BTreeMap<&str, Vec<String>> = [
        ("red_packet/open.lua", sale::open_keys("s")),
        ("red_packet/claim.lua", claim_keys("s").to_vec()),
        ("red_packet/refund.lua", sale::refund_keys("s")),
        ("red_packet/audit.lua", sale::audit_keys("s")),
        ("red_packet/snapshot.lua", sale::snapshot_keys("s")),
        ("red_packet/recover.lua", sale::recovery_keys("s")),
        ("red_packet/resume.lua", sale::recovery_keys("s")),
        ("ledger/lease.lua", vec![keys::WRITER.to_owned()]),
        ("ledger/mark.lua", vec![key("s", "events")]),
        ("ledger/pass.lua", vec![key("s", "events")]),
        ("ledger/suspend.lua", vec![key("s", "meta"), key("s", "events")]),
        ("ticket/open.lua", of_tickets(&ticket::OPEN_PARTS)),
        ("ticket/reserve.lua", of_tickets(&ticket::RESERVE_PARTS)),
        ("ticket/pay.lua", of_tickets(&ticket::PAY_PARTS)),
        ("ticket/cancel.lua", of_tickets(&ticket::END_PARTS)),
        ("ticket/expire.lua", of_tickets(&ticket::END_PARTS)),
        ("ticket/audit.lua", of_tickets(&stampede::sales::ticket::audit::AUDIT_PARTS)),
        ("ticket/recover.lua", of_tickets(&stampede::sales::ticket::recovery::RECOVER_PARTS)),
        ("ticket/resume.lua", of_tickets(&stampede::sales::ticket::recovery::RESUME_PARTS)),
        ("ticket/snapshot.lua", of_tickets(&ticket::SNAPSHOT_PARTS)),
    ]
    .into();
    for (name, source) in readme::scripts() {
        let parts = keys_in_header(&header(&source));
        let keys: Vec<String> = match name.strip_prefix("ticket/") {
            Some(_) => parts.iter().map(|part| ticket::key("s", part)).collect(),
            None => parts.iter().map(|part| full(part)).collect(),
        };
        assert_eq!(keys, bound[name.as_str()], "{name}");
        let assertion = format!("assert(#KEYS == {},", keys.len());
        assert!(source.contains(&assertion), "{name} does not {assertion}");
        // Named locals, in the same order.
        let body = body(&source);
        let uses = (1..=keys.len()).map(|number| body.matches(&format!("KEYS[{number}]")).count());
        assert!(uses.eq(std::iter::repeat_n(1, keys.len())), "{name} names each of its keys once");
    }
}

#[test]
fn every_script_asserts_its_numbers_before_it_calls_redis() {
    for (name, source) in readme::scripts() {
        let body = body(&source);
        let first_call = body.find("redis.").expect("a call");
        assert_eq!(body[..first_call].matches("assert(").count(), 2, "{name}: keys and arguments");
        assert_eq!(body[first_call..].matches("assert(").count(), 0, "{name}: too late to assert");
    }
}

fn codes_in_rust() -> BTreeMap<i64, &'static str> {
    [
        (reply::DONE, "done"),
        (reply::REPEAT, "repeat"),
        (reply::SOLD_OUT, "sold out"),
        (reply::EXPIRED, "expired"),
        (reply::UNKNOWN_SALE, "unknown sale"),
        (reply::OPENING, "opening"),
        (reply::EXISTS, "exists"),
        (reply::OUT_OF_TURN, "out of turn"),
        (reply::NOT_EXPIRED, "not expired"),
        (reply::SUSPENDED, "suspended"),
        (reply::INCOMPLETE, "incomplete"),
        (ledger_reply::DONE, "done"),
        (ledger_reply::REPEAT, "repeat"),
        (ledger_reply::UNKNOWN_SALE, "unknown sale"),
        (ledger_reply::TAKEN, "taken"),
        (ledger_reply::IN_STEP, "in step"),
        (ticket_reply::DONE, "done"),
        (ticket_reply::REPEAT, "repeat"),
        (ticket_reply::SEAT_TAKEN, "seat taken"),
        (ticket_reply::NOT_ENOUGH_SEATS, "not enough seats"),
        (ticket_reply::UNKNOWN_SALE, "unknown sale"),
        (ticket_reply::EXISTS, "exists"),
        (ticket_reply::SUSPENDED, "suspended"),
        (ticket_reply::LIMIT_REACHED, "limit reached"),
        (ticket_reply::OTHER_USER, "other user"),
        (ticket_reply::UNKNOWN_ORDER, "unknown order"),
        (ticket_reply::ENDED, "ended"),
        (ticket_reply::UNREADABLE_ORDER, "unreadable order"),
    ]
    .into()
}

#[test]
fn the_reply_codes_are_the_same_in_readme_and_rust() {
    let readme = readme::codes(&readme::text());
    for (code, name) in codes_in_rust() {
        assert_eq!(readme.get(&code).map(String::as_str), Some(name));
    }
    let known: BTreeSet<i64> = codes_in_rust().into_keys().collect();
    assert_eq!(readme.into_keys().collect::<BTreeSet<_>>(), known);
}

#[test]
fn the_reply_codes_of_every_script_are_those_of_its_header_and_of_the_readme() {
    let names: BTreeMap<i64, String> = readme::codes(&readme::text());
    for (name, source) in readme::scripts() {
        // `local DONE, REPEAT = 0, 500`, in one line or more.
        let body = body(&source);
        let is_word = |word: &str| word.chars().all(|sign| sign.is_ascii_uppercase() || sign == '_');
        let lines = body.lines().skip_while(|line| !line.starts_with("local DONE, "));
        let lines = lines.map_while(|line| line.strip_prefix("local ")?.split_once(" = "));
        let is_codes = |(words, _): &(&str, &str)| words.contains(", ") && words.split(", ").all(is_word);
        let lines: Vec<(&str, &str)> = lines.take_while(is_codes).collect();
        let words: Vec<&str> = lines.iter().flat_map(|(words, _)| words.split(", ")).collect();
        let codes: Vec<i64> =
            lines.iter().flat_map(|(_, codes)| codes.split(", ")).map(|code| code.parse().expect("a code")).collect();
        assert_eq!(words.len(), codes.len(), "{name}");
        for (word, code) in words.iter().zip(&codes) {
            assert_eq!(names.get(code), Some(&word.to_lowercase().replace('_', " ")), "{name}");
        }
        let header = part(&header(&source), "Reply").join("\n");
        let numbers: BTreeSet<i64> =
            header.split(|sign: char| !sign.is_ascii_digit()).filter_map(|digits| digits.parse().ok()).collect();
        assert_eq!(
            numbers.iter().filter(|&&n| n >= 500).count(),
            codes.iter().filter(|&&n| n >= 500).count(),
            "{name}"
        );
        for code in codes {
            assert!(numbers.contains(&code), "{name}: {code} is not in its header");
        }
    }
}

#[test]
fn the_events_of_every_script_are_those_of_its_header_and_of_the_readme() {
    let listed: BTreeSet<String> =
        readme::table(&readme::text(), "Events").into_iter().map(|row| row[0].trim_matches('`').to_owned()).collect();
    let mut emitted = BTreeSet::new();
    for (name, source) in readme::scripts() {
        let event = part(&header(&source), "Event")[0];
        let adds: Vec<String> = body(&source)
            .split("'XADD', events, '*', 'type', '")
            .skip(1)
            .map(|rest| rest.split('\'').next().unwrap_or("").to_owned())
            .collect();
        match adds.as_slice() {
            [] => assert_eq!(event, " Event: none", "{name}"),
            [one] => assert!(event.starts_with(&format!(" Event \"{one}\"")), "{name}: {event}"),
            more => panic!("{name} emits more than one kind of event: {more:?}"),
        }
        emitted.extend(adds);
    }
    assert_eq!(emitted, listed);
}

/// Mistake 11: keys built inside a script break on a cluster, and `KEYS *` stalls everyone.
#[test]
fn no_script_builds_a_key_or_looks_for_keys() {
    for (name, source) in readme::scripts() {
        let body = body(&source);
        for verb in ["'KEYS'", "'SCAN'", "'RANDOMKEY'", "'EVAL'", "'SELECT'"] {
            assert!(!body.contains(verb), "{name} calls {verb}");
        }
        let locals: BTreeSet<String> = keys_in_header(&header(&source)).into_iter().collect();
        let calls: Vec<&str> = body.split("redis.call(").skip(1).collect();
        assert!(!calls.is_empty() && !body.contains("pcall"), "{name}");
        for call in calls {
            let (verb, rest) = call.split_once(',').expect("a command has a key");
            let mut words = rest.split([',', ')']).map(str::trim);
            let first = if ["'XINFO'", "'XGROUP'"].contains(&verb) { words.nth(1) } else { words.next() };
            let first = first.expect("a key");
            assert!(locals.contains(first), "{name}: redis.call({verb}, {first} … is not one of its keys");
        }
        for local in locals {
            let reassigned = format!("\n{local} =");
            assert!(!body.contains(&reassigned), "{name} changes {local}");
        }
    }
}

/// Mistake 12: what a script lets expire, it lets expire after a duration.
#[test]
fn no_script_gives_an_instant_to_expire() {
    for (name, source) in readme::scripts() {
        let body = body(&source);
        for verb in ["'EXPIRE'", "'PEXPIRE'", "'SETEX'", "'PSETEX'", "'EX'", "'PX'"] {
            for call in body.split(verb).skip(1) {
                let call = call.split(')').next().unwrap_or(call);
                assert!(!call.contains("now") && !call.contains("_at"), "{name}: {verb}{call}");
            }
        }
    }
}
