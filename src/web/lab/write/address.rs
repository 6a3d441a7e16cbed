//! The address of the page, which has the program and what it is tried with.

use crate::lab::write::examples::EXAMPLES;
use model::{
    lab::{
        program::{PREFIX, Program, decoded},
        trace::Play,
    },
    text::shown_parameter,
    url::{parameter, with_query},
};

/// The address of the page.
pub const PATH: &str = "/learn/write";
/// The address of a program, by its id.
pub fn program_url(id: &str) -> String {
    with_query(PATH, [("program", id.strip_prefix(PREFIX))])
}

/// The address of a scene.
pub fn scene_url(scene: &Play) -> String {
    let program = scene.strategy.strip_prefix(PREFIX).map(str::to_owned);
    let (users, stock) = (scene.users.clone(), scene.stock.to_string());
    with_query(PATH, [("program", program), ("users", Some(users)), ("stock", Some(stock))])
}

/// The program in an address: as [`program_url`] writes it, or as a form sends it. Without a fault, it is indented.
pub fn text_of(query: &str) -> String {
    let text = parameter(query, "program").map_or_else(|| EXAMPLES[0].text.to_owned(), |text| decoded(&text));
    Program::parse(&text).map_or(text, |program| program.text())
}

/// The choice in an address, if it is one of these.
pub fn choice_of(query: &str, name: &str, choices: &[&str]) -> String {
    let named = parameter(query, name).filter(|named| choices.contains(&named.as_str()));
    named.unwrap_or_else(|| choices[0].to_owned())
}

/// The choice in an address that is none of these, as `users=9`.
pub fn ignored_choice(query: &str, name: &str, choices: &[&str]) -> Option<String> {
    let named = parameter(query, name).filter(|named| !choices.contains(&named.as_str()))?;
    Some(shown_parameter(name, &named))
}

/// Whether a typed text is lost where another one takes its place: it is no example, and not the same program.
pub fn is_lost(typed: &str, there: &str) -> bool {
    let id = |text: &str| Program::parse(text).map(|program| program.id()).ok();
    let is_same = typed.trim() == there.trim() || id(typed).is_some_and(|typed| id(there) == Some(typed));
    let is_known = EXAMPLES.iter().any(|example| example.text == typed.trim());
    !is_same && !is_known && !typed.trim().is_empty()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::lab::step::SCENES;

    #[test]
    fn an_address_has_a_program_however_it_was_sent() {
        let of = |query: &str| text_of(query);
        assert_eq!(of(""), EXAMPLES[0].text);
        let text = "if mine: say busy";
        assert_eq!(of("program=if_mineT_say_busy"), text);
        assert_eq!(of("program=if+mine%3A+say+busy"), text);
        for example in &EXAMPLES {
            let id = Program::parse(example.text).expect("a program").id();
            let scene = Play { strategy: id.clone(), stock: 3, users: "122".to_owned(), schedule: String::new() };
            for url in [program_url(&id), scene_url(&scene)] {
                assert_eq!(of(url.strip_prefix("/learn/write?").expect("a query")), example.text, "{url}");
            }
        }
        assert_eq!(choice_of("users=112", "users", &SCENES), "112");
        assert_eq!(choice_of("users=9", "users", &SCENES), "12");
        assert_eq!(ignored_choice("users=9", "users", &SCENES).as_deref(), Some("users=9"));
        assert_eq!(ignored_choice("users=112", "users", &SCENES), None);
    }

    #[test]
    fn only_what_cannot_be_had_again_is_lost() {
        let example = EXAMPLES[1].text;
        assert!(is_lost("say hello", example) && is_lost("say yours", example));
        assert!(!is_lost("", example) && !is_lost(EXAMPLES[0].text, example));
        assert!(!is_lost("lock\nunlock\nsay   yours", "lock\nunlock\nsay yours"), "it is the same program");
    }
}
