//! The scripts of stock: their keys, arguments and replies.
//!
//! Lists in arguments and replies are MessagePack (`lua/README.md`, "Records").

use crate::life::details::{not_open, paused};
use ledger::kind::LastingParts;
use model::{
    Millis,
    error::{Code, Error, Result},
    stock::{Confirmed, DeductionState, GivenBack, INFO, MAX_PARTS, Outcome, Return},
};
use serde::{Deserialize, Serialize, Serializer};
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
pub const PARTS: [&str; 12] = [
    "meta",
    "quantity",
    "rebuild",
    "requests",
    "users",
    "deadlines",
    "stats",
    "events",
    "attempts",
    "paused",
    "crowd",
    "crowd_lock",
];

/// The parts whose keys must exist. (Scripts detect missing users and deadlines by counting, as few sales have them.)
pub const LASTING: LastingParts = LastingParts { from_opening: &[], once_given: &["requests", "stats"] };

/// Opens a sale.
pub static OPEN: Script = script!("stock/open.lua");
/// Answers a batch of attempts.
pub static DEDUCT: Script = script!("stock/deduct.lua");
/// Answers one attempt at several sales of a group.
pub static DEDUCT_ITEMS: Script = script!("stock/deduct_items.lua");
/// Gives back units of a batch of requests.
pub static GIVE_BACK: Script = script!("stock/give_back.lua");
/// Confirms a batch of reservations.
pub static CONFIRM: Script = script!("stock/confirm.lua");
/// Confirms what one request has reserved in several sales of a group.
pub static CONFIRM_ITEMS: Script = script!("stock/confirm_items.lua");
/// Ends the reservations that are due.
pub static EXPIRE: Script = script!("stock/expire.lua");
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
pub static SCRIPTS: [&Script; 14] = [
    &OPEN,
    &DEDUCT,
    &DEDUCT_ITEMS,
    &GIVE_BACK,
    &CONFIRM,
    &CONFIRM_ITEMS,
    &EXPIRE,
    &ADJUST,
    &LOAD,
    &CLOSE,
    &SNAPSHOT,
    &AUDIT,
    &RECOVER,
    &RESUME,
];

/// The most requests that one call may give back, confirm or end.
pub const REQUESTS_AT_A_TIME: usize = 64;

/// The key of one of the parts of a sale without a group.
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
    Ok(Some(match reply.code {
        ReplyCode::Done => match reply.text()?.split_once(' ') {
            Some((left, due)) => {
                Outcome::Held { left: left.parse().map_err(protocol_error)?, due: due.parse().map_err(protocol_error)? }
            }
            None => Outcome::Won { left: reply.text()?.parse().map_err(protocol_error)? },
        },
        ReplyCode::Repeat => {
            let mut values = reply.text()?.split(' ');
            let left = values.next().unwrap_or_default().parse().map_err(protocol_error)?;
            let state = state_of_deduction(values.next().unwrap_or_default())?;
            let due = values.next().map(|due| due.parse().map_err(protocol_error)).transpose()?;
            Outcome::Repeat { left, state, due }
        }
        ReplyCode::NotCached => return Ok(None),
        code => match refused_outcome(code, || reply.text())? {
            Some(outcome) => outcome,
            None => return Err(refusal(code, &DEDUCT, sale)),
        },
    }))
}

/// The outcome of an attempt that a sale refuses; `None` if the code is none of these.
pub(super) fn refused_outcome<'a>(code: ReplyCode, text: impl Fn() -> Result<&'a str>) -> Result<Option<Outcome>> {
    let left = || text()?.parse().map_err(protocol_error);
    Ok(Some(match code {
        ReplyCode::NotEnough => Outcome::NotEnough { left: left()? },
        ReplyCode::LimitReached => Outcome::LimitReached { left: left()? },
        ReplyCode::Closed => Outcome::Closed { closed_at: text()?.parse().map_err(protocol_error)? },
        ReplyCode::NotOpen => {
            let (opens_at, now) = not_open(text()?)?;
            Outcome::NotOpen { opens_at, now }
        }
        ReplyCode::Paused => {
            let (paused_at, reason) = paused(text()?)?;
            Outcome::Paused { paused_at, reason }
        }
        ReplyCode::Expired => Outcome::Ended { ends_at: text()?.parse().map_err(protocol_error)? },
        _ => return Ok(None),
    }))
}

/// The state of a deduction with this name.
pub(super) fn state_of_deduction(name: &str) -> Result<DeductionState> {
    Ok(match name {
        "deducted" => DeductionState::Deducted,
        "held" => DeductionState::Held,
        "confirmed" => DeductionState::Confirmed,
        "returned" => DeductionState::Returned,
        "expired" => DeductionState::Expired,
        other => return Err(protocol_error(format!("{other:?} is no state of a deduction"))),
    })
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
        let count = attempts.len();
        args.extend(attempts.into_iter().flat_map(|Return { request_id, quantity, return_id, reason }| {
            let quantity = quantity.map_or_else(String::new, |quantity| quantity.to_string());
            [request_id, quantity, return_id.unwrap_or_default(), reason]
        }));
        let replies = self.store.attempt(&GIVE_BACK, (KIND, sale), &args, count).await?;
        Ok(replies.iter().map(|reply| read_return(reply, sale)).collect())
    }
}

