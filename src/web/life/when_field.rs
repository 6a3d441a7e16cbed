//! A field for the start or the end of a sale: a time in the page's zone, or how long until then.

use crate::components::{Fields, time_field::instant};
use model::{
    Millis,
    error::{Error, Result},
    form::FormValues,
    life::{Instant, PlanFields, When},
    parse::parse_duration,
};

/// The field of the start, and that of the end.
pub const OPENS: &str = "opens_at";
pub const ENDS: &str = "ends_at";

/// Returns what was typed into the field; `shown` is the instant that was put into it.
///
/// # Errors
/// `bad_request` with the field, if it is neither a time nor a duration.
pub fn when(values: &FormValues, field: &str, shown: Option<Millis>) -> Result<Option<When>> {
    let Some(text) = values.optional(field) else { return Ok(None) };
    if let Some(seconds) = parse_duration(&text) {
        return Ok(Some(When::InSeconds(seconds)));
    }
    let at = instant(values, field, shown);
    at.map(|at| at.map(When::At)).map_err(|_| Error::bad(field, format!("`{field}` is no time.")))
}

/// Empties the fields of a form that hold a time: at another time, only durations are of use.
pub fn forget_times(fields: &mut Fields) {
    for name in [OPENS, ENDS] {
        if let Some(text) = fields.get_mut(name).filter(|text| parse_duration(text).is_none()) {
            text.clear();
        }
    }
}

/// Puts a start and an end into the fields of a request, which has two for each.
pub fn set_times(fields: &mut PlanFields, opens: Option<When>, ends: Option<When>) {
    (fields.opens_at, fields.opens_in_s) = split(opens);
    (fields.ends_at, fields.ends_in_s) = split(ends);
}

/// Returns a time as the two fields of a request that it may have.
pub fn split(when: Option<When>) -> (Option<Instant>, Option<u64>) {
    match when {
        Some(When::At(at)) => (Some(Instant(at)), None),
        Some(When::InSeconds(seconds)) => (None, Some(seconds)),
        None => (None, None),
    }
}

/// Returns the error of a request's field for the one field that the form has for both.
pub fn of_form(error: Error) -> Error {
    let field = match error.field.as_deref() {
        Some("opens_in_s") => Some(OPENS.to_owned()),
        Some("ends_in_s") => Some(ENDS.to_owned()),
        _ => error.field.clone(),
    };
    Error { field, ..error }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_duration_is_kept_and_a_time_is_not() {
        let mut fields: Fields = [(OPENS, "2026-11-28 09:00"), (ENDS, "2 h"), ("count", "5")]
            .map(|(name, text)| (name.to_owned(), text.to_owned()))
            .into();
        forget_times(&mut fields);
        assert_eq!(fields.values().collect::<Vec<_>>(), ["5", "2 h", ""]);
    }
}
