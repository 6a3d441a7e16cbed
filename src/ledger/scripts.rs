//! The ledger's scripts: bindings and replies.

use crate::{apply::Position, kind::LastingParts};
use model::{EventId, Millis, error::Result};
use store::{
    Store, keys,
    reply::ReplyCode,
    script::{Script, script},
};

pub static ACK_AND_TRIM: Script = script!(allow_oom "ledger/ack_and_trim.lua", ["events"], "lib/stream");
/// Its key is the lease: [`keys::WRITER`](store::keys::WRITER), or the `crowd_lock` of a sale.
pub static LEASE: Script = script!(allow_oom "ledger/lease.lua", []);
/// Its keys are [`keys::LEDGER`](store::keys::LEDGER) and [`keys::REDIS`](store::keys::REDIS).
pub static CLAIM_STREAMS: Script = script!(allow_oom "ledger/claim_streams.lua", []);
pub static STREAM_POSITION: Script = script!(no_writes "ledger/stream_position.lua", ["events"], "lib/stream");
pub static SUSPEND: Script = script!(allow_oom "ledger/suspend.lua", ["meta", "events"], "lib/stream");

/// Every script of the ledger, for the store to load.
pub static SCRIPTS: [&Script; 5] = [&LEASE, &CLAIM_STREAMS, &STREAM_POSITION, &ACK_AND_TRIM, &SUSPEND];

/// The end of a sale's stream, and the ledger's position in it.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct StreamPosition {
    /// Entries in the stream.
    pub length: u64,
    /// The last entry ever added, and the number of entries ever added.
    pub end: Position,
    /// When the first entry that the ledger does not have was added.
    pub waiting_since: Option<Millis>,
    /// What is acknowledged as recorded.
    pub acknowledged: Position,
}

impl StreamPosition {
    /// How many entries were before the first one of the stream; those that were deleted count, too.
    pub fn before(&self) -> u64 {
        self.end.entries.saturating_sub(self.length)
    }
}

/// Takes or renews a lease, which expires after this many milliseconds; 0 gives it back. Returns whether
/// `holder` has it, and who does.
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

/// Which ledger a Redis feeds.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Feeds {
    /// The one in question.
    This,
    /// None yet.
    None,
    /// Another one.
    Another,
}

/// What to do about the ledger that a Redis feeds.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Claim {
    /// Only look.
    Look,
    /// It feeds this one from now on, unless it feeds another.
    Claim,
    /// It feeds this one from now on, whatever it has fed before.
    Adopt,
}

impl Claim {
    fn mode(self) -> &'static str {
        match self {
            Self::Look => "look",
            Self::Claim => "claim",
            Self::Adopt => "adopt",
        }
    }
}

/// Which ledger this Redis feeds, compared with the one of this identity, and the identity of its data, which is `new_id`
/// if they had none.
///
/// # Errors
/// `unavailable`.
pub async fn claim_streams(store: &Store, identity: &str, claim: Claim, new_id: &str) -> Result<(Feeds, String)> {
    let args = [identity, claim.mode(), new_id];
    let mut reply = store.eval_on(&CLAIM_STREAMS, &[keys::LEDGER.to_owned(), keys::REDIS.to_owned()], &args).await?;
    let feeds = match reply.code {
        ReplyCode::Repeat => Feeds::This,
        ReplyCode::Done if claim == Claim::Look => Feeds::None,
        ReplyCode::Done => Feeds::This,
        ReplyCode::Taken => Feeds::Another,
        code => return Err(code.unexpected(&CLAIM_STREAMS)),
    };
    Ok((feeds, reply.next_value()?))
}

/// The end of a sale's stream and its lag behind `applied`, or behind the acknowledged position if that is `None`.
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

/// Acknowledges what the ledger has recorded for a sale, and trims entries older than `keep_from`. Returns whether it did:
/// not if the stream lacks the last entry that was recorded, because another Redis has taken the place of the first.
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

/// Whether a sale is suspended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Suspension {
    /// By this call.
    Begun,
    /// It was before.
    Repeated,
    /// It need not be: Redis has all of it, or nothing.
    NotNeeded,
}

impl Suspension {
    /// Whether the sale is suspended.
    pub fn is_in_force(self) -> bool {
        self != Self::NotNeeded
    }
}

/// Suspends a sale of which the ledger knows more than Redis does, or that lacks one of these keys.
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

/// Suspends a sale, whatever Redis knows of it: one that Redis does not have is not suspended.
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
    let mut keys = SUSPEND.keys(kind, sale);
    keys.extend(from_opening.iter().chain(*once_given).map(|part| keys::sale(kind, sale, part)));
    match store.eval_sale_on(&SUSPEND, &keys, &[applied, &from_opening.len().to_string()]).await?.code {
        ReplyCode::Done => Ok(Suspension::Begun),
        ReplyCode::Repeat => Ok(Suspension::Repeated),
        ReplyCode::UnknownSale | ReplyCode::UpToDate => Ok(Suspension::NotNeeded),
        code => Err(code.unexpected(&SUSPEND)),
    }
}
