//! The ledger's scripts: bindings and replies.

use super::apply::Position;
use crate::{
    domain::{EventId, Millis},
    error::Result,
    store::{Store, keys, script::Script, stream::garbled},
};
use redis::{Value, from_redis_value};

pub static ACK_AND_TRIM: Script = Script::new("ledger/pass.lua", include_str!("../../lua/ledger/pass.lua"));
pub static LEASE: Script = Script::new("ledger/lease.lua", include_str!("../../lua/ledger/lease.lua"));
pub static STREAM_POSITION: Script = Script::new("ledger/mark.lua", include_str!("../../lua/ledger/mark.lua"));
pub static SUSPEND: Script = Script::new("ledger/suspend.lua", include_str!("../../lua/ledger/suspend.lua"));

/// Every script of the ledger, for the store to load.
pub static SCRIPTS: [&Script; 4] = [&LEASE, &STREAM_POSITION, &ACK_AND_TRIM, &SUSPEND];

/// Reply codes, as in `lua/README.md`.
pub mod reply {
    pub const DONE: i64 = 0;
    pub const REPEAT: i64 = 500;
    pub const UNKNOWN_SALE: i64 = 1005;
    pub const TAKEN: i64 = 1010;
    pub const IN_STEP: i64 = 1011;
}

/// The position of a sale's stream, and of the ledger in it.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct StreamPosition {
    /// Entries in the stream.
    pub length: u64,
    /// The last entry ever added, and how many there were.
    pub end: Position,
    /// When the first entry was added that the ledger does not have.
    pub waiting_since: Option<Millis>,
    /// What is acknowledged as recorded.
    pub acknowledged: Position,
}

/// Takes or renews the writer's lease. Returns whether this process has it, and who does.
///
/// # Errors
/// `unavailable`.
pub async fn lease(store: &Store, process: &str, for_ms: u64) -> Result<(bool, String)> {
    let keys = [keys::WRITER.to_owned()];
    let (code, has): (i64, String) = store.eval(&LEASE, &keys, &[process, &for_ms.to_string()]).await?;
    Ok((code == reply::DONE, has))
}

/// The position of a sale's stream, seen from `applied`, or from what is acknowledged where that is not known; `None`
/// where Redis has no such sale.
///
/// # Errors
/// `unavailable`.
pub async fn stream_position(
    store: &Store,
    kind: &str,
    sale: &str,
    applied: Option<EventId>,
) -> Result<Option<StreamPosition>> {
    let keys = [keys::sale(kind, sale, "events")];
    let args = [applied.map_or_else(String::new, |id| id.to_string())];
    let values: Vec<Value> = store.eval(&STREAM_POSITION, &keys, &args).await?;
    let mut values = values.into_iter();
    let mut next = || values.next().unwrap_or(Value::Nil);
    if from_redis_value::<i64>(next()).map_err(garbled)? != reply::DONE {
        return Ok(None);
    }
    let length = from_redis_value(next()).map_err(garbled)?;
    let last: String = from_redis_value(next()).map_err(garbled)?;
    let entries = from_redis_value(next()).map_err(garbled)?;
    let waiting_since: String = from_redis_value(next()).map_err(garbled)?;
    let acknowledged: String = from_redis_value(next()).map_err(garbled)?;
    let acknowledged_entries = from_redis_value(next()).map_err(garbled)?;
    Ok(Some(StreamPosition {
        length,
        end: Position { event_id: last.parse()?, entries },
        waiting_since: waiting_since.parse().ok(),
        acknowledged: Position { event_id: acknowledged.parse()?, entries: acknowledged_entries },
    }))
}

/// Acknowledges what the ledger has recorded of a sale, and trims what is older than `keep_from`.
///
/// # Errors
/// `unavailable`.
pub async fn ack_and_trim(store: &Store, kind: &str, sale: &str, applied: Position, keep_from: EventId) -> Result<()> {
    let keys = [keys::sale(kind, sale, "events")];
    let args = [applied.event_id.to_string(), applied.entries.to_string(), keep_from.to_string()];
    let _code: Vec<i64> = store.eval(&ACK_AND_TRIM, &keys, &args).await?;
    Ok(())
}

/// Suspends a sale of which the ledger knows more than Redis does. Returns whether it is suspended.
///
/// # Errors
/// `unavailable`.
pub async fn suspend(store: &Store, kind: &str, sale: &str, applied: EventId) -> Result<bool> {
    let keys = ["meta", "events"].map(|part| keys::sale(kind, sale, part));
    let code: Vec<i64> = store.eval(&SUSPEND, &keys, &[applied.millis, applied.sequence]).await?;
    Ok(matches!(code.first(), Some(&(reply::DONE | reply::REPEAT))))
}
