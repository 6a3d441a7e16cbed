//! The words of closing and archiving.

mod en;
mod zh;

use crate::i18n::by_lang;

/// The words in the language of the page.
pub fn words() -> &'static Words {
    by_lang(&en::EN, &zh::ZH)
}

/// The catalogue.
pub struct Words {
    pub close: &'static str,
    /// What closing does, as a question.
    pub close_question: &'static str,
    pub close_yes: &'static str,
    pub archive: &'static str,
    pub archive_question: &'static str,
    pub archive_yes: &'static str,
    pub keep: &'static str,
}
