//! What a step does, judged by its call, its reply, and the records before it.

use model::lab::trace::{Call, Form, Record, Step, TIME};

/// What a step does.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Event {
    /// Reads how many are left.
    Reads(i64),
    /// Reads whether its user has one.
    ReadsOwn {
        has_one: bool,
    },
    /// Writes how many are left, one fewer than before.
    Writes(i64),
    /// Writes how many are left, but from what it read some time ago.
    Overwrites {
        left: i64,
        was: i64,
    },
    /// Takes one from the stock in one step.
    Takes(i64),
    /// Takes one although none was left.
    TakesTooMany(i64),
    PutsBack,
    Records,
    /// Finds its user recorded.
    IsRecorded,
    TakesLock,
    /// Takes a lock in the memory of its server.
    TakesServerLock,
    /// Finds the lock taken, by this attempt if it is known, and waits.
    FindsLock(Option<char>),
    /// Finds the lock taken, and gives up.
    GivesUp,
    Releases,
    /// Releases a lock that it no longer has: it has expired, or another has deleted it.
    ReleasesNothing,
    /// Deletes the lock of another attempt.
    DeletesLockOf(char),
    /// The lock of this attempt expires.
    Expires(char),
    TimePasses,
    Works,
    Watches,
    /// EXEC has written.
    WritesAll,
    /// EXEC has found something changed.
    WritesNothing,
    /// A script has decided.
    OneStep,
    /// Waits for another.
    Waits,
    /// Joins the queue.
    Queues,
    /// Takes the next attempt from the queue.
    TakesNext,
    Answers,
    /// Any other command.
    Other(String),
}

/// What a step does, judged by its call, its reply, and the records before it.
pub fn event(step: &Step, before: &[Record]) -> Event {
    let value = |name: &str| before.iter().find(|record| record.name == name).map(|record| record.value.as_str());
    let number = |text: &str| text.trim_matches('"').parse::<i64>().ok();
    let Some(reply) = step.reply.as_deref() else { return Event::Waits };
    let is_nil = reply == "(nil)";
    let commands = &step.call.commands;
    match step.call.form {
        Form::Time => {
            let whose = commands.first().and_then(|command| value(command.get(1)?)?.chars().next());
            return whose.map_or(Event::TimePasses, Event::Expires);
        }
        Form::Work => return Event::Works,
        Form::Lock => return Event::TakesServerLock,
        Form::Transaction => return if is_nil { Event::WritesNothing } else { Event::WritesAll },
        Form::Script if !is_release(&step.call) => return Event::OneStep,
        Form::Command | Form::Pipeline | Form::Script | Form::Sql => {}
    }
    let Some(command) = commands.first() else { return Event::Other(String::new()) };
    // The arguments of a statement are no part of it.
    let words = if step.call.form == Form::Sql { 1 } else { command.len() };
    let other = || Event::Other(command[..words].join(" "));
    let word = |place: usize| command.get(place).map(String::as_str).unwrap_or_default();
    let left = number(reply);
    match (word(0), word(1)) {
        ("SET", lock) if lock.starts_with("lock") => {
            if is_nil && !step.waits {
                Event::GivesUp
            } else if is_nil {
                Event::FindsLock(value(lock).and_then(|token| token.chars().next()))
            } else {
                Event::TakesLock
            }
        }
        ("DEL", lock) if lock.starts_with("lock") => release(step.letter, value(lock)),
        ("EVALSHA", _) => release(step.letter, if reply == "0" { None } else { value(word(3)) }),
        ("GET" | "DECRBY", "stock") => left.map_or_else(other, Event::Reads),
        ("SELECT remaining FROM lab_stock WHERE sale = $1", _) => left.map_or_else(other, Event::Reads),
        ("SET", "stock") => match (number(word(2)), value("stock").and_then(number)) {
            (Some(left), Some(was)) if left != was - 1 => Event::Overwrites { left, was },
            (Some(left), _) => Event::Writes(left),
            (None, _) => other(),
        },
        ("DECR", "stock") => match left {
            Some(left) if left < 0 => Event::TakesTooMany(left),
            Some(left) => Event::Takes(left),
            None => other(),
        },
        ("INCR", "stock") => Event::PutsBack,
        ("HGET", "got") | ("SISMEMBER", _) => Event::ReadsOwn { has_one: !is_nil && reply != "0" },
        ("SADD", _) if reply == "0" => Event::IsRecorded,
        ("SADD", _) | ("HSET" | "HINCRBY", "got") => Event::Records,
        ("WATCH", _) => Event::Watches,
        ("LPUSH", "queue") => Event::Queues,
        ("LPUSH", answer) if answer.starts_with("answer") => Event::Answers,
        ("BRPOP", "queue") => Event::TakesNext,
        _ => other(),
    }
}

fn is_release(call: &Call) -> bool {
    call.commands.first().is_some_and(|command| command.get(1).is_some_and(|script| script == "release"))
}

/// What happens to the lock that is there, if there is one.
fn release(letter: char, token: Option<&str>) -> Event {
    match token.and_then(|token| token.chars().next()) {
        None => Event::ReleasesNothing,
        Some(holder) if holder == letter => Event::Releases,
        Some(holder) => Event::DeletesLockOf(holder),
    }
}

/// The letter that readers see, and the key that lets it go on: attempts are A to D.
pub fn name_of(letter: char) -> char {
    match letter.to_digit(10) {
        Some(number @ 1..=4) => char::from(b'A' + number as u8 - 1),
        _ if letter == TIME => 'T',
        _ => 'W',
    }
}

#[cfg(test)]
pub mod tests {
    use super::*;

    /// A step of this participant, with this command and this reply.
    pub fn step(letter: char, form: Form, command: &str, reply: &str) -> Step {
        let commands = vec![command.split(' ').map(str::to_owned).collect()];
        let (call, reply) = (Call { form, commands, line: 1 }, Some(reply.to_owned()));
        Step { letter, call, reply, waits: false, locals: Vec::new(), told: None, records: Vec::new() }
    }

    fn records(all: &[(&str, &str)]) -> Vec<Record> {
        all.iter().map(|(name, value)| Record { name: (*name).to_owned(), value: (*value).to_owned() }).collect()
    }

    #[test]
    fn a_write_from_what_is_out_of_date_is_told_from_one_that_is_not() {
        let write = step('2', Form::Command, "SET stock 0", "OK");
        assert_eq!(event(&write, &records(&[("stock", "1")])), Event::Writes(0));
        assert_eq!(event(&write, &records(&[("stock", "0")])), Event::Overwrites { left: 0, was: 0 });
        assert_eq!(event(&write, &[]), Event::Writes(0));
    }

    #[test]
    fn whose_lock_is_deleted_is_seen() {
        let delete = step('1', Form::Command, "DEL lock", "1");
        let of = |holder: &str| event(&delete, &records(&[("lock", holder)]));
        assert_eq!([of("1-1"), of("2-1")], [Event::Releases, Event::DeletesLockOf('2')]);
        assert_eq!(event(&delete, &[]), Event::ReleasesNothing);
        // A script that checks the owner deletes nothing of others.
        let checked = step('1', Form::Script, "EVALSHA release 1 lock 1-1", "0");
        assert_eq!(event(&checked, &records(&[("lock", "2-1")])), Event::ReleasesNothing);
        let expired = step('t', Form::Time, "PEXPIRE lock 0", "OK");
        assert_eq!(event(&expired, &records(&[("lock", "1-1")])), Event::Expires('1'));
    }
}
