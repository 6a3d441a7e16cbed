//! The replies of scripts: a code and the values after it. Replies are decoded only here.

pub use crate::reply_code::ReplyCode;
use crate::{script::Script, stream::protocol_error};
use model::error::{Code, Error, Result};
use redis::{FromRedisValue, Value, from_redis_value};
use std::vec;

impl ReplyCode {
    fn read(script: &Script, value: Value) -> Result<Self> {
        let number: i64 = from_redis_value(value).map_err(protocol_error)?;
        Self::from_number(number).ok_or_else(|| unexpected_code(script, number, "no reply code"))
    }

    /// The error for a code about the sale as a whole. Any other code counts as unexpected from this script.
    pub fn refusal(self, script: &Script, sale: &str) -> Error {
        match self {
            Self::UnknownSale => Error::unknown_sale(sale),
            Self::Opening => Error::sale_opening(sale),
            Self::Suspended | Self::Lost => Error::sale_suspended(sale),
            Self::NewerFormat => Error::new(
                Code::StoreRefused,
                format!(
                    "The sale \"{sale}\" was written by a newer version of Stampede, so nothing was tried; start that version."
                ),
            ),
            other => other.unexpected(script),
        }
    }

    /// The error for a code that the caller does not expect from this script.
    pub fn unexpected(self, script: &Script) -> Error {
        unexpected_code(script, self as i64, self.name())
    }
}

fn unexpected_code(script: &Script, code: i64, name: &str) -> Error {
    tracing::error!(script = script.name, code, name, "a script answered with a code that is not one of its codes");
    Error::new(
        Code::Internal,
        format!(
            "`{}` answered {code} ({name}), which is not one of its codes, so the outcome is unknown.",
            script.name
        ),
    )
}

/// The reply of a script that gives a single answer.
#[derive(Debug)]
pub struct Reply {
    pub code: ReplyCode,
    values: vec::IntoIter<Value>,
}

impl Reply {
    pub(super) fn read(script: &Script, values: Vec<Value>) -> Result<Self> {
        let mut values = values.into_iter();
        let code = ReplyCode::read(script, values.next().unwrap_or(Value::Nil))?;
        Ok(Self { code, values })
    }

    /// The next value after the code.
    ///
    /// # Errors
    /// `unavailable` if it has another type.
    pub fn next_value<T: FromRedisValue>(&mut self) -> Result<T> {
        from_redis_value(self.values.next().unwrap_or(Value::Nil)).map_err(protocol_error)
    }

    /// All remaining values.
    ///
    /// # Errors
    /// `unavailable` if one has another type.
    pub fn rest<T: FromRedisValue>(self) -> Result<Vec<T>> {
        self.values.map(|value| from_redis_value(value).map_err(protocol_error)).collect()
    }
}

/// The answer of a script to one attempt in a batch.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct AttemptReply {
    pub code: ReplyCode,
    /// The detail after the code, as bytes.
    pub detail: Vec<u8>,
}

impl AttemptReply {
    /// Reads the reply to a batch: code and detail of each attempt, alternating.
    ///
    /// # Errors
    /// `unavailable` if the number or the types of the values are wrong; `internal` if a code is unknown.
    pub fn read_batch(script: &Script, values: Vec<Value>, attempts: usize) -> Result<Vec<Self>> {
        if values.len() != 2 * attempts {
            return Err(protocol_error(format!("{} values for {attempts} attempts", values.len())));
        }
        let mut replies = Vec::with_capacity(attempts);
        let mut values = values.into_iter();
        while let (Some(code), Some(detail)) = (values.next(), values.next()) {
            let detail = from_redis_value(detail).map_err(protocol_error)?;
            replies.push(Self { code: ReplyCode::read(script, code)?, detail });
        }
        Ok(replies)
    }

    /// The detail as text.
    ///
    /// # Errors
    /// `unavailable` if it is not text.
    pub fn text(&self) -> Result<&str> {
        std::str::from_utf8(&self.detail).map_err(protocol_error)
    }
}
