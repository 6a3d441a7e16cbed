//! Whole numbers that are written with a point: to JSON Schema 5.0 is an integer, to serde it is none.

/// The body with `5` in the place of each `5.0`; `None` if there is nothing to replace. On the text, because what a value
/// keeps of it is neither all digits nor a field that is given twice.
pub(super) fn without_points(body: &[u8]) -> Option<Vec<u8>> {
    let mut whole = Vec::with_capacity(body.len());
    let (mut in_string, mut rest) = (false, body);
    while let [first, behind @ ..] = rest {
        let (kept, next) = match (first, behind) {
            // What is escaped ends no string.
            (b'\\', [_, next @ ..]) => (2, next),
            (b'.', _) if !in_string => {
                let zeros = behind.iter().take_while(|byte| **byte == b'0').count();
                let is_whole = zeros > 0 && !matches!(behind.get(zeros), Some(b'0'..=b'9' | b'e' | b'E'));
                if is_whole { (0, &behind[zeros..]) } else { (1, behind) }
            }
            _ => (1, behind),
        };
        in_string ^= *first == b'"';
        whole.extend_from_slice(&rest[..kept]);
        rest = next;
    }
    (whole.len() < body.len()).then_some(whole)
}
