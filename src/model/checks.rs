//! The checks of a request: each field is checked, also after one that is at fault.

use crate::error::{Error, Result};
use std::{fmt::Display, ops::RangeInclusive};

/// The errors that the checks of a request have found so far: at most one for each field, in the order of the checks.
#[derive(Debug, Default)]
pub struct Checks(Vec<Error>);

impl Checks {
    /// Notes the errors of a check, except those of fields that have one already. Returns what was checked.
    pub fn note<T>(&mut self, checked: Result<T>) -> Option<T> {
        let error = match checked {
            Ok(value) => return Some(value),
            Err(error) => error,
        };
        for error in error.each() {
            if self.0.iter().all(|known| known.field != error.field) {
                self.0.push(error);
            }
        }
        None
    }

    /// Like [`Checks::note`], with a default in place of a value that is at fault. So the rest of a request can be
    /// checked; what is found out about the default is not noted, as its field has an error.
    pub fn value<T: Default>(&mut self, read: Result<T>) -> T {
        self.note(read).unwrap_or_default()
    }

    /// The value of the last check, if all have succeeded.
    ///
    /// # Errors
    /// The first error, with those of the further fields.
    pub fn finish<T>(mut self, last: Result<T>) -> Result<T> {
        if self.0.is_empty() {
            return last;
        }
        self.note(last);
        Err(Error::joined(self.0))
    }
}

/// Checks that a number is in its range. `unit` follows the range in the sentence, as in `" seconds"`.
///
/// # Errors
/// `bad_request`, naming the field and its range.
pub fn check_within<N: Copy + PartialOrd + Display>(
    field: &str,
    number: N,
    range: RangeInclusive<N>,
    unit: &str,
) -> Result<()> {
    if range.contains(&number) {
        return Ok(());
    }
    let (least, most) = range.into_inner();
    Err(Error::bad(field, format!("`{field}` is {number}; it must be {least} to {most}{unit}.")))
}

/// The fields at fault, for tests.
#[cfg(test)]
pub fn wrong_fields<T>(checked: Result<T>) -> Vec<String> {
    checked.err().into_iter().flat_map(Error::each).filter_map(|error| error.field).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::error::Code;
    use serde_json::json;

    #[test]
    fn every_field_at_fault_is_named_once_in_the_order_of_the_checks() {
        let mut checks = Checks::default();
        let count: u64 = checks.value(Err(Error::bad("count", "no number")));
        assert_eq!(count, 0);
        assert_eq!(checks.value(Ok(5)), 5);
        checks.note(check_within("hold_s", 0, 1..=7, " seconds"));
        // Follows from the default, which nobody has given.
        checks.note(check_within("count", count, 1..=9, ""));
        let error = checks.finish(check_within("limit", 10, 1..=9, "")).expect_err("refused");
        assert_eq!((error.code, error.message.as_str()), (Code::BadRequest, "no number"));
        assert_eq!(wrong_fields::<()>(Err(error.clone())), ["count", "hold_s", "limit"]);

        let sent = serde_json::to_value(&error).expect("JSON");
        let all = json!([
            { "field": "count", "message": "no number" },
            { "field": "hold_s", "message": "`hold_s` is 0; it must be 1 to 7 seconds." },
            { "field": "limit", "message": "`limit` is 10; it must be 1 to 9." },
        ]);
        let first = json!({ "code": "bad_request", "field": "count", "message": "no number" });
        assert_eq!(sent, json!({ "error": first, "errors": all }));
        assert_eq!(serde_json::from_value::<Error>(sent).expect("an error"), error);
    }

    #[test]
    fn one_error_is_sent_as_ever() {
        let error = Checks::default().finish(check_within("limit", 10, 1..=9, "")).expect_err("refused");
        let body = json!({ "code": "bad_request", "field": "limit", "message": "`limit` is 10; it must be 1 to 9." });
        assert_eq!(serde_json::to_value(&error).expect("JSON"), json!({ "error": body }));
        assert_eq!(Checks::default().finish(Ok(7)), Ok(7));
    }

    #[test]
    fn the_errors_of_a_part_are_those_of_the_whole() {
        let mut part = Checks::default();
        part.note(check_within("a", 0, 1..=9, ""));
        let part = part.finish(check_within("b", 0, 1..=9, ""));
        let mut whole = Checks::default();
        whole.note(check_within("b", 10, 1..=9, ""));
        whole.note(part);
        assert_eq!(wrong_fields(whole.finish(Ok(()))), ["b", "a"]);
    }
}
