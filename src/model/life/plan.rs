//! What is said of a sale's life at its opening: its start and end, its texts, its currency.

use super::{Currency, Instant, Texts, check_description, check_title};
use crate::{
    Checks, Millis, check_within,
    error::{Error, Result},
};
use serde::{Deserialize, Serialize};

/// The longest time from now to a start, and from a start to an end, in seconds: 400 days.
pub const MAX_AHEAD_S: u64 = 400 * 86_400;

const MAX_AHEAD: Millis = 400 * 86_400_000;

/// A time: absolute, or by how much it is ahead.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum When {
    /// At this instant.
    At(Millis),
    /// This many seconds after Redis has opened the sale; an end with a start counts from the start.
    InSeconds(u64),
}

/// The plan of a sale, as given at its opening.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Plan {
    /// The start; `None` for at once.
    pub opens: Option<When>,
    /// The end; `None` for never. Red packets have a life of their own instead.
    pub ends: Option<When>,
    /// The title.
    pub title: Texts,
    /// The description.
    pub description: Texts,
    /// The currency of all amounts.
    pub currency: Currency,
}

/// The fields of a plan, as requests have them.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct PlanFields {
    /// The start, absolute.
    pub opens_at: Option<Instant>,
    /// The start, in seconds from now.
    pub opens_in_s: Option<u64>,
    /// The end, absolute.
    pub ends_at: Option<Instant>,
    /// The end, in seconds from the start.
    pub ends_in_s: Option<u64>,
    /// The title.
    pub title: Option<Texts>,
    /// The description.
    pub description: Option<Texts>,
    /// The code of the currency.
    pub currency: Option<String>,
}

impl PlanFields {
    /// The plan. The service that opens the sale checks it.
    ///
    /// # Errors
    /// `bad_request` if a time is given twice, or the currency is unknown.
    pub fn read(self) -> Result<Plan> {
        let mut checks = Checks::default();
        let opens = checks.value(start(self.opens_at, self.opens_in_s));
        let ends = checks.value(end(self.ends_at, self.ends_in_s));
        let currency = checks.value(self.currency.as_deref().map_or(Ok(Currency::CNY), read_currency));
        let texts = |texts: Option<Texts>| texts.unwrap_or_default().without_empty();
        let (title, description) = (texts(self.title), texts(self.description));
        checks.finish(Ok(Plan { opens, ends, title, description, currency }))
    }
}

impl Plan {
    /// Whether nothing is said.
    pub fn is_empty(&self) -> bool {
        *self == Self::default()
    }

    /// Checks the texts, and the times as far as they do not depend on the time of the opening.
    ///
    /// # Errors
    /// `bad_request`, naming the field and the limit.
    pub fn check(&self) -> Result<()> {
        let mut checks = Checks::default();
        if let Some(When::InSeconds(seconds)) = self.opens {
            checks.note(check_within("opens_in_s", seconds, 1..=MAX_AHEAD_S, " seconds"));
        }
        if let Some(When::InSeconds(seconds)) = self.ends {
            checks.note(check_within("ends_in_s", seconds, 1..=MAX_AHEAD_S, " seconds"));
        }
        if let (Some(When::At(opens_at)), Some(When::At(ends_at))) = (self.opens, self.ends)
            && ends_at <= opens_at
        {
            checks.note::<()>(Err(not_after_start(ends_at)));
        }
        checks.note(check_title(&self.title));
        checks.finish(check_description(&self.description))
    }

    /// Checks that absolute times are not too far ahead. The script that opens the sale refuses those that are past,
    /// except in a request that it has answered before.
    ///
    /// # Errors
    /// `bad_request`, naming the field and the limit.
    pub fn check_ahead(&self, now: Millis) -> Result<()> {
        check_ahead(self.opens, self.ends, now)
    }
}

/// Checks that absolute times are at most 400 days ahead: a start of now, an end of the start, or of now without one.
///
/// # Errors
/// `bad_request`, naming the field and the limit.
pub fn check_ahead(opens: Option<When>, ends: Option<When>, now: Millis) -> Result<()> {
    let mut checks = Checks::default();
    let far = |field: &str, at: Millis, of: &str| {
        Err::<(), _>(Error::bad(field, format!("`{field}` is {at}; it must be at most 400 days after {of}.")))
    };
    let start = match opens {
        Some(When::At(opens_at)) => {
            if opens_at.saturating_sub(now) > MAX_AHEAD {
                checks.note(far("opens_at", opens_at, "now"));
            }
            opens_at
        }
        Some(When::InSeconds(seconds)) => now.saturating_add_unsigned(seconds.saturating_mul(1_000)),
        None => now,
    };
    if let Some(When::At(ends_at)) = ends
        && ends_at.saturating_sub(start) > MAX_AHEAD
    {
        checks.note(far("ends_at", ends_at, if opens.is_some() { "the start" } else { "now" }));
    }
    checks.finish(Ok(()))
}

