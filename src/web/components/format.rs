//! Numbers, money and durations as text, the same on server and browser. Both languages group digits by threes and
//! write currencies in front.

use model::{Cents, life::Currency};

/// Stands for a missing figure.
pub const NO_VALUE: &str = "–";

const SECOND: u64 = 1_000;
const MINUTE: u64 = 60 * SECOND;
const HOUR: u64 = 60 * MINUTE;
pub(super) const DAY: u64 = 24 * HOUR;

/// Formats a count: `1,234,567`
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

/// Formats a count and what is counted, in English: `1 retry`, `1,000 retries`
pub fn counted(number: u64, one: &str, several: &str) -> String {
    format!("{} {}", count(number), if number == 1 { one } else { several })
}

/// Formats an amount of a currency: `¥1,234.56`, `JP¥1,235`, `KWD 1.234`
pub fn money(cents: Cents, currency: Currency) -> String {
    let sign = if cents < 0 { "-" } else { "" };
    let (mark, gap) = match currency.code() {
        "CNY" => ("¥", ""),
        "JPY" => ("JP¥", ""),
        "EUR" => ("€", ""),
        "GBP" => ("£", ""),
        "USD" => ("$", ""),
        code => (code, "\u{a0}"),
    };
    format!("{sign}{mark}{gap}{}", amount(cents.unsigned_abs(), currency))
}

/// Formats an amount of a currency, without the digits of its minor unit if they are zero: `¥88`
pub fn round_money(cents: Cents, currency: Currency) -> String {
    let text = money(cents, currency);
    match text.split_once('.') {
        Some((whole, part)) if part.bytes().all(|digit| digit == b'0') => whole.to_owned(),
        _ => text,
    }
}

/// Formats an amount without its currency: `1,234.56`
pub fn amount(cents: u64, currency: Currency) -> String {
    let digits = usize::from(currency.digits());
    let unit = 10_u64.pow(currency.digits().into());
    match digits {
        0 => count(cents),
        _ => format!("{}.{:0digits$}", count(cents / unit), cents % unit),
    }
}

/// Formats a share as `43%`, rounded down, so that 100% means all.
pub fn percent(part: u64, whole: u64) -> String {
    format!("{}%", (part * 100).checked_div(whole).unwrap_or(0))
}

/// Formats a share as `43.2%`, `0%`, `100%`: rounded to the nearest, so that two complementary shares add up to 100.
/// Only nothing is shown as 0, and only all as 100: near these ends, a share has as many digits as necessary.
pub fn share(part: u64, whole: u64) -> String {
    if part == 0 || part >= whole {
        return if part == 0 { "0%" } else { "100%" }.to_owned();
    }
    // Seven digits are enough: no sale has more than ten million items.
    (1..=7)
        .map(|digits| (digits, u128::from(part), u128::from(whole), 10_u128.pow(digits as u32 + 2)))
        .map(|(digits, part, whole, all)| (digits, (part * all + whole / 2) / whole, all))
        .find(|(_, share, all)| *share > 0 && share < all)
        .map_or_else(
            || "0%".to_owned(),
            |(digits, share, _)| {
                let one = 10_u128.pow(digits as u32);
                format!("{}.{:0digits$}%", share / one, share % one)
            },
        )
}

/// Returns a share from 0 to 1 in percent, as fields of forms and addresses have it: `20`, `12.5`. The rounding errors
/// of a multiplication by 100 are avoided: `7` and not `7.000000000000001`.
pub fn in_percent(share: f64) -> String {
    ((share * 1e6).round() / 1e4).to_string()
}

/// Formats a duration: `850 µs`, `12.3 ms`, `1.20 s`
pub fn micros(us: u64) -> String {
    match us {
        0..1_000 => format!("{us} µs"),
        1_000..1_000_000 => format!("{} ms", tenths(us / 100)),
        _ => format!("{}.{:02} s", us / 1_000_000, us % 1_000_000 / 10_000),
    }
}

