//! Calls, replies and variables as text.

use crate::lab::{player::words::words as player_words, words::words};
use leptos::prelude::*;
use model::lab::trace::{Call, Form, Step};

/// The length of the longest word that is never broken: longer ones, such as JSON, would make a column too wide.
const LONGEST_WORD: usize = 24;
/// The length of the longest value of a variable that is shown whole.
const LONGEST_VALUE: usize = 18;

/// Returns a call as text: `GET stock`, `MULTI; DECR stock; EXEC`.
pub fn call_text(call: &Call) -> String {
    let words = words();
    let commands: Vec<String> = call.commands.iter().map(|command| command.join(" ")).collect();
    let text = commands.join("; ");
    match call.form {
        Form::Command | Form::Sql | Form::Time => text,
        Form::Transaction => format!("MULTI; {text}; EXEC"),
        Form::Lock => (words.form)(call.form).to_owned(),
        // The command's name is a word for programs, so it is replaced.
        Form::Work => {
            let time: Vec<&str> = call.commands.iter().flatten().skip(1).map(String::as_str).collect();
            (words.titled)((words.form)(call.form), &time.join(" "))
        }
        Form::Pipeline | Form::Script => (words.titled)((words.form)(call.form), &text),
    }
}

/// Returns the reply to a step as text; a reply that is not from Redis or a database is in the language of the page.
pub fn reply_text(step: &Step) -> String {
    let words = words();
    match (&step.reply, step.call.form) {
        (None, _) => player_words().waits.to_owned(),
        (Some(_), Form::Lock) => words.locked.to_owned(),
        (Some(_), Form::Work) => words.worked.to_owned(),
        (Some(reply), _) => reply.clone(),
    }
}

/// Shows a text that breaks only between its words: a browser would also break `user-1` after its hyphen.
pub fn unbroken(text: &str) -> impl IntoView + use<> {
    let word = |(place, word): (usize, &str)| {
        let space = (place > 0).then_some(" ");
        let word = word.to_owned();
        if word.chars().count() > LONGEST_WORD {
            view! {
                {space}
                {word}
            }
            .into_any()
        } else {
            view! {
                {space}
                <span class="word">{word}</span>
            }
            .into_any()
        }
    };
    text.split(' ').enumerate().map(word).collect_view()
}

/// Returns the value of a variable without the marks of Rust: `Some("1-1")` is `1-1`, and `None` is a dash.
pub fn value_text(value: &str) -> String {
    let inner = value.strip_prefix("Some(").and_then(|value| value.strip_suffix(')')).unwrap_or(value);
    let text = if inner == "None" { "–" } else { inner.trim_matches('"') };
    let cut: String = text.chars().take(LONGEST_VALUE).collect();
    if cut.len() < text.len() { format!("{cut}…") } else { cut }
}

#[cfg(all(test, feature = "ssr"))]
mod tests {
    use super::*;

    fn call(form: Form, words: &[&str]) -> Call {
        Call { form, commands: vec![words.iter().map(|&word| word.to_owned()).collect()], line: 1 }
    }

    #[test]
    fn what_no_redis_and_no_database_says_is_said_once() {
        Owner::new().with(|| {
            assert_eq!(call_text(&call(Form::Work, &["work", "5ms"])), "work: 5ms");
            assert_eq!(call_text(&call(Form::Lock, &["lock"])), "lock in memory");
            assert_eq!(call_text(&call(Form::Pipeline, &["DECR", "stock"])), "pipeline: DECR stock");
        });
    }

    #[test]
    fn no_word_is_broken_unless_it_is_too_long_for_a_column() {
        Owner::new().with(|| {
            let html = unbroken("HGET got user-1").to_html();
            assert!(html.contains("<span class=\"word\">user-1"), "{html}");
            assert!(!unbroken(&"x".repeat(200)).to_html().contains("<span"));
        });
    }

    #[test]
    fn a_value_is_shown_without_the_marks_of_rust() {
        assert_eq!(
            ["1", "None", "Some(1)", "\"1-1\"", "Some(\"held\")"].map(value_text),
            ["1", "–", "1", "1-1", "held"]
        );
        assert_eq!(value_text("Some(\"{\\\"money\\\":0,\\\"userId\\\"}\")").chars().count(), LONGEST_VALUE + 1);
    }
}
