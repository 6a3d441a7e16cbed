//! Codes as people type them.

use crate::error::{Error, Result};
use std::ops::RangeInclusive;

/// The digits of codes that are made: base 32 without I, L, O and U, as Crockford has it.
pub const DIGITS: &[u8; 32] = b"0123456789ABCDEFGHJKMNPQRSTVWXYZ";
/// The digits of a code that is made, and those of each of its groups.
pub const LENGTH: usize = 12;
pub const GROUP: usize = 4;
/// The letters and digits of an own code.
const OWN_LENGTH: RangeInclusive<usize> = 4..=32;

/// What of a typed code is compared: its letters and digits in upper case, with digits for the letters that look like
/// them (I, L, O). Hyphens and blanks do not matter. Twelve of the [`DIGITS`] are in groups, as codes that are made are.
///
/// # Errors
/// `bad_request`, naming the field.
pub fn read_code(field: &str, typed: &str) -> Result<String> {
    let mut digits = Vec::with_capacity(LENGTH);
    for letter in typed.trim().chars().filter(|letter| !matches!(letter, '-' | ' ')) {
        let digit = match letter.to_ascii_uppercase() {
            'I' | 'L' => '1',
            'O' => '0',
            letter => letter,
        };
        let digit = u8::try_from(digit).ok().filter(u8::is_ascii_alphanumeric);
        digits.push(digit.ok_or_else(|| not_a_code(field, typed))?);
    }
    if !OWN_LENGTH.contains(&digits.len()) {
        return Err(not_a_code(field, typed));
    }
    if digits.len() == LENGTH && digits.iter().all(|digit| DIGITS.contains(digit)) {
        return Ok(grouped(digits.into_iter()));
    }
    Ok(digits.into_iter().map(char::from).collect())
}

/// Checks an own code as it is spelled, and returns what is compared of it.
///
/// # Errors
/// `bad_request`, naming the field.
pub fn check_own_code(field: &str, code: &str) -> Result<String> {
    let compared = read_code(field, code)?;
    if code.contains(' ') || code.len() > 2 * OWN_LENGTH.end() {
        return Err(not_a_code(field, code));
    }
    Ok(compared)
}

/// Digits in groups.
pub fn grouped(digits: impl Iterator<Item = u8>) -> String {
    let mut code = String::with_capacity(LENGTH + LENGTH / GROUP - 1);
    for (place, digit) in digits.enumerate() {
        if place > 0 && place % GROUP == 0 {
            code.push('-');
        }
        code.push(char::from(digit));
    }
    code
}

fn not_a_code(field: &str, typed: &str) -> Error {
    let shown: String = typed.chars().take(40).collect();
    let why = "a code has 4 to 32 letters and digits, with hyphens anywhere, as in 7K3M-9Q2X-4T8W.";
    Error::bad(field, format!("`{field}` has \"{shown}\"; {why}"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_code_is_read_as_people_type_it() {
        for typed in ["7K3M-9Q2X-4T81", "7k3m9q2x4t8l", " 7K3M 9Q2X 4T8I ", "7-K3M9Q2X4T81"] {
            assert_eq!(read_code("code", typed).as_deref(), Ok("7K3M-9Q2X-4T81"), "{typed}");
        }
        // Own codes have any length.
        for (typed, read) in [("summer-26", "SUMMER26"), ("HELLO", "HE110"), ("7K3M-9Q2X-4T8U", "7K3M9Q2X4T8U")] {
            assert_eq!(read_code("code", typed).as_deref(), Ok(read), "{typed}");
        }
        for typed in ["", "7K3", "７K3M-9Q2X-4T8W", "券", "A_1234", &"A".repeat(33)] {
            assert_eq!(read_code("code", typed).map_err(|error| error.field), Err(Some("code".to_owned())), "{typed}");
        }
    }

    #[test]
    fn an_own_code_is_spelled_without_blanks() {
        assert_eq!(check_own_code("codes", "Summer-26").as_deref(), Ok("SUMMER26"));
        for code in ["SUMMER 26", " SUMMER26", "SUMMER_26", &format!("SUMMER26{}", "-".repeat(60))] {
            assert!(check_own_code("codes", code).is_err(), "{code:?}");
        }
    }
}
