//! What keeps a sale that Redis has lost, and the ledger has not, from being opened or recovered wrongly.

use crate::{
    error::{Code, Error, Result, shell_word},
    ledger::{apply::Position, database::Ledger, sale::LedgerSale},
    store::{Store, keys},
};

/// An id that Redis has forgotten and the ledger has not is not free.
///
/// # Errors
/// `sale_exists` where it is such a one; `unavailable`.
pub async fn refuse_lost(store: &Store, ledger: &Ledger, kind: &str, sale: &str) -> Result<()> {
    let known = match ledger.sale(kind, sale).await {
        Ok(known) => known,
        // Sales go on without the ledger.
        Err(error) if error.code == Code::LedgerUnavailable => None,
        Err(error) => return Err(error),
    };
    let Some(known) = known else { return Ok(()) };
    if known.is_archived() {
        return Err(Error {
            code: Code::SaleExists,
            message: format!("The id \"{sale}\" is that of an archived sale; choose another."),
            field: Some("id".to_owned()),
        });
    }
    if store.query::<bool>("EXISTS", keys::sale(kind, sale, "meta")).await? {
        return Ok(());
    }
    Err(Error {
        code: Code::SaleExists,
        message: format!(
            "The ledger has a sale \"{sale}\" that Redis has lost; run `stampede recover {}`, or choose another id.",
            shell_word(sale)
        ),
        field: Some("id".to_owned()),
    })
}

/// Tells a sale that was archived from one that nobody knows: to Redis they are the same.
pub async fn unless_archived<T>(result: Result<T>, ledger: &Ledger, kind: &str, sale: &str) -> Result<T> {
    match result {
        Err(error) if error.code == Code::UnknownSale => Err(match ledger.is_archived(kind, sale).await {
            Ok(true) => Error::sale_archived(sale),
            // Where the ledger is out of reach, Redis has the last word.
            Ok(false) | Err(_) => error,
        }),
        result => result,
    }
}

/// A sale that was archived is not recovered.
///
/// # Errors
/// `sale_archived`.
pub fn refuse_archived(known: &LedgerSale) -> Result<()> {
    if !known.is_archived() {
        return Ok(());
    }
    let sale = &known.sale;
    Err(Error {
        message: format!(
            "The sale \"{sale}\" was archived, so it is not in Redis on purpose; there is nothing to recover."
        ),
        ..Error::sale_archived(sale)
    })
}

/// A sale that is alive in Redis is not recovered.
///
/// # Errors
/// `sale_exists`, `unavailable`.
pub async fn refuse_living(store: &Store, kind: &str, sale: &str) -> Result<()> {
    let state: Option<String> = store.query("HGET", (keys::sale(kind, sale, "meta"), "state")).await?;
    match state.as_deref() {
        None | Some("suspended") => Ok(()),
        Some(_) => Err(living(sale)),
    }
}

/// What the ledger has of a sale must be what was put back. A writer may have held entries that Redis had lost
/// already, and brought them in since the recovery looked.
///
/// # Errors
/// `busy` where the ledger is no longer at `position`; `ledger_unavailable`.
pub async fn refuse_moved(ledger: &Ledger, kind: &str, sale: &str, position: Position) -> Result<()> {
    match ledger.sale(kind, sale).await? {
        Some(known) if known.position == position => Ok(()),
        _ => Err(Error::new(
            Code::Busy,
            format!("The ledger took in more of the sale \"{sale}\" while it was being put back. Run it again."),
        )),
    }
}

/// The error of who would recover what is alive.
pub fn living(sale: &str) -> Error {
    Error::new(
        Code::SaleExists,
        format!("The sale \"{sale}\" is alive in Redis and may be written at any moment; there is nothing to recover."),
    )
}
