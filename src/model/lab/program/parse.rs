//! Reads the lines of a program, each by itself.

use super::{
    ANSWERS, Act, Condition, Fault, Key, MOST_CHARACTERS, MOST_LINES, MOST_MS, MOST_NUMBER, Operand, Problem, Sum, Test,
};

/// The longest name.
const MOST_LETTERS: usize = 12;
/// Words that cannot be names.
const WORDS: [&str; 16] = [
    "read", "incr", "decr", "write", "if", "not", "say", "lock", "unlock", "work", "watch", "exec", "script", "stock",
    "got", "ms",
];

/// A line as it is read by itself.
pub(super) enum Line {
    Blank,
    /// `}`
    Close,
    /// `exec {`, with no length yet.
    Open(Act),
    /// `if mine: say busy`
    If(Condition, Act),
    Plain(Act),
}

/// The lines of a text: indented, and what each is, by its number.
pub(super) struct Lines {
    pub texts: Vec<String>,
    pub read: Vec<(u32, Line)>,
}

/// Reads each line by itself.
pub(super) fn lines(text: &str) -> Result<Lines, Vec<Fault>> {
    let text = text.trim_end();
    if text.lines().count() > MOST_LINES {
        return Err(vec![Fault { line: MOST_LINES as u32 + 1, problem: Problem::TooManyLines }]);
    }
    let (mut texts, mut read, mut faults, mut depth) = (Vec::new(), Vec::new(), Vec::new(), 0_usize);
    for (number, text) in (1..).zip(text.lines()) {
        match line(text) {
            Ok((text, line)) => {
                depth -= usize::from(depth > 0 && matches!(line, Line::Close));
                texts.push(format!("{:1$}{text}", "", if text.is_empty() { 0 } else { 2 * depth }));
                depth += usize::from(matches!(line, Line::Open(_)));
                read.push((number, line));
            }
            Err(problem) => faults.push(Fault { line: number, problem }),
        }
    }
    if faults.is_empty() { Ok(Lines { texts, read }) } else { Err(faults) }
}

/// A line with single spaces, and what it is.
fn line(text: &str) -> Result<(String, Line), Problem> {
    let tokens = tokens(text)?;
    let spaced = spaced(&tokens);
    if spaced.len() > MOST_CHARACTERS {
        return Err(Problem::TooLong);
    }
    let line = match tokens.as_slice() {
        [] => Line::Blank,
        ["}"] => Line::Close,
        ["exec", "{"] => Line::Open(Act::Exec(0)),
        ["script", "{"] => Line::Open(Act::Script(0)),
        ["if", tokens @ .., "{"] => Line::Open(Act::If { condition: condition(tokens)?, then: 0 }),
        ["if", tokens @ ..] => {
            let colon = tokens.iter().position(|token| *token == ":").ok_or(Problem::Condition)?;
            Line::If(condition(&tokens[..colon])?, act(&tokens[colon + 1..])?)
        }
        tokens => Line::Plain(act(tokens)?),
    };
    Ok((spaced, line))
}

fn tokens(text: &str) -> Result<Vec<&str>, Problem> {
    let mut tokens = Vec::new();
    let mut rest = text.trim();
    while let Some(first) = rest.chars().next() {
        let run = |belongs: fn(&char) -> bool| rest.chars().take_while(belongs).count();
        let length = match first {
            'a'..='z' => run(char::is_ascii_lowercase),
            '0'..='9' => run(char::is_ascii_digit),
            '<' | '>' | '=' | '!' => 1 + usize::from(rest[1..].starts_with('=')),
            '+' | '-' | ':' | '{' | '}' => 1,
            'A'..='Z' => return Err(Problem::Capital),
            '#' | '/' => return Err(Problem::Comment),
            other => return Err(Problem::Character(other)),
        };
        let (token, after) = rest.split_at(length);
        tokens.push(token);
        rest = after.trim_start();
    }
    Ok(tokens)
}

/// The tokens with a space between two, but none before a colon or a unit.
fn spaced(tokens: &[&str]) -> String {
    let mut text = String::new();
    for token in tokens {
        if !text.is_empty() && !matches!(*token, ":" | "ms") {
            text.push(' ');
        }
        text.push_str(token);
    }
    text
}

