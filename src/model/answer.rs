//! The answer to an attempt: its outcome, and the id under which it was made.

use crate::error::Result;
use schemars::{JsonSchema, Schema, SchemaGenerator};
use serde::{Deserialize, Serialize};
use serde_json::json;
use std::borrow::Cow;

/// An outcome with the id of its request. Without the id, a client that sent none could neither send the attempt again
/// nor give back what it got.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Answer<O> {
    /// The outcome.
    #[serde(flatten)]
    pub outcome: O,
    /// The id of the request: the client's, or the one that the server made up before it made the attempt.
    pub request_id: String,
}

impl<O> Answer<O> {
    /// The answer to a request. If the outcome is unknown, the error has the id.
    ///
    /// # Errors
    /// Those of the attempt.
    pub fn to(request_id: String, outcome: Result<O>) -> Result<Self> {
        match outcome {
            Ok(outcome) => Ok(Self { outcome, request_id }),
            Err(mut error) => {
                error.request_id = error.code.is_outcome_unknown().then_some(request_id);
                Err(error)
            }
        }
    }
}

/// The schema of the outcome, with one more field. (A derived one would bear another name.)
impl<O: JsonSchema> JsonSchema for Answer<O> {
    fn schema_name() -> Cow<'static, str> {
        O::schema_name()
    }

    fn schema_id() -> Cow<'static, str> {
        format!("Answer<{}>", O::schema_id()).into()
    }

    fn json_schema(generator: &mut SchemaGenerator) -> Schema {
        let mut schema = O::json_schema(generator);
        let description = "The id of the request: that of the client, or the one that the server made up. Sent again under \
                           it, the request gets its answer again.";
        schema
            .insert("properties".to_owned(), json!({ "request_id": { "type": "string", "description": description } }));
        schema.insert("required".to_owned(), json!(["request_id"]));
        schema
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::error::{Code, Error};

    #[test]
    fn an_error_has_the_id_if_nobody_knows_what_came_of_the_request() {
        for (code, id) in [(Code::Unavailable, Some("r".to_owned())), (Code::Busy, None)] {
            let error = Answer::<()>::to("r".to_owned(), Err(Error::new(code, "why"))).expect_err("an error");
            assert_eq!(error.request_id, id, "{code:?}");
        }
    }
}
