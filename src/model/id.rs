//! Ids chosen by clients: of sales, users, requests, orders and runs.

use crate::error::{Error, Result};
use std::ops::RangeInclusive;

/// The longest id that a client may choose, in bytes.
pub const MAX_ID_BYTES: usize = 64;

/// Returns whether this id was generated rather than chosen: it is a UUID.
pub fn is_generated(id: &str) -> bool {
    let groups: Vec<&str> = id.split('-').collect();
    groups.iter().map(|group| group.len()).eq([8, 4, 4, 4, 12])
        && groups.iter().all(|group| group.bytes().all(|sign| sign.is_ascii_hexdigit()))
}

/// Checks the id of anything: 1 to [`MAX_ID_BYTES`] bytes of printable text.
///
/// # Errors
/// `bad_request` naming `field`, in one sentence.
pub fn check_id(field: &str, id: &str) -> Result<()> {
    if id.trim().is_empty() {
        return Err(Error::bad(
            field,
            format!("`{field}` is empty; give 1 to {MAX_ID_BYTES} bytes of printable text."),
        ));
    }
    if id.len() > MAX_ID_BYTES {
        let bytes = id.len();
        return Err(Error::bad(field, format!("`{field}` is {bytes} bytes long; at most {MAX_ID_BYTES} are allowed.")));
    }
    if id.chars().any(char::is_control) {
        let why = format!("`{field}` contains a control character; only printable ones are allowed.");
        return Err(Error::bad(field, why));
    }
    Ok(())
}

/// Checks the id of a new sale or of a user. Besides the rule of [`check_id`], only visible characters and single plain
/// spaces between them are allowed, in composed form (Unicode's NFC), so that no two ids look the same. Existing sales
/// are found by any id that they have.
///
/// # Errors
/// `bad_request` naming `field`, in one sentence.
pub fn check_new_id(field: &str, id: &str) -> Result<()> {
    check_id(field, id)?;
    if !id.is_ascii() {
        check_unicode(field, id)?;
    }
    if matches!(id, "." | "..") {
        // No browser keeps these in a URL.
        return Err(Error::bad(
            field,
            format!("`{field}` is \"{id}\", which cannot be part of an address; choose another."),
        ));
    }
    if id.trim().len() != id.len() {
        return Err(Error::bad(field, format!("`{field}` begins or ends with a space; leave it out.")));
    }
    if id.contains("  ") {
        // A page shows the two as one.
        return Err(Error::bad(field, format!("`{field}` has two spaces in a row; leave one out.")));
    }
    Ok(())
}

fn check_unicode(field: &str, id: &str) -> Result<()> {
    if let Some(hidden) = id.chars().find(|&letter| is_hidden(letter)) {
        let why = format!(
            "`{field}` has a character that cannot be seen or told from a space (U+{:04X}); leave it out.",
            u32::from(hidden)
        );
        return Err(Error::bad(field, why));
    }
    if !is_composed(id) {
        let why = format!("`{field}` has letters and accents as separate characters; send it in composed form (NFC).");
        return Err(Error::bad(field, why));
    }
    Ok(())
}

#[cfg(not(target_family = "wasm"))]
fn is_composed(id: &str) -> bool {
    unicode_normalization::is_nfc(id)
}

/// The tables for this check are too large to download, so only the server checks.
#[cfg(target_family = "wasm")]
fn is_composed(_id: &str) -> bool {
    true
}

/// Whether a character leaves no trace, changes the direction of others, looks like a plain space, or has no look of
/// its own. These are Unicode's Default_Ignorable_Code_Point, the controls of direction and of lines, all white space
/// but U+0020, fillers, placeholders, and characters for private use.
fn is_hidden(letter: char) -> bool {
    (letter.is_whitespace() && letter != ' ') || HIDDEN.iter().any(|range| range.contains(&letter))
}

const HIDDEN: [RangeInclusive<char>; 22] = [
    '\u{ad}'..='\u{ad}',
    '\u{34f}'..='\u{34f}',
    '\u{61c}'..='\u{61c}',
    '\u{115f}'..='\u{1160}',
    '\u{17b4}'..='\u{17b5}',
    '\u{180b}'..='\u{180f}',
    '\u{200b}'..='\u{200f}',
    '\u{2028}'..='\u{202e}',
    '\u{2060}'..='\u{206f}',
    '\u{2800}'..='\u{2800}',
    '\u{3164}'..='\u{3164}',
    '\u{fe00}'..='\u{fe0f}',
    '\u{e000}'..='\u{f8ff}',
    '\u{fdd0}'..='\u{fdef}',
    '\u{feff}'..='\u{feff}',
    '\u{ffa0}'..='\u{ffa0}',
    '\u{fff0}'..='\u{ffff}',
    '\u{16fe4}'..='\u{16fe4}',
    '\u{1bca0}'..='\u{1bca3}',
    '\u{1d173}'..='\u{1d17a}',
    '\u{e0000}'..='\u{e0fff}',
    '\u{f0000}'..='\u{10ffff}',
];

/// Control characters, in a class of a regular expression of JavaScript, whose escapes most others know, too.
pub(crate) const CONTROL: &str = r"\u0000-\u001f\u007f-\u009f";
pub(crate) const SPACES: &str = r"\u0020\u00a0\u1680\u2000-\u200a\u2028\u2029\u202f\u205f\u3000";

/// What [`check_id`] allows, as far as a regular expression can say it: none counts bytes.
pub fn id_pattern() -> String {
    format!("^[^{CONTROL}]*[^{CONTROL}{SPACES}][^{CONTROL}]*$")
}

/// What [`check_new_id`] allows, as far as a regular expression can say it: none knows composed form. `.` and `..` are
/// left to a rule of their own, as engines without lookahead cannot leave them out.
pub fn new_id_pattern() -> String {
    let hidden: String =
        HIDDEN.iter().map(|range| format!("{}-{}", escaped(*range.start()), escaped(*range.end()))).collect();
    let visible = format!("[^{CONTROL}{SPACES}{hidden}]+");
    format!("^{visible}( {visible})*$")
}

/// Engines agree on no escape beyond four digits.
fn escaped(letter: char) -> String {
    match u32::from(letter) {
        code @ 0..=0xffff => format!("\\u{code:04x}"),
        _ => letter.to_string(),
    }
}
