//! Fields of a Redis hash or of a stream entry.

use redis::{FromRedisValue, ParsingError, Value};
use serde::{Deserialize, Serialize};
use std::{collections::HashMap, str::from_utf8};

/// A hash in the form of HGETALL, or the fields of an entry in the form of XRANGE: name to string. In a name that is
/// not text, bytes are escaped: `\xff`.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Fields(HashMap<String, Vec<u8>>);

impl Fields {
    /// The bytes of a field, if it exists.
    pub fn bytes(&self, name: &str) -> Option<&[u8]> {
        self.0.get(name).map(Vec::as_slice)
    }

    /// A field, if it exists and is text.
    pub fn get(&self, name: &str) -> Option<&str> {
        self.bytes(name).and_then(|bytes| from_utf8(bytes).ok())
    }

    /// A field; empty if it is missing or not text.
    pub fn text(&self, name: &str) -> &str {
        self.get(name).unwrap_or_default()
    }

    /// A number; 0 if it is missing or not a number.
    pub fn number(&self, name: &str) -> i64 {
        self.text(name).parse().unwrap_or(0)
    }

    /// A number that cannot be negative; 0 if it is missing or not such a number.
    pub fn count(&self, name: &str) -> u64 {
        self.text(name).parse().unwrap_or(0)
    }
}

impl FromIterator<(String, Vec<u8>)> for Fields {
    fn from_iter<T: IntoIterator<Item = (String, Vec<u8>)>>(fields: T) -> Self {
        Self(fields.into_iter().collect())
    }
}

impl FromRedisValue for Fields {
    fn from_redis_value(value: Value) -> Result<Self, ParsingError> {
        let fields: HashMap<Vec<u8>, Vec<u8>> = redis::from_redis_value(value)?;
        // All our names are text. A foreign name that is not must not keep the other fields from being read.
        let text =
            |name: Vec<u8>| String::from_utf8(name).unwrap_or_else(|name| name.as_bytes().escape_ascii().to_string());
        Ok(fields.into_iter().map(|(name, value)| (text(name), value)).collect())
    }
}
