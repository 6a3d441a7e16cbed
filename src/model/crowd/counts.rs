//! Counts of answers by name. Each kind of sale has its own names.

use indexmap::IndexMap;
use serde::{Deserialize, Serialize};

/// The number of answers by name, in the order in which a kind names them.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(transparent)]
pub struct Counts(pub IndexMap<String, u64>);

impl Counts {
    /// The count of this name; 0 if there is none.
    pub fn get(&self, name: &str) -> u64 {
        self.0.get(name).copied().unwrap_or(0)
    }

    /// The sum of all counts.
    pub fn total(&self) -> u64 {
        self.0.values().sum()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn counts_are_an_object_in_their_order() {
        let counts = Counts([("won".to_owned(), 3), ("repeat".to_owned(), 1)].into());
        let json = serde_json::to_string(&counts).unwrap();
        assert_eq!(json, r#"{"won":3,"repeat":1}"#);
        assert_eq!(serde_json::from_str::<Counts>(&json).unwrap(), counts);
        assert_eq!((counts.get("won"), counts.get("lost"), counts.total()), (3, 0, 4));
    }
}
