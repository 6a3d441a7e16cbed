//! Programs to start from.

use crate::lab::write::words::Words;

/// A program to start from.
pub struct Example {
    pub id: &'static str,
    pub name: fn(&Words) -> &'static str,
    pub text: &'static str,
}

/// Every example; the first is that of an address without a program. `tests/lab/program.rs` says which of them break.
pub const EXAMPLES: [Example; 6] = [
    Example {
        id: "read-check-write",
        name: |words| words.read_check_write,
        text: "left = read stock
mine = read got
if mine: say already yours
if left < 1: say sold out
write stock left - 1
write got 1
say yours",
    },
    Example {
        id: "lifetime",
        name: |words| words.lifetime,
        text: "lock 2ms
left = read stock
mine = read got
if left < 1 {
  unlock
  say sold out
}
if mine {
  unlock
  say already yours
}
work 5ms
write stock left - 1
write got 1
unlock
say yours",
    },
    Example {
        id: "lock",
        name: |words| words.lock,
        text: "lock
left = read stock
mine = read got
if left < 1 {
  unlock
  say sold out
}
if mine {
  unlock
  say already yours
}
write stock left - 1
write got 1
unlock
say yours",
    },
    Example {
        id: "decr-incr",
        name: |words| words.decr_incr,
        text: "left = decr stock
if left < 0 {
  incr stock
  say sold out
}
mine = incr got
if mine > 1 {
  decr got
  incr stock
  say already yours
}
say yours",
    },
    Example {
        id: "watch",
        name: |words| words.watch,
        text: "watch stock got
left = read stock
mine = read got
if mine: say already yours
if left < 1: say sold out
exec {
  decr stock
  incr got
}
say yours",
    },
    Example {
        id: "script",
        name: |words| words.script,
        text: "script {
  left = read stock
  mine = read got
  if mine: say already yours
  if left < 1: say sold out
  decr stock
  incr got
}
say yours",
    },
];

#[cfg(test)]
mod tests {
    use super::EXAMPLES;
    use model::lab::program::Program;

    #[test]
    fn every_example_is_a_program_as_it_stands() {
        for example in &EXAMPLES {
            assert_eq!(Program::parse(example.text).map(|program| program.text()), Ok(example.text.to_owned()));
        }
    }
}