fn read_return(reply: &AttemptReply, sale: &str) -> Result<GivenBack> {
    let detail = || unpack::<(String, u64, u64)>(&reply.detail);
    Ok(match reply.code {
        ReplyCode::Done => {
            let (user, quantity, kept) = detail()?;
            GivenBack::Returned { user, quantity, kept }
        }
        ReplyCode::Repeat => {
            let (user, quantity, kept) = detail()?;
            GivenBack::Repeat { user, quantity, kept }
        }
        ReplyCode::NotEnough => {
            let (user, _, kept) = detail()?;
            GivenBack::NotEnough { user, kept }
        }
        ReplyCode::Ended => GivenBack::Expired { user: detail()?.0 },
        ReplyCode::UnknownRequest => GivenBack::UnknownRequest,
        ReplyCode::OtherRequest => {
            let why =
                "`return_id` was used for another quantity of this deduction; nothing was given back. Use a new one.";
            return Err(Error::of_field(Code::RequestReused, "return_id", why));
        }
        ReplyCode::LimitReached => {
            let why = format!(
                "{MAX_PARTS} parts of this deduction were given back, which is the most; nothing was given back now. Give \
                 back the rest without `quantity`."
            );
            return Err(Error::of_field(Code::BadRequest, "quantity", why));
        }
        code => return Err(refusal(code, &GIVE_BACK, sale)),
    })
}

/// A confirmation that waits for its batch.
pub(super) struct ConfirmAttempt {
    /// The request id of the deduction.
    pub request_id: String,
    /// Why, may be empty.
    pub reason: String,
}

/// The binding of `confirm.lua`.
pub(super) struct ConfirmScript {
    pub store: Store,
    pub clock: Arc<dyn Clock>,
}

impl BatchCall for ConfirmScript {
    type Attempt = ConfirmAttempt;
    type Reply = Result<Confirmed>;

    const ROOM: usize = REQUESTS_AT_A_TIME;
    const SETTLES: bool = true;

    async fn call(&self, sale: &str, attempts: Vec<ConfirmAttempt>) -> Result<Vec<Result<Confirmed>>> {
        let mut args = vec![self.clock.script_time()];
        let count = attempts.len();
        args.extend(attempts.into_iter().flat_map(|ConfirmAttempt { request_id, reason }| [request_id, reason]));
        let replies = self.store.attempt(&CONFIRM, (KIND, sale), &args, count).await?;
        Ok(replies.iter().map(|reply| read_confirmation(reply, sale)).collect())
    }
}

fn read_confirmation(reply: &AttemptReply, sale: &str) -> Result<Confirmed> {
    let detail = || unpack::<(String, u64, Millis)>(&reply.detail);
    Ok(match reply.code {
        ReplyCode::Done => {
            let (user, quantity, _) = detail()?;
            Confirmed::Confirmed { user, quantity }
        }
        ReplyCode::Repeat => {
            let (user, quantity, _) = detail()?;
            Confirmed::Repeat { user, quantity }
        }
        ReplyCode::Ended => {
            let (user, _, due) = detail()?;
            Confirmed::Late { user, due }
        }
        ReplyCode::Returned => Confirmed::Returned { user: detail()?.0 },
        ReplyCode::UnknownRequest => Confirmed::UnknownRequest,
        code => return Err(refusal(code, &CONFIRM, sale)),
    })
}

/// The state of a request.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum RequestState {
    /// A user deducted a quantity.
    Deducted,
    /// A user reserved a quantity.
    Held,
    /// The reservation was confirmed.
    Confirmed,
    /// The user gave the quantity back.
    Returned,
    /// The reservation expired.
    Expired,
    /// Stock was added.
    Restocked,
    /// The quantity was corrected.
    Corrected,
}

/// A stored request. The scripts store it as a list in this order, without the last fields where nothing uses them.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize)]
pub struct RequestRecord {
    /// The user who made the request; empty for restocks and corrections.
    pub user: String,
    /// The quantity that the user got, or the change of the quantity.
    pub quantity: i64,
    /// The state of the request.
    pub state: RequestState,
    /// The quantity left after the request.
    pub left: i64,
    /// The deadline of a reservation; 0 if it is none.
    #[serde(default)]
    pub due: Millis,
    /// The returns of parts, and those that have an id: id and quantity of each, oldest first.
    #[serde(default)]
    pub returns: Vec<(String, i64)>,
}

impl RequestRecord {
    /// A request that was neither reserved nor given back in parts.
    pub fn new(user: String, quantity: i64, state: RequestState, left: i64) -> Self {
        Self { user, quantity, state, left, due: 0, returns: Vec::new() }
    }

    /// Whether its user has units of the request.
    pub fn has_units(&self) -> bool {
        matches!(self.state, RequestState::Deducted | RequestState::Held | RequestState::Confirmed)
    }

    /// The units of the request that its user still has.
    pub fn kept(&self) -> i64 {
        let returned: i64 = self.returns.iter().map(|(_, quantity)| quantity).sum();
        if self.has_units() { self.quantity - returned } else { 0 }
    }
}

impl Serialize for RequestRecord {
    fn serialize<S: Serializer>(&self, serializer: S) -> std::result::Result<S::Ok, S::Error> {
        let Self { user, quantity, state, left, due, returns } = self;
        match (due, returns.as_slice()) {
            (0, []) => (user, quantity, state, left).serialize(serializer),
            (due, []) => (user, quantity, state, left, due).serialize(serializer),
            (due, returns) => (user, quantity, state, left, due, returns).serialize(serializer),
        }
    }
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
