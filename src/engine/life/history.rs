//! What the ledger records of a sale's life: the plan of its opening, and each change of it afterwards. It is the same
//! for every kind.

use ledger::kind::{Change, Interpretation};
use model::{
    Millis,
    instant::iso,
    life::outcome::{CHANGES, DESCRIBED, PAUSED, REOPENED, SCHEDULED},
};
use std::collections::BTreeMap;
use store::stream::{Entry, Read, Unreadable, event_type, number_field, packed, text_field};

/// Fields of `meta` and of events, by name.
pub type LifeFields = BTreeMap<String, String>;

/// The fields of `meta` that the plan of an opening and its changes set.
pub const PLAN_FIELDS: [&str; 7] =
    ["opens_at", "ends_at", "title_en", "title_zh", "description_en", "description_zh", "currency"];
/// The other fields of a change: a pause has the first two, its end the third. The fourth is of red packets, whose end is
/// one of their terms. Every change has the last one, by which it is told from another of the same request.
const CHANGE_FIELDS: [&str; 5] = ["reason", "hold_clock", "held_ms", "expires_at", DIGEST];
/// The field with the digest of a change as it was given.
pub const DIGEST: &str = "digest";

/// The plan with which a sale was opened, as it was given: names and values, alternating (`lua/lib/life.lua`). Empty for
/// none.
pub type GivenPlan = Vec<String>;

/// The plan in an `opened` event.
///
/// # Errors
/// If it is no list of texts.
pub fn given_plan(entry: &Entry) -> Read<GivenPlan> {
    match entry.1.bytes("plan") {
        None | Some([]) => Ok(GivenPlan::new()),
        Some(_) => packed(entry, "plan"),
    }
}

/// The fields of `meta` that follow from a plan, as `open.lua` writes them.
pub fn fields_of_plan(plan: &[String], opened_at: Millis) -> LifeFields {
    let given = |name: &str| plan.chunks_exact(2).find(|pair| pair[0] == name).map(|pair| pair[1].clone());
    let after = |from: Millis, name: &str| {
        let seconds: Millis = given(name)?.parse().ok()?;
        Some((from + 1_000 * seconds).to_string())
    };
    let opens_at = given("opens_at").or_else(|| after(opened_at, "opens_in_s"));
    let start = opens_at.as_deref().and_then(|at| at.parse().ok()).unwrap_or(opened_at);
    let ends_at = given("ends_at").or_else(|| after(start, "ends_in_s"));
    let mut fields: LifeFields =
        PLAN_FIELDS.iter().filter_map(|name| Some(((*name).to_owned(), given(name)?))).collect();
    fields.extend(opens_at.map(|at| ("opens_at".to_owned(), at)));
    fields.extend(ends_at.map(|at| ("ends_at".to_owned(), at)));
    fields
}

/// A change of a sale's life.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LifeChange {
    /// Its event, which is also its outcome in the ledger.
    pub outcome: &'static str,
    /// When it was made.
    pub at: Millis,
    /// The request that made it.
    pub request_id: String,
    /// The fields that it sets; an empty value removes one.
    pub fields: LifeFields,
}

/// Reads an entry; `None` if its event is not a change of a sale's life.
///
/// # Errors
/// If it does not have the form that the script writes.
pub fn read_change(entry: &Entry) -> Read<Option<LifeChange>> {
    let name = event_type(entry)?;
    let Some(outcome) = CHANGES.into_iter().find(|outcome| outcome.as_bytes() == name) else { return Ok(None) };
    let request_id = packed(entry, "request")?.pop();
    let request_id = request_id.ok_or_else(|| Unreadable(format!("entry {} names no request", entry.0)))?;
    let mut fields = LifeFields::new();
    for name in PLAN_FIELDS.into_iter().chain(CHANGE_FIELDS) {
        if entry.1.bytes(name).is_some() {
            fields.insert(name.to_owned(), text_field(entry, name)?.to_owned());
        }
    }
    Ok(Some(LifeChange { outcome, at: number_field(entry, "at")?, request_id, fields }))
}

/// Interprets an entry for the ledger; `None` if its event is not a change of a sale's life.
///
/// # Errors
/// If it does not have the form that the script writes.
pub fn interpret(entry: &Entry) -> Read<Option<Interpretation>> {
    let Some(change) = read_change(entry)? else { return Ok(None) };
    let row = Change {
        outcome: change.outcome,
        item: change.shown(),
        requested: Some(serde_json::to_string(&change.fields).unwrap_or_default()),
        request_id: Some(change.request_id),
        ..Change::default()
    };
    Ok(Some(Interpretation { at: change.at, changes: vec![row], ..Interpretation::default() }))
}

impl LifeChange {
    /// The change in a row of the ledger.
    pub fn of_row(outcome: &'static str, at: Millis, request_id: Option<String>, fields: Option<&str>) -> Self {
        let fields = fields.and_then(|fields| serde_json::from_str(fields).ok()).unwrap_or_default();
        Self { outcome, at, request_id: request_id.unwrap_or_default(), fields }
    }

    /// What readers of the ledger see of it: the reason of a pause; start and end, as an interval of ISO 8601; a title.
    fn shown(&self) -> Option<String> {
        let field = |name: &str| self.fields.get(name).map(String::as_str).filter(|value| !value.is_empty());
        let instant = |name: &str| field(name).and_then(|at| at.parse().ok()).map(iso);
        match self.outcome {
            PAUSED => field("reason").map(str::to_owned),
            SCHEDULED | REOPENED => {
                let (start, end) = (instant("opens_at"), instant("ends_at").or_else(|| instant("expires_at")));
                let shown = |at: Option<String>| at.unwrap_or_else(|| "..".to_owned());
                (start.is_some() || end.is_some()).then(|| format!("{}/{}", shown(start), shown(end)))
            }
            DESCRIBED => field("title_en").or_else(|| field("title_zh")).map(str::to_owned),
            _ => None,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn plan(words: &[&str]) -> GivenPlan {
        words.iter().map(|word| (*word).to_owned()).collect()
    }

    #[test]
    fn times_that_were_given_in_seconds_count_from_the_opening_and_from_the_start() {
        let fields = fields_of_plan(&plan(&["opens_in_s", "60", "ends_in_s", "5", "currency", "JPY"]), 1_000);
        let expected = [("currency", "JPY"), ("ends_at", "66000"), ("opens_at", "61000")];
        assert_eq!(fields, expected.map(|(name, value)| (name.to_owned(), value.to_owned())).into());
        let fields = fields_of_plan(&plan(&["ends_in_s", "5"]), 1_000);
        assert_eq!(fields, [("ends_at".to_owned(), "6000".to_owned())].into());
        assert!(fields_of_plan(&[], 1_000).is_empty());
    }
}
