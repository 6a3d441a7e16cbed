//! The errors of the API: their endpoints, and the advice to clients.

use model::error::{Code, Error};

/// The possible errors of every endpoint that takes JSON.
pub(super) const EVERYWHERE: [Code; 3] = [Code::BadRequest, Code::Forbidden, Code::Internal];
/// The statuses for a refused body, beside that of `bad_request`, with the reasons.
pub(super) const OF_BODIES: [(u16, &str); 3] = [
    (408, "The body did not arrive in time."),
    (413, "The body is too large."),
    (415, "The body is not `application/json`."),
];
/// The possible errors of every endpoint that asks Redis.
pub const OF_THE_STORE: [Code; 3] = [Code::Unavailable, Code::StoreRefused, Code::Busy];
/// The possible errors of every endpoint for a single sale.
pub const OF_A_SALE: [Code; 7] = [
    Code::UnknownSale,
    Code::SaleArchived,
    Code::SaleLost,
    // Only the ledger knows whether a sale that is not in Redis was lost.
    Code::LedgerUnavailable,
    Code::Unavailable,
    Code::StoreRefused,
    Code::Busy,
];

/// All codes of answers; the browser side has two more.
pub(super) const ALL: [Code; 23] = [
    Code::BadRequest,
    Code::Forbidden,
    Code::FaultsDisabled,
    Code::UnknownSale,
    Code::UnknownOrder,
    Code::UnknownRun,
    Code::UnknownIncident,
    Code::RequestReused,
    Code::SaleExists,
    Code::SaleOpening,
    Code::CrowdRunning,
    Code::LabRunning,
    Code::FaultActive,
    Code::NotArchivable,
    Code::SaleArchived,
    Code::Internal,
    Code::Busy,
    Code::StoreRefused,
    Code::SaleSuspended,
    Code::SaleLost,
    Code::LedgerUnavailable,
    Code::LabUnavailable,
    Code::Unavailable,
];

/// Returns the advice to a client for a code.
pub(super) fn what_to_do(code: Code) -> &'static str {
    match code {
        Code::BadRequest => {
            "Correct `field`, or all of `errors` where there are several; nothing was tried. A field that the endpoint \
             does not know is such a fault, too. (The status is 404 if there is no such endpoint, 405 if it takes \
             another method, 408 if the body does not arrive in time, 413 if it is too large, 415 if it is not JSON.)"
        }
        Code::Forbidden => {
            "The request came from another site's page, or names a host that `--host` does not allow; nothing was tried."
        }
        Code::FaultsDisabled => "Start the server with `--faults`; nothing was tried.",
        Code::UnknownSale | Code::UnknownOrder | Code::UnknownRun | Code::UnknownIncident => "Check the id.",
        Code::RequestReused => "The request id was used by another user, or for something else: use a new one.",
        Code::SaleExists => "Choose another id.",
        Code::SaleOpening => "Try again in a moment.",
        Code::CrowdRunning => "A crowd is already running at this sale: stop it, or wait until it is done.",
        Code::LabRunning => "A run or a duel of the lab is in progress: wait until it is done, or stop the run.",
        Code::FaultActive => "The same fault is in progress at this server: end it, or wait until it is over.",
        Code::NotArchivable => {
            "The message says what to do first: close the sale, or wait for held orders or for the ledger."
        }
        Code::SaleArchived => "The sale is gone from Redis; its history is in the ledger.",
        Code::Internal => {
            "The server or the stored data is at fault; the message says whether the outcome is unknown. Audit the sale."
        }
        Code::Busy => "Nothing was tried; try again.",
        Code::StoreRefused => {
            "Nothing was tried: Redis is a replica, evicts keys, cannot write, forbids something to the server's user, is \
             used by a newer Stampede, feeds another ledger, has another Redis in its place, or has the sale's data in \
             another form; the message or the server's log says which."
        }
        Code::SaleSuspended | Code::SaleLost => {
            "Nothing was tried: Redis has lost part of the sale, or all of it, and the ledger still has it; recover the \
             sale."
        }
        Code::LedgerUnavailable => "Sales continue; try again in a moment.",
        Code::LabUnavailable => {
            "The sales are on a cluster, and the lab has no Redis of its own: name one by `--lab-redis`; nothing was tried."
        }
        Code::Unavailable => "**The outcome is unknown**: send the same request id again to get the original answer.",
        Code::Network => "The server could not be reached: try again.",
        Code::Unreadable => "The answer cannot be read: look what came of the request.",
    }
}

/// Returns an example of an answer with this code.
pub(super) fn example(code: Code) -> Error {
    const SALE: &str = "spring";
    match code {
        Code::BadRequest => Error::bad("sale", "`sale` is empty; give 1 to 64 bytes of printable text."),
        Code::UnknownSale => Error::unknown_sale(SALE),
        Code::SaleArchived => Error::sale_archived(SALE),
        Code::SaleLost => Error::sale_lost(SALE),
        Code::SaleSuspended => Error::sale_suspended(SALE),
        Code::SaleExists => Error::sale_exists(SALE),
        Code::SaleOpening => Error::sale_opening(SALE),
        other => Error::new(other, what_to_do(other)),
    }
}
