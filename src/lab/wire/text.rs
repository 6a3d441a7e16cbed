//! Commands and replies as text, for the reader of a play.

use crate::sale::part;
use model::red_packet::Outcome;
use redis::{Arg, Cmd};

/// A lifetime longer than any play, in ms.
const DAY_MS: &str = "86400000";

/// The words of a command. Keys are shown by their parts.
pub(super) fn words(command: &Cmd) -> Vec<String> {
    arguments(command).map(shown).collect()
}

/// The command with a lifetime that outlasts the play.
pub(super) fn long_lived(command: &Cmd) -> Cmd {
    let mut copy = Cmd::new();
    let mut is_lifetime = false;
    for word in arguments(command) {
        copy.arg(if is_lifetime { DAY_MS.as_bytes() } else { word });
        is_lifetime = word == b"PX";
    }
    copy
}

fn arguments(command: &Cmd) -> impl Iterator<Item = &[u8]> {
    command.args_iter().map(|word| match word {
        Arg::Simple(word) => word,
        // The cursor of a scan. No strategy uses one.
        _ => b"0".as_slice(),
    })
}

/// A word for display.
pub(super) fn shown(word: &[u8]) -> String {
    part(&String::from_utf8_lossy(word)).to_owned()
}

/// The answer of the product's service, as text.
pub(super) fn outcome(outcome: &Outcome) -> String {
    serde_json::to_string(outcome).unwrap_or_else(|_| format!("{outcome:?}"))
}