/// `bad_request`: the end is not after the start.
pub fn not_after_start(ends_at: Millis) -> Error {
    Error::bad("ends_at", format!("`ends_at` is {ends_at}; it must be after the start."))
}

/// `bad_request`: the time has passed.
pub fn has_passed(field: &str, at: Millis, now: Millis) -> Error {
    Error::bad(field, format!("`{field}` is {at}, which has passed: it is {now} now."))
}

/// The start in a request.
///
/// # Errors
/// `bad_request` if it is given twice.
pub fn start(at: Option<Instant>, in_s: Option<u64>) -> Result<Option<When>> {
    one_of(("opens_at", at), ("opens_in_s", in_s))
}

/// The end in a request.
///
/// # Errors
/// `bad_request` if it is given twice.
pub fn end(at: Option<Instant>, in_s: Option<u64>) -> Result<Option<When>> {
    one_of(("ends_at", at), ("ends_in_s", in_s))
}

fn one_of((absolute, at): (&str, Option<Instant>), (relative, in_s): (&str, Option<u64>)) -> Result<Option<When>> {
    match (at, in_s) {
        (Some(_), Some(_)) => Err(Error::bad(relative, format!("Give either `{absolute}` or `{relative}`, not both."))),
        (Some(Instant(at)), None) => Ok(Some(When::At(at))),
        (None, in_s) => Ok(in_s.map(When::InSeconds)),
    }
}

fn read_currency(code: &str) -> Result<Currency> {
    Currency::from_code(code).ok_or_else(|| {
        Error::bad(
            "currency",
            format!("`currency` is \"{code}\"; give a code of ISO 4217 in capitals, such as CNY or JPY."),
        )
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::checks::wrong_fields;

    const NOW: Millis = 1_794_362_400_000;

    #[test]
    fn a_time_is_given_once() {
        let fields = PlanFields {
            opens_at: Some(Instant(NOW)),
            opens_in_s: Some(1),
            ends_at: Some(Instant(NOW)),
            ends_in_s: Some(1),
            currency: Some("cny".to_owned()),
            ..PlanFields::default()
        };
        assert_eq!(wrong_fields(fields.read()), ["opens_in_s", "ends_in_s", "currency"]);
        assert_eq!(PlanFields::default().read(), Ok(Plan::default()));
        let empty = Some(Texts { en: Some(String::new()), zh: None });
        let plan = PlanFields { title: empty, currency: Some("CNY".to_owned()), ..PlanFields::default() }.read();
        assert!(plan.is_ok_and(|plan| plan.is_empty()));
    }

    #[test]
    fn times_are_in_order_and_not_too_far_ahead() {
        let plan = |opens, ends| Plan { opens, ends, ..Plan::default() };
        let (at, within) = (|ahead| Some(When::At(NOW + ahead)), |seconds| Some(When::InSeconds(seconds)));
        for (opens, ends, wrong) in [
            (None, None, None),
            (at(1), at(2), None),
            (at(MAX_AHEAD), at(2 * MAX_AHEAD), None),
            (within(MAX_AHEAD_S), within(MAX_AHEAD_S), None),
            (at(2), at(2), Some("ends_at")),
            (at(MAX_AHEAD + 1), None, Some("opens_at")),
            (None, at(MAX_AHEAD + 1), Some("ends_at")),
            (at(5), at(MAX_AHEAD + 6), Some("ends_at")),
            (within(0), None, Some("opens_in_s")),
            (None, within(0), Some("ends_in_s")),
            (None, within(MAX_AHEAD_S + 1), Some("ends_in_s")),
            (Some(When::At(Millis::MIN)), Some(When::At(Millis::MAX)), Some("ends_at")),
        ] {
            let plan = plan(opens, ends);
            let checked = plan.check().and_then(|()| plan.check_ahead(NOW));
            assert_eq!(wrong_fields(checked), wrong.into_iter().collect::<Vec<_>>(), "{plan:?}");
        }
    }
}
