//! The slots of a cluster: which of its 16,384 parts a key belongs to.

use crc16::{State, XMODEM};
use redis::{Arg, Cmd};

/// The number of slots of every cluster.
pub const SLOTS: u16 = 16_384;

/// The slot of a key: that of its hash tag, where it has one. (Redis Cluster Specification, "Key distribution model" and
/// "Hash tags".)
pub fn slot_of(key: &[u8]) -> u16 {
    State::<XMODEM>::calculate(tag_of(key).unwrap_or(key)) % SLOTS
}

/// What is between the first opening brace and the first closing one after it, unless that is nothing.
fn tag_of(key: &[u8]) -> Option<&[u8]> {
    let (_, rest) = split_at(key, b'{')?;
    let (tag, _) = split_at(rest, b'}')?;
    (!tag.is_empty()).then_some(tag)
}

fn split_at(text: &[u8], byte: u8) -> Option<(&[u8], &[u8])> {
    let at = text.iter().position(|other| *other == byte)?;
    Some((&text[..at], &text[at + 1..]))
}

/// The slot of the first key of a command. `None` if it has no key, and any server can answer.
pub(crate) fn slot_of_command(command: &Cmd) -> Option<u16> {
    let mut words = command.args_iter().filter_map(|word| match word {
        Arg::Simple(word) => Some(word),
        _ => None,
    });
    match words.next()? {
        b"INFO" | b"PING" | b"SCRIPT" | b"TIME" | b"BGREWRITEAOF" | b"CONFIG" => None,
        // A subcommand precedes the key.
        b"XINFO" | b"MEMORY" => words.nth(1),
        b"XREAD" => words.skip_while(|word| *word != b"STREAMS").nth(1),
        b"EVAL" | b"EVALSHA" => (words.nth(1)? != b"0").then(|| words.next()).flatten(),
        _ => words.next(),
    }
    .map(slot_of)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{command, command_of, keys};

    #[test]
    fn slots_are_those_of_redis() {
        // The check value of the specification.
        assert_eq!(State::<XMODEM>::calculate(b"123456789"), 0x31c3);
        // From CLUSTER KEYSLOT.
        assert_eq!(slot_of(b"foo"), 12_182);
        assert_eq!(slot_of(b"{user1000}.following"), slot_of(b"user1000"));
        assert_eq!(slot_of(b"foo{}{bar}"), 8_363, "an empty tag is none");
        assert_eq!(slot_of(b"foo{{bar}}zap"), slot_of(b"{bar"));
        assert_eq!(slot_of(b"foo{bar}{zap}"), slot_of(b"bar"));
    }

    #[test]
    fn all_keys_of_a_sale_share_a_slot_whatever_its_id_is() {
        for sale in ["s", "a}b", "}", "{", "{}", "a}:b"] {
            let slots = ["meta", "events", "attempts"].map(|part| slot_of(keys::sale("ticket", sale, part).as_bytes()));
            assert!(slots.iter().all(|slot| *slot == slots[0]), "{sale}: {slots:?}");
        }
    }

    #[test]
    fn a_command_goes_where_its_key_is() {
        let foo = Some(12_182);
        assert_eq!(slot_of_command(&command_of("GET", "foo")), foo);
        assert_eq!(slot_of_command(&command_of("XINFO", ("GROUPS", "foo"))), foo);
        assert_eq!(slot_of_command(&command_of("EVALSHA", ("sha", 1, "foo"))), foo);
        assert_eq!(slot_of_command(&command_of("EVAL", ("return 1", 0, "foo"))), None, "a script without a key");
        assert_eq!(slot_of_command(&command_of("XREAD", ("COUNT", 10, "STREAMS", "foo", "0"))), foo);
        assert_eq!(slot_of_command(&command("TIME")), None);
    }
}
