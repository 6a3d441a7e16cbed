//! The reason why Redis does not know a sale: it was archived, or Redis has lost it. Only the ledger can tell. Until it
//! answers, no caller gets the error that the sale does not exist.

use crate::database::Ledger;
use model::error::{Code, Error, Result};
use std::time::Duration;
use store::{Store, listing::state_of};
use tokio::time::{Instant, timeout_at};

/// The time limit for the answer, including the wait for a turn.
const WITHIN: Duration = Duration::from_secs(2);

/// Replaces `unknown_sale` by `sale_archived` or `sale_lost`, if that is why Redis does not know the sale.
///
/// # Errors
/// Those of `result`, `sale_archived` and `sale_lost`. Instead of `unknown_sale`: `ledger_unavailable` if the ledger
/// does not answer, `busy` if too many callers ask it, `unavailable`.
pub async fn archived_or_lost<T>(
    result: Result<T>,
    store: &Store,
    ledger: &Ledger,
    kind: &str,
    sale: &str,
) -> Result<T> {
    match result {
        // Boxed: it is rarely needed, and it would enlarge the future of every attempt.
        Err(error) if error.code == Code::UnknownSale => Err(Box::pin(explain(error, store, ledger, kind, sale)).await),
        result => result,
    }
}

async fn explain(unknown: Error, store: &Store, ledger: &Ledger, kind: &str, sale: &str) -> Error {
    // Redis before the ledger: a sale is marked as archived after it is sealed and before it is deleted.
    let state = state_of(store, kind, sale).await;
    match state.as_ref().map(Option::as_deref) {
        Ok(None) => {}
        Ok(Some("archived")) => return Error::sale_archived(sale),
        Ok(Some("suspended")) => return Error::sale_suspended(sale),
        Ok(Some(_)) => {
            let why =
                format!("The sale \"{sale}\" was opened or recovered just now, and nothing was tried. Try again.");
            return Error::new(Code::Busy, why);
        }
        Err(_) => return state.err().unwrap_or(unknown),
    }
    let until = Instant::now() + WITHIN;
    let Ok(_turn) = timeout_at(until, ledger.absences.acquire()).await else {
        let why =
            format!("Too many ask the ledger about sales that Redis does not know, such as \"{sale}\". Try again.");
        return Error::new(Code::Busy, why);
    };
    match timeout_at(until, ledger.sale(kind, sale)).await {
        Ok(Ok(Some(known))) if known.is_archived() => Error::sale_archived(sale),
        Ok(Ok(Some(_))) => Error::sale_lost(sale),
        Ok(Ok(None)) => unknown,
        Ok(Err(_)) | Err(_) => Error::new(
            Code::LedgerUnavailable,
            format!(
                "Redis does not have the sale \"{sale}\", and the ledger cannot be asked whether it was lost. Nothing \
                 was tried; try again in a moment."
            ),
        ),
    }
}
