//! Ids: those that clients choose, those that the server generates, and event ids.

use crate::support::{
    property::holds,
    sale::{START, clock},
};
use model::{EventId, check_id, check_new_id, error::shell_word};
use proptest::prelude::*;
use std::collections::BTreeSet;
use store::runtime::Ids;

#[test]
fn printable_ids_up_to_64_bytes_are_taken() {
    let long = "x".repeat(64);
    let wide = "é".repeat(32);
    for id in ["a", "x:9:9", "红包 🧧", "{}", "\u{7fff}", "a b", "é", "👍", &long, &wide] {
        assert_eq!(check_new_id("user", id), Ok(()), "{id:?}");
    }
}

#[test]
fn others_are_refused_with_the_field_and_the_reason() {
    let cases = [
        (String::new(), "is empty"),
        (" \u{3000} ".to_owned(), "is empty"),
        ("x".repeat(65), "65 bytes long"),
        ("é".repeat(33), "66 bytes long"),
        ("a\tb".to_owned(), "control character"),
        ("a\u{9f}".to_owned(), "control character"),
        ("\u{0}".to_owned(), "control character"),
        (".".to_owned(), "cannot be part of an address"),
        ("..".to_owned(), "cannot be part of an address"),
        (" a".to_owned(), "begins or ends with a space"),
        ("a ".to_owned(), "begins or ends with a space"),
        ("é ".to_owned(), "begins or ends with a space"),
        ("a  b".to_owned(), "two spaces in a row"),
        // Each of these looks like "ann", "a b" or "é", and is another.
        ("an\u{200b}n".to_owned(), "U+200B"),
        ("ann\u{200d}".to_owned(), "U+200D"),
        ("\u{202e}nna".to_owned(), "U+202E"),
        ("\u{2066}ann".to_owned(), "U+2066"),
        ("ann\u{feff}".to_owned(), "U+FEFF"),
        ("ann\u{e0041}".to_owned(), "U+E0041"),
        ("ann\u{3164}".to_owned(), "U+3164"),
        ("ann\u{fffc}".to_owned(), "U+FFFC"),
        ("ann\u{16fe4}".to_owned(), "U+16FE4"),
        ("ann\u{e000}".to_owned(), "U+E000"),
        ("ann\u{10fffd}".to_owned(), "U+10FFFD"),
        ("a\u{a0}b".to_owned(), "U+00A0"),
        ("a\u{3000}b".to_owned(), "U+3000"),
        ("e\u{301}".to_owned(), "composed form"),
    ];
    for (id, reason) in cases {
        let error = check_new_id("user", &id).expect_err("a refusal");
        assert_eq!(error.field.as_deref(), Some("user"));
        assert!(error.message.contains(reason), "{id:?}: {}", error.message);
    }
}

/// What was sold under such an id before can still be found, paid, audited and recovered.
#[test]
fn what_exists_is_found_by_whatever_printable_id_it_has() {
    for id in [" a ", "红包　2024", "🧧❤\u{fe0f}", "e\u{301}"] {
        assert_eq!(check_id("sale", id), Ok(()), "{id:?}");
        assert!(check_new_id("sale", id).is_err(), "{id:?}");
    }
}

#[test]
fn an_id_in_a_command_is_one_word_of_it() {
    for (id, word) in [
        ("demo-2", "demo-2"),
        ("a b", "'a b'"),
        ("a'b", r"'a'\''b'"),
        ("$(reboot)", "'$(reboot)'"),
        ("x;reboot", "'x;reboot'"),
        ("--json", "-- '--json'"),
        ("红包", "'红包'"),
    ] {
        assert_eq!(shell_word(id), word);
    }
}

#[test]
fn the_same_seed_makes_the_same_ids_and_they_are_all_different() {
    let ids = |seed| {
        let ids = Ids::seeded(clock(), seed);
        (0..1_000).map(|_| ids.id()).collect::<Vec<_>>()
    };
    let (one, again, other) = (ids(1), ids(1), ids(2));
    assert_eq!(one, again);
    assert_eq!(one.iter().chain(&other).collect::<BTreeSet<_>>().len(), 2_000);
    for id in one {
        let id = uuid::Uuid::parse_str(&id).expect("a UUID");
        assert_eq!(id.get_version_num(), 7);
        let (seconds, nanos) = id.get_timestamp().expect("a time").to_unix();
        assert_eq!(seconds as i64 * 1_000 + i64::from(nanos) / 1_000_000, START);
    }
}

#[test]
fn an_event_id_is_read_back_and_ordered_as_redis_orders_it() {
    holds(500, any::<[u64; 4]>(), |[millis, sequence, other_millis, other_sequence]| {
        let id = EventId { millis, sequence };
        let other = EventId { millis: other_millis, sequence: other_sequence };
        prop_assert_eq!(id.to_string().parse::<EventId>(), Ok(id));
        prop_assert_eq!(id.cmp(&other), (millis, sequence).cmp(&(other_millis, other_sequence)));
        Ok(())
    });
    let ids: Vec<EventId> = ["9-0", "10-0", "10-2", "10-11"].map(|id| id.parse().expect("an id")).to_vec();
    assert!(ids.is_sorted(), "by number, not by letter");
    for bad in ["", "-", "1", "1-", "-1", "1-2-3", "a-b", "1-+", "99999999999999999999-0", " 1-1"] {
        assert!(bad.parse::<EventId>().is_err(), "{bad:?}");
    }
}
