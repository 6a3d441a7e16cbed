//! The scripts of stock: their keys, arguments and replies.
//!
//! Lists in arguments and replies are MessagePack (`lua/README.md`, "Records").

use crate::life::details::{not_open, paused};
use ledger::kind::LastingParts;
use model::{
    error::{Code, Error, Result},
    stock::{DeductionState, GivenBack, INFO, Outcome},
};
use serde::{Deserialize, Serialize};
use std::sync::Arc;
use store::{
    Store,
    batcher::BatchCall,
    keys,
    reply::{AttemptReply, ReplyCode},
    runtime::Clock,
    script::{Script, script},
    stream::protocol_error,
};

/// The kind, as in keys.
pub const KIND: &str = INFO.id;

/// The parts of a stock sale's keys, in the order in which `lua/README.md` lists them.
pub const PARTS: [&str; 10] =
    ["meta", "quantity", "rebuild", "requests", "stats", "events", "attempts", "paused", "crowd", "crowd_lock"];

/// The parts whose keys must exist. (Scripts detect missing pending, held or taken items by counting.)
pub const LASTING: LastingParts = LastingParts { from_opening: &[], once_given: &["requests", "stats"] };

/// Opens a sale.
pub static OPEN: Script = script!("stock/open.lua");
/// Answers a batch of attempts.
pub static DEDUCT: Script = script!("stock/deduct.lua");
/// Gives back the deductions of a batch of requests.
pub static GIVE_BACK: Script = script!("stock/give_back.lua");
/// Adds stock, or corrects the quantity.
pub static ADJUST: Script = script!("stock/adjust.lua");
/// Caches the quantity again.
pub static LOAD: Script = script!("stock/load.lua");
pub static CLOSE: Script = script!("stock/close.lua");
pub static SNAPSHOT: Script = script!("stock/snapshot.lua");
pub static AUDIT: Script = script!("stock/audit.lua");
pub static RECOVER: Script = script!("stock/recover.lua");
/// Reopens a recovered sale.
pub static RESUME: Script = script!("stock/resume.lua");

/// Every script of this kind, for the store to load.
pub static SCRIPTS: [&Script; 10] =
    [&OPEN, &DEDUCT, &GIVE_BACK, &ADJUST, &LOAD, &CLOSE, &SNAPSHOT, &AUDIT, &RECOVER, &RESUME];

/// The most requests whose deductions one call may give back.
pub const REQUESTS_AT_A_TIME: usize = 64;

/// The key of one of a sale's parts.
pub fn key(sale: &str, part: &str) -> String {
    keys::sale(KIND, sale, part)
}

/// An attempt that waits for its batch.
#[derive(Clone, Debug, Serialize)]
pub struct Attempt {
    /// The user who makes the attempt.
    pub user: String,
    /// Identifies the request.
    pub request_id: String,
    /// The wanted quantity.
    pub quantity: u64,
}

/// The attempts of a batch as one flat list.
pub fn attempts_list(attempts: &[Attempt]) -> Vec<u8> {
    #[derive(Serialize)]
    #[serde(untagged)]
    enum Word<'a> {
        Text(&'a str),
        Number(u64),
    }
    let words: Vec<Word> = attempts
        .iter()
        .flat_map(|attempt| {
            [Word::Text(&attempt.user), Word::Text(&attempt.request_id), Word::Number(attempt.quantity)]
        })
        .collect();
    pack(&words)
}

/// The binding of `deduct.lua`. An attempt that finds the quantity not cached gets no outcome, as nothing was tried.
pub(super) struct DeductScript {
    pub store: Store,
    pub clock: Arc<dyn Clock>,
}

impl BatchCall for DeductScript {
    type Attempt = Attempt;
    type Reply = Result<Option<Outcome>>;

    async fn call(&self, sale: &str, attempts: Vec<Attempt>) -> Result<Vec<Result<Option<Outcome>>>> {
        let args = (self.clock.script_time(), attempts.len(), attempts_list(&attempts));
        let replies = self.store.attempt(&DEDUCT, (KIND, sale), &args, attempts.len()).await?;
        Ok(replies.iter().map(|reply| read_deduction(reply, sale)).collect())
    }
}

