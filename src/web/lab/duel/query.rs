//! The query of the page's address: the strategy on the left, and the seed of the crowd.

use model::{
    lab::duel::{LEFT, Match},
    text::shown_parameter,
    url::parameter,
};

/// The query of the address.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct DuelQuery {
    /// What is asked for, with defaults for what is missing.
    pub asked: Match,
    /// Unreadable parameters, treated as missing: `seed=x`.
    pub ignored: Vec<String>,
}

impl DuelQuery {
    /// Reads a query. Unreadable parameters are treated as missing.
    pub fn parse(query: &str) -> Self {
        let Match { left, seed } = Match::default();
        let mut ignored = Vec::new();
        let mut ignore = |name: &str, text: &str| ignored.push(shown_parameter(name, text));
        let left = match parameter(query, "left") {
            Some(named) if LEFT.contains(&named.as_str()) => named,
            Some(named) => {
                ignore("left", &named);
                left
            }
            None => left,
        };
        let seed = match parameter(query, "seed") {
            Some(text) => text.parse().unwrap_or_else(|_| {
                ignore("seed", &text);
                seed
            }),
            None => seed,
        };
        Self { asked: Match { left, seed }, ignored }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_match_survives_its_link() {
        for asked in [Match::default(), Match { left: LEFT[2].to_owned(), seed: u64::MAX }] {
            let url = asked.url();
            let query = url.split_once('?').expect("a query").1;
            assert_eq!(DuelQuery::parse(query), DuelQuery { asked, ignored: Vec::new() });
        }
        assert_eq!(DuelQuery::parse("present=1"), DuelQuery::default());
    }

    #[test]
    fn what_cannot_be_read_is_as_usual_and_named() {
        let query = DuelQuery::parse("left=script&seed=seven");
        assert_eq!(query.asked, Match::default());
        assert_eq!(query.ignored, ["left=script", "seed=seven"]);
    }
}
