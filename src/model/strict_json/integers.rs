//! Whole numbers with a point or an exponent. For JSON, and for JSON Schema, `5.0` and `5e0` are the integer 5, and `-0`
//! is 0; serde reads them as floating point.

/// The body with all such numbers in digits; `None` if it has none. The text is changed, not a value that was read from
/// it: a value has lost digits of large numbers, and fields that are given twice.
pub(super) fn in_digits(body: &[u8]) -> Option<Vec<u8>> {
    let (mut written, mut is_changed) = (Vec::with_capacity(body.len()), false);
    let (mut in_string, mut rest) = (false, body);
    while let [first, ..] = rest {
        let length = match first {
            // An escaped quote does not end a string.
            b'\\' => rest.len().min(2),
            b'-' | b'0'..=b'9' if !in_string => {
                rest.iter().take_while(|byte| matches!(byte, b'+' | b'-' | b'.' | b'e' | b'E' | b'0'..=b'9')).count()
            }
            _ => 1,
        };
        in_string ^= *first == b'"';
        let (token, behind) = rest.split_at(length);
        let digits = if length > 1 && !in_string { digits(token) } else { None };
        is_changed |= digits.is_some();
        written.extend_from_slice(digits.as_ref().map_or(token, String::as_bytes));
        rest = behind;
    }
    is_changed.then_some(written)
}

/// The digits of a whole number that is written otherwise.
fn digits(number: &[u8]) -> Option<String> {
    let number = str::from_utf8(number).ok()?;
    let (sign, size) = number.strip_prefix('-').map_or(("", number), |size| ("-", size));
    let (mantissa, exponent) = size.split_once(['e', 'E']).unwrap_or((size, "0"));
    let (whole, fraction) = mantissa.split_once('.').unwrap_or((mantissa, "0"));
    let is_number = |text: &str| !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_digit());
    // Also `-0`, which serde reads as floating point.
    let is_in_digits = size == whole && number != "-0";
    if is_in_digits || !is_number(whole) || !is_number(fraction) {
        return None;
    }
    let all = format!("{whole}{fraction}");
    let kept = all.trim_end_matches('0');
    if kept.is_empty() {
        return Some("0".to_owned());
    }
    let zeros = exponent.parse::<i32>().ok()? + (all.len() - kept.len()) as i32 - fraction.len() as i32;
    // No type has more than 20 digits.
    (0..20).contains(&zeros).then(|| format!("{sign}{}{}", kept.trim_start_matches('0'), "0".repeat(zeros as usize)))
}
