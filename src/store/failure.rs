//! The meaning of a failed call to Redis: either Redis refused it and nothing was done, or the outcome is unknown.

use model::error::{Code, Error};
use redis::RedisError;

const DAMAGED: &str = "What Redis has of a sale cannot be read, and nothing was changed; `stampede audit` names the sale, and \
                       `stampede recover --suspend` rebuilds it from the ledger.";

/// The code of an answer that too few replicas have.
const NOT_REPLICATED: &str = "NOTREPLICATED";

/// The error of a call whose changes too few replicas have.
pub(super) fn not_replicated(have_it: usize, replicas: usize) -> RedisError {
    redis::make_extension_error(NOT_REPLICATED.to_owned(), Some(format!("{have_it} of {replicas} replicas have it")))
}

/// The error of a failed call. Redis' own message only goes to the log.
pub fn failed(error: &RedisError) -> Error {
    if error.code() == Some(NOT_REPLICATED) {
        return Error::new(
            Code::Unavailable,
            "Redis did this, but too few replicas have it yet, so it may be lost with its server, and the outcome is \
             unknown. Send the same request id again: what was given is given once, and you get the original answer.",
        );
    }
    match refusal(error) {
        Some(refusal) => refusal,
        None => Error::new(
            Code::Unavailable,
            "Redis did not answer, so the outcome is unknown. Send the same request id again: what was given is given \
             once, and you get the original answer.",
        ),
    }
}

/// The error of a call that found no server of a cluster which has the keys, in all its time.
pub(super) fn unreached() -> Error {
    Error::new(
        Code::Busy,
        "The part of the cluster that this needs is being moved or has no master now, so nothing was tried. Try again in a \
         moment.",
    )
}

/// The error of a call after which another Redis may have replaced ours.
pub(super) fn displaced_meanwhile(call: &str, why: &Error) -> Error {
    tracing::warn!(call, error = %why, "the reply of a call is not handed on");
    Error::new(
        Code::Unavailable,
        "Another Redis may have taken the place of this server's while this was done, so the outcome is unknown. Send the \
         same request id again: what was given is given once, and you get the original answer.",
    )
}

/// The error of a call that Redis refused before it did anything. `None` if the outcome is unknown.
pub fn refusal(error: &RedisError) -> Option<Error> {
    if let Some(command) = unknown_command(error) {
        let why = format!(
            "This Redis does not know {command}, which Stampede needs: a rename-command in Redis' configuration has renamed \
             or disabled it. Nothing was tried."
        );
        return Some(Error::new(Code::StoreRefused, why));
    }
    refused(error).map(|(code, message)| Error::new(code, message))
}

/// The command that Redis does not know, if this is why the call failed. A script fails there before it has written
/// anything: it reads first, and then asks about the commands that it will write with (`ensure_allowed`, in
/// `lua/lib/fence.lua`).
fn unknown_command(error: &RedisError) -> Option<&str> {
    let detail = error.detail().filter(|_| error.code() == Some("ERR"))?;
    // "Unknown Redis command called from script", "Invalid command passed to redis.acl_check_cmd()"; Valkey says neither
    // "Redis" nor "redis".
    let of_a_script = ["command called from script", "Invalid command passed to "];
    if of_a_script.iter().any(|why| detail.contains(why)) {
        return Some("a command of its scripts");
    }
    let (_, rest) = detail.split_once("unknown command '")?;
    rest.split_once('\'').map(|(command, _)| command)
}

/// The error for something of a sale that none of our scripts writes: somebody has changed it by hand. An attempt that
/// meets it suspends the sale ([`Store::or_suspend`](crate::Store::or_suspend)).
pub fn damaged(why: impl ToString) -> Error {
    tracing::error!(why = why.to_string(), "what Redis has of a sale cannot be read");
    Error::new(Code::Internal, DAMAGED)
}

/// Whether something of a sale could not be read. Other errors have the same codes.
pub(super) fn is_damaged(error: &Error) -> bool {
    error.message == DAMAGED
}

/// Whether Redis refused the call because it is full.
pub(super) fn is_full(error: &RedisError) -> bool {
    error.code() == Some("OOM")
}

/// Whether Redis refused a call because a key has another type; of a pipeline, whether this explains all of its errors.
/// Our pipelines only read, so it does not matter which of their commands ran.
pub fn is_of_another_type(error: &RedisError) -> bool {
    let errors = error.clone().into_server_errors();
    errors.is_some_and(|errors| !errors.is_empty() && errors.iter().all(|(_, error)| error.code() == "WRONGTYPE"))
}

/// The code and the message, if Redis refused the call before it did anything.
fn refused(error: &RedisError) -> Option<(Code, &'static str)> {
    let is_of_a_script = error.detail().is_some_and(|detail| detail.contains("@user_script"));
    // A script reads each key before it writes anything.
    if error.code() == Some("UNREADABLE") || is_of_another_type(error) {
        return Some((if is_of_a_script { Code::StoreRefused } else { Code::Internal }, DAMAGED));
    }
    if error.code() == Some("UNTRIED") {
        return Some((
            Code::StoreRefused,
            "Redis would not let all of this be written, so nothing was tried; the server's log says why not.",
        ));
    }
    // A script may have run other commands before the refused one.
    if is_of_a_script {
        return None;
    }
    Some(match error.code()? {
        "OOM" => (
            Code::Busy,
            "Redis is full, so nothing was tried. Give it more memory, or archive closed sales; payments and \
             cancellations still go on.",
        ),
        "LOADING" | "BUSY" => (Code::Busy, "Redis is not ready yet, so nothing was tried. Try again in a moment."),
        "READONLY" => (
            Code::StoreRefused,
            "This Redis is a replica and takes no writes, so nothing was tried. Connect to the primary.",
        ),
        "NOREPLICAS" => (Code::StoreRefused, "Redis has too few replicas to take writes, so nothing was tried."),
        "MASTERDOWN" | "CLUSTERDOWN" | "MOVED" | "ASK" => {
            (Code::StoreRefused, "This Redis is not the one that has the sale now, so nothing was tried.")
        }
        "MISCONF" => (Code::StoreRefused, "Redis cannot write to its disk and takes no writes, so nothing was tried."),
        "NOAUTH" | "WRONGPASS" => (
            Code::StoreRefused,
            "Redis asks for a password that the server's URL of it does not have, so nothing was tried. Start the server \
             with --redis redis://:PASSWORD@HOST:6379.",
        ),
        "NOPERM" => (
            Code::StoreRefused,
            "Redis does not allow this to the server's user, so nothing was tried. Correct the user's rights.",
        ),
        _ => return None,
    })
}
