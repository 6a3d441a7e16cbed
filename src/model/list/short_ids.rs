//! Short forms of generated ids, to be said aloud: their ends, which are random. Their beginnings are a time, so those of
//! sales that were opened soon after each other are alike.

use crate::id::is_generated;
use std::{
    collections::{BTreeMap, BTreeSet},
    ops::Bound::{Excluded, Unbounded},
};

/// The fewest characters of a short form.
const FEWEST: usize = 4;

/// Returns, for each generated id of these, its end that no other id `among` all ends with: at least four characters, and
/// never a dash first. Small and capital letters are alike, as they are when they are said.
pub fn short_ids<'a>(
    ids: impl IntoIterator<Item = &'a str>,
    among: impl IntoIterator<Item = &'a str>,
) -> BTreeMap<String, String> {
    // In the order of their last characters, ids with the longest common ends are neighbours.
    let all: BTreeSet<Vec<u8>> = among.into_iter().map(backwards).collect();
    let short = |id: &'a str| {
        let own = backwards(id);
        let common = |other: Option<&Vec<u8>>| {
            other.map_or(0, |other| own.iter().zip(other).take_while(|(one, other)| one == other).count())
        };
        let before = common(all.range(..own.clone()).next_back());
        let after = common(all.range((Excluded(own.clone()), Unbounded)).next());
        let length = (before.max(after) + 1).max(FEWEST);
        let is_dash = own.get(length - 1) == Some(&b'-');
        let begin = id.len().saturating_sub(length + usize::from(is_dash));
        (id.to_owned(), id[begin..].to_owned())
    };
    ids.into_iter().filter(|id| is_generated(id)).map(short).collect()
}

fn backwards(id: &str) -> Vec<u8> {
    id.bytes().rev().map(|sign| sign.to_ascii_lowercase()).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn no_other_sale_of_the_list_ends_with_a_short_id() {
        let ids = [
            "0197f2c4-9e0d-7a31-8b6e-3f2a51c0d421",
            "0197f2c4-9e0d-7a31-8b6e-3f2a51c1d421",
            "0197f2c4-9e0d-7a31-8b6e-3f2a51c0d42f",
            "0197f2c4-9e0d-7a31-8b6d-aaaaaaaaaaaa",
            "0197f2c4-9e0d-7a31-8b6f-aaaaaaaaaaaa",
            "0197f2c4-9e0d-7a31-8b6e-000000000bee",
            "spring-0BEE",
            "1197f2c4-9e0d-7a31-8b6e-3f2a51c0beef",
            "2197f2c4-9e0d-7a31-8b6e-3f2a51c0beef",
        ];
        let short = short_ids(ids, ids);
        let of = |nth: usize| short.get(ids[nth]).map(String::as_str);
        assert_eq!((of(0), of(1)), (Some("0d421"), Some("1d421")));
        assert_eq!(of(2), Some("d42f"), "the beginning does not matter");
        assert_eq!((of(3), of(4)), (Some("d-aaaaaaaaaaaa"), Some("f-aaaaaaaaaaaa")), "not from the dash on");
        assert_eq!((of(5), of(6)), (Some("00bee"), None), "a chosen id ends like it, and is short enough");
        assert_eq!((of(7), of(8)), (Some(ids[7]), Some(ids[8])), "only the first character differs");
        // Of a page, among those of all pages.
        assert_eq!(short_ids([ids[1]], ids), [(ids[1].to_owned(), "1d421".to_owned())].into());
        assert_eq!(short_ids([ids[1]], []), [(ids[1].to_owned(), "d421".to_owned())].into());
    }
}
