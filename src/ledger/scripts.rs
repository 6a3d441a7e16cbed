//! The ledger's scripts: bindings and replies.

use crate::{apply::Position, kind::LastingParts};
use model::{EventId, Millis, error::Result};
use store::{
    Store,
    fence::SUSPEND,
    keys,
    reply::ReplyCode,
    script::{Script, script},
};

pub static ACK_AND_TRIM: Script = script!("ledger/ack_and_trim.lua");
/// Takes, renews or gives back a lease. Its key is [`keys::WRITER`](store::keys::WRITER), or the `crowd_lock` of a
/// sale.
pub static LEASE: Script = script!("ledger/lease.lua");
/// Claims the streams for a ledger. Its keys are [`keys::LEDGER`](store::keys::LEDGER) and
/// [`keys::REDIS`](store::keys::REDIS).
pub static CLAIM_STREAMS: Script = script!("ledger/claim_streams.lua");
/// Keeps an audit for the board. Its key is [`keys::AUDITS`](store::keys::AUDITS).
pub static KEEP_AUDIT: Script = script!("ledger/keep_audit.lua");
pub static STREAM_POSITION: Script = script!("ledger/stream_position.lua");

/// Every script of the ledger, for the store to load.
pub static SCRIPTS: [&Script; 6] = [&LEASE, &CLAIM_STREAMS, &KEEP_AUDIT, &STREAM_POSITION, &ACK_AND_TRIM, &SUSPEND];

/// The end of a sale's stream, and the ledger's position in it.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct StreamPosition {
    /// The number of entries in the stream.
    pub length: u64,
    /// The last entry ever added, and the number of entries ever added.
    pub end: Position,
    /// When the first entry missing from the ledger was added.
    pub waiting_since: Option<Millis>,
    /// The position acknowledged as recorded.
    pub acknowledged: Position,
}

impl StreamPosition {
    /// The number of entries before the first one of the stream, including deleted ones.
    pub fn before(&self) -> u64 {
        self.end.entries.saturating_sub(self.length)
    }
}

/// Takes or renews a lease that expires after `for_ms` milliseconds; 0 gives it back. Returns whether `holder` has it,
/// and the actual holder.
///
/// # Errors
/// `unavailable`.
pub async fn lease(store: &Store, key: &str, holder: &str, for_ms: u64) -> Result<(bool, String)> {
    let mut reply = store.eval_on(&LEASE, &[key.to_owned()], &[holder, &for_ms.to_string()]).await?;
    match reply.code {
        ReplyCode::Done => Ok((true, reply.next_value()?)),
        ReplyCode::Taken => Ok((false, reply.next_value()?)),
        code => Err(code.unexpected(&LEASE)),
    }
}

/// The ledger that a Redis feeds.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Feeds {
    /// The ledger in question.
    This,
    /// None yet.
    None,
    /// Another ledger.
    Another,
}

/// The effect of a call on the ledger that a Redis feeds.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Claim<'a> {
    /// None: it only looks.
    Look,
    /// The Redis feeds this ledger from now on, unless it feeds another. One with this identity is replaced; `""` for
    /// none.
    Claim(&'a str),
}

/// The ledger that this Redis feeds, compared with the given identity, and the identity of the data in Redis. If the
/// data has none, it becomes `new_id`.
///
/// # Errors
/// `unavailable`.
pub async fn claim_streams(store: &Store, identity: &str, claim: Claim<'_>, new_id: &str) -> Result<(Feeds, String)> {
    let (mode, replaced) = match claim {
        Claim::Look => ("look", ""),
        Claim::Claim(replaced) => ("claim", replaced),
    };
    let args = [identity, mode, new_id, replaced];
    let mut reply = store
        .eval_on(&CLAIM_STREAMS, &[store.key(keys::LEDGER).to_owned(), store.key(keys::REDIS).to_owned()], &args)
        .await?;
    let feeds = match reply.code {
        ReplyCode::Repeat => Feeds::This,
        ReplyCode::Done if claim == Claim::Look => Feeds::None,
        ReplyCode::Done => Feeds::This,
        ReplyCode::Taken => Feeds::Another,
        code => return Err(code.unexpected(&CLAIM_STREAMS)),
    };
    Ok((feeds, reply.next_value()?))
}

