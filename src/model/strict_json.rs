//! The codec of requests: JSON in which an unknown field is an error. Otherwise a misspelt field would be ignored
//! silently, and its default would be used. Every error names the field. server_fn's own codec ignores unknown fields,
//! and `deny_unknown_fields` cannot be set on the type that `#[server]` makes of the arguments.

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

/// JSON without unknown fields, at any depth.
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
        read(&body).or_else(|error| match integers::without_points(&body) {
            Some(body) => read(&body),
            None => Err(error),
        })
    }
}

#[cfg(not(target_family = "wasm"))]
fn read<T: DeserializeOwned>(body: &[u8]) -> Result<T, serde_json::Error> {
    use serde::de::Error;
    // serde would read the fields of a request from an array, too, in the order in which they are declared.
    if body.iter().find(|byte| !byte.is_ascii_whitespace()).is_some_and(|first| *first != b'{') {
        return Err(serde_json::Error::custom("it is not an object"));
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
        None => Ok(request),
    }
}

/// Reads a part of a request from a value that was read before.
///
/// # Errors
/// As for the body of a request.
pub fn from_value<T: DeserializeOwned>(value: serde_json::Value) -> Result<T, serde_json::Error> {
    let read = T::deserialize(&value);
    #[cfg(not(target_family = "wasm"))]
    let read = read.or_else(|error| match integers::without_points(value.to_string().as_bytes()) {
        Some(body) => self::read(&body),
        None => Err(explain::explained::<_, T>(error, value)),
    });
    read
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde::Deserialize;

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
    fn a_whole_number_may_have_a_point() {
        let read = |body| StrictJsonEncoding::decode(Bytes::from_static(body));
        let inner = |count, cents| Outer {
            name: "1.0".to_owned(),
            inner: Some(vec![Inner { count: Some(count), cents, units: 0, names: Vec::new() }]),
        };
        let body = br#"{"name":"1.0","inner":[{"count":999999.0,"cents":-9007199254740993.00}]}"#;
        assert_eq!(
            read(body).map_err(|error: serde_json::Error| error.to_string()),
            Ok(inner(999_999, -9_007_199_254_740_993))
        );
        let value = serde_json::from_slice(br#"{"name":"1.0","inner":[{"count":5.0}]}"#).expect("JSON");
        assert_eq!(from_value(value).ok(), Some(inner(5, 0)));
        for (body, why) in [
            (&br#"{"name":"\\\"","inner":[{"count":1.5}]}"#[..], "it is the number 1.5, expected"),
            (br#"{"name":"a","inner":[{"count":1.0,"count":2}]}"#, "duplicate field `inner[0].count`"),
            (br#"{"name":"a","inner":[{"count":1.0}],"nam":1}"#, "unknown field `nam`"),
            (br#"{"name":1.0}"#, "field `name`: it is the number 1, expected a string"),
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
