//! Counts of answers by name: each kind of sale has its own names. In JSON an object.

use serde::{
    Deserialize, Deserializer, Serialize, Serializer,
    de::{MapAccess, Visitor},
};
use std::fmt;

/// How often each answer was given, in the order in which a kind names them.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Counts(pub Vec<(String, u64)>);

impl Counts {
    /// The count of this name; 0 where there is none.
    pub fn get(&self, name: &str) -> u64 {
        self.0.iter().find(|(known, _)| known == name).map_or(0, |(_, count)| *count)
    }

    /// The sum of all counts.
    pub fn total(&self) -> u64 {
        self.0.iter().map(|(_, count)| count).sum()
    }
}

impl Serialize for Counts {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_map(self.0.iter().map(|(name, count)| (name, count)))
    }
}

impl<'de> Deserialize<'de> for Counts {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_map(Reader)
    }
}

struct Reader;

impl<'de> Visitor<'de> for Reader {
    type Value = Counts;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("counts by name")
    }

    fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Counts, A::Error> {
        let mut counts = Vec::new();
        while let Some(entry) = map.next_entry()? {
            counts.push(entry);
        }
        Ok(Counts(counts))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn counts_are_an_object_in_their_order() {
        let counts = Counts(vec![("won".to_owned(), 3), ("repeat".to_owned(), 1)]);
        let json = serde_json::to_string(&counts).unwrap();
        assert_eq!(json, r#"{"won":3,"repeat":1}"#);
        assert_eq!(serde_json::from_str::<Counts>(&json).unwrap(), counts);
        assert_eq!((counts.get("won"), counts.get("lost"), counts.total()), (3, 0, 4));
    }
}
