//! Numbers and money as people type them.

use crate::domain::Cents;

/// A whole number: `10000`, `10,000`, `10 000`.
pub fn parse_count(text: &str) -> Option<u64> {
    let digits: String = text.chars().filter(|c| !c.is_whitespace() && *c != ',' && *c != '_').collect();
    digits.parse().ok()
}

/// Yuan, in cents: `1234.5`, `¥1,234.50`.
pub fn parse_money(text: &str) -> Option<Cents> {
    let text = text.trim().trim_start_matches(['¥', '￥']);
    let (yuan, cents) = text.split_once('.').unwrap_or((text, ""));
    // A sign would be taken for a number otherwise.
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn people_type_numbers_in_many_ways() {
        assert_eq!(["10,000", " 7 ", "-1", "x", ""].map(parse_count), [Some(10_000), Some(7), None, None, None]);
        let typed = ["1", "1.5", "¥1,234.56", ".05", "1.234", "1.-5", "x"].map(parse_money);
        assert_eq!(typed, [Some(100), Some(150), Some(123_456), Some(5), None, None, None]);
    }
}
