//! What can be wrong with a program.

use super::{MOST_CHARACTERS, MOST_LINES, MOST_MS, MOST_NUMBER};
use std::fmt;

/// A problem, and where it is.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Fault {
    /// The line, from 1.
    pub line: u32,
    pub problem: Problem,
}

/// What is wrong with a line.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Problem {
    /// There is no statement at all.
    Empty,
    TooManyLines,
    TooLong,
    /// A character that no statement has.
    Character(char),
    /// A capital letter.
    Capital,
    /// The beginning of a comment.
    Comment,
    /// None of the statements.
    Unknown,
    /// A key that there is not.
    Key(String),
    /// An answer that there is not.
    Answer,
    Condition,
    Value,
    /// A number beyond the largest.
    Number,
    Milliseconds,
    /// A name that cannot be one.
    Name(String),
    /// A name that no line above gives a value.
    Unset(String),
    /// `{` without `}`.
    NotClosed,
    /// `}` without `{`.
    NotOpen,
    EmptyBlock,
    /// A statement that cannot be in `exec`.
    InExec,
    /// A statement that cannot be in `script`.
    InScript,
    /// A line that no order reaches.
    Unreachable,
    /// The program may end without an answer.
    NoAnswer,
    /// An answer while the lock is held.
    AnswerWhileLocked,
    /// Another lock while the lock is held.
    LockedTwice,
    /// `unlock` without a lock.
    NotLocked,
    /// A block after which the lock is held only at times.
    MaybeLocked,
    /// `exec` while the lock is held.
    ExecWhileLocked,
    /// A change of what is watched, outside `exec`.
    OwnChange,
}

impl fmt::Display for Fault {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Line {}: {}", self.line, self.problem)
    }
}

impl fmt::Display for Problem {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Character(sign) => return write!(f, "No step has the character `{sign}`."),
            Self::Key(key) => return write!(f, "There is no key `{key}`; there are `stock` and `got`."),
            Self::Name(name) => {
                return write!(f, "`{name}` cannot be a name: up to 12 small letters, and no word of a step.");
            }
            Self::Unset(name) => return write!(f, "`{name}` has no value: no line above reads it."),
            Self::TooManyLines => return write!(f, "A program has at most {MOST_LINES} lines."),
            Self::TooLong => return write!(f, "A line has at most {MOST_CHARACTERS} characters."),
            Self::Number => return write!(f, "A number is at most {MOST_NUMBER}."),
            Self::Milliseconds => return write!(f, "A time is `1ms` to `{MOST_MS}ms`."),
            Self::Capital => "Write small letters only: no step has a capital.",
            Self::Comment => "A program has no comments: leave this out.",
            Self::Empty => "Write at least one step.",
            Self::Unknown => "This is not one of the steps.",
            Self::Answer => "Say `yours`, `sold out`, `already yours` or `busy`.",
            Self::Condition => "A condition is like `left < 1`, `mine` or `not mine`, followed by `:` or `{`.",
            Self::Value => "A value is a number or a name, and perhaps `+` or `-` a number.",
            Self::NotClosed => "This block has no `}`.",
            Self::NotOpen => "This `}` has no block.",
            Self::EmptyBlock => "There is nothing in this block.",
            Self::InExec => "Only `write`, `incr` and `decr`, without their replies, can be in `exec`.",
            Self::InScript => "A script can only read, write, compare and say: the rest is not in Redis.",
            Self::Unreachable => "This is never reached: the line above ends it.",
            Self::NoAnswer => "It may end without an answer: close with a line like `say yours`.",
            Self::AnswerWhileLocked => "It holds the lock when it says this: `unlock` before it.",
            Self::LockedTwice => "It has the lock already, and would wait for itself.",
            Self::NotLocked => "It has no lock here.",
            Self::MaybeLocked => "After this block, it has the lock only at times: lock and unlock in the same block.",
            Self::ExecWhileLocked => "`exec` may start again from the top, which takes the lock again: `unlock` first.",
            Self::OwnChange => "It changes what it watches, so its own `exec` would never run.",
        })
    }
}
