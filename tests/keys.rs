//! Every key, compared with the table in `lua/README.md`.

use crate::{readme, support::property::holds};
use proptest::prelude::*;
use store::keys;

/// Keys of a sale "s" of each kind, and of a run "r".
fn all() -> Vec<String> {
    let of_sales =
        engine::KINDS.iter().flat_map(|kind| kind.parts.iter().map(|part| keys::sale(kind.info.id, "s", part)));
    let others = [
        keys::SALES.one,
        keys::UNLISTED.one,
        keys::RECOVERED.one,
        keys::LOST.one,
        keys::CLOSED.one,
        keys::WRITER.one,
        keys::LEDGER.one,
        keys::REDIS.one,
        keys::FORMAT.one,
        keys::AUDITS.one,
        keys::HEALED.one,
        keys::LAB.one,
        keys::LAB_LATEST.one,
    ];
    let of_runs = [keys::run, keys::run_stop, keys::run_change, keys::lab_run, keys::lab_stop].map(|key| key("r"));
    of_sales.chain(others.map(str::to_owned)).chain(of_runs).collect()
}

#[test]
fn the_key_map_in_the_readme_lists_every_key_and_no_other() {
    let listed: Vec<String> = readme::table(&readme::text(), "Keys")
        .into_iter()
        .map(|row| row[0].trim_matches('`').replace("<sale>", "s").replace("<run>", "r"))
        .collect();
    assert_eq!(listed, all());
}

/// What a cluster hashes of a key: between the first `{` and the `}` that follows.
fn hash_tag(key: &str) -> &str {
    let (_, rest) = key.split_once('{').expect("a brace");
    rest.split_once('}').expect("a closing brace").0
}

fn id() -> impl Strategy<Value = String> {
    prop_oneof!["[ab{}:]{1,8}", "(\\}:(pending|meta)|\\{red_packet:|a){1,3}", "\\PC{1,8}"]
}

#[test]
fn two_sales_never_share_a_key_whatever_their_ids_hold() {
    let part = || proptest::sample::select(engine::red_packet::scripts::PARTS.to_vec());
    holds(4_000, (id(), id(), part(), part()), |(one, other, part, other_part)| {
        let same = (&one, part) == (&other, other_part);
        let keys = (keys::sale("red_packet", &one, part), keys::sale("red_packet", &other, other_part));
        prop_assert_eq!(keys.0 == keys.1, same, "{:?}", keys);
        Ok(())
    });
}

#[test]
fn keys_of_a_group_are_of_one_slot_and_nobody_elses() {
    let part = || proptest::sample::select(engine::stock::scripts::PARTS.to_vec());
    holds(4_000, ((id(), id()), (id(), id()), part(), part()), |(one, other, part, other_part)| {
        let key = |(group, sale): &(String, String), part: &str| keys::sale_of_group("stock", group, sale, part);
        let same = (&one, part) == (&other, other_part);
        prop_assert_eq!(key(&one, part) == key(&other, other_part), same, "{:?} {:?}", one, other);
        prop_assert_ne!(key(&one, part), keys::sale("stock", &other.1, other_part));
        let of_group = key(&(one.0.clone(), other.1.clone()), other_part);
        let own = key(&one, part);
        prop_assert_eq!(hash_tag(&own), hash_tag(&of_group));
        Ok(())
    });
}

#[test]
fn all_keys_of_a_sale_share_one_slot() {
    holds(1_000, id(), |sale| {
        let keys = engine::red_packet::scripts::PARTS.map(|part| keys::sale("red_packet", &sale, part));
        for key in &keys {
            prop_assert_eq!(hash_tag(key), hash_tag(&keys[0]));
            prop_assert!(!hash_tag(key).is_empty());
        }
        Ok(())
    });
}

#[test]
fn a_run_never_shares_a_key_with_another_runs_stop() {
    holds(1_000, ("[a:]{0,4}(stop)?", "[a:]{0,4}(stop)?"), |(one, other)| {
        prop_assert_ne!(keys::run(&one), keys::run_stop(&other));
        Ok(())
    });
}
