//! Checks for sales that Redis has lost and the ledger still has. They prevent wrong openings and recoveries of such
//! sales.

use ledger::{
    database::Ledger,
    kind::LastingParts,
    sale::LedgerSale,
    scripts::{suspend, suspend_living},
};
use model::{
    EventId, Millis,
    error::{Code, Error, Result, shell_word},
    sale::IdOrigin,
};
use std::str::{self, FromStr};
use store::{
    Store, keys,
    listing::{self, state_of},
    runtime::is_of_request,
};

/// Refuses an id whose sale Redis has lost and the ledger still has, as the id is not free. If Redis has lost the end
/// of the opening, the sale is suspended. Refuses any id if a newer program uses this Redis.
///
/// # Errors
/// `sale_exists` for such an id, `sale_lost` or `sale_archived` if it came from a request id; `sale_suspended`;
/// `store_refused`; `ledger_unavailable` if the answer depends on the ledger; `unavailable`.
pub async fn refuse_lost(store: &Store, ledger: &Ledger, kind: &str, sale: &str, origin: IdOrigin) -> Result<()> {
    store.check_format().await?;
    // This comes before the name of the sale is listed.
    store.refuse_new(&store.sale_key(kind, sale, "meta"))?;
    if origin == IdOrigin::Generated {
        return Ok(());
    }
    let state = async || state_of(store, kind, sale).await;
    let known = match ledger.sale(kind, sale).await {
        Ok(known) => known,
        Err(error) if error.code == Code::LedgerUnavailable => {
            return match state().await?.as_deref() {
                // Redis may have lost the end of the opening, and all items given away since.
                Some("opening") => Err(nobody_knows(sale, error.code)),
                Some(_) => Ok(()),
                None => Err(nobody_knows(sale, error.code)),
            };
        }
        Err(error) => return Err(error),
    };
    let Some(known) = known else { return Ok(()) };
    if known.is_archived() {
        return Err(taken_by_archived(sale));
    }
    match state().await?.as_deref() {
        // The ledger has recorded the opening. So Redis has lost the end of the opening, and all items given away
        // since.
        Some("opening")
            if suspend(store, kind, sale, known.position.event_id, &LastingParts::UNKNOWN).await?.is_in_force() =>
        {
            return Err(Error::sale_suspended(sale));
        }
        Some(_) => return Ok(()),
        None => {}
    }
    // A client that repeats the request that opened the sale did not choose the id, and cannot choose another.
    if is_of_request(sale) {
        return Err(Error { field: Some("request_id".to_owned()), ..Error::sale_lost(sale) });
    }
    Err(Error::of_field(
        Code::SaleExists,
        "id",
        format!(
            "The ledger has a sale \"{sale}\" that Redis has lost; run `stampede recover {}`, or choose another id.",
            shell_word(sale)
        ),
    ))
}

/// The refusal of an id while the ledger is unreachable.
fn nobody_knows(sale: &str, code: Code) -> Error {
    // A client that repeats the request that opened the sale must keep the request id. Without it, another sale would
    // open.
    let (field, why) = if is_of_request(sale) {
        (
            "request_id",
            "The ledger cannot be reached, so nobody knows what became of the sale that this request opened. \
                        Send the same request again in a moment."
                .to_owned(),
        )
    } else {
        (
            "id",
            format!(
                "The ledger cannot be reached, so nobody knows whether the id \"{sale}\" is free. Open the sale without an \
             id, or try again in a moment."
            ),
        )
    };
    Error { field: Some(field.to_owned()), ..Error::new(code, why) }
}

/// The refusal of an id of an archived sale.
fn taken_by_archived(sale: &str) -> Error {
    // A client that repeats the request that opened the sale did not choose the id, and cannot choose another.
    if is_of_request(sale) {
        return Error::sale_archived(sale);
    }
    Error::of_field(Code::SaleExists, "id", format!("The id \"{sale}\" belongs to an archived sale; choose another."))
}

/// The refusal of an id, or of the request from which it was made, whose sale was opened on other terms.
pub fn taken_on_other_terms(sale: &str) -> Error {
    if !is_of_request(sale) {
        return Error::sale_exists(sale);
    }
    Error::of_field(
        Code::RequestReused,
        "request_id",
        "`request_id` was used to open a sale on different terms; nothing was opened. Use a new one.",
    )
}

