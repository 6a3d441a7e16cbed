//! Programs that readers write for the lab: a closed set of statements, one to a line, and no loops. A program is
//! checked before anything runs, here and in the browser while it is typed. So whatever runs ends with an answer, and
//! nobody who waits for a lock waits for ever.

mod check;
mod fault;
mod parse;

use crate::lab::Told;
pub use fault::{Fault, Problem};
use std::fmt;

/// The most lines of a program.
pub const MOST_LINES: usize = 24;
/// The most characters of a line, without its indentation.
pub const MOST_CHARACTERS: usize = 60;
/// The longest work and the longest lifetime of a lock, in ms.
pub const MOST_MS: u32 = 100;
/// The largest number.
pub const MOST_NUMBER: i64 = 9_999;
/// What the id of a program begins with. The text follows, encoded.
pub const PREFIX: &str = "program:";

/// What can be said at the end, and what it means.
pub const ANSWERS: [(&str, Told); 4] =
    [("yours", Told::Won), ("sold out", Told::SoldOut), ("already yours", Told::Already), ("busy", Told::Busy)];

/// How the signs of a program are written in its id, so that a link needs no percent signs. A program has no capital
/// letters.
const ENCODED: [(char, char); 10] = [
    (' ', '_'),
    ('\n', '.'),
    ('=', 'E'),
    ('<', 'L'),
    ('>', 'G'),
    ('!', 'N'),
    ('+', 'P'),
    (':', 'T'),
    ('{', 'B'),
    ('}', 'C'),
];

/// A program without a fault.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Program {
    /// The lines, indented, with single spaces.
    pub lines: Vec<String>,
    /// The statements in their order. A block is a statement that says how many of the next ones belong to it.
    pub statements: Vec<Statement>,
}

/// A statement.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Statement {
    /// The line, from 1.
    pub line: u32,
    pub act: Act,
}

/// What a statement does.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Act {
    /// `left = read stock`
    Read { key: Key, into: String },
    /// `incr stock`, `left = decr stock`
    Add { key: Key, by: i64, into: Option<String> },
    /// `write stock left - 1`
    Write { key: Key, value: Sum },
    /// `if left < 1: …`, `if mine {`: whether the next `then` statements are run.
    If { condition: Condition, then: usize },
    /// `say sold out`: the end.
    Say(Told),
    /// `lock`, `lock 2ms`: takes the lock of the sale, and waits for it.
    Lock { lifetime_ms: Option<u32> },
    /// `unlock`, `unlock unchecked`: the latter deletes the lock, whoever has it.
    Unlock { is_checked: bool },
    /// `work 5ms`
    Work { ms: u32 },
    /// `watch stock got`
    Watch(Vec<Key>),
    /// `exec {`: MULTI, the next statements, EXEC. Starts again from the top if something watched has changed.
    Exec(usize),
    /// `script {`: the next statements are one step.
    Script(usize),
}

/// A key of the sale.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Key {
    /// How many are left.
    Stock,
    /// How many the own user has: a field of a hash.
    Got,
}

/// A number or a name.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Operand {
    Number(i64),
    Name(String),
}

/// `left`, `left - 1`, `0`
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Sum {
    pub of: Operand,
    pub plus: i64,
}

/// `left < 1`
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Condition {
    pub left: Operand,
    pub test: Test,
    pub right: Operand,
}

/// How two numbers are compared.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Test {
    Less,
    AtMost,
    Equal,
    Different,
    AtLeast,
    More,
}

impl Test {
    /// Every test, with its sign.
    const ALL: [(&str, Self); 7] = [
        ("<", Self::Less),
        ("<=", Self::AtMost),
        ("=", Self::Equal),
        ("==", Self::Equal),
        ("!=", Self::Different),
        (">=", Self::AtLeast),
        (">", Self::More),
    ];

    /// Whether it holds for these.
    pub fn holds(self, left: i64, right: i64) -> bool {
        match self {
            Self::Less => left < right,
            Self::AtMost => left <= right,
            Self::Equal => left == right,
            Self::Different => left != right,
            Self::AtLeast => left >= right,
            Self::More => left > right,
        }
    }
}

impl Program {
    /// Reads a text.
    ///
    /// # Errors
    /// What is wrong with it, line by line: at least one fault.
    pub fn parse(text: &str) -> Result<Self, Vec<Fault>> {
        let lines = parse::lines(text)?;
        let statements = check::statements(lines.read).map_err(|fault| vec![fault])?;
        Ok(Self { lines: lines.texts, statements })
    }

    /// Reads the program in an id; `None` if it is the id of something else.
    pub fn of_id(id: &str) -> Option<Result<Self, Vec<Fault>>> {
        id.strip_prefix(PREFIX).map(|encoded| Self::parse(&decoded(encoded)))
    }

    /// The id, which holds the whole program and needs no percent signs in a link.
    pub fn id(&self) -> String {
        let lines: Vec<&str> = self.lines.iter().map(|line| line.trim_start()).collect();
        let encode = |sign| ENCODED.iter().find(|(plain, _)| *plain == sign).map_or(sign, |(_, encoded)| *encoded);
        format!("{PREFIX}{}", lines.join("\n").chars().map(encode).collect::<String>())
    }

    /// The text, indented.
    pub fn text(&self) -> String {
        self.lines.join("\n")
    }

    /// The answers of a line.
    pub fn told_in(&self, line: u32) -> Option<Told> {
        self.statements.iter().find_map(|statement| match statement.act {
            Act::Say(told) if statement.line == line => Some(told),
            _ => None,
        })
    }
}

/// The text of an encoded one. A text that is not encoded stays as it is.
pub fn decoded(encoded: &str) -> String {
    let decode = |sign| ENCODED.iter().find(|(_, encoded)| *encoded == sign).map_or(sign, |(plain, _)| *plain);
    encoded.chars().map(decode).collect()
}

impl fmt::Display for Key {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Stock => "stock",
            Self::Got => "got",
        })
    }
}

impl fmt::Display for Operand {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Number(number) => number.fmt(f),
            Self::Name(name) => f.write_str(name),
        }
    }
}

impl fmt::Display for Test {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let sign = Self::ALL.iter().find(|(_, test)| test == self).map(|(sign, _)| *sign);
        f.write_str(sign.unwrap_or_default())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_program_survives_its_id_and_a_link_has_no_percent_signs() {
        let text = "lock 2ms\nleft=read   stock\r\n\nif left<1 {\n  unlock\nsay sold out\n}\nwrite stock left-1\n\
                    exec {\nincr got\n}\nif left != 2: work 5 ms\nunlock\nsay yours\n\n";
        // EXEC may start again, so it is refused while the lock is held.
        assert!(Program::parse(text).is_err());
        let program = Program::parse(&text.replace("exec {\nincr got\n}", "incr got")).expect("a program");
        assert_eq!(
            program.text(),
            "lock 2ms\nleft = read stock\n\nif left < 1 {\n  unlock\n  say sold out\n}\nwrite stock left - 1\nincr got\n\
             if left != 2: work 5ms\nunlock\nsay yours"
        );
        let id = program.id();
        assert!(id.starts_with("program:lock_2ms.left_E_read_stock..if_left_L_1_B.unlock."), "{id}");
        let is_plain = |sign: char| sign.is_ascii_alphanumeric() || "_.-".contains(sign);
        assert!(id[PREFIX.len()..].chars().all(is_plain), "{id}");
        assert_eq!(Program::of_id(&id), Some(Ok(program.clone())));
        assert_eq!(Program::parse(&program.text()), Ok(program));
        assert_eq!(Program::of_id("script"), None);
    }
}
