//! Templates of the forms that open sales: named sets of what their fields hold, for all operators.

mod api;

use crate::{
    Checks, Millis, check_new_id,
    error::{Error, Result},
    life::MAX_DESCRIPTION,
};
pub use api::TemplatesApi;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;

/// The most templates of a kind.
pub const MAX_TEMPLATES: u32 = 50;
/// The most fields of a template.
pub const MAX_FIELDS: usize = 100;
/// The longest name or text of a field, in characters: a description is the longest of them.
pub const MAX_FIELD: usize = MAX_DESCRIPTION;

/// What the fields of a form hold, by their names.
pub type TemplateFields = BTreeMap<String, String>;

/// A template of the form that opens sales of a kind.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[schemars(rename = "SaleTemplate")]
pub struct Template {
    /// The kind of the sales.
    pub kind: String,
    /// The name of the template.
    pub name: String,
    /// What the fields of the form hold, by their names: a text, a chosen value, `on` for a ticked box.
    pub fields: TemplateFields,
    /// The time at which it was last saved.
    pub saved_at: Millis,
}

/// The answer to a request to delete a template.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(tag = "outcome", rename_all = "snake_case")]
#[schemars(rename = "TemplateDeleted")]
pub enum Deleted {
    /// The template is deleted now.
    Deleted,
    /// There is none with this name.
    Repeat,
}

/// Checks the name and the fields of a template.
///
/// # Errors
/// `bad_request` naming `name` and `fields`, one sentence each.
pub fn check_template(name: &str, fields: &TemplateFields) -> Result<()> {
    let mut checks = Checks::default();
    checks.note(check_new_id("name", name));
    checks.finish(check_fields(fields))
}

fn check_fields(fields: &TemplateFields) -> Result<()> {
    let number = fields.len();
    if number == 0 || number > MAX_FIELDS {
        return Err(Error::bad("fields", format!("`fields` has {number} fields; give 1 to {MAX_FIELDS}.")));
    }
    let is_too_long = |text: &String| text.chars().count() > MAX_FIELD;
    if fields.iter().any(|(name, text)| is_too_long(name) || is_too_long(text)) {
        let why = format!("A name or a text in `fields` is longer than {MAX_FIELD} characters; shorten it.");
        return Err(Error::bad("fields", why));
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::checks::wrong_fields;

    #[test]
    fn all_of_a_template_at_fault_is_named() {
        let fields = |number: usize, text: &str| (0..number).map(|nth| (format!("f{nth}"), text.to_owned())).collect();
        assert_eq!(check_template("Flash sale", &fields(MAX_FIELDS, &"字".repeat(MAX_FIELD))), Ok(()));
        assert_eq!(wrong_fields(check_template("", &fields(0, ""))), ["name", "fields"]);
        assert_eq!(wrong_fields(check_template("a", &fields(MAX_FIELDS + 1, ""))), ["fields"]);
        assert_eq!(wrong_fields(check_template("a", &fields(1, &"a".repeat(MAX_FIELD + 1)))), ["fields"]);
    }
}
