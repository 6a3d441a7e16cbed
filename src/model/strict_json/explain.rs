//! Serde's errors about a body, reworded in terms of JSON: clients know neither `u32` nor structs. Fields are named by
//! one kind of path: `layout.sections[0].rows`.

use serde::{Deserializer, de::Error as _};
use serde_ignored::Path;
use serde_json::Error;

/// The reworded error. `again` reads the body once more, to find the path of the field.
pub(super) fn explained<'de, D: Deserializer<'de>, T: serde::Deserialize<'de>>(error: Error, again: D) -> Error {
    // If the body is not JSON at all, the position in serde's message is more useful.
    if !error.is_data() {
        let why = error.to_string();
        // JavaScript writes `"\ud83d"` for a text that was cut in the middle of a character.
        return match why.strip_prefix("unexpected end of hex escape") {
            Some(position) => Error::custom(format!("half of a surrogate pair{position}")),
            None => error,
        };
    }
    let place = serde_path_to_error::deserialize::<_, T>(again).err().map(|found| found.path().to_string());
    let place = place.filter(|place| !matches!(place.as_str(), "." | "?")).unwrap_or_default();
    let why = error.to_string();
    let position = format!(" at line {} column {}", error.line(), error.column());
    Error::custom(sentence(why.strip_suffix(&position).unwrap_or(&why), &place))
}

/// The path to an unknown field.
pub(super) fn path(path: &Path<'_>) -> String {
    match path {
        Path::Root => String::new(),
        Path::Seq { parent, index } => format!("{}[{index}]", self::path(parent)),
        Path::Map { parent, key } => joined(&self::path(parent), key),
        Path::Some { parent } | Path::NewtypeStruct { parent } | Path::NewtypeVariant { parent } => self::path(parent),
    }
}

fn joined(place: &str, field: &str) -> String {
    if place.is_empty() { field.to_owned() } else { format!("{place}.{field}") }
}

/// The sentence for an error. `place` is empty if the error is about the whole body. Fields are in backticks, as in
/// serde's messages.
fn sentence(why: &str, place: &str) -> String {
    for what in ["missing field", "unknown field", "duplicate field"] {
        let named = why.strip_prefix(what).and_then(|rest| rest.strip_prefix(" `"));
        if let Some((field, rest)) = named.and_then(|named| named.split_once('`')) {
            // The path of an unknown field is that of the field itself.
            let is_its_own = what != "missing field" && place.rsplit('.').next() == Some(field);
            let place = if is_its_own { place.to_owned() } else { joined(place, field) };
            return format!("{what} `{place}`{rest}");
        }
    }
    let why = in_words(why);
    if place.is_empty() { why } else { format!("field `{place}`: {why}") }
}

fn in_words(why: &str) -> String {
    let Some((found, expected)) = why.rsplit_once(", expected ") else { return why.to_owned() };
    // serde reads a whole number beyond all limits as floating point.
    let is_whole =
        found.split('`').nth(1).and_then(|number| number.parse::<f64>().ok()).is_some_and(|n| n.fract() == 0.0);
    let is_beyond = is_whole || found.starts_with("invalid value: ");
    // For a negative number, the message only says that it must not be negative: the upper limit has twenty digits.
    let without_limits = !is_beyond || found.contains("`-") && matches!(expected, "u64" | "usize");
    let Some(found) = found.strip_prefix("invalid type: ").or_else(|| found.strip_prefix("invalid value: ")) else {
        return why.to_owned();
    };
    format!("it is {}, expected {}", found_value(found), expected_type(expected, without_limits))
}

/// The value that was found, from serde's form: ``integer `7` ``.
fn found_value(found: &str) -> String {
    let value = found.split('`').nth(1).unwrap_or_default();
    match found.split([' ', '`']).next().unwrap_or_default() {
        "string" => "a string".to_owned(),
        "integer" | "floating" => format!("the number {value}"),
        "boolean" => value.to_owned(),
        "sequence" => "an array".to_owned(),
        "map" => "an object".to_owned(),
        "unit" | "Option" => "null".to_owned(),
        _ => found.to_owned(),
    }
}

/// The expected type, with its limits if they exclude the number.
fn expected_type(expected: &str, without_limits: bool) -> String {
    let words = match expected {
        "u8" => return range(0, u8::MAX),
        "u16" => return range(0, u16::MAX),
        "u32" => return range(0, u32::MAX),
        "u64" | "usize" if without_limits => "a whole number, 0 or more",
        "u64" | "usize" => return range(0, u64::MAX),
        "i8" | "i16" | "i32" | "i64" | "isize" if without_limits => "a whole number",
        "i64" | "isize" => return range(i64::MIN, i64::MAX),
        "f32" | "f64" => "a number",
        "a boolean" => "true or false",
        "a sequence" | "sequence" => "an array",
        "a map" | "map" => "an object",
        "unit" => "null",
        "variant identifier" | "string or map" => "one of its names",
        _ if expected.starts_with("enum ") => "one of its names",
        _ if expected.starts_with("struct ") || expected.contains(" tagged enum ") => "an object",
        _ => expected,
    };
    words.to_owned()
}

fn range(least: impl ToString, most: impl ToString) -> String {
    format!("a whole number from {} to {}", least.to_string(), most.to_string())
}