fn read_deduction(reply: &AttemptReply, sale: &str) -> Result<Option<Outcome>> {
    let left = || reply.text()?.parse().map_err(protocol_error);
    Ok(Some(match reply.code {
        ReplyCode::Done => Outcome::Won { left: left()? },
        ReplyCode::Repeat => {
            let (left, state) = reply.text()?.split_once(' ').unwrap_or_default();
            let state = match state {
                "deducted" => DeductionState::Deducted,
                "returned" => DeductionState::Returned,
                other => return Err(protocol_error(format!("{other:?} is no state of a deduction"))),
            };
            Outcome::Repeat { left: left.parse().map_err(protocol_error)?, state }
        }
        ReplyCode::NotEnough => Outcome::NotEnough { left: left()? },
        ReplyCode::Closed => Outcome::Closed { closed_at: reply.text()?.parse().map_err(protocol_error)? },
        ReplyCode::NotOpen => {
            let (opens_at, now) = not_open(reply.text()?)?;
            Outcome::NotOpen { opens_at, now }
        }
        ReplyCode::Paused => {
            let (paused_at, reason) = paused(reply.text()?)?;
            Outcome::Paused { paused_at, reason }
        }
        ReplyCode::Expired => Outcome::Ended { ends_at: reply.text()?.parse().map_err(protocol_error)? },
        ReplyCode::NotCached => return Ok(None),
        code => return Err(refusal(code, &DEDUCT, sale)),
    }))
}

/// The error for a code that is not an outcome.
pub(super) fn refusal(code: ReplyCode, script: &Script, sale: &str) -> Error {
    let reused = |what: &str| {
        Error::of_field(
            Code::RequestReused,
            "request_id",
            format!("`request_id` was used for {what} at this sale; nothing was tried. Use a new one."),
        )
    };
    match code {
        ReplyCode::OtherUser => reused("another user, a restock or a correction"),
        ReplyCode::OtherRequest => reused("another quantity, another deduction or another change"),
        code => code.refusal(script, sale),
    }
}

/// A return that waits for its batch.
pub(super) struct Return {
    pub request_id: String,
}

/// The binding of `give_back.lua`.
pub(super) struct GiveBackScript {
    pub store: Store,
    pub clock: Arc<dyn Clock>,
}

impl BatchCall for GiveBackScript {
    type Attempt = Return;
    type Reply = Result<GivenBack>;

    const ROOM: usize = REQUESTS_AT_A_TIME;
    const SETTLES: bool = true;

    async fn call(&self, sale: &str, attempts: Vec<Return>) -> Result<Vec<Result<GivenBack>>> {
        let mut args = vec![self.clock.script_time()];
        args.extend(attempts.iter().map(|attempt| attempt.request_id.clone()));
        let replies = self.store.attempt(&GIVE_BACK, (KIND, sale), &args, attempts.len()).await?;
        Ok(replies.iter().map(|reply| read_return(reply, sale)).collect())
    }
}

fn read_return(reply: &AttemptReply, sale: &str) -> Result<GivenBack> {
    let detail = || unpack::<(String, u64)>(&reply.detail);
    Ok(match reply.code {
        ReplyCode::Done => {
            let (user, quantity) = detail()?;
            GivenBack::Returned { user, quantity }
        }
        ReplyCode::Repeat => {
            let (user, quantity) = detail()?;
            GivenBack::Repeat { user, quantity }
        }
        ReplyCode::UnknownRequest => GivenBack::UnknownRequest,
        code => return Err(refusal(code, &GIVE_BACK, sale)),
    })
}

/// The state of a request.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum RequestState {
    /// A user deducted a quantity.
    Deducted,
    /// The user gave the quantity back.
    Returned,
    /// Stock was added.
    Restocked,
    /// The quantity was corrected.
    Corrected,
}

/// A stored request. The scripts store it as a list in this order.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct RequestRecord {
    /// The user who made the request; empty for restocks and corrections.
    pub user: String,
    /// The quantity that the user got, or the change of the quantity.
    pub quantity: i64,
    /// The state of the request.
    pub state: RequestState,
    /// The quantity left after the request.
    pub left: i64,
}

pub(super) fn pack<T: Serialize + ?Sized>(value: &T) -> Vec<u8> {
    // Serializing numbers and strings to memory cannot fail. Structs become lists, as the scripts expect.
    rmp_serde::to_vec(value).unwrap_or_default()
}

pub(super) fn unpack<'a, T: Deserialize<'a>>(bytes: &'a [u8]) -> Result<T> {
    rmp_serde::from_slice(bytes).map_err(protocol_error)
}

pub(super) fn not_cached(sale: &str) -> Error {
    Error::new(
        Code::Busy,
        format!(
            "The quantity of the sale \"{sale}\" expires faster than it is cached again; nothing was tried. Try again."
        ),
    )
}
