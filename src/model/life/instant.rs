//! Instants in requests: epoch milliseconds, or RFC 3339.

use crate::{Millis, instant::parse_rfc3339};
use schemars::{JsonSchema, Schema, SchemaGenerator, json_schema};
use serde::{
    Deserialize, Deserializer, Serialize,
    de::{Error, Unexpected, Visitor},
};
use std::{borrow::Cow, fmt};

/// An instant as clients give it: a number of milliseconds since the Unix epoch, or a text of RFC 3339 with an offset,
/// such as `2026-11-11T10:00:00+08:00`. It is sent as a number.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
pub struct Instant(pub Millis);

impl<'de> Deserialize<'de> for Instant {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_any(InstantVisitor)
    }
}

struct InstantVisitor;

impl Visitor<'_> for InstantVisitor {
    type Value = Instant;

    fn expecting(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str("epoch milliseconds or RFC 3339 with an offset like `2026-11-11T10:00:00+08:00`")
    }

    fn visit_i64<E: Error>(self, at: i64) -> Result<Instant, E> {
        Ok(Instant(at))
    }

    fn visit_u64<E: Error>(self, at: u64) -> Result<Instant, E> {
        i64::try_from(at).map(Instant).map_err(|_| E::invalid_value(Unexpected::Unsigned(at), &self))
    }

    fn visit_str<E: Error>(self, text: &str) -> Result<Instant, E> {
        parse_rfc3339(text).map(Instant).ok_or_else(|| E::invalid_value(Unexpected::Str(text), &self))
    }
}

impl JsonSchema for Instant {
    fn inline_schema() -> bool {
        true
    }

    fn schema_name() -> Cow<'static, str> {
        "Instant".into()
    }

    fn json_schema(_: &mut SchemaGenerator) -> Schema {
        json_schema!({ "type": ["integer", "string"], "format": "date-time" })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_instant_is_a_number_or_a_text() {
        for json in ["1794362400000", "\"2026-11-11T10:00:00+08:00\"", "\"2026-11-11T02:00:00Z\""] {
            let read: Instant = serde_json::from_str(json).expect("an instant");
            assert_eq!(read, Instant(1_794_362_400_000), "{json}");
        }
        for json in ["\"2026-11-11T10:00:00\"", "\"tomorrow\"", "true", "1.5", "null", "\"1794362400000\""] {
            assert!(serde_json::from_str::<Instant>(json).is_err(), "{json}");
        }
        assert_eq!(serde_json::to_string(&Instant(7)).expect("JSON"), "7");
    }
}
