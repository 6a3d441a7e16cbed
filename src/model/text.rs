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

#[cfg(test)]
mod tests {
    use super::*;

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
