//! Checks each script's header, its code and `lua/README.md` against each other.

use crate::{KINDS, readme, support::kinds::TestKind};
use model::KindInfo;
use stampede::server::scripts;
use std::collections::{BTreeMap, BTreeSet};
use store::reply::ReplyCode;

/// The comment that a script opens with.
fn header(source: &str) -> Vec<&str> {
    source.lines().map_while(|line| line.strip_prefix("--")).collect()
}

/// What follows the header, without comments.
fn body(source: &str) -> String {
    let code = source.lines().skip_while(|line| line.starts_with("--"));
    let code = code.filter(|line| !line.starts_with("--"));
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

/// The shared files that a header includes, in their order.
fn includes<'a>(header: &[&'a str]) -> Vec<&'a str> {
    header
        .iter()
        .find_map(|line| line.strip_prefix(" Includes "))
        .map_or_else(Vec::new, |names| names.split(", ").collect())
}

/// The names in the braces of `needed`: once something was given, and before.
fn needed(body: &str) -> Option<[BTreeSet<String>; 2]> {
    let (_, lists) = body.split_once("local needed = was_given and {")?;
    let (once_given, rest) = lists.split_once('}')?;
    let rest = rest.trim_start().strip_prefix("or {")?;
    let (before, _) = rest.split_once('}')?;
    Some([once_given, before].map(|names| names.split(',').map(|name| name.trim().to_owned()).collect()))
}

#[test]
fn the_scripts_of_a_kind_need_the_keys_that_its_sales_must_have() {
    for TestKind { info: KindInfo { id: kind, .. }, lasting, attempt, .. } in KINDS {
        let from_opening: BTreeSet<String> =
            lasting.from_opening.iter().chain(&["events"]).map(|part| (*part).to_owned()).collect();
        let once_given = lasting.once_given.iter().map(|part| (*part).to_owned());
        let once_given: BTreeSet<String> = once_given.chain(from_opening.clone()).collect();
        for (name, source) in readme::scripts().into_iter().filter(|(name, _)| name.starts_with(&format!("{kind}/"))) {
            let body = body(&source);
            let Some([given, before]) = needed(&body) else {
                assert!(!body.contains("was_given and"), "{name}");
                continue;
            };
            assert_eq!(before, from_opening, "{name}");
            assert!(given.is_subset(&once_given), "{name}");
            if name == format!("{kind}/{attempt}.lua") {
                assert_eq!(given, once_given, "{name}");
            }
        }
        let attempt = &readme::scripts()[format!("{kind}/{attempt}.lua").as_str()];
        assert!(needed(&body(attempt)).is_some(), "{kind}");
    }
}

#[test]
fn every_script_asserts_before_it_calls_redis() {
    for (name, source) in readme::scripts() {
        let body = body(&source);
        let first_call = body.find("redis.").unwrap_or(body.len());
        assert!(!body[first_call..].contains("assert("), "{name}: too late to assert");
    }
}

/// Every word in capitals, except in strings.
fn capitals(code: &str) -> BTreeSet<&str> {
    let is_part = |sign: char| sign.is_ascii_alphanumeric() || sign == '_';
    let is_capital = |word: &&str| word.chars().all(|sign| sign.is_ascii_uppercase() || sign == '_');
    let outside = code.split('\'').step_by(2);
    outside
        .flat_map(|code| code.split(|sign| !is_part(sign)))
        .filter(|word| word.len() > 1)
        .filter(is_capital)
        .collect()
}

/// The local functions of a shared file: name and text.
fn functions(source: &str) -> BTreeMap<&str, &str> {
    let functions = source.split("\nlocal function ").skip(1);
    functions
        .map(|text| (text.split('(').next().unwrap_or(text), text.split("\nend\n").next().unwrap_or(text)))
        .collect()
}

#[test]
fn the_reply_codes_of_every_script_are_those_of_its_header() {
    let numbers: BTreeMap<String, i64> =
        ReplyCode::ALL.iter().map(|code| (code.name().to_uppercase().replace(' ', "_"), *code as i64)).collect();
    let codes = |code: &str| -> BTreeSet<i64> {
        capitals(code).into_iter().filter_map(|word| numbers.get(word)).copied().collect()
    };
    for (name, source) in readme::scripts() {
        let (header, body) = (header(&source), body(&source));
        let mut answered = codes(&body);
        for library in includes(&header) {
            let library = readme::library(library);
            for (function, text) in functions(&library) {
                if body.contains(&format!("{function}(")) {
                    answered.extend(codes(text));
                }
            }
        }
        let reply = part(&header, "Reply").join("\n");
        let stated = reply.split(|sign: char| !sign.is_ascii_digit()).filter_map(|digits| digits.parse().ok());
        let stated: BTreeSet<i64> = stated.filter(|number| numbers.values().any(|code| code == number)).collect();
        assert_eq!(answered, stated, "{name}");
    }
}

