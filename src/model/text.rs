//! Texts that are shown, or written into a file.

use std::borrow::Cow;

/// The beginning of a text that has more than `most` characters.
pub fn shortened(text: &str, most: usize) -> String {
    match text.char_indices().nth(most) {
        Some((end, _)) => format!("{}…", &text[..end]),
        None => text.to_owned(),
    }
}

/// A text that a spreadsheet takes for text: one that begins like a formula would be calculated. One that begins with the
/// sign for that gets another, so that no two texts look alike.
pub fn not_a_formula(text: &str) -> Cow<'_, str> {
    match text.chars().next() {
        Some('\'' | '=' | '+' | '-' | '@' | '＝' | '＋' | '－' | '＠') => format!("'{text}").into(),
        _ => text.into(),
    }
}
