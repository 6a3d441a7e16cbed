//! Lua with numbered lines and highlighted syntax. It is a single piece of HTML: a script has thousands of tokens, too
//! many for a node each.

use html_escape::encode_text;
use leptos::prelude::*;

const KEYWORDS: &[&str] = &[
    "and", "break", "do", "else", "elseif", "end", "false", "for", "function", "goto", "if", "in", "local", "nil",
    "not", "or", "repeat", "return", "then", "true", "until", "while",
];

/// Shows a script's source, which can also be scrolled by keyboard.
#[component]
pub fn LuaSource(
    /// The name of the region.
    label: &'static str,
    /// The script, exactly as it runs.
    source: String,
) -> impl IntoView {
    view! { <pre class="code" tabindex="0" role="region" aria-label=label inner_html=highlight(&source)></pre> }
}

/// Wraps each line in a `span`. The style sheet adds the numbers, so they are not copied along.
fn highlight(source: &str) -> String {
    let mut html = String::with_capacity(source.len() * 2);
    for line in source.lines() {
        html.push_str("<span class=\"line\">");
        let mut rest = line;
        while let Some(first) = rest.chars().next() {
            let (kind, length) = token(rest, first);
            let (text, after) = rest.split_at(length);
            if let Some(kind) = kind {
                html.extend(["<i class=\"", kind, "\">"]);
            }
            html.push_str(&encode_text(text));
            if kind.is_some() {
                html.push_str("</i>");
            }
            rest = after;
        }
        html.push_str("\n</span>");
    }
    html
}

/// Returns the first token's class, and its length in bytes. Long brackets are not recognized: our scripts have none.
fn token(rest: &str, first: char) -> (Option<&'static str>, usize) {
    let run = |part: fn(char) -> bool| rest.find(|c| !part(c)).unwrap_or(rest.len());
    match first {
        '-' if rest.starts_with("--") => (Some("comment"), rest.len()),
        '"' | '\'' => (Some("string"), string(rest, first)),
        'a'..='z' | 'A'..='Z' | '_' => {
            let length = run(|c| c.is_ascii_alphanumeric() || c == '_');
            let kind = match &rest[..length] {
                word if KEYWORDS.contains(&word) => Some("keyword"),
                "KEYS" | "ARGV" | "redis" => Some("global"),
                _ => None,
            };
            (kind, length)
        }
        '0'..='9' => (Some("number"), run(|c| c.is_ascii_alphanumeric() || c == '.')),
        other => (None, other.len_utf8()),
    }
}

fn string(rest: &str, quote: char) -> usize {
    let mut escaped = false;
    for (place, c) in rest.char_indices().skip(1) {
        match c {
            _ if escaped => escaped = false,
            '\\' => escaped = true,
            c if c == quote => return place + 1,
            _ => {}
        }
    }
    rest.len()
}

#[cfg(test)]
mod tests {
    use super::highlight;

    #[test]
    fn words_are_told_apart() {
        assert_eq!(
            highlight("local a = KEYS[1] -- <b>"),
            "<span class=\"line\"><i class=\"keyword\">local</i> a = <i class=\"global\">KEYS</i>[<i class=\"number\">1</i>] \
             <i class=\"comment\">-- &lt;b&gt;</i>\n</span>"
        );
    }

    #[test]
    fn a_string_may_hold_quotes_and_dashes() {
        assert_eq!(
            highlight(r#"'a\'--'.."b"#),
            "<span class=\"line\"><i class=\"string\">'a\\'--'</i>..<i class=\"string\">\"b</i>\n</span>"
        );
    }
}