/// Formats a time after the start of a run, in milliseconds, as `12.3 s`, `0.85 s`, `0 s`: one unit for a whole axis.
/// In the first second to the hundredth, and in its first tenth to the millisecond, as some runs are over by then.
pub fn seconds(at_ms: f64) -> String {
    let text = match at_ms as u64 {
        ms @ 0..100 => format!("0.{ms:03}"),
        ms @ 100..995 => format!("0.{:02}", (ms + 5) / 10),
        ms => tenths((ms + 50) / 100),
    };
    format!("{} s", text.trim_end_matches('0').trim_end_matches('.'))
}

/// Formats tenths: `12.3` for 123.
pub fn tenths(tenths: u64) -> String {
    format!("{}.{}", count(tenths / 10), tenths % 10)
}

/// Formats a duration as forms take it, in whole units: `90 s`, `5 min`, `2 h`, `1 d`
pub fn duration_text(seconds: u64) -> String {
    let units = [(86_400, "d"), (3_600, "h"), (60, "min")];
    let unit = units.into_iter().find(|(length, _)| seconds > 0 && seconds.is_multiple_of(*length));
    let (length, unit) = unit.unwrap_or((1, "s"));
    format!("{} {unit}", seconds / length)
}

/// Formats a countdown: `23:59:58`, with `days` in front if there are any: `2 d 03:00:00`
pub fn countdown(ms: u64, days: fn(u64) -> String) -> String {
    let time = clock_of(ms % DAY);
    match ms / DAY {
        0 => time,
        some => format!("{}{time}", days(some)),
    }
}

/// Returns the time of day this long after midnight, as `23:59:58`.
pub(super) fn clock_of(ms: u64) -> String {
    format!("{:02}:{:02}:{:02}", ms / HOUR, ms / MINUTE % 60, ms / SECOND % 60)
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
    fn one_is_singular() {
        let written = [0, 1, 1_000].map(|number| counted(number, "retry", "retries"));
        assert_eq!(written, ["0 retries", "1 retry", "1,000 retries"]);
    }

    #[test]
    fn money_has_the_digits_of_its_currency() {
        let written = [0, 5, 100, 123_456, -1_05].map(|cents| money(cents, Currency::CNY));
        assert_eq!(written, ["¥0.00", "¥0.05", "¥1.00", "¥1,234.56", "-¥1.05"]);
        let of = |code| money(-1_234_567, Currency::from_code(code).expect("a currency"));
        let round = [8_800, 8_801].map(|cents| round_money(cents, Currency::CNY));
        assert_eq!(round, ["¥88", "¥88.01"]);
        assert_eq!(["USD", "JPY", "KWD"].map(of), ["-$12,345.67", "-JP¥1,234,567", "-KWD\u{a0}1,234.567"]);
    }

    #[test]
    fn a_share_is_a_hundred_percent_only_when_it_is_all() {
        assert_eq!(percent(999, 1_000), "99%");
        assert_eq!(percent(1_000, 1_000), "100%");
        assert_eq!(percent(0, 0), "0%");
        let shares = [(0, 0), (0, 9), (1, 1_000_000), (432, 1_000), (9_617, 10_000), (59_998, 60_000), (9, 9), (10, 9)]
            .map(|(part, whole)| share(part, whole));
        assert_eq!(shares, ["0%", "0%", "0.0001%", "43.2%", "96.2%", "99.997%", "100%", "100%"]);
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
    fn a_duration_is_written_as_it_is_read() {
        let written = [0, 90, 300, 7_200, 5_400, 86_400, 90_000].map(duration_text);
        assert_eq!(written, ["0 s", "90 s", "5 min", "2 h", "90 min", "1 d", "25 h"]);
        assert_eq!(
            written.each_ref().map(|text| model::parse::parse_duration(text)),
            [0, 90, 300, 7_200, 5_400, 86_400, 90_000].map(Some)
        );
    }

    #[test]
    fn instants_of_a_run_are_in_seconds() {
        let written = [0.0, 7.0, 50.0, 103.0, 117.0, 500.0, 999.0, 1_000.0, 12_340.0, 20_000.0].map(seconds);
        assert_eq!(written, ["0 s", "0.007 s", "0.05 s", "0.1 s", "0.12 s", "0.5 s", "1 s", "1 s", "12.3 s", "20 s"]);
    }
}
