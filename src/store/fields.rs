//! A hash from Redis.

use redis::{FromRedisValue, ParsingError, Value};
use std::collections::HashMap;

/// A hash, as HGETALL has it: field to string. Of what is packed in a field, nothing can be read here.
#[derive(Debug, Default)]
pub struct Fields(HashMap<String, String>);

impl Fields {
    /// A field, if it is there.
    pub fn get(&self, name: &str) -> Option<&str> {
        self.0.get(name).map(String::as_str)
    }

    /// A field; empty if it is missing.
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

impl FromRedisValue for Fields {
    fn from_redis_value(value: Value) -> Result<Self, ParsingError> {
        let fields: HashMap<String, Vec<u8>> = redis::from_redis_value(value)?;
        let text = |value: Vec<u8>| String::from_utf8_lossy(&value).into_owned();
        Ok(Self(fields.into_iter().map(|(field, value)| (field, text(value))).collect()))
    }
}
