//! JSON as text for readers: a value that fits is on one line.

use serde_json::Value;

/// The width of a page, in characters.
const WIDTH: usize = 100;
const INDENT: usize = 2;

/// Returns a value as text, with two spaces per level.
pub fn json_text(value: &Value) -> String {
    let mut text = String::new();
    write(value, 0, 0, &mut text);
    text
}

/// Writes a value. `used` is the used width of the line, by the indentation and the name of a field.
fn write(value: &Value, level: usize, used: usize, text: &mut String) {
    let line = one_line(value);
    if used + line.len() < WIDTH {
        text.push_str(&line);
        return;
    }
    let indent = " ".repeat((level + 1) * INDENT);
    let mut parts = |parts: &mut dyn Iterator<Item = (String, &Value)>, open: char, close: char| {
        text.push(open);
        for (number, (name, value)) in parts.enumerate() {
            text.push_str(if number == 0 { "\n" } else { ",\n" });
            text.push_str(&indent);
            text.push_str(&name);
            write(value, level + 1, indent.len() + name.len(), text);
        }
        text.push('\n');
        text.push_str(&" ".repeat(level * INDENT));
        text.push(close);
    };
    match value {
        Value::Object(fields) => {
            parts(&mut fields.iter().map(|(name, value)| (format!("\"{name}\": "), value)), '{', '}');
        }
        Value::Array(values) => parts(&mut values.iter().map(|value| (String::new(), value)), '[', ']'),
        // A long text cannot be broken.
        _ => text.push_str(&line),
    }
}

/// Returns a value on one line, with a space after each colon and comma.
fn one_line(value: &Value) -> String {
    match value {
        Value::Object(fields) if !fields.is_empty() => {
            let fields = fields.iter().map(|(name, value)| format!("\"{name}\": {}", one_line(value)));
            format!("{{ {} }}", fields.collect::<Vec<_>>().join(", "))
        }
        Value::Array(values) => format!("[{}]", values.iter().map(one_line).collect::<Vec<_>>().join(", ")),
        other => other.to_string(),
    }
}

#[cfg(test)]
mod tests {
    use super::json_text;
    use serde_json::json;

    #[test]
    fn what_fits_stands_on_one_line() {
        assert_eq!(json_text(&json!({ "a": [1, 2], "b": {} })), r#"{ "a": [1, 2], "b": {} }"#);
        let long = "x".repeat(60);
        let text = json_text(&json!({ "a": [long, long], "b": null }));
        assert_eq!(text, format!("{{\n  \"a\": [\n    \"{long}\",\n    \"{long}\"\n  ],\n  \"b\": null\n}}"));
    }
}
