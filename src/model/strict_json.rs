//! The codec of requests: JSON in which an unknown field is an error. Otherwise a misspelt field would be ignored
//! silently, and its default would be used. Every error names the field. server_fn's own codec ignores unknown fields,
//! and `deny_unknown_fields` cannot be set on the type that `#[server]` makes of the arguments.

#[cfg(not(target_family = "wasm"))]
mod duplicates;
#[cfg(not(target_family = "wasm"))]
mod explain;
#[cfg(not(target_family = "wasm"))]
mod integers;

use serde::{Serialize, de::DeserializeOwned};
use server_fn::{
    Bytes, ContentType, Decodes, Encodes, Format, FormatType,
    codec::{JsonEncoding, Post},
};

/// The body of a POST request of the API.
pub type StrictJson = Post<StrictJsonEncoding>;

/// JSON without unknown or repeated fields, at any depth.
pub struct StrictJsonEncoding;

impl ContentType for StrictJsonEncoding {
    const CONTENT_TYPE: &'static str = JsonEncoding::CONTENT_TYPE;
}

impl FormatType for StrictJsonEncoding {
    const FORMAT_TYPE: Format = Format::Text;
}

impl<T: Serialize> Encodes<T> for StrictJsonEncoding {
    type Error = serde_json::Error;

    fn encode(request: &T) -> Result<Bytes, Self::Error> {
        JsonEncoding::encode(request)
    }
}

impl<T: DeserializeOwned> Decodes<T> for StrictJsonEncoding {
    type Error = serde_json::Error;

    /// Only the server reads requests.
    #[cfg(target_family = "wasm")]
    fn decode(body: Bytes) -> Result<T, Self::Error> {
        JsonEncoding::decode(body)
    }

    #[cfg(not(target_family = "wasm"))]
    fn decode(body: Bytes) -> Result<T, Self::Error> {
        use serde::de::Error;
        // Some libraries begin with a byte order mark, which RFC 8259 (8.1) allows a reader to ignore.
        let body = body.strip_prefix("\u{feff}".as_bytes()).unwrap_or(&body);
        if let Err(error) = str::from_utf8(body) {
            let why = format!("it is not encoded in UTF-8 (byte {})", error.valid_up_to());
            return Err(serde_json::Error::custom(why));
        }
        // The first characters of JSON are of ASCII, so UTF-16 and UTF-32 have a zero among the first bytes.
        if body.iter().take(4).any(|byte| *byte == 0) {
            return Err(serde_json::Error::custom("it is encoded in UTF-16 or UTF-32, not in UTF-8"));
        }
        read(body).or_else(|error| match integers::in_digits(body) {
            Some(body) => read(&body),
            None => Err(error),
        })
    }
}

#[cfg(not(target_family = "wasm"))]
fn read<T: DeserializeOwned>(body: &[u8]) -> Result<T, serde_json::Error> {
    use serde::de::Error;
    match body.trim_ascii_start().first() {
        None => return Err(serde_json::Error::custom("it is empty")),
        Some(b'{') => {}
        // serde would read the fields of a request from an array, too, in the order in which they are declared.
        Some(_) => return Err(serde_json::Error::custom("it is not an object")),
    }
    let mut deserializer = serde_json::Deserializer::from_slice(body);
    let mut unknown = None;
    let request = serde_ignored::deserialize(&mut deserializer, |path| {
        unknown.get_or_insert_with(|| explain::path(&path));
    });
    let again = &mut serde_json::Deserializer::from_slice(body);
    let request = request.map_err(|error| explain::explained::<_, T>(error, again))?;
    deserializer.end()?;
    match unknown {
        // In backticks, as serde names fields.
        Some(field) => Err(serde_json::Error::custom(format_args!("unknown field `{field}`"))),
        None => match duplicates::duplicate(body) {
            Some(field) => Err(serde_json::Error::custom(format_args!("duplicate field `{field}`"))),
            None => Ok(request),
        },
    }
}