/// Confirms a sale that was just opened. This process may have been stopped, for any time, since it asked the ledger
/// whether the id is free. If others opened the sale meanwhile, and it was archived or Redis lost it, the sale is
/// suspended. The sale is also listed once more, as an earlier opening of it that was abandoned may have been taken off
/// the list meanwhile.
///
/// # Errors
/// Like [`refuse_lost`].
pub async fn confirm_opened(
    store: &Store,
    ledger: &Ledger,
    kind: &str,
    sale: &str,
    now: Millis,
    origin: IdOrigin,
) -> Result<()> {
    if origin == IdOrigin::Generated {
        return Ok(());
    }
    listing::list(store, kind, sale, now).await?;
    // Without the ledger, the writer detects the conflict later.
    let Ok(Some(known)) = ledger.sale(kind, sale).await else { return Ok(()) };
    if known.is_archived() {
        // A sale that is being deleted is not suspended.
        if state_of(store, kind, sale).await?.is_some_and(|state| state != "archived") {
            suspend_living(store, kind, sale).await?;
        }
        listing::unlist(store, &keys::name(kind, sale)).await?;
        return Err(taken_by_archived(sale));
    }
    if suspend(store, kind, sale, known.position.event_id, &LastingParts::UNKNOWN).await?.is_in_force() {
        return Err(Error::sale_suspended(sale));
    }
    Ok(())
}

/// Refuses an id whose sale is suspended, or was archived after the ledger was asked. An archived sale is taken off the
/// list again, as the attempt to open it has listed it.
///
/// # Errors
/// `sale_exists`, `sale_suspended` for such an id; `unavailable`.
pub async fn refuse_gone_meanwhile(store: &Store, kind: &str, sale: &str) -> Result<()> {
    match state_of(store, kind, sale).await?.as_deref() {
        Some("archived") => {
            listing::unlist(store, &keys::name(kind, sale)).await?;
            Err(taken_by_archived(sale))
        }
        // While the sale is being recovered, its terms are unknown.
        Some("suspended") => Err(Error::sale_suspended(sale)),
        _ => Ok(()),
    }
}

/// Refuses to recover a sale that was archived.
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
            "The sale \"{sale}\" was archived, so it was removed from Redis on purpose; there is nothing to recover."
        ),
        ..Error::sale_archived(sale)
    })
}

/// The generation of a sale's history after a recovery: the id of the event that records the recovery. It is later than
/// all events that the ledger has recorded, than every earlier generation, and than the generation that Redis or a
/// server knows (`meta`). That holds regardless of clocks, because servers compare generations.
///
/// # Errors
/// `internal` if there is no later id; `unavailable`.
pub async fn next_generation(store: &Store, known: &LedgerSale, now: Millis) -> Result<EventId> {
    let by_the_clock = EventId { millis: now.max(0).cast_unsigned(), sequence: 0 };
    let in_redis = generation_in_redis(store, &known.kind, &known.sale).await?;
    let later = [known.position.event_id, known.generation, in_redis].map(EventId::next);
    let later: Option<Vec<EventId>> = later.into_iter().collect();
    // The events of the sale continue after this id.
    let generation = later.and_then(|later| later.into_iter().max()).map(|later| later.max(by_the_clock));
    generation.filter(|generation| generation.next().is_some()).ok_or_else(|| {
        let sale = &known.sale;
        Error::new(
            Code::Internal,
            format!("The sale \"{sale}\" has an event with the last id that there is, so nothing can come after it; nothing was recovered."),
        )
    })
}

/// The generation in `meta`; the default if there is no readable one.
async fn generation_in_redis(store: &Store, kind: &str, sale: &str) -> Result<EventId> {
    if state_of(store, kind, sale).await?.is_none() {
        return Ok(EventId::default());
    }
    Ok(readable_field(store, &store.sale_key(kind, sale, "meta"), "generation").await?.unwrap_or_default())
}

/// A field of a hash; `None` if it is missing or unreadable, as somebody may have changed it by hand.
///
/// # Errors
/// `internal` if the key is not a hash; `unavailable`.
pub(super) async fn readable_field<T: FromStr>(store: &Store, key: &str, field: &str) -> Result<Option<T>> {
    let stored: Option<Vec<u8>> = store.query("HGET", (key, field)).await?;
    Ok(stored.and_then(|stored| str::from_utf8(&stored).ok()?.parse().ok()))
}

/// The error for recovering a live sale.
pub fn living(sale: &str) -> Error {
    Error::new(
        Code::SaleExists,
        format!(
            "The sale \"{sale}\" is live in Redis and may change at any moment; there is nothing to recover. If its data \
             in Redis is damaged, `stampede recover --suspend {}` suspends it and rebuilds it from the ledger.",
            shell_word(sale)
        ),
    )
}
