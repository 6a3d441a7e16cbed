//! The search in the history.

use crate::{
    LATEST, Millis, check_id,
    error::{Error, Result},
    iso,
};
use serde::{Deserialize, Serialize};

/// A search in the history. Fields that are `None` do not narrow it.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Search {
    /// The kind of the sale.
    pub kind: Option<String>,
    /// The id of the sale, of any kind, as a [`Pattern`].
    pub sale: Option<String>,
    /// The user, as a [`Pattern`].
    pub user: Option<String>,
    /// The request id.
    pub request_id: Option<String>,
    /// The order.
    pub order: Option<String>,
    /// The outcome: `opened`, `won`, `refunded`, …
    pub outcome: Option<String>,
    /// The earliest time of recording, as in event ids.
    pub from: Option<Millis>,
    /// The end of the times of recording, which is excluded.
    pub to: Option<Millis>,
}

impl Search {
    /// Checks ids and times.
    ///
    /// # Errors
    /// `bad_request`, naming the field that has no valid value.
    pub fn check(&self) -> Result<()> {
        for (name, value) in [("sale", &self.sale), ("user", &self.user)] {
            if let Some(value) = value {
                let pattern = Pattern::parse(value);
                if pattern == Pattern::Prefix(String::new()) {
                    let why = format!("`{name}` is \"*\", with nothing before the asterisk; leave it out to find all.");
                    return Err(Error::bad(name, why));
                }
                check_id(name, pattern.text())?;
            }
        }
        for (name, value) in [("request_id", &self.request_id), ("order", &self.order), ("outcome", &self.outcome)] {
            if let Some(value) = value {
                check_id(name, value)?;
            }
        }
        for (name, at) in [("from", self.from), ("to", self.to)] {
            if let Some(at) = at.filter(|at| !(0..=LATEST).contains(at)) {
                let why = format!("`{name}` is {at}; give milliseconds since 1970, 0 to {LATEST}.");
                return Err(Error::bad(name, why));
            }
        }
        if let (Some(from), Some(to)) = (self.from, self.to)
            && from >= to
        {
            let why = format!("`to` ({}) is not after `from` ({}), so nothing lies between them.", iso(to), iso(from));
            return Err(Error::bad("to", why));
        }
        Ok(())
    }
}

/// A pattern for ids: `ann` is the id itself, `ann*` is every id that begins with `ann`. An id that ends with `*` is
/// written with `\*` at its end.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Pattern {
    /// Exactly this id.
    Exact(String),
    /// Every id that begins with this text.
    Prefix(String),
}

impl Pattern {
    /// Reads a pattern.
    pub fn parse(text: &str) -> Self {
        match (text.strip_suffix(r"\*"), text.strip_suffix('*')) {
            (Some(before), _) => Self::Exact(format!("{before}*")),
            (None, Some(prefix)) => Self::Prefix(prefix.to_owned()),
            (None, None) => Self::Exact(text.to_owned()),
        }
    }

    /// The pattern that matches exactly this id.
    pub fn exactly(id: &str) -> String {
        id.strip_suffix('*').map_or_else(|| id.to_owned(), |before| format!(r"{before}\*"))
    }

    /// The id or its prefix.
    pub fn text(&self) -> &str {
        match self {
            Self::Exact(text) | Self::Prefix(text) => text,
        }
    }
}

/// The first text after all texts that begin with `prefix`, in the order of bytes. The prefix is never empty.
pub fn after_prefix(prefix: &str) -> String {
    let mut end: Vec<char> = prefix.chars().collect();
    while let Some(last) = end.pop() {
        // Bytes sort like code points; surrogates are no characters.
        let next = (u32::from(last) + 1..=u32::from(char::MAX)).find_map(char::from_u32);
        if let Some(next) = next {
            end.push(next);
            break;
        }
    }
    end.into_iter().collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_asterisk_at_the_end_stands_for_any_ending() {
        let exact = |text: &str| Pattern::Exact(text.to_owned());
        let prefix = |text: &str| Pattern::Prefix(text.to_owned());
        let read = ["ann", "ann*", "a*n", "ann**", "*", r"ann\*", r"ann\\*"].map(Pattern::parse);
        assert_eq!(
            read,
            [exact("ann"), prefix("ann"), exact("a*n"), prefix("ann*"), prefix(""), exact("ann*"), exact(r"ann\*")]
        );
    }

    #[test]
    fn an_asterisk_alone_is_no_pattern() {
        let refused = |search: Search| search.check().expect_err("a refusal").message;
        let all = Some("*".to_owned());
        let sale = refused(Search { sale: all.clone(), ..Search::default() });
        assert_eq!(sale, "`sale` is \"*\", with nothing before the asterisk; leave it out to find all.");
        assert!(refused(Search { user: all, ..Search::default() }).starts_with("`user` is "));
        assert_eq!(Search { sale: Some(r"\*".to_owned()), ..Search::default() }.check(), Ok(()));
    }

    #[test]
    fn every_id_has_a_pattern_of_its_own() {
        for id in ["ann", "ann*", "**", "*", r"\*", r"a\", r"\", "a*n"] {
            assert_eq!(Pattern::parse(&Pattern::exactly(id)), Pattern::Exact(id.to_owned()), "{id}");
        }
    }

    #[test]
    fn what_begins_with_a_prefix_lies_before_its_end() {
        for (prefix, end) in [("ann", "ano"), ("a\u{7f}", "a\u{80}"), ("\u{d7ff}", "\u{e000}"), ("a\u{10ffff}", "b")] {
            assert_eq!(after_prefix(prefix), end);
            assert!(format!("{prefix}\u{10ffff}\u{10ffff}").as_str() < end && prefix < end);
        }
    }

    #[test]
    fn a_range_must_have_something_in_it() {
        let refused = |from, to| {
            let error = Search { from, to, ..Search::default() }.check().expect_err("refused");
            (error.field.expect("a field"), error.message)
        };
        assert_eq!(refused(Some(-1), None).0, "from");
        assert_eq!(refused(None, Some(LATEST + 1)).0, "to");
        let (field, message) = refused(Some(5), Some(5));
        assert_eq!(field, "to");
        assert!(message.contains("1970-01-01T00:00:00.005Z"), "{message}");
        assert_eq!(Search { from: Some(0), to: Some(1), ..Search::default() }.check(), Ok(()));
    }
}
