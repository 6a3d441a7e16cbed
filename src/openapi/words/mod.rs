//! The texts around the description; the description itself is in English.

mod en;
mod zh;

use crate::i18n::by_lang;

/// The texts in the language of the page.
pub fn words() -> &'static Words {
    by_lang(&en::EN, &zh::ZH)
}

/// The catalogue.
pub struct Words {
    /// In the navigation, too.
    pub title: &'static str,
    pub intro: &'static str,
    pub document: &'static str,
    pub contents: &'static str,
    pub request: &'static str,
    pub field: &'static str,
    pub kind: &'static str,
    pub limits: &'static str,
    pub meaning: &'static str,
    pub optional: &'static str,
    pub no_fields: &'static str,
    pub answer: &'static str,
    pub example: &'static str,
    pub errors: &'static str,
    pub status: &'static str,
    pub code: &'static str,
    pub what_to_do: &'static str,
    pub given_by: &'static str,
    pub by_every_endpoint: &'static str,
    pub server_limits: &'static str,
    pub types: &'static str,
    pub types_intro: &'static str,
    pub fields_of: &'static str,
}
