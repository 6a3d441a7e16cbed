//! Numbers, money, durations and instants as text, the same on server and browser. Both languages group digits by
//! threes and write yuan in front.

use crate::domain::{Cents, Millis};

const SECOND: u64 = 1_000;
const MINUTE: u64 = 60 * SECOND;
const HOUR: u64 = 60 * MINUTE;
const DAY: u64 = 24 * HOUR;

/// `1,234,567`
pub fn count(number: u64) -> String {
    let digits = number.to_string();
    let mut text = String::with_capacity(digits.len() * 4 / 3 + 1);
    for (place, digit) in digits.char_indices() {
        if place > 0 && (digits.len() - place).is_multiple_of(3) {
            text.push(',');
        }
        text.push(digit);
    }
    text
}

/// `¥1,234.56`
pub fn money(cents: Cents) -> String {
    let sign = if cents < 0 { "-" } else { "" };
    let cents = cents.unsigned_abs();
    format!("{sign}¥{}.{:02}", count(cents / 100), cents % 100)
}

/// `43 %`, rounded down, so that a hundred means all.
pub fn percent(part: u64, whole: u64) -> String {
    format!("{} %", (part * 100).checked_div(whole).unwrap_or(0))
}

/// `850 µs`, `12.3 ms`, `1.20 s`
pub fn micros(us: u64) -> String {
    match us {
        0..1_000 => format!("{us} µs"),
        1_000..1_000_000 => format!("{} ms", tenths(us / 100)),
        _ => format!("{}.{:02} s", us / 1_000_000, us % 1_000_000 / 10_000),
    }
}

/// `12.3` out of 123 tenths.
pub fn tenths(tenths: u64) -> String {
    format!("{}.{}", count(tenths / 10), tenths % 10)
}

/// `23:59:58`, with `days` in front where there are any: `2 d 03:00:00`
pub fn countdown(ms: u64, days: fn(u64) -> String) -> String {
    let time = clock_of(ms % DAY);
    match ms / DAY {
        0 => time,
        some => format!("{}{time}", days(some)),
    }
}

/// An instant in UTC, as `2026-01-31 23:59:58 UTC`: what the server writes, which does not know the
/// reader's time zone.
pub fn utc(at: Millis) -> String {
    instant(at, " ", " UTC")
}

/// The time of an instant in UTC, as `23:59:58`.
pub fn utc_clock(at: Millis) -> String {
    clock_of(at.rem_euclid(DAY as Millis) as u64)
}

/// An instant for `<time datetime>`.
pub fn iso(at: Millis) -> String {
    instant(at, "T", "Z")
}

fn instant(at: Millis, between: &str, zone: &str) -> String {
    let (year, month, day) = civil(at.div_euclid(DAY as Millis));
    format!("{year}-{month:02}-{day:02}{between}{}{zone}", utc_clock(at))
}

fn clock_of(ms: u64) -> String {
    format!("{:02}:{:02}:{:02}", ms / HOUR, ms / MINUTE % 60, ms / SECOND % 60)
}

/// Year, month, day of a day since 1970-01-01, by Howard Hinnant's `civil_from_days`.
fn civil(day: i64) -> (i64, u64, u64) {
    let day = day + 719_468;
    let era = day.div_euclid(146_097);
    let of_era = day.rem_euclid(146_097);
    let year = (of_era - of_era / 1_460 + of_era / 36_524 - of_era / 146_096) / 365;
    let of_year = of_era - (365 * year + year / 4 - year / 100);
    let month = (5 * of_year + 2) / 153;
    let of_month = of_year - (153 * month + 2) / 5 + 1;
    let month = if month < 10 { month + 3 } else { month - 9 };
    (year + era * 400 + i64::from(month <= 2), month as u64, of_month as u64)
}

/// Text as one segment of a path: everything but letters, digits and `-_.~` percent-encoded.
pub fn segment(text: &str) -> String {
    const HEX: &[u8; 16] = b"0123456789ABCDEF";
    let mut path = String::with_capacity(text.len());
    for byte in text.bytes() {
        if byte.is_ascii_alphanumeric() || b"-_.~".contains(&byte) {
            path.push(byte as char);
        } else {
            path.push('%');
            path.push(HEX[usize::from(byte >> 4)] as char);
            path.push(HEX[usize::from(byte & 15)] as char);
        }
    }
    path
}

/// Text so that it is text again where HTML is read, in attributes too.
pub fn escape_html(text: &str) -> String {
    let mut html = String::with_capacity(text.len());
    for c in text.chars() {
        match c {
            '<' => html.push_str("&lt;"),
            '>' => html.push_str("&gt;"),
            '&' => html.push_str("&amp;"),
            '"' => html.push_str("&quot;"),
            c => html.push(c),
        }
    }
    html
}

/// A whole number as people type it: `10000`, `10,000`, `10 000`.
pub fn parse_count(text: &str) -> Option<u64> {
    let digits: String = text.chars().filter(|c| !c.is_whitespace() && *c != ',' && *c != '_').collect();
    digits.parse().ok()
}

/// Yuan as people type them, in cents: `1234.5`, `¥1,234.50`.
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
    fn numbers_are_grouped_by_threes() {
        let written = [0, 999, 1_000, 12_345, 1_234_567].map(count);
        assert_eq!(written, ["0", "999", "1,000", "12,345", "1,234,567"]);
    }

    #[test]
    fn money_has_its_cents() {
        let written = [0, 5, 100, 123_456, -1_05].map(money);
        assert_eq!(written, ["¥0.00", "¥0.05", "¥1.00", "¥1,234.56", "-¥1.05"]);
    }

    #[test]
    fn a_share_is_a_hundred_percent_only_when_it_is_all() {
        assert_eq!(percent(999, 1_000), "99 %");
        assert_eq!(percent(1_000, 1_000), "100 %");
        assert_eq!(percent(0, 0), "0 %");
    }

    #[test]
    fn durations_pick_their_unit() {
        assert_eq!([850, 12_345, 1_204_000].map(micros), ["850 µs", "12.3 ms", "1.20 s"]);
        assert_eq!(
            [0, 86_399_000, 183_600_000].map(|ms| countdown(ms, |days| format!("{days} d "))),
            ["00:00:00", "23:59:59", "2 d 03:00:00"]
        );
    }

    #[test]
    fn instants_are_written_in_utc() {
        assert_eq!(utc(0), "1970-01-01 00:00:00 UTC");
        assert_eq!(utc(1_709_251_199_000), "2024-02-29 23:59:59 UTC");
        assert_eq!(iso(1_709_251_200_000), "2024-03-01T00:00:00Z");
    }

    #[test]
    fn any_id_fits_into_a_path() {
        assert_eq!(segment("demo-1"), "demo-1");
        assert_eq!(segment("a/b ?红"), "a%2Fb%20%3F%E7%BA%A2");
    }

    #[test]
    fn text_does_not_become_markup() {
        assert_eq!(escape_html(r#"</title> & "b""#), "&lt;/title&gt; &amp; &quot;b&quot;");
    }

    #[test]
    fn people_type_numbers_in_many_ways() {
        assert_eq!(["10,000", " 7 ", "-1", "x", ""].map(parse_count), [Some(10_000), Some(7), None, None, None]);
        let typed = ["1", "1.5", "¥1,234.56", ".05", "1.234", "1.-5", "x"].map(parse_money);
        assert_eq!(typed, [Some(100), Some(150), Some(123_456), Some(5), None, None, None]);
    }
}