/// Reads a part of a request from a value that was read before.
///
/// # Errors
/// As for the body of a request.
pub fn from_value<T: DeserializeOwned>(value: serde_json::Value) -> Result<T, serde_json::Error> {
    let read = T::deserialize(&value);
    #[cfg(not(target_family = "wasm"))]
    let read = read.or_else(|error| match integers::in_digits(value.to_string().as_bytes()) {
        Some(body) => self::read(&body),
        None => Err(explain::explained::<_, T>(error, value)),
    });
    read
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde::Deserialize;
    use std::collections::BTreeMap;

    #[derive(Debug, PartialEq, Deserialize)]
    struct Outer {
        name: String,
        inner: Option<Vec<Inner>>,
    }

    #[derive(Debug, PartialEq, Deserialize)]
    struct Inner {
        count: Option<u32>,
        #[serde(default)]
        cents: i64,
        #[serde(default)]
        units: u64,
        #[serde(default)]
        names: Vec<String>,
    }

    fn read(body: &'static str) -> Result<Outer, String> {
        StrictJsonEncoding::decode(Bytes::from_static(body.as_bytes()))
            .map_err(|error: serde_json::Error| error.to_string())
    }

    #[test]
    fn a_field_that_nobody_knows_is_named() {
        let inner = Inner { count: Some(1), cents: 0, units: 0, names: Vec::new() };
        let known = Outer { name: "a".to_owned(), inner: Some(vec![inner]) };
        assert_eq!(read(r#"{"name":"a","inner":[{"count":1}]} "#), Ok(known));
        assert_eq!(read(r#"{"name":"a","nam":1}"#), Err("unknown field `nam`".to_owned()));
        assert_eq!(read(r#"{"name":"a","inner":[{"counts":1}]}"#), Err("unknown field `inner[0].counts`".to_owned()));
        assert_eq!(read(r#"{"inner":[]}"#), Err("missing field `name`".to_owned()));
        for body in ["[\"a\",null]", "[]", "\"\"", "7", "null"] {
            assert_eq!(read(body), Err("it is not an object".to_owned()), "{body}");
        }
        assert_eq!(read("{\"name\":\"a\""), Err("EOF while parsing an object at line 1 column 11".to_owned()));
        assert_eq!(read(r#"{"name":"a"} {}"#), Err("trailing characters at line 1 column 14".to_owned()));
    }

    #[test]
    fn a_field_that_is_given_twice_is_named_at_every_depth() {
        let read = |body: &str| StrictJsonEncoding::decode(Bytes::copy_from_slice(body.as_bytes()));
        let read =
            |body| read(body).map(|_: BTreeMap<String, serde_json::Value>| ()).map_err(|error| error.to_string());
        assert_eq!(read(r#"{"a":{"a":1,"b":[{"a":1},{"a":2}]},"b":null,"c":true}"#), Ok(()));
        for (body, field) in [
            (r#"{"a":1,"a":1}"#, "a"),
            (r#"{"prices":{"a":8800,"a":1}}"#, "prices.a"),
            (r#"{"prices":{"a":8800,"\u0061":1}}"#, "prices.a"),
            (r#"{"a":[[1],[0,{"b":"","c":1.5,"b":""}]]}"#, "a[1][1].b"),
        ] {
            assert_eq!(read(body), Err(format!("duplicate field `{field}`")), "{body}");
        }
    }

    #[test]
    fn the_encoding_is_utf_8_with_or_without_a_mark() {
        assert!(read("\u{feff}{\"name\":\"a\"}").is_ok());
        let error = StrictJsonEncoding::decode(Bytes::from_static(b"{\"name\":\"caf\xe9\"}")).map(|_: Outer| ());
        let error = error.map_err(|error: serde_json::Error| error.to_string());
        assert_eq!(error, Err("it is not encoded in UTF-8 (byte 12)".to_owned()));
        for body in ["{\0\"\0n\0", "\0{\0\"\0n", "{\0\0\0\"\0\0\0"] {
            assert_eq!(read(body), Err("it is encoded in UTF-16 or UTF-32, not in UTF-8".to_owned()), "{body:?}");
        }
    }

    #[test]
    fn a_body_that_is_missing_or_cut_is_told_from_a_wrong_one() {
        for body in ["", " \r\n\t"] {
            assert_eq!(read(body), Err("it is empty".to_owned()), "{body:?}");
        }
        for half in ["\\ud83d", "\\ud83d.", "\\ud83d\\n"] {
            let error = StrictJsonEncoding::decode(Bytes::from(format!("{{\"name\":\"{half}\"}}")));
            let error = error.map(|_: Outer| ()).map_err(|error: serde_json::Error| error.to_string());
            assert!(error.is_err_and(|why| why.starts_with("half of a surrogate pair at line 1")), "{half}");
        }
    }

    #[test]
    fn a_whole_number_may_have_a_point_or_an_exponent() {
        let read = |body| StrictJsonEncoding::decode(Bytes::from_static(body));
        let inner = |count, cents| Outer {
            name: "1.0".to_owned(),
            inner: Some(vec![Inner { count: Some(count), cents, units: 0, names: Vec::new() }]),
        };
        let body = br#"{"name":"1.0","inner":[{"count":9.99999e+5,"cents":-9007199254740993.00}]}"#;
        assert_eq!(
            read(body).map_err(|error: serde_json::Error| error.to_string()),
            Ok(inner(999_999, -9_007_199_254_740_993))
        );
        let body = br#"{"name":"1.0","inner":[{"count":-0,"cents":-0}]}"#;
        assert_eq!(read(body).map_err(|error: serde_json::Error| error.to_string()), Ok(inner(0, 0)));
        let value = serde_json::from_slice(br#"{"name":"1.0","inner":[{"count":5.0}]}"#).expect("JSON");
        assert_eq!(from_value(value).ok(), Some(inner(5, 0)));
        for (body, why) in [
            (&br#"{"name":"\\\"","inner":[{"count":1.5}]}"#[..], "it is the number 1.5, expected"),
            (br#"{"name":"a","inner":[{"count":1.0,"count":2}]}"#, "duplicate field `inner[0].count`"),
            (br#"{"name":"a","inner":[{"count":1.0}],"nam":1}"#, "unknown field `nam`"),
            (br#"{"name":1.0}"#, "field `name`: it is the number 1, expected a string"),
            (br#"{"name":"a","inner":[{"count":15e-1}]}"#, "it is the number 1.5, expected"),
            (br#"{"name":"a","inner":[{"count":1.}]}"#, "invalid number"),
            (br#"{"name":"a","inner":[{"count":1e99}]}"#, "expected a whole number"),
        ] {
            let told = read(body).map_err(|error: serde_json::Error| error.to_string()).expect_err(why);
            assert!(told.contains(why), "{told}");
        }
    }

    /// Fields have one kind of path, and types have the names that people who write JSON know.
    #[test]
    fn a_wrong_type_is_told_in_words_of_json() {
        for (value, why) in [
            (r#"{"count":"1"}"#, ".count`: it is a string, expected a whole number from 0 to 4294967295"),
            (r#"{"count":-1}"#, ".count`: it is the number -1, expected a whole number from 0 to 4294967295"),
            (r#"{"cents":1.5}"#, ".cents`: it is the number 1.5, expected a whole number"),
            (r#"{"cents":true}"#, ".cents`: it is true, expected a whole number"),
            (r#"{"cents":[1]}"#, ".cents`: it is an array, expected a whole number"),
            (
                r#"{"cents":9223372036854775808}"#,
                ".cents`: it is the number 9223372036854775808, expected a whole number from -9223372036854775808 to \
                 9223372036854775807",
            ),
            (r#"{"units":-1}"#, ".units`: it is the number -1, expected a whole number, 0 or more"),
            (
                r#"{"units":18446744073709551616}"#,
                ".units`: it is the number 1.8446744073709552e+19, expected a whole number from 0 to 18446744073709551615",
            ),
            (r#"{"names":{}}"#, ".names`: it is an object, expected an array"),
            (r#"{"names":["a",null]}"#, ".names[1]`: it is null, expected a string"),
            ("7", "`: it is the number 7, expected an object"),
        ] {
            let body = format!(r#"{{"name":"a","inner":[{value}]}}"#);
            let reported = StrictJsonEncoding::decode(Bytes::from(body));
            let reported = reported.map(|_: Outer| ()).map_err(|error: serde_json::Error| error.to_string());
            assert_eq!(reported, Err(format!("field `inner[0]{why}")), "{value}");
        }
    }
}