fn act(tokens: &[&str]) -> Result<Act, Problem> {
    Ok(match tokens {
        ["say", words @ ..] => {
            let words = words.join(" ");
            let told = ANSWERS.iter().find(|(answer, _)| *answer == words).map(|(_, told)| *told);
            Act::Say(told.ok_or(Problem::Answer)?)
        }
        ["lock"] => Act::Lock { lifetime_ms: None },
        ["lock", time @ ..] => Act::Lock { lifetime_ms: Some(milliseconds(time)?) },
        ["unlock"] => Act::Unlock { is_checked: true },
        ["unlock", "unchecked"] => Act::Unlock { is_checked: false },
        ["work", time @ ..] => Act::Work { ms: milliseconds(time)? },
        ["watch", first, keys @ ..] => {
            let keys = [first].into_iter().chain(keys).map(|word| key(word));
            Act::Watch(keys.collect::<Result<_, _>>()?)
        }
        ["write", word, value @ ..] => Act::Write { key: key(word)?, value: sum(value)? },
        ["incr", word] => Act::Add { key: key(word)?, by: 1, into: None },
        ["decr", word] => Act::Add { key: key(word)?, by: -1, into: None },
        [into, "=", "read", word] => Act::Read { key: key(word)?, into: name(into)? },
        [into, "=", "incr", word] => Act::Add { key: key(word)?, by: 1, into: Some(name(into)?) },
        [into, "=", "decr", word] => Act::Add { key: key(word)?, by: -1, into: Some(name(into)?) },
        _ => return Err(Problem::Unknown),
    })
}

fn key(word: &str) -> Result<Key, Problem> {
    [Key::Stock, Key::Got].into_iter().find(|key| key.to_string() == word).ok_or_else(|| Problem::Key(word.to_owned()))
}

fn name(word: &str) -> Result<String, Problem> {
    let is_name =
        word.chars().all(|sign| sign.is_ascii_lowercase()) && word.len() <= MOST_LETTERS && !WORDS.contains(&word);
    is_name.then(|| word.to_owned()).ok_or_else(|| Problem::Name(word.to_owned()))
}

fn number(word: &str) -> Result<i64, Problem> {
    word.parse().ok().filter(|number| *number <= MOST_NUMBER).ok_or(Problem::Number)
}

fn milliseconds(tokens: &[&str]) -> Result<u32, Problem> {
    let [number, "ms"] = tokens else { return Err(Problem::Milliseconds) };
    number.parse().ok().filter(|ms| (1..=MOST_MS).contains(ms)).ok_or(Problem::Milliseconds)
}

fn operand(word: &str) -> Result<Operand, Problem> {
    let is_number = word.starts_with(|sign: char| sign.is_ascii_digit());
    Ok(if is_number { Operand::Number(number(word)?) } else { Operand::Name(name(word)?) })
}

fn sum(tokens: &[&str]) -> Result<Sum, Problem> {
    Ok(match tokens {
        [of] => Sum { of: operand(of)?, plus: 0 },
        [of, sign @ ("+" | "-"), number_word] if number_word.starts_with(|sign: char| sign.is_ascii_digit()) => {
            let plus = number(number_word)?;
            Sum { of: operand(of)?, plus: if *sign == "-" { -plus } else { plus } }
        }
        _ => return Err(Problem::Value),
    })
}

