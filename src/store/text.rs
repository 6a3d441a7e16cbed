//! Commands and replies of Redis as text, for traces.

use redis::Value;

/// A word as it is, or with escapes if it is not all text.
pub fn word_text(word: &[u8]) -> String {
    match std::str::from_utf8(word) {
        Ok(text) if !text.chars().any(char::is_control) => text.to_owned(),
        _ => word.escape_ascii().to_string(),
    }
}

/// A reply as redis-cli shows it, on one line.
pub fn reply_text(value: &Value) -> String {
    match value {
        Value::Nil => "(nil)".to_owned(),
        Value::Int(number) => number.to_string(),
        Value::Okay => "OK".to_owned(),
        Value::SimpleString(text) => text.clone(),
        Value::BulkString(bytes) => format!("\"{}\"", word_text(bytes)),
        Value::Array(values) => format!("[{}]", values.iter().map(reply_text).collect::<Vec<_>>().join(", ")),
        Value::ServerError(error) => error.to_string(),
        other => format!("{other:?}"),
    }
}