/// Keeps an audit of a sale for the board, as JSON. `seen` is what was kept when it began; if another audit was kept
/// since, the newer one stays.
///
/// # Errors
/// `unavailable`.
pub async fn keep_audit(store: &Store, name: &str, seen: &[u8], audit: &str) -> Result<()> {
    match store.eval_on(&KEEP_AUDIT, &[store.key(keys::AUDITS).to_owned()], (name, seen, audit)).await?.code {
        ReplyCode::Done | ReplyCode::UpToDate => Ok(()),
        code => Err(code.unexpected(&KEEP_AUDIT)),
    }
}

/// The end of a sale's stream, and its lag behind `applied`, or behind the acknowledged position if that is `None`.
/// Returns `None` if Redis has no such sale.
///
/// # Errors
/// `unavailable`.
pub async fn stream_position(
    store: &Store,
    kind: &str,
    sale: &str,
    applied: Option<EventId>,
) -> Result<Option<StreamPosition>> {
    let applied = applied.map_or_else(String::new, |id| id.to_string());
    let mut reply = store.eval(&STREAM_POSITION, (kind, sale), &[applied]).await?;
    match reply.code {
        ReplyCode::Done => {}
        ReplyCode::UnknownSale => return Ok(None),
        code => return Err(code.unexpected(&STREAM_POSITION)),
    }
    let length = reply.next_value()?;
    let last: String = reply.next_value()?;
    let end = Position { event_id: last.parse()?, entries: reply.next_value()? };
    let waiting_since: String = reply.next_value()?;
    let acknowledged: String = reply.next_value()?;
    let acknowledged = Position { event_id: acknowledged.parse()?, entries: reply.next_value()? };
    Ok(Some(StreamPosition { length, end, waiting_since: waiting_since.parse().ok(), acknowledged }))
}

/// Acknowledges the recorded entries of a sale, and trims entries older than `keep_from`. Returns whether it did. It
/// does not if the stream lacks the last recorded entry: then another Redis has replaced the first one.
///
/// # Errors
/// `unavailable`.
pub async fn ack_and_trim(
    store: &Store,
    kind: &str,
    sale: &str,
    applied: Position,
    keep_from: EventId,
) -> Result<bool> {
    let args = [applied.event_id.to_string(), applied.entries.to_string(), keep_from.to_string()];
    match store.eval(&ACK_AND_TRIM, (kind, sale), &args).await?.code {
        // If Redis has lost the sale, there is nothing to acknowledge.
        ReplyCode::Done | ReplyCode::UnknownSale => Ok(true),
        ReplyCode::Lost => Ok(false),
        code => Err(code.unexpected(&ACK_AND_TRIM)),
    }
}

/// The suspension of a sale.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Suspension {
    /// Suspended by this call.
    Begun,
    /// Suspended before.
    Repeated,
    /// Not suspended, because there is no need: Redis has all of it, or nothing.
    NotNeeded,
}

impl Suspension {
    /// Whether the sale is suspended.
    pub fn is_in_force(self) -> bool {
        self != Self::NotNeeded
    }
}

/// Suspends a sale if the ledger knows more of it than Redis does, or if one of these keys is missing.
///
/// # Errors
/// `unavailable`.
pub async fn suspend(
    store: &Store,
    kind: &str,
    sale: &str,
    applied: EventId,
    lasting: &LastingParts,
) -> Result<Suspension> {
    call_suspend(store, kind, sale, &applied.to_string(), lasting).await
}

/// Suspends a sale, whatever Redis knows of it. A sale missing from Redis is not suspended.
///
/// # Errors
/// `unavailable`.
pub async fn suspend_living(store: &Store, kind: &str, sale: &str) -> Result<Suspension> {
    call_suspend(store, kind, sale, "", &LastingParts::UNKNOWN).await
}

async fn call_suspend(
    store: &Store,
    kind: &str,
    sale: &str,
    applied: &str,
    LastingParts { from_opening, once_given }: &LastingParts,
) -> Result<Suspension> {
    let mut parts: Vec<&str> = SUSPEND.parts().iter().map(String::as_str).collect();
    parts.extend(from_opening.iter().chain(*once_given));
    let args = [applied, &from_opening.len().to_string()];
    match store.eval_sale_on(&SUSPEND, (kind, sale), &parts, &args).await?.code {
        ReplyCode::Done => Ok(Suspension::Begun),
        ReplyCode::Repeat => Ok(Suspension::Repeated),
        ReplyCode::UnknownSale | ReplyCode::UpToDate => Ok(Suspension::NotNeeded),
        code => Err(code.unexpected(&SUSPEND)),
    }
}