fn condition(tokens: &[&str]) -> Result<Condition, Problem> {
    let compared = |left: &str, test, right| Ok(Condition { left: operand(left)?, test, right });
    match tokens {
        [word] => compared(word, Test::Different, Operand::Number(0)),
        ["not", word] => compared(word, Test::Equal, Operand::Number(0)),
        [left, sign, right] => {
            let test = Test::ALL.iter().find(|(known, _)| known == sign).ok_or(Problem::Condition)?;
            compared(left, test.1, operand(right)?)
        }
        _ => Err(Problem::Condition),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::lab::Told;

    /// The statement of a line.
    fn one(text: &str) -> Act {
        match line(text) {
            Ok((_, Line::Plain(act) | Line::Open(act))) => act,
            _ => panic!("{text} is no statement"),
        }
    }

    fn left() -> Operand {
        Operand::Name("left".to_owned())
    }

    #[test]
    fn every_statement_is_read() {
        let into = || "left".to_owned();
        let (stock, got) = (Key::Stock, Key::Got);
        let condition = |left, test, right| Condition { left, test, right };
        for (text, act) in [
            ("left = read stock", Act::Read { key: stock, into: into() }),
            ("left=read got", Act::Read { key: got, into: into() }),
            ("incr stock", Act::Add { key: stock, by: 1, into: None }),
            ("decr got", Act::Add { key: got, by: -1, into: None }),
            ("left = incr got", Act::Add { key: got, by: 1, into: Some(into()) }),
            ("left = decr stock", Act::Add { key: stock, by: -1, into: Some(into()) }),
            ("write stock left - 1", Act::Write { key: stock, value: Sum { of: left(), plus: -1 } }),
            ("write stock left+20", Act::Write { key: stock, value: Sum { of: left(), plus: 20 } }),
            ("write got 1", Act::Write { key: got, value: Sum { of: Operand::Number(1), plus: 0 } }),
            ("say yours", Act::Say(Told::Won)),
            ("say sold out", Act::Say(Told::SoldOut)),
            ("say  already   yours", Act::Say(Told::Already)),
            ("say busy", Act::Say(Told::Busy)),
            ("lock", Act::Lock { lifetime_ms: None }),
            ("lock 2ms", Act::Lock { lifetime_ms: Some(2) }),
            ("unlock", Act::Unlock { is_checked: true }),
            ("unlock unchecked", Act::Unlock { is_checked: false }),
            ("work 100 ms", Act::Work { ms: 100 }),
            ("watch stock got", Act::Watch(vec![stock, got])),
            ("exec {", Act::Exec(0)),
            ("script{", Act::Script(0)),
            ("if left {", Act::If { condition: condition(left(), Test::Different, Operand::Number(0)), then: 0 }),
            ("if not left {", Act::If { condition: condition(left(), Test::Equal, Operand::Number(0)), then: 0 }),
        ] {
            assert_eq!(one(text), act, "{text}");
        }
        for (sign, test) in Test::ALL {
            let Ok((_, Line::If(read, Act::Say(Told::SoldOut)))) = line(&format!("if left {sign} 1: say sold out"))
            else {
                panic!("{sign}");
            };
            assert_eq!(read, condition(left(), test, Operand::Number(1)));
        }
        assert!(matches!(line("  "), Ok((_, Line::Blank))) && matches!(line("}"), Ok((_, Line::Close))));
    }

    #[test]
    fn every_line_that_is_none_is_told_why() {
        let name = |name: &str| Problem::Name(name.to_owned());
        for (text, problem) in [
            ("left ← read stock", Problem::Character('←')),
            ("redis.call('DEL')", Problem::Character('.')),
            ("LEFT = read stock", Problem::Capital),
            ("say Sold out", Problem::Capital),
            ("# sells one", Problem::Comment),
            ("incr got // mine", Problem::Comment),
            ("delete stock", Problem::Unknown),
            ("left = 1", Problem::Unknown),
            ("watch", Problem::Unknown),
            ("if left < 1: if left < 0: say busy", Problem::Unknown),
            ("left = read money", Problem::Key("money".to_owned())),
            ("incr left", Problem::Key("left".to_owned())),
            ("say hello", Problem::Answer),
            ("say", Problem::Answer),
            ("if left < 1", Problem::Condition),
            ("if left ! 1: say busy", Problem::Condition),
            ("if : say busy", Problem::Condition),
            ("write stock left - left", Problem::Value),
            ("write stock", Problem::Value),
            ("write got 10000", Problem::Number),
            ("write got 99999999999999999999", Problem::Number),
            ("lock 0ms", Problem::Milliseconds),
            ("lock 2", Problem::Milliseconds),
            ("work 101ms", Problem::Milliseconds),
            ("work", Problem::Milliseconds),
            ("lock = read stock", Problem::Milliseconds),
            ("got = read stock", name("got")),
            ("abcdefghijklm = read stock", name("abcdefghijklm")),
            ("1 = read stock", name("1")),
        ] {
            assert_eq!(line(text).err(), Some(problem), "{text}");
        }
        let long = format!("say {}", "x ".repeat(60));
        assert_eq!(line(&long).err(), Some(Problem::TooLong));
        assert!(line("                                                                 say yours").is_ok());
    }

    #[test]
    fn every_line_at_fault_is_named() {
        let faults = lines("left = read stock\nhope\nwrite stock left - 1\nsay it\n").err().expect("faults");
        let of = |line, problem| Fault { line, problem };
        assert_eq!(faults, [of(2, Problem::Unknown), of(4, Problem::Answer)]);
        let many = lines(&"incr stock\n".repeat(25)).err().expect("a fault");
        assert_eq!(many, [of(25, Problem::TooManyLines)]);
        assert_eq!(many[0].to_string(), "Line 25: A program has at most 24 lines.");
    }
}
