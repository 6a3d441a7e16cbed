//! The parameters of a GET request. An unknown one is an error, like an unknown field in a body. Every error names the
//! parameter.

use axum::extract::{FromRequestParts, Query};
use http::request::Parts;
use model::error::{Code, Error};
use percent_encoding::percent_decode_str;
use serde::de::DeserializeOwned;

/// The query string of a request, read by a type that denies unknown fields.
pub struct Parameters<T>(pub T);

impl<S: Send + Sync, T: DeserializeOwned> FromRequestParts<S> for Parameters<T> {
    type Rejection = Error;

    async fn from_request_parts(parts: &mut Parts, state: &S) -> Result<Self, Error> {
        // They would be searched for with another character in place of those that are not UTF-8.
        if percent_decode_str(parts.uri.query().unwrap_or_default()).decode_utf8().is_err() {
            let why = "The query string of the address is not UTF-8; percent-encode the bytes of UTF-8.";
            return Err(Error::new(Code::BadRequest, why));
        }
        let read = Query::<T>::from_request_parts(parts, state).await;
        read.map(|Query(wanted)| Self(wanted)).map_err(|rejection| refusal(&rejection.body_text()))
    }
}

/// Turns serde's message `why` into an error. Names in it are in backticks, the one at fault first.
fn refusal(why: &str) -> Error {
    let mut parts = why.split('`');
    // The part before any text from the client.
    let what = parts.next().unwrap_or_default();
    let mut names = parts.step_by(2);
    let Some(first) = names.next() else {
        return Error::new(Code::BadRequest, "The query string of the address could not be read.");
    };
    let known = names.collect::<Vec<_>>().join(", ");
    if what.ends_with("unknown field ") {
        return Error::bad(first, format!("There is no parameter `{first}`; the parameters are: {known}."));
    }
    if what.ends_with("missing field ") {
        return Error::bad(first, format!("The parameter `{first}` is missing."));
    }
    if what.ends_with("duplicate field ") {
        return Error::bad(first, format!("The parameter `{first}` is given twice."));
    }
    // `<a sentence>: <parameter>: unknown variant ...`
    let parameter = what.split(": ").nth(1).unwrap_or(first);
    Error::bad(parameter, format!("`{parameter}` is \"{first}\"; it must be one of: {known}."))
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde::Deserialize;

    #[derive(Debug, PartialEq, Deserialize)]
    #[serde(rename_all = "snake_case")]
    enum Format {
        Csv,
        Json,
    }

    #[derive(Debug, PartialEq, Deserialize)]
    #[serde(deny_unknown_fields)]
    struct Params {
        format: Format,
        user: Option<String>,
    }

    async fn read(query: &str) -> Result<Params, (Option<String>, String)> {
        let request = http::Request::get(format!("/?{query}")).body(()).expect("a request");
        let (mut parts, ()) = request.into_parts();
        let read = Parameters::<Params>::from_request_parts(&mut parts, &()).await;
        read.map(|Parameters(wanted)| wanted).map_err(|error| (error.field, error.message))
    }

    #[tokio::test]
    async fn whatever_is_wrong_the_parameter_is_named() {
        assert_eq!(read("format=csv&user=a").await, Ok(Params { format: Format::Csv, user: Some("a".to_owned()) }));
        for (query, field, why) in [
            ("format=csv&usr=a", "usr", "There is no parameter `usr`; the parameters are: format, user."),
            ("user=a", "format", "The parameter `format` is missing."),
            ("format=csv&format=csv", "format", "The parameter `format` is given twice."),
            ("format=unknown%20field", "format", "`format` is \"unknown field\"; it must be one of: csv, json."),
            ("format=pdf", "format", "`format` is \"pdf\"; it must be one of: csv, json."),
        ] {
            assert_eq!(read(query).await, Err((Some(field.to_owned()), why.to_owned())), "{query}");
        }
    }

    #[tokio::test]
    async fn a_query_is_read_as_utf_8_or_not_at_all() {
        let user = async |query: &str| read(query).await.map(|params| params.user.unwrap_or_default());
        assert_eq!(user("format=csv&user=caf%c3%a9+x").await, Ok("café x".to_owned()));
        assert_eq!(user("format=csv&user=5%").await, Ok("5%".to_owned()));
        let (field, why) = user("format=csv&user=caf%e9").await.expect_err("refused");
        assert!(field.is_none() && why.contains("not UTF-8"), "{why}");
    }
}
