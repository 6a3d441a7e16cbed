//! Parsing of numbers and money as people type them.

use crate::{Cents, life::Currency};

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

/// An amount of a currency, in its minor unit: `1234.5`, `¥1,234.50`.
pub fn parse_money(text: &str, currency: Currency) -> Option<Cents> {
    let signs: &[char] = match currency.code() {
        "CNY" | "JPY" => &['¥', '￥'],
        "EUR" => &['€'],
        "GBP" => &['£'],
        "USD" => &['$'],
        _ => &[],
    };
    let text = text.trim().trim_start_matches(signs);
    let (whole, part) = text.split_once('.').unwrap_or((text, ""));
    let digits = usize::from(currency.digits());
    // Otherwise a sign would be accepted as part of a number.
    if text.is_empty() || part.len() > digits || !part.bytes().all(|digit| digit.is_ascii_digit()) {
        return None;
    }
    let part = format!("{part:0<digits$}");
    let part = if part.is_empty() { 0 } else { part.parse::<Cents>().ok()? };
    let whole = if whole.is_empty() { 0 } else { Cents::try_from(parse_count(whole)?).ok()? };
    whole.checked_mul(10_i64.pow(currency.digits().into()))?.checked_add(part)
}

/// A duration in whole seconds, in the units of both languages: `90`, `90 s`, `5 min`, `2 h`, `1 d`, `5 分钟`.
pub fn parse_duration(text: &str) -> Option<u64> {
    let text = text.trim();
    let (number, unit) = text.split_at(text.find(|letter: char| !letter.is_ascii_digit()).unwrap_or(text.len()));
    let seconds: u64 = match unit.trim() {
        "" | "s" | "sec" | "秒" => 1,
        "m" | "min" | "分" | "分钟" => 60,
        "h" | "小时" => 3_600,
        "d" | "天" => 86_400,
        _ => return None,
    };
    number.parse::<u64>().ok()?.checked_mul(seconds)
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
        let typed = ["1", "1.5", "¥1,234.56", ".05", "1.234", "1.-5", "x", "12,50"];
        let typed = typed.map(|text| parse_money(text, Currency::CNY));
        assert_eq!(typed, [Some(100), Some(150), Some(123_456), Some(5), None, None, None, None]);
    }

    #[test]
    fn an_amount_has_at_most_the_digits_of_its_currency() {
        let read = |text, code| parse_money(text, Currency::from_code(code).expect("a currency"));
        assert_eq!(
            ["500", "1,500", "500.", "500.5", ""].map(|text| read(text, "JPY")),
            [Some(500), Some(1_500), Some(500), None, None]
        );
        assert_eq!([read("$5", "USD"), read("$5", "EUR")], [Some(500), None]);
        assert_eq!(
            ["1.5", "1.234", "1.2345", "."].map(|text| read(text, "KWD")),
            [Some(1_500), Some(1_234), None, Some(0)]
        );
    }

    #[test]
    fn a_duration_has_a_unit_of_either_language() {
        let typed = ["90", "90 s", "5min", "5 分钟", "2 h", "1 天"].map(parse_duration);
        assert_eq!(typed, [Some(90), Some(90), Some(300), Some(300), Some(7_200), Some(86_400)]);
        for text in ["", "s", "-5", "1.5 h", "5 years", "5 min 3 s", "2026-11-28 09:00", "99999999999999999999"] {
            assert_eq!(parse_duration(text), None, "{text}");
        }
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
