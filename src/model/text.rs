//! Texts for display and for files.

use std::borrow::Cow;

/// The first `most` characters of a longer text.
pub fn shortened(text: &str, most: usize) -> String {
    match text.char_indices().nth(most) {
        Some((end, _)) => format!("{}…", &text[..end]),
        None => text.to_owned(),
    }
}

/// The text in a form that a spreadsheet takes for text. Otherwise a text that begins like a formula would be
/// calculated. A text that already begins with the quote sign gets another one, so that no two texts look alike.
pub fn not_a_formula(text: &str) -> Cow<'_, str> {
    match text.chars().next() {
        Some('\'' | '=' | '+' | '-' | '@' | '＝' | '＋' | '－' | '＠') => format!("'{text}").into(),
        _ => text.into(),
    }
}
