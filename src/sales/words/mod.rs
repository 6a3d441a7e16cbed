//! The words of the list of sales.

mod en;
mod zh;

use super::{red_packet, ticket};
use crate::i18n::{Kinds, by_lang};

/// The words of each kind, for the audit and the ledger.
pub static KIND_WORDS: Kinds = Kinds(&[|| &red_packet::words::words().kind, || &ticket::words::words().kind]);

/// The words in the language of the page.
pub fn words() -> &'static Words {
    by_lang(&en::EN, &zh::ZH)
}

/// The catalogue. Where words go around figures, the figures come written out; a bare number chooses between one
/// and many.
pub struct Words {
    pub title: &'static str,
    pub intro: &'static str,
    pub sales: &'static str,
    pub empty: &'static str,
    pub crowd_running: &'static str,
}
