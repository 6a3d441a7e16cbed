//! Makes sense into nonsense: of the JSON, of the head, or of the bytes.

use super::requests::Request;
use rand::{Rng, seq::IndexedRandom};
use rand_chacha::ChaCha8Rng;
use serde_json::{Value, json};

const METHODS: [&str; 9] = ["GET", "POST", "PUT", "PATCH", "DELETE", "HEAD", "OPTIONS", "TRACE", "BREW"];
const HEADERS: [(&str, &[u8]); 30] = [
    ("content-type", b"text/plain"),
    ("content-type", b"application/json; charset=utf-16"),
    ("content-type", b"\xff\xfe"),
    ("accept", b"text/html"),
    ("accept", b"application/x-www-form-urlencoded, */*;q=0.1"),
    ("accept-encoding", b"gzip, br;q=9, *;q=0"),
    ("accept-language", b"zh-CN,zh;q=0.9,en;q=abc"),
    ("accept-language", b"\xe4\xb8\xad"),
    ("cookie", b"theme=dark; lang=zh; lang=\"; =;;"),
    ("cookie", b"\xff=%00; theme=%FF%FE"),
    ("origin", b"http://localhost"),
    ("origin", b"null"),
    ("origin", b"://"),
    ("sec-fetch-site", b"cross-site"),
    ("sec-fetch-site", b"same-origin"),
    ("sec-fetch-mode", b"navigate"),
    ("host", b"evil.example"),
    ("host", b""),
    ("host", b"[::1"),
    ("x-forwarded-for", b"1.2.3.4"),
    ("x-http-method-override", b"DELETE"),
    ("range", b"bytes=5-2,-1,99999999999999999999-"),
    ("if-none-match", b"\"a\", W/\"b\", *"),
    ("if-modified-since", b"Thu, 99 Foo 0000 99:99:99 GMT"),
    ("last-event-id", b"18446744073709551615-18446744073709551615"),
    ("last-event-id", b"-1-x"),
    ("content-encoding", b"gzip"),
    ("expect", b"100-continue"),
    ("connection", b"upgrade"),
    ("upgrade", b"websocket"),
];
const PIECES: [&str; 18] = [
    "%00",
    "%2f",
    "%2e%2e/",
    "%ff",
    "%",
    "//",
    ";",
    "{}",
    "'",
    "%F0%9F%8E%AB",
    "?",
    "&&",
    "=",
    "+",
    "..",
    "%25",
    ":",
    "~",
];
/// Values of no type in particular.
const TEXTS: [&str; 16] = [
    "",
    " ",
    "\0",
    "\u{200b}",
    "\u{202e}abc",
    "e\u{301}",
    "\u{1f39f}",
    "a\nb",
    "-",
    "0-0",
    "1-2-3",
    "s0:events",
    "{ticket:t0}",
    "'; DROP TABLE history; --",
    "=1+1",
    "18446744073709551615-18446744073709551615",
];

/// Leaves two in five as they are.
pub fn mutate(request: &mut Request, random: &mut ChaCha8Rng) {
    match random.random_range(0..20) {
        0..8 => {}
        8..14 => mutate_json(&mut request.body, random),
        14..16 => mutate_bytes(&mut request.body, random),
        16..19 => mutate_head(request, random),
        _ => {
            let mut bytes = request.to_bytes();
            mutate_bytes(&mut bytes, random);
            request.bytes = Some(bytes);
        }
    }
}

fn one_of<'a, T>(random: &mut ChaCha8Rng, values: &'a [T]) -> &'a T {
    values.choose(random).expect("values")
}

fn any_value(random: &mut ChaCha8Rng) -> Value {
    match random.random_range(0..14) {
        0 => Value::Null,
        1 => random.random::<bool>().into(),
        2 => random.random::<i64>().into(),
        3 => random.random::<u64>().into(),
        4 => (*one_of(random, &[0, -1, 1, i64::MAX, i64::MIN, 1 << 53, 65_536])).into(),
        5 => (*one_of(random, &[0.5, -0.0, 1e308, 5e-324, 1.000_000_000_1, 1e15])).into(),
        6..9 => (*one_of(random, &TEXTS)).into(),
        9 => "x".repeat(random.random_range(60..70)).into(),
        10 => "\u{4e2d}".repeat(random.random_range(1..30_000)).into(),
        11 => (0..random.random_range(0..5)).map(|_| any_value(random)).collect(),
        12 => json!({ *one_of(random, &["kind", "sale", "x", ""]): any_value(random) }),
        _ => (0..random.random_range(1..300)).fold(Value::Null, |inner, _| json!([inner])),
    }
}

