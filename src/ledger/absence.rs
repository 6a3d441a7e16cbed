//! Why Redis does not know a sale: it was archived, or Redis has lost it. Only the ledger can tell.

use super::database::Ledger;
use crate::{
    error::{Code, Error, Result},
    store::{Store, keys},
};
use std::time::Duration;

/// How long a caller waits for the answer, its turn included.
const WITHIN: Duration = Duration::from_secs(2);

/// Turns `unknown_sale` into `sale_archived` or `sale_lost` if that is why Redis does not know the sale. If the ledger
/// does not answer in time, the answer of Redis stands.
///
/// # Errors
/// Those of `result`, and these two.
pub async fn archived_or_lost<T>(
    result: Result<T>,
    store: &Store,
    ledger: &Ledger,
    kind: &str,
    sale: &str,
) -> Result<T> {
    match result {
        Err(error) if error.code == Code::UnknownSale => Err(explain(error, store, ledger, kind, sale).await),
        result => result,
    }
}

async fn explain(unknown: Error, store: &Store, ledger: &Ledger, kind: &str, sale: &str) -> Error {
    // Redis before the ledger: a sale is marked as archived between being sealed and being deleted.
    let state = store.query::<Option<String>>("HGET", (keys::sale(kind, sale, "meta"), "state")).await;
    match state.as_ref().map(Option::as_deref) {
        Ok(None) => {}
        Ok(Some("archived")) => return Error::sale_archived(sale),
        // Opened or recovered since.
        Ok(Some(_)) | Err(_) => return unknown,
    }
    let known = async {
        let _turn = ledger.absences.acquire().await;
        ledger.sale(kind, sale).await
    };
    match tokio::time::timeout(WITHIN, known).await {
        Ok(Ok(Some(known))) if known.is_archived() => Error::sale_archived(sale),
        Ok(Ok(Some(_))) => Error::sale_lost(sale),
        Ok(Ok(None) | Err(_)) | Err(_) => unknown,
    }
}
