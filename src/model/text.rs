//! Texts for display and for files.

use crate::{Millis, iso, url::segment};
use std::borrow::Cow;

/// By this character at its beginning, a spreadsheet knows that a file is in UTF-8. Otherwise it takes the text for one in
/// the alphabet of its computer.
pub const BYTE_ORDER_MARK: &str = "\u{feff}";

/// The first `most` characters of a longer text.
pub fn shortened(text: &str, most: usize) -> String {
    match text.char_indices().nth(most) {
        Some((end, _)) => format!("{}…", &text[..end]),
        None => text.to_owned(),
    }
}

/// A parameter of an address that a page has ignored, for a sentence that names it: `stock=x`. A long one is shortened.
pub fn shown_parameter(name: &str, text: &str) -> String {
    shortened(&format!("{name}={text}"), 40)
}

/// The text in a form that a spreadsheet takes for text. Otherwise a text that begins like a formula would be
/// calculated. A text that already begins with the quote sign gets another one, so that no two texts look alike. Some
/// spreadsheets begin a new cell at each semicolon or tab, so what follows one is treated alike.
pub fn not_a_formula(text: &str) -> Cow<'_, str> {
    let is_sign = |letter: char| matches!(letter, '\'' | '=' | '+' | '-' | '@' | '＝' | '＋' | '－' | '＠');
    let is_end = |letter: char| matches!(letter, ';' | '；' | '\t' | '\r' | '\n');
    let mut quoted = String::new();
    let (mut is_first, mut kept) = (true, 0);
    for (position, letter) in text.char_indices() {
        if is_first && is_sign(letter) {
            quoted.push_str(&text[kept..position]);
            quoted.push('\'');
            kept = position;
        }
        // Blanks before a formula are skipped by some.
        is_first = is_end(letter) || is_first && letter.is_whitespace();
    }
    if kept == 0 && quoted.is_empty() {
        return text.into();
    }
    quoted.push_str(&text[kept..]);
    quoted.into()
}

/// The name of a file about this, without its ending: the words, and the day in UTC.
pub fn file_name(words: &[&str], at: Millis) -> String {
    const REFUSED: [char; 9] = ['/', '\\', ':', '*', '?', '"', '<', '>', '|'];
    let name = format!("{}-{}", words.join("-"), &iso(at)[..10]);
    name.replace(|letter: char| letter.is_control() || REFUSED.contains(&letter), "_")
}

/// The header `Content-Disposition` of a file with this name. Who cannot read the whole name gets its ASCII letters.
pub fn attachment(name: &str) -> String {
    let ascii = name.replace(|letter: char| !letter.is_ascii(), "_");
    if ascii == name {
        return format!("attachment; filename=\"{name}\"");
    }
    format!("attachment; filename=\"{ascii}\"; filename*=UTF-8''{}", segment(name))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_file_is_named_after_what_is_in_it_and_the_day() {
        let name = file_name(&["theatre-night", "tickets"], 1_795_910_400_000);
        assert_eq!(name, "theatre-night-tickets-2026-11-29");
        assert_eq!(attachment(&name), "attachment; filename=\"theatre-night-tickets-2026-11-29\"");
        let name = file_name(&["a/b \"小\""], 0);
        assert_eq!(name, "a_b _小_-1970-01-01");
        assert_eq!(
            attachment(&name),
            "attachment; filename=\"a_b ___-1970-01-01\"; filename*=UTF-8''a_b%20_%E5%B0%8F_-1970-01-01"
        );
    }

    #[test]
    fn no_part_of_a_text_is_a_formula() {
        for text in ["", "ann", "a=1", "a-b; c", "2-1", "小梅"] {
            assert_eq!(not_a_formula(text), text);
        }
        for (text, quoted) in [
            ("=1+1", "'=1+1"),
            ("'=1", "''=1"),
            ("x;=HYPERLINK(1)", "x;'=HYPERLINK(1)"),
            ("=1;-2;\t@x", "'=1;'-2;\t'@x"),
            ("a\n ＋1", "a\n '＋1"),
        ] {
            assert_eq!(not_a_formula(text), quoted);
        }
    }
}