fn mutate_json(body: &mut Vec<u8>, random: &mut ChaCha8Rng) {
    let Ok(mut json) = serde_json::from_slice::<Value>(body) else { return };
    for _ in 0..random.random_range(1..4) {
        change(&mut json, random);
    }
    *body = json.to_string().into_bytes();
    if random.random_ratio(1, 20) {
        // The same field again.
        let again = format!("{{\"sale\":\"s0\",{}", String::from_utf8_lossy(&body[1.min(body.len())..]));
        *body = again.into_bytes();
    }
}

fn change(json: &mut Value, random: &mut ChaCha8Rng) {
    match json {
        Value::Object(fields) if !fields.is_empty() && random.random_ratio(9, 10) => {
            let names: Vec<String> = fields.keys().cloned().collect();
            let name = one_of(random, &names).clone();
            match random.random_range(0..6) {
                0 => drop(fields.remove(&name)),
                1 => drop(fields.insert(format!("{name}s"), any_value(random))),
                2 => {
                    let other = fields[one_of(random, &names)].clone();
                    fields.insert(name, other);
                }
                3 => fields.values_mut().for_each(|value| {
                    if random.random_ratio(1, 4) {
                        *value = any_value(random);
                    }
                }),
                _ => fields.get_mut(&name).into_iter().for_each(|value| change(value, random)),
            }
        }
        Value::Array(values) if !values.is_empty() && random.random_ratio(9, 10) => {
            let place = random.random_range(0..values.len());
            match random.random_range(0..4) {
                0 => drop(values.remove(place)),
                1 => {
                    let again = values[place].clone();
                    values.resize(values.len() + random.random_range(1..40), again);
                }
                _ => change(&mut values[place], random),
            }
        }
        Value::Number(number) if random.random_ratio(1, 2) => {
            let number = number.as_f64().unwrap_or_default();
            *json = match random.random_range(0..4) {
                0 => json!(-number),
                1 => json!(number + 0.5),
                2 => json!(number.to_string()),
                _ => json!((number as i64).wrapping_sub(1)),
            };
        }
        other => *other = any_value(random),
    }
}

fn mutate_bytes(bytes: &mut Vec<u8>, random: &mut ChaCha8Rng) {
    for _ in 0..random.random_range(1..6) {
        let place = random.random_range(0..=bytes.len());
        let end = (place + random.random_range(1..20)).min(bytes.len());
        match random.random_range(0..6) {
            0 => bytes.truncate(place),
            1 => drop(bytes.drain(place..end)),
            2 => bytes.insert(place, random.random()),
            3 => bytes[place..end].iter_mut().for_each(|byte| *byte = random.random()),
            4 => bytes[place..end].iter_mut().take(1).for_each(|byte| *byte ^= 1 << random.random_range(0..8)),
            _ => {
                let again = bytes[place..end].to_vec();
                bytes.splice(place..place, again);
            }
        }
    }
}

fn mutate_head(request: &mut Request, random: &mut ChaCha8Rng) {
    for _ in 0..random.random_range(1..4) {
        match random.random_range(0..6) {
            0 => request.method = (*one_of(random, &METHODS)).to_owned(),
            1..4 => {
                let (name, value) = *one_of(random, &HEADERS);
                if random.random() {
                    request.headers.retain(|(known, _)| known != name);
                }
                request.headers.push((name.to_owned(), value.to_vec()));
            }
            4 => {
                let (piece, place) = (*one_of(random, &PIECES), random.random_range(1..=request.path.len()));
                request.path.insert_str(place, piece);
                request.odd = true;
            }
            _ => {
                let piece = *one_of(random, &PIECES);
                let name = *one_of(random, &["after", "sale", "limit", "lang", "x"]);
                request.query.push_str(&format!("&{name}={piece}"));
            }
        }
    }
}
