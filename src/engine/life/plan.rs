//! The plan of a sale that is opened: its form for the scripts, and its refusal.

use model::{
    Millis,
    error::{Error, Result},
    life::{Currency, Plan, When, has_passed, not_after_start},
};
use store::{Store, listing::state_of};

/// The argument of `open.lua`: names and values, alternating, in this order (`lua/README.md`, "Life"); empty for no
/// plan. So the same plan is the same bytes.
pub fn packed(plan: &Plan) -> Vec<u8> {
    let mut words: Vec<(&str, String)> = Vec::new();
    let time = |at, in_s, when| match when {
        When::At(instant) => (at, instant.to_string()),
        When::InSeconds(seconds) => (in_s, seconds.to_string()),
    };
    words.extend(plan.opens.map(|when| time("opens_at", "opens_in_s", when)));
    words.extend(plan.ends.map(|when| time("ends_at", "ends_in_s", when)));
    let texts = [
        ("title_en", &plan.title.en),
        ("title_zh", &plan.title.zh),
        ("description_en", &plan.description.en),
        ("description_zh", &plan.description.zh),
    ];
    words.extend(texts.into_iter().filter_map(|(name, text)| Some((name, text.clone()?))));
    words.extend((plan.currency != Currency::CNY).then(|| ("currency", plan.currency.code().to_owned())));
    if words.is_empty() {
        return Vec::new();
    }
    let words: Vec<&str> = words.iter().flat_map(|(name, value)| [*name, value.as_str()]).collect();
    // Serializing strings to memory cannot fail.
    rmp_serde::to_vec(&words).unwrap_or_default()
}

/// Checks the times of a plan against the time, unless the id is taken: then the script tells a repeat, whose times may
/// have passed since.
///
/// # Errors
/// `bad_request`, naming the field; `unavailable`.
pub async fn check_times(plan: &Plan, store: &Store, (kind, sale): (&str, &str), now: Millis) -> Result<()> {
    plan.check_ahead(now)?;
    match late(plan, now) {
        Some(late) if state_of(store, kind, sale).await?.is_none() => Err(late),
        _ => Ok(()),
    }
}

/// The error for a sale that the script found to be opened too late.
pub fn too_late(plan: &Plan, now: Millis) -> Error {
    // The script's clock may be a moment ahead.
    late(plan, now).or_else(|| late(plan, now + 1_000)).unwrap_or_else(|| not_after_start(now))
}

/// The error about a time that has passed, or an end that is not after the start.
fn late(plan: &Plan, now: Millis) -> Option<Error> {
    let start = match plan.opens {
        Some(When::At(opens_at)) if opens_at <= now => return Some(has_passed("opens_at", opens_at, now)),
        Some(When::At(opens_at)) => opens_at,
        Some(When::InSeconds(seconds)) => now + 1_000 * seconds.cast_signed(),
        None => now,
    };
    match plan.ends {
        Some(When::At(ends_at)) if ends_at <= now => Some(has_passed("ends_at", ends_at, now)),
        Some(When::At(ends_at)) if ends_at <= start => Some(not_after_start(ends_at)),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use model::life::Texts;

    #[test]
    fn a_plan_is_a_flat_list_of_what_is_given() {
        assert!(packed(&Plan::default()).is_empty());
        let title = Texts { en: None, zh: Some("十点整".to_owned()) };
        let currency = Currency::from_code("JPY").expect("a currency");
        let (opens, ends) = (Some(When::InSeconds(60)), Some(When::At(9)));
        let plan = Plan { opens, ends, title, currency, ..Plan::default() };
        let words: Vec<String> = rmp_serde::from_slice(&packed(&plan)).expect("a list");
        assert_eq!(words, ["opens_in_s", "60", "ends_at", "9", "title_zh", "十点整", "currency", "JPY"]);
    }

    #[test]
    fn what_is_late_is_named() {
        let plan = |opens, ends| Plan { opens, ends, ..Plan::default() };
        let (at, within) = (|at| Some(When::At(at)), |seconds| Some(When::InSeconds(seconds)));
        for (opens, ends, wrong) in [
            (None, None, None),
            (at(101), at(102), None),
            (within(1), within(1), None),
            (at(100), None, Some("opens_at")),
            (None, at(100), Some("ends_at")),
            (within(1), at(1_100), Some("ends_at")),
        ] {
            let late = late(&plan(opens, ends), 100);
            assert_eq!(late.and_then(|error| error.field).as_deref(), wrong);
        }
    }
}
