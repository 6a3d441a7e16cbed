//! What clients are told of a failure in the lab. What Redis, the database or the system says goes to the log.

use crate::{
    error::{Code, Error},
    store::failure::refusal,
};
use redis::RedisError;

/// The error that clients get: ours if it is one, otherwise a sentence about what failed.
pub fn told(error: &anyhow::Error) -> Error {
    tracing::error!(error = format!("{error:#}"), "the lab failed");
    for cause in error.chain() {
        if let Some(error) = cause.downcast_ref::<Error>() {
            return error.clone();
        }
        if let Some(error) = cause.downcast_ref::<RedisError>() {
            let unknown =
                || Error::new(Code::Unavailable, "Redis failed in the middle; the server's log says how. Start again.");
            return refusal(error).unwrap_or_else(unknown);
        }
        if cause.is::<sqlx::Error>() {
            let why = "The lab's database failed; the server's log says how. Start again once it works.";
            return Error::new(Code::LedgerUnavailable, why);
        }
    }
    Error::new(Code::Internal, "The lab failed; the server's log says how.")
}
