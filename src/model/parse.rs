//! Parsing of numbers and money as people type them.

use crate::Cents;

/// A whole number: `10000`, `10,000`, `10 000`. Separators must separate thousands: `1,5` is rejected, as some readers
/// would take it for one and a half.
pub fn parse_count(text: &str) -> Option<u64> {
    let groups: Vec<&str> = text.trim().split([',', '，', '_', ' ', '\u{a0}', '\u{202f}']).collect();
    let (first, thousands) = groups.split_first()?;
    let is_grouped = thousands.is_empty() || (1..=3).contains(&first.len());
    let is_number = groups.iter().all(|group| group.bytes().all(|digit| digit.is_ascii_digit()));
    if !is_grouped || !is_number || thousands.iter().any(|group| group.len() != 3) {
        return None;
    }
    groups.concat().parse().ok()
}

/// An amount in yuan, as cents: `1234.5`, `¥1,234.50`.
pub fn parse_money(text: &str) -> Option<Cents> {
    let text = text.trim().trim_start_matches(['¥', '￥']);
    let (yuan, cents) = text.split_once('.').unwrap_or((text, ""));
    // Otherwise a sign would be accepted as part of a number.
    if text.is_empty() || !cents.bytes().all(|digit| digit.is_ascii_digit()) {
        return None;
    }
    let cents = match cents.len() {
        0 => 0,
        1 => cents.parse::<Cents>().ok()? * 10,
        2 => cents.parse::<Cents>().ok()?,
        _ => return None,
    };
    let yuan = if yuan.is_empty() { 0 } else { Cents::try_from(parse_count(yuan)?).ok()? };
    yuan.checked_mul(100)?.checked_add(cents)
}

/// A percentage as a share: `12.5` or `12.5 %` is 0.125. Shares above 1 are accepted.
pub fn parse_percent(text: &str) -> Option<f64> {
    let text = text.trim().trim_end_matches(['%', '％']).trim_end();
    // Otherwise signs, exponents and `inf` would be accepted.
    let is_number = text.bytes().all(|byte| byte.is_ascii_digit() || byte == b'.');
    text.parse().ok().filter(|percent: &f64| is_number && percent.is_finite()).map(|percent| percent / 100.0)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn people_type_numbers_in_many_ways() {
        let numbers = ["10,000", "1 000 000", "10000", " 7 "].map(parse_count);
        assert_eq!(numbers, [Some(10_000), Some(1_000_000), Some(10_000), Some(7)]);
        for text in ["-1", "+1", "x", "", ",", "1,5", "12,50", "1,0000", "1000,000", ",100", "1,,000"] {
            assert_eq!(parse_count(text), None, "{text}");
        }
        let typed = ["1", "1.5", "¥1,234.56", ".05", "1.234", "1.-5", "x", "12,50"].map(parse_money);
        assert_eq!(typed, [Some(100), Some(150), Some(123_456), Some(5), None, None, None, None]);
    }

    #[test]
    fn shares_may_have_decimals() {
        let typed = ["0", "7", "12.5", " 100 % ", "101"].map(parse_percent);
        assert_eq!(typed, [Some(0.0), Some(0.07), Some(0.125), Some(1.0), Some(1.01)]);
        let endless = "9".repeat(400);
        for text in ["", ".", "%", "-1", "+1", "1e1", "inf", "NaN", "1,5", "x", &endless] {
            assert_eq!(parse_percent(text), None, "{text}");
        }
    }
}
