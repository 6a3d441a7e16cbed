//! The change feed: rows in the order of recording, for programs that follow the ledger.

use super::{DEFAULT_LIMIT, MOST_LIMIT, Row, Search};
use crate::{
    Checks, check_within,
    error::{Error, Result},
};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use std::{ops::RangeInclusive, time::Duration};

/// The longest time that a request may wait for a row, in seconds. Proxies usually allow an answer 60 s.
pub const LONGEST_WAIT_S: u32 = 30;
/// The most places in the order of recording that one answer passes over. Beyond them it ends, whatever it has found.
pub const MOST_PLACES: u64 = 20_000;

/// A part of the feed.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[schemars(rename = "LedgerChanges")]
pub struct Changes {
    /// The rows in the order in which they were recorded.
    pub rows: Vec<Row>,
    /// The value of `after` for the next part: every row up to this place in the order of recording is in this part, in
    /// one before it, or left out by its kind, sale or outcome.
    pub next: u64,
}

/// The query string of the feed. Empty parameters do not count.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct ChangesParams {
    /// The `next` of the part before, or the `recorded` of a row; 0 for the beginning.
    #[schemars(with = "Option<u64>")]
    after: Option<String>,
    /// Rows in an answer, at most.
    #[schemars(with = "Option<u32>")]
    limit: Option<String>,
    /// For how many seconds to wait for a row if there is none. The answer comes as soon as there is one.
    #[schemars(with = "Option<u32>")]
    wait_s: Option<String>,
    /// Only rows of sales of this kind.
    kind: Option<String>,
    /// Only rows of the sale with exactly this id, of any kind.
    sale: Option<String>,
    /// Only rows with this outcome.
    outcome: Option<String>,
}

/// A request for a part of the feed.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct ChangesQuery {
    /// The place in the order of recording after which the part begins.
    pub after: u64,
    /// The most rows in the part.
    pub limit: u32,
    /// The time to wait for a row.
    pub wait: Duration,
    /// What rows are wanted.
    pub search: Search,
}

impl ChangesParams {
    /// The request for these parameters.
    ///
    /// # Errors
    /// `bad_request`, naming each number that is none or out of its range.
    pub fn query(self) -> Result<ChangesQuery> {
        let given = |text: Option<String>| text.filter(|text| !text.is_empty());
        let mut checks = Checks::default();
        let after = given(self.after).map_or(Ok(0), |text| text.parse().map_err(|_| not_a_place(&text)));
        let after = checks.value(after);
        let limit = checks.value(number("limit", given(self.limit), DEFAULT_LIMIT, 1..=MOST_LIMIT, ""));
        let wait_s = checks.finish(number("wait_s", given(self.wait_s), 0, 0..=LONGEST_WAIT_S, " seconds"))?;
        let search = Search {
            kind: given(self.kind),
            sale: given(self.sale),
            outcome: given(self.outcome),
            ..Search::default()
        };
        Ok(ChangesQuery { after, limit, wait: Duration::from_secs(wait_s.into()), search })
    }
}

fn number(name: &str, text: Option<String>, default: u32, range: RangeInclusive<u32>, unit: &str) -> Result<u32> {
    let Some(text) = text else { return Ok(default) };
    let number = text.parse().map_err(|_| Error::bad(name, format!("`{name}` is \"{text}\"; give a whole number.")))?;
    check_within(name, number, range, unit)?;
    Ok(number)
}

fn not_a_place(text: &str) -> Error {
    let why = format!(
        "`after` is \"{text}\", which is no place in the change feed; give the `next` of an answer, the `recorded` of a \
         row, or 0 for the beginning."
    );
    Error::bad("after", why)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::checks::wrong_fields;

    fn read(after: &str, limit: &str, wait_s: &str) -> Result<ChangesQuery> {
        let [after, limit, wait_s] = [after, limit, wait_s].map(|text| Some(text.to_owned()));
        ChangesParams { after, limit, wait_s, kind: None, sale: None, outcome: Some(String::new()) }.query()
    }

    #[test]
    fn whatever_is_left_out_or_empty_has_its_default() {
        let beginning = ChangesQuery { limit: DEFAULT_LIMIT, ..ChangesQuery::default() };
        assert_eq!(read("", "", ""), Ok(beginning.clone()));
        let none = ChangesParams { after: None, limit: None, wait_s: None, kind: None, sale: None, outcome: None };
        assert_eq!(none.query(), Ok(beginning));
        let all = read("7", "1000", "30").map(|query| (query.after, query.limit, query.wait.as_secs()));
        assert_eq!(all, Ok((7, 1_000, 30)));
    }

    #[test]
    fn every_number_that_is_none_or_out_of_its_range_is_named() {
        assert_eq!(wrong_fields(read("-1", "0", "31")), ["after", "limit", "wait_s"]);
        assert_eq!(wrong_fields(read("1700000000000-0", "1001", "1.5")), ["after", "limit", "wait_s"]);
        let why = read("x", "", "").expect_err("refused").message;
        assert!(why.starts_with("`after` is \"x\", which is no place in the change feed; "), "{why}");
    }
}
