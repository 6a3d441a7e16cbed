//! The search in the history.

use crate::{
    Checks, LATEST, Millis, check_id,
    error::{Error, Result},
    iso,
};
use serde::{Deserialize, Serialize};

/// A search in the history. Fields that are `None` do not narrow it.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Search {
    /// The kind of the sale.
    pub kind: Option<String>,
    /// The id of the sale, of any kind.
    pub sale: Option<String>,
    /// The user.
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
        let ids = [
            ("sale", &self.sale),
            ("user", &self.user),
            ("request_id", &self.request_id),
            ("order", &self.order),
            ("outcome", &self.outcome),
        ];
        let mut checks = Checks::default();
        for (name, value) in ids {
            checks.note(value.as_deref().map_or(Ok(()), |value| check_id(name, value)));
        }
        for (name, at) in [("from", self.from), ("to", self.to)] {
            if let Some(at) = at.filter(|at| !(0..=LATEST).contains(at)) {
                let why = format!("`{name}` is {at}; give milliseconds since 1970, 0 to {LATEST}.");
                checks.note::<()>(Err(Error::bad(name, why)));
            }
        }
        if let (Some(from), Some(to)) = (self.from, self.to)
            && from >= to
        {
            // Pages show it beside fields in their readers' time zone.
            let utc = |at| format!("{} UTC", iso(at).trim_end_matches('Z').replace('T', " "));
            let why = format!("`to` ({}) is not after `from` ({}), so nothing lies between them.", utc(to), utc(from));
            checks.note::<()>(Err(Error::bad("to", why)));
        }
        checks.finish(Ok(()))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::checks::wrong_fields;

    #[test]
    fn all_that_cannot_be_searched_for_is_named() {
        let user = Some("W".repeat(65));
        let search = Search { sale: Some(String::new()), user, from: Some(-1), to: Some(-2), ..Search::default() };
        assert_eq!(wrong_fields(search.check()), ["sale", "user", "from", "to"]);
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
        assert!(message.contains("1970-01-01 00:00:00.005 UTC"), "{message}");
        assert_eq!(Search { from: Some(0), to: Some(1), ..Search::default() }.check(), Ok(()));
    }
}
