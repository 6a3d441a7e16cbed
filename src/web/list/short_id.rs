//! Short forms of generated ids, to be said aloud.

use crate::i18n::is_generated;
use std::collections::{BTreeMap, BTreeSet};

/// The fewest characters of a short form.
const FEWEST: usize = 4;

/// Returns, for each generated id among these, how many of its first characters no other one of them begins with: at
/// least four, and never up to a dash.
pub fn short_ids<'a>(ids: impl Iterator<Item = &'a str>) -> BTreeMap<String, usize> {
    let ids: Vec<&str> = ids.collect::<BTreeSet<_>>().into_iter().collect();
    // In this order, the ids with the longest common beginnings are neighbours.
    let common = |nth: Option<usize>, id: &str| {
        let other = nth.and_then(|nth| ids.get(nth)).copied().unwrap_or_default();
        id.bytes().zip(other.bytes()).take_while(|(one, other)| one == other).count()
    };
    let short = |(nth, id): (usize, &&str)| {
        let unlike = common(nth.checked_sub(1), id).max(common(Some(nth + 1), id)) + 1;
        let length = unlike.max(FEWEST);
        let is_dash = id.as_bytes().get(length - 1) == Some(&b'-');
        ((*id).to_owned(), (length + usize::from(is_dash)).min(id.len()))
    };
    ids.iter().enumerate().filter(|(_, id)| is_generated(id)).map(short).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_short_id_begins_no_other_one_of_the_list() {
        let ids = [
            "0197f2c4-9e0d-7a31-8b6e-3f2a51c0d421",
            "0197f2c4-9e0d-7a31-8b6e-3f2a51c0d422",
            "0197f2c4-1e0d-7a31-8b6e-3f2a51c0d421",
            "a197f2c4-9e0d-7a31-8b6e-3f2a51c0d421",
            "b197f2c4-9e0d-7a31-8b6e-3f2a51c0d421",
            "b197f",
            "spring",
            "b197f2c4-9e0d-7a31-8b6e-3f2a51c0d421",
        ];
        let short = short_ids(ids.into_iter());
        let shown = |id: &str| short.get(id).map(|length| id[..*length].to_owned());
        assert_eq!(shown(ids[0]).as_deref(), Some(ids[0]), "only its last character is its own");
        assert_eq!(shown(ids[2]).as_deref(), Some("0197f2c4-1"), "not up to the dash");
        assert_eq!(shown(ids[3]).as_deref(), Some("a197"));
        assert_eq!(shown(ids[4]).as_deref(), Some("b197f2"), "a chosen id begins like it");
        assert_eq!((shown("spring"), shown("b197f")), (None, None));
        assert_eq!(short.len(), 5, "{short:?}");
        assert_eq!(short_ids(std::iter::once(ids[0])).get(ids[0]), Some(&4));
    }
}
