//! Codes of coupons: twelve letters and digits of Crockford's base 32, in groups of four.
//!
//! The code follows from the request id and a key that is drawn for the sale. So the same request has the same code,
//! even if the claim was lost before a recovery. Nobody can guess a code without the key. Two requests with the same
//! code, one in 10^18 pairs, would be taken for one request; no code is given out twice.

use model::error::{Error, Result};

/// The digits without I, L, O and U.
const DIGITS: &[u8; 32] = b"0123456789ABCDEFGHJKMNPQRSTVWXYZ";
const LENGTH: usize = 12;
const GROUP: usize = 4;

/// The code of a request: 60 bits of the SHA-1 of the key and the id. Most of the hash is dropped, so nobody can
/// continue it.
pub fn code_of(key: &str, request_id: &str) -> String {
    let mut hash = sha1_smol::Sha1::new();
    for part in [key, ":", request_id] {
        hash.update(part.as_bytes());
    }
    let bytes = hash.digest().bytes();
    let bits = bytes.iter().take(8).fold(0_u64, |bits, byte| bits << 8 | u64::from(*byte));
    let digits = (0..LENGTH).map(|place| DIGITS[(bits >> (5 * place) & 31) as usize]);
    grouped(digits)
}

/// Reads a code as users type it: in upper or lower case, with or without hyphens and blanks, and with I, L or O for
/// the digits that look like them.
///
/// # Errors
/// `bad_request`, naming the field.
pub fn read_code(typed: &str) -> Result<String> {
    let mut digits = Vec::with_capacity(LENGTH);
    for letter in typed.trim().chars().filter(|letter| !matches!(letter, '-' | ' ')) {
        let digit = match letter.to_ascii_uppercase() {
            'I' | 'L' => '1',
            'O' => '0',
            letter => letter,
        };
        let digit = u8::try_from(digit).ok().filter(|digit| DIGITS.contains(digit));
        digits.push(digit.ok_or_else(|| not_a_code(typed))?);
    }
    if digits.len() != LENGTH {
        return Err(not_a_code(typed));
    }
    Ok(grouped(digits.into_iter()))
}

/// The text in which at most the last group of each code is visible.
pub fn hide_codes(text: &str) -> String {
    let mut shown = String::with_capacity(text.len());
    let mut rest = text;
    while let Some(first) = rest.chars().next() {
        let length = LENGTH + LENGTH / GROUP - 1;
        match rest.get(..length).filter(|word| is_code(word)) {
            Some(code) => {
                shown.push('…');
                shown.push_str(&code[length - GROUP..]);
                rest = &rest[length..];
            }
            None => {
                shown.push(first);
                rest = &rest[first.len_utf8()..];
            }
        }
    }
    shown
}

fn is_code(word: &str) -> bool {
    word.bytes().enumerate().all(|(place, letter)| match (place + 1) % (GROUP + 1) {
        0 => letter == b'-',
        _ => DIGITS.contains(&letter),
    })
}

fn grouped(digits: impl Iterator<Item = u8>) -> String {
    let mut code = String::with_capacity(LENGTH + LENGTH / GROUP - 1);
    for (place, digit) in digits.enumerate() {
        if place > 0 && place % GROUP == 0 {
            code.push('-');
        }
        code.push(char::from(digit));
    }
    code
}

fn not_a_code(typed: &str) -> Error {
    let shown: String = typed.chars().take(40).collect();
    Error::bad("code", format!("`code` is \"{shown}\"; a code has twelve letters and digits, as in 7K3M-9Q2X-4T8W."))
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::HashSet;

    #[test]
    fn a_request_has_one_code_and_each_sale_other_ones() {
        let code = code_of("key", "request");
        assert_eq!(code, code_of("key", "request"));
        assert_ne!(code, code_of("other", "request"));
        assert_eq!(read_code(&code).as_deref(), Ok(code.as_str()));
        let codes: HashSet<String> = (0..100_000).map(|nth| code_of("key", &format!("r-{nth}"))).collect();
        assert_eq!(codes.len(), 100_000);
    }

    #[test]
    fn of_a_code_in_a_text_the_last_group_is_shown() {
        assert_eq!(
            hide_codes("券 7K3M-9Q2X-4T81, 7K3M-9Q2X-4T8 «AB7K3M-9Q2X-4T82»"),
            "券 …4T81, 7K3M-9Q2X-4T8 «AB…4T82»"
        );
    }

    #[test]
    fn a_code_is_read_as_people_type_it() {
        for typed in ["7K3M-9Q2X-4T81", "7k3m9q2x4t8l", " 7K3M 9Q2X 4T8I ", "7-K3M9Q2X4T81"] {
            assert_eq!(read_code(typed).as_deref(), Ok("7K3M-9Q2X-4T81"), "{typed}");
        }
        for typed in ["", "7K3M-9Q2X-4T8", "7K3M-9Q2X-4T8WA", "7K3M-9Q2X-4T8U", "７K3M-9Q2X-4T8W", "券"] {
            assert_eq!(read_code(typed).map_err(|error| error.field), Err(Some("code".to_owned())), "{typed}");
        }
    }
}
