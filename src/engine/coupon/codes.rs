//! Codes of coupons: twelve letters and digits of Crockford's base 32, in groups of four.
//!
//! The code follows from the request id and a key that is drawn for the sale. So the same request has the same code,
//! even if the claim was lost before a recovery. Nobody can guess a code without the key. Two requests with the same
//! code, one in 10^18 pairs, would be taken for one request; no code is given out twice.

use model::coupon::codes::{DIGITS, GROUP, LENGTH, grouped, read_code};

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

/// What is compared of an own code, and its entry of `pending`, which has the spelling as well if it differs.
pub(super) fn own_code(spelled: &str) -> (String, String) {
    // One that cannot be read was not uploaded by this program; it is compared as it is.
    let compared = read_code("code", spelled).unwrap_or_else(|_| spelled.to_owned());
    let entry = if compared == spelled { compared.clone() } else { format!("{compared} {spelled}") };
    (compared, entry)
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

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::HashSet;

    #[test]
    fn a_request_has_one_code_and_each_sale_other_ones() {
        let code = code_of("key", "request");
        assert_eq!(code, code_of("key", "request"));
        assert_ne!(code, code_of("other", "request"));
        assert_eq!(read_code("code", &code).as_deref(), Ok(code.as_str()));
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
}