/// Positions in records are documented in the README and named once in Lua.
#[test]
fn the_places_in_records_are_those_of_the_readme() {
    let records: BTreeMap<String, String> =
        readme::table(&readme::text(), "Records").into_iter().map(|row| (row[0].clone(), row[1].clone())).collect();
    for (record, library) in [
        ("order", "lib/orders"),
        ("category", "lib/rows"),
        ("coupon", "lib/coupons"),
        ("limit", "lib/coupons"),
        ("request", "lib/stock"),
    ] {
        let names = records[record].to_uppercase().replace(' ', "_").replace(",_", ", ");
        let places: Vec<String> = (1..=names.split(", ").count()).map(|place| place.to_string()).collect();
        let line = format!("local {names} = {}\n", places.join(", "));
        assert!(readme::library(library).contains(&line), "{library} has no {line}");
    }
}

#[test]
fn the_events_of_every_script_are_those_of_its_header_and_of_the_readme() {
    let listed: BTreeSet<String> =
        readme::table(&readme::text(), "Events").into_iter().map(|row| row[0].trim_matches('`').to_owned()).collect();
    let mut emitted = BTreeSet::new();
    for (name, source) in readme::scripts() {
        let event = part(&header(&source), "Event")[0];
        let adds: Vec<String> = body(&readme::with_its_event(&source))
            .split("'XADD', events, ")
            .skip(1)
            .map(|rest| {
                let (id, rest) = rest.split_once(", 'type', ").expect("an id, and the type first");
                assert_ne!(id, "'*'", "{name}: Redis would count from 0 in each millisecond");
                rest
            })
            .filter_map(|rest| Some(rest.strip_prefix('\'')?.split('\'').next().unwrap_or("").to_owned()))
            .collect();
        if ["sale/change.lua", "ticket/block.lua"].contains(&name.as_str()) {
            // Each change has an event of its name, and the script takes these only.
            let names = event.split('"').skip(1).step_by(2).map(str::to_owned);
            let decides = |change: &str| match name.as_str() {
                "sale/change.lua" => source.contains(&format!("function decide.{change}()")),
                _ => source.contains(&format!(" {change} = 1")),
            };
            emitted.extend(names.inspect(|change| assert!(decides(change), "{change}")));
            continue;
        }
        match adds.as_slice() {
            [] => assert_eq!(event, " Event: none", "{name}"),
            [one] => assert!(event.starts_with(&format!(" Event \"{one}\"")), "{name}: {event}"),
            more => panic!("{name} emits more than one kind of event: {more:?}"),
        }
        emitted.extend(adds);
    }
    assert_eq!(emitted, listed);
    // What those that add their event by its functions were not asked above.
    let fence = readme::library("lib/fence");
    assert!(!fence.contains("'*'"), "lib/fence: Redis would count from 0 in each millisecond");
}

/// Mistake 11: keys built inside a script break on a cluster, and `KEYS *` stalls everyone.
#[test]
fn no_script_builds_a_key_or_looks_for_keys() {
    for script in scripts() {
        let (name, body) = (script.name, body(&readme::scripts()[script.name]));
        for verb in ["'KEYS'", "'SCAN'", "'RANDOMKEY'", "'EVAL'", "'SELECT'"] {
            assert!(!body.contains(verb), "{name} calls {verb}");
        }
        let calls: Vec<&str> = body.split("redis.call(").skip(1).collect();
        // But for the one that asks whether Redis knows a command: it raises an error for one that it does not know.
        assert!(!body.contains("pcall") || name == "store/rights.lua", "{name}");
        for call in calls {
            let (verb, rest) = call.split_once(',').expect("a command has a key");
            let mut words = rest.split([',', ')']).map(str::trim);
            let first = if ["'XINFO'", "'XGROUP'"].contains(&verb) { words.nth(1) } else { words.next() };
            let first = first.expect("a key");
            // Further keys have no names.
            let is_key = script.parts().iter().any(|part| part == first) || first.starts_with("unpack(KEYS");
            assert!(is_key, "{name}: redis.call({verb}, {first} … is not one of its keys");
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
