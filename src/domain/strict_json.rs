//! The codec of requests: JSON in which a field that the endpoint does not know is an error. A misspelt field would
//! otherwise be left out without a word, and its default taken. Whatever is wrong, the error names the field.

use leptos::server_fn::{
    Bytes, ContentType, Decodes, Encodes, Format, FormatType,
    codec::{JsonEncoding, Post},
};
use serde::{Serialize, de::DeserializeOwned};

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

    /// Requests are read on the server alone.
    #[cfg(not(feature = "ssr"))]
    fn decode(body: Bytes) -> Result<T, Self::Error> {
        JsonEncoding::decode(body)
    }

    #[cfg(feature = "ssr")]
    fn decode(body: Bytes) -> Result<T, Self::Error> {
        use serde::de::Error;
        // serde would read the fields of a request from an array, too, in the order in which they are declared.
        if body.iter().find(|byte| !byte.is_ascii_whitespace()).is_some_and(|first| *first != b'{') {
            return Err(Self::Error::custom("it is not an object"));
        }
        let mut deserializer = serde_json::Deserializer::from_slice(&body);
        let mut unknown = None;
        let request = serde_ignored::deserialize(&mut deserializer, |path| {
            // Without the marks of what is optional.
            unknown.get_or_insert_with(|| path.to_string().replace("?.", ""));
        });
        let request = request.map_err(|error| with_path::<T>(error, &body))?;
        deserializer.end()?;
        match unknown {
            // In backticks, as serde names fields.
            Some(field) => Err(Self::Error::custom(format_args!("unknown field `{field}`"))),
            None => Ok(request),
        }
    }
}

/// Adds to an error the path to the field that it is about, unless serde names the field: the body is read again, so that
/// right ones are read as fast as can be.
#[cfg(feature = "ssr")]
fn with_path<T: DeserializeOwned>(error: serde_json::Error, body: &[u8]) -> serde_json::Error {
    use serde::de::Error;
    let mut deserializer = serde_json::Deserializer::from_slice(body);
    let why = error.to_string();
    match serde_path_to_error::deserialize::<_, T>(&mut deserializer) {
        // A body that ends in the middle of something has a path of which nothing is known.
        Err(found) if !why.contains("field `") && !matches!(found.path().to_string().as_str(), "." | "?") => {
            // As in the paths of unknown fields: `seats.0.row`.
            let path = found.path().to_string().replace('[', ".").replace(']', "");
            serde_json::Error::custom(format_args!("field `{path}`: {why}"))
        }
        _ => error,
    }
}

#[cfg(all(test, feature = "ssr"))]
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
    }

    fn read(body: &'static str) -> Result<Outer, String> {
        StrictJsonEncoding::decode(Bytes::from_static(body.as_bytes()))
            .map_err(|error: serde_json::Error| error.to_string())
    }

    #[test]
    fn a_field_that_nobody_knows_is_named() {
        let known = Outer { name: "a".to_owned(), inner: Some(vec![Inner { count: Some(1) }]) };
        assert_eq!(read(r#"{"name":"a","inner":[{"count":1}]} "#), Ok(known));
        assert_eq!(read(r#"{"name":"a","nam":1}"#), Err("unknown field `nam`".to_owned()));
        assert_eq!(read(r#"{"name":"a","inner":[{"counts":1}]}"#), Err("unknown field `inner.0.counts`".to_owned()));
        let why = "invalid type: string \"1\", expected u32 at line 1 column 33";
        assert_eq!(read(r#"{"name":"a","inner":[{"count":"1"}]}"#), Err(format!("field `inner.0.count`: {why}")));
        assert_eq!(read(r#"{"inner":[]}"#), Err("missing field `name` at line 1 column 12".to_owned()));
        for body in ["[\"a\",null]", "[]", "\"\"", "7", "null"] {
            assert_eq!(read(body), Err("it is not an object".to_owned()), "{body}");
        }
        assert_eq!(read("{\"name\":\"a\""), Err("EOF while parsing an object at line 1 column 11".to_owned()));
        assert_eq!(read(r#"{"name":"a"} {}"#), Err("trailing characters at line 1 column 14".to_owned()));
    }
}
