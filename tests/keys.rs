//! Every key, compared with literals and with the table in `lua/README.md`.

use crate::{readme, support::property::holds};
use proptest::prelude::*;
use store::keys;

/// Keys of a sale "s" and a run "r", each written down by hand.
fn all() -> Vec<(String, &'static str)> {
    let mut all: Vec<(String, &'static str)> = engine::red_packet::scripts::PARTS
        .into_iter()
        .map(|part| keys::sale("red_packet", "s", part))
        .zip([
            "{red_packet:s}:pending",
            "{red_packet:s}:claimants",
            "{red_packet:s}:meta",
            "{red_packet:s}:stats",
            "{red_packet:s}:events",
            "{red_packet:s}:attempts",
            "{red_packet:s}:crowd",
            "{red_packet:s}:crowd_lock",
        ])
        .collect();
    assert_eq!(all.len(), engine::red_packet::scripts::PARTS.len());
    let tickets = [
        "{ticket:s}:meta",
        "{ticket:s}:seats",
        "{ticket:s}:layout",
        "{ticket:s}:free",
        "{ticket:s}:counts",
        "{ticket:s}:holders",
        "{ticket:s}:orders",
        "{ticket:s}:requests",
        "{ticket:s}:deadlines",
        "{ticket:s}:bought",
        "{ticket:s}:heat",
        "{ticket:s}:stats",
        "{ticket:s}:events",
        "{ticket:s}:attempts",
        "{ticket:s}:crowd",
        "{ticket:s}:crowd_lock",
    ];
    assert_eq!(tickets.len(), engine::ticket::scripts::PARTS.len());
    all.extend(engine::ticket::scripts::PARTS.into_iter().map(|part| keys::sale("ticket", "s", part)).zip(tickets));
    let coupons = [
        "{coupon:s}:meta",
        "{coupon:s}:counts",
        "{coupon:s}:coupons",
        "{coupon:s}:stats",
        "{coupon:s}:events",
        "{coupon:s}:attempts",
        "{coupon:s}:crowd",
        "{coupon:s}:crowd_lock",
    ];
    assert_eq!(coupons.len(), engine::coupon::scripts::PARTS.len());
    all.extend(engine::coupon::scripts::PARTS.into_iter().map(|part| keys::sale("coupon", "s", part)).zip(coupons));
    let stocks = [
        "{stock:s}:meta",
        "{stock:s}:quantity",
        "{stock:s}:rebuild",
        "{stock:s}:requests",
        "{stock:s}:stats",
        "{stock:s}:events",
        "{stock:s}:attempts",
        "{stock:s}:paused",
        "{stock:s}:crowd",
        "{stock:s}:crowd_lock",
    ];
    assert_eq!(stocks.len(), engine::stock::scripts::PARTS.len());
    all.extend(engine::stock::scripts::PARTS.into_iter().map(|part| keys::sale("stock", "s", part)).zip(stocks));
    all.push((keys::SALES.to_owned(), "stampede:sales"));
    all.push((keys::UNLISTED.to_owned(), "stampede:unlisted"));
    all.push((keys::RECOVERED.to_owned(), "stampede:recovered"));
    all.push((keys::CLOSED.to_owned(), "stampede:closed"));
    all.push((keys::WRITER.to_owned(), "stampede:writer"));
    all.push((keys::LEDGER.to_owned(), "stampede:ledger"));
    all.push((keys::REDIS.to_owned(), "stampede:redis"));
    all.push((keys::FORMAT.to_owned(), "stampede:format"));
    all.push((keys::AUDITS.to_owned(), "stampede:audits"));
    all.push((keys::HEALED.to_owned(), "stampede:healed"));
    all.push((keys::LAB.to_owned(), "stampede:lab"));
    all.push((keys::LAB_LATEST.to_owned(), "stampede:lab_latest"));
    all.push((keys::run("r"), "crowd:r"));
    all.push((keys::run_stop("r"), "crowd_stop:r"));
    all.push((keys::run_change("r"), "crowd_change:r"));
    all.push((keys::lab_run("r"), "lab:r"));
    all.push((keys::lab_stop("r"), "lab_stop:r"));
    all
}

#[test]
fn every_key_is_what_is_written_here() {
    for (key, literal) in all() {
        assert_eq!(key, literal);
    }
}

#[test]
fn the_key_map_in_the_readme_lists_every_key_and_no_other() {
    let listed: Vec<String> = readme::table(&readme::text(), "Keys")
        .into_iter()
        .map(|row| row[0].trim_matches('`').replace("<sale>", "s").replace("<run>", "r"))
        .collect();
    let built: Vec<String> = all().into_iter().map(|(key, _)| key).collect();
    assert_eq!(listed, built);
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
