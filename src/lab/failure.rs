//! The errors of the lab for clients. Messages of Redis, the database or the system go to the log.

use model::error::{Code, Error};
use redis::RedisError;
use std::fmt;
use store::failure::refusal;

/// Not the message of a sale, which asks to send the same request id again: the lab has no request ids.
const REDIS_AWAY: &str = "Redis did not answer (the server's log says more). Start again once Redis is back.";

/// The context of a failure: the strategy or mistake in the run or play.
#[derive(Clone, Copy, Debug)]
pub struct OfStrategy(pub &'static str);

impl fmt::Display for OfStrategy {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "`{}` failed", self.0)
    }
}

/// The error for clients: our own if it is one, otherwise a sentence about the failure, preceded by the strategy if one
/// failed.
pub fn told(error: &anyhow::Error) -> Error {
    tracing::error!(error = format!("{error:#}"), "the lab failed");
    let told = cause(error);
    match error.downcast_ref::<OfStrategy>() {
        Some(strategy) => Error { message: format!("{strategy}. {}", told.message), ..told },
        None => told,
    }
}

fn cause(error: &anyhow::Error) -> Error {
    let away = || Error::new(Code::Unavailable, REDIS_AWAY);
    for cause in error.chain() {
        if let Some(error) = cause.downcast_ref::<Error>() {
            return if error.code == Code::Unavailable { away() } else { error.clone() };
        }
        if let Some(error) = cause.downcast_ref::<RedisError>() {
            let is_away = error.is_io_error() || error.is_timeout() || error.is_connection_dropped();
            let failed =
                || Error::new(Code::Unavailable, "Redis failed in the middle; the server's log says how. Start again.");
            return refusal(error).unwrap_or_else(|| if is_away { away() } else { failed() });
        }
        if cause.is::<sqlx::Error>() {
            let why = "The lab's database failed; the server's log says how. Start again once it works.";
            return Error::new(Code::LedgerUnavailable, why);
        }
    }
    Error::new(Code::Internal, "The lab failed; the server's log says how.")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_failure_names_its_strategy_and_no_request_id() {
        let of_a_sale = Error::new(Code::Unavailable, "Send the same request id again.");
        let failed = anyhow::Error::new(of_a_sale).context(OfStrategy("batched-script")).context("The run failed");
        let told = told(&failed);
        assert_eq!(told.code, Code::Unavailable);
        assert!(told.message.starts_with("`batched-script` failed. Redis did not answer"), "{told}");
        assert!(!told.message.contains("request id"), "{told}");
    }
}
