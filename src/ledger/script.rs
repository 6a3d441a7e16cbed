//! The ledger's scripts, bound.

use super::apply::Position;
use crate::{
    domain::{EventId, Millis},
    error::Result,
    store::{Store, keys, script::Script, stream::garbled},
};
use redis::{Value, from_redis_value};

pub static LEASE: Script = Script::new("ledger/lease.lua", include_str!("../../lua/ledger/lease.lua"));
pub static MARK: Script = Script::new("ledger/mark.lua", include_str!("../../lua/ledger/mark.lua"));
pub static PASS: Script = Script::new("ledger/pass.lua", include_str!("../../lua/ledger/pass.lua"));
pub static SUSPEND: Script = Script::new("ledger/suspend.lua", include_str!("../../lua/ledger/suspend.lua"));

/// Every script of the ledger, for the store to load.
pub static SCRIPTS: [&Script; 4] = [&LEASE, &MARK, &PASS, &SUSPEND];

/// Reply codes, as in `lua/README.md`.
pub mod reply {
    pub const DONE: i64 = 0;
    pub const REPEAT: i64 = 500;
    pub const UNKNOWN_SALE: i64 = 1005;
    pub const TAKEN: i64 = 1010;
    pub const IN_STEP: i64 = 1011;
}

/// Where a sale's stream stands.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Mark {
    /// Entries in the stream.
    pub length: u64,
    /// The last entry ever, and how many there were.
    pub end: Position,
    /// When the first entry happened that the ledger has not.
    pub waiting_since: Option<Millis>,
    /// What is marked as in the ledger.
    pub marked: Position,
}

/// Takes or renews the lease; says who has it.
///
/// # Errors
/// `unavailable`.
pub async fn lease(store: &Store, process: &str, for_ms: u64) -> Result<(bool, String)> {
    let keys = [keys::WRITER.to_owned()];
    let (code, has): (i64, String) = store.eval(&LEASE, &keys, &[process, &for_ms.to_string()]).await?;
    Ok((code == reply::DONE, has))
}

/// Where the stream of a sale stands, seen from `applied`, or from what is marked where that is not known;
/// `None` where Redis has no such sale.
///
/// # Errors
/// `unavailable`.
pub async fn mark(store: &Store, kind: &str, sale: &str, applied: Option<EventId>) -> Result<Option<Mark>> {
    let keys = [keys::sale(kind, sale, "events")];
    let values: Vec<Value> = store.eval(&MARK, &keys, &[applied.map_or_else(String::new, |id| id.to_string())]).await?;
    let mut values = values.into_iter();
    let mut next = || values.next().unwrap_or(Value::Nil);
    if from_redis_value::<i64>(next()).map_err(garbled)? != reply::DONE {
        return Ok(None);
    }
    let length = from_redis_value(next()).map_err(garbled)?;
    let last: String = from_redis_value(next()).map_err(garbled)?;
    let entries = from_redis_value(next()).map_err(garbled)?;
    let waiting_since: String = from_redis_value(next()).map_err(garbled)?;
    let marked: String = from_redis_value(next()).map_err(garbled)?;
    let marked_entries = from_redis_value(next()).map_err(garbled)?;
    Ok(Some(Mark {
        length,
        end: Position { event_id: last.parse()?, entries },
        waiting_since: waiting_since.parse().ok(),
        marked: Position { event_id: marked.parse()?, entries: marked_entries },
    }))
}

/// Marks what the ledger has of a sale, and trims what is older than `keep_from`.
///
/// # Errors
/// `unavailable`.
pub async fn pass(store: &Store, kind: &str, sale: &str, applied: Position, keep_from: EventId) -> Result<()> {
    let keys = [keys::sale(kind, sale, "events")];
    let args = [applied.event_id.to_string(), applied.entries.to_string(), keep_from.to_string()];
    let _code: Vec<i64> = store.eval(&PASS, &keys, &args).await?;
    Ok(())
}

/// Stops a sale of which the ledger knows more than Redis does. Says whether it is stopped.
///
/// # Errors
/// `unavailable`.
pub async fn suspend(store: &Store, kind: &str, sale: &str, applied: EventId) -> Result<bool> {
    let keys = ["meta", "events"].map(|part| keys::sale(kind, sale, part));
    let code: Vec<i64> = store.eval(&SUSPEND, &keys, &[applied.millis, applied.sequence]).await?;
    Ok(matches!(code.first(), Some(&(reply::DONE | reply::REPEAT))))
}
