//! The scripts of red packets: their keys, arguments and replies.

use crate::life::details::{not_open, paused};
use ledger::kind::LastingParts;
use model::{
    Cents,
    error::Result,
    red_packet::{INFO, Outcome},
};
use redis::{RedisWrite, ToRedisArgs};
use std::sync::Arc;
use store::{
    Store,
    batcher::BatchCall,
    keys,
    reply::{AttemptReply, ReplyCode},
    runtime::Clock,
    script::{Script, script},
    stream::{Read, Unreadable, protocol_error},
};

/// The kind, as in keys.
pub const KIND: &str = INFO.id;

/// The parts of a red packet's keys, in the order in which `lua/README.md` lists them.
pub const PARTS: [&str; 8] = ["pending", "claimants", "meta", "stats", "events", "attempts", "crowd", "crowd_lock"];

/// The parts whose keys must exist. (Scripts detect missing pending, held or taken items by counting.)
pub const LASTING: LastingParts = LastingParts { from_opening: &[], once_given: &["claimants", "stats"] };

/// Loads a chunk of packets; the last one opens the sale.
pub static OPEN: Script = script!("red_packet/open.lua");
/// Answers a batch of attempts.
pub static CLAIM: Script = script!("red_packet/claim.lua");
pub static REFUND: Script = script!("red_packet/refund.lua");
pub static CLOSE: Script = script!("red_packet/close.lua");
pub static AUDIT: Script = script!("red_packet/audit.lua");
pub static SNAPSHOT: Script = script!("red_packet/snapshot.lua");
pub static RECOVER: Script = script!("red_packet/recover.lua");
/// Reopens a recovered sale.
pub static RESUME: Script = script!("red_packet/resume.lua");

/// Every script of this kind, for the store to load.
pub static SCRIPTS: [&Script; 8] = [&OPEN, &CLAIM, &REFUND, &CLOSE, &AUDIT, &SNAPSHOT, &RECOVER, &RESUME];

/// The key of one of a sale's parts.
pub fn key(sale: &str, part: &str) -> String {
    keys::sale(KIND, sale, part)
}

/// An attempt that waits for its batch.
pub struct Attempt {
    /// The user who makes the attempt.
    pub user: String,
    /// The id of the request in the ledger.
    pub request_id: String,
}

/// The binding of `claim.lua`.
pub(super) struct ClaimScript {
    pub store: Store,
    pub clock: Arc<dyn Clock>,
}

impl BatchCall for ClaimScript {
    type Attempt = Attempt;
    type Reply = Result<Outcome>;

    async fn call(&self, sale: &str, attempts: Vec<Attempt>) -> Result<Vec<Result<Outcome>>> {
        let args = ClaimArgs { now: &self.clock.script_time(), attempts: &attempts };
        let replies = self.store.attempt(&CLAIM, (KIND, sale), &args, attempts.len()).await?;
        Ok(replies.iter().map(|reply| read_claim(reply, sale)).collect())
    }
}

/// The arguments of `claim.lua` after `seen`, written straight into the command.
pub struct ClaimArgs<'a> {
    /// The time of the call, from [`Clock::script_time`].
    pub now: &'a str,
    /// The attempts of the batch.
    pub attempts: &'a [Attempt],
}

impl ToRedisArgs for ClaimArgs<'_> {
    fn write_redis_args<W: ?Sized + RedisWrite>(&self, out: &mut W) {
        let request_ids: Vec<&str> = self.attempts.iter().map(|attempt| attempt.request_id.as_str()).collect();
        out.write_arg(self.now.as_bytes());
        // Serializing strings to memory cannot fail.
        out.write_arg(&rmp_serde::to_vec(&request_ids).unwrap_or_default());
        for attempt in self.attempts {
            out.write_arg(attempt.user.as_bytes());
        }
    }

    fn num_of_args(&self) -> usize {
        2 + self.attempts.len()
    }
}

/// Reads the reply of `claim.lua` to one attempt.
///
/// # Errors
/// `unknown_sale`, `sale_opening`, `sale_suspended`; `unavailable`, `internal` if the reply cannot be read.
pub fn read_claim(reply: &AttemptReply, sale: &str) -> Result<Outcome> {
    match reply.code {
        ReplyCode::Done => {
            let Holding { packet, cents } = holding(reply.text()?)?;
            Ok(Outcome::Won { packet, cents })
        }
        ReplyCode::Repeat => {
            let Holding { packet, cents } = holding(reply.text()?)?;
            Ok(Outcome::Repeat { packet, cents })
        }
        ReplyCode::SoldOut => Ok(Outcome::SoldOut),
        ReplyCode::Expired => Ok(Outcome::Expired { expired_at: reply.text()?.parse().map_err(protocol_error)? }),
        ReplyCode::Closed => Ok(Outcome::Closed { closed_at: reply.text()?.parse().map_err(protocol_error)? }),
        ReplyCode::NotOpen => {
            let (opens_at, now) = not_open(reply.text()?)?;
            Ok(Outcome::NotOpen { opens_at, now })
        }
        ReplyCode::Paused => {
            let (paused_at, reason) = paused(reply.text()?)?;
            Ok(Outcome::Paused { paused_at, reason })
        }
        code => Err(code.refusal(&CLAIM, sale)),
    }
}

/// A packet, claimed or pending.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Holding {
    /// The number of the packet, from 1.
    pub packet: u32,
    /// The amount in the packet, in cents.
    pub cents: Cents,
}

/// Reads `<no>:<cents>`.
///
/// # Errors
/// If the text has another form.
pub fn holding(packet: &str) -> Read<Holding> {
    packet
        .split_once(':')
        .and_then(|(no, cents)| Some(Holding { packet: no.parse().ok()?, cents: cents.parse().ok()? }))
        .ok_or_else(|| Unreadable(format!("{packet:?} is not a packet")))
}
