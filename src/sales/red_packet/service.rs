//! The red packet's keys, script calls and replies.

use super::{
    Claim, Declined, HISTOGRAM_BUCKETS, Histogram, INFO, Opened, Outcome, Outcomes, Refund, Snapshot, Splitter, State,
    Terms, audit, recovery,
};
use crate::{
    crowd,
    domain::{Audit, Cents, EventId, Millis, ScriptInfo, check_id},
    error::{Code, Error, Result},
    ledger::{database::Ledger, kind::Recovered},
    runtime::{Clock, Ids},
    sales::{declined::declined, due::Due, kind::Resources, lost::refuse_lost},
    store::{
        Store,
        batcher::{BatchCall, Batcher},
        keys,
        script::Script,
        stream::{Entry, Read, Unreadable, garbled, number_field, packed},
    },
};
use redis::{RedisWrite, ToRedisArgs, Value, from_redis_value};
use std::{collections::HashMap, sync::Arc};

pub static OPEN: Script = Script::new("red_packet/open.lua", include_str!("../../../lua/red_packet/open.lua"));
pub static CLAIM: Script = Script::new("red_packet/claim.lua", include_str!("../../../lua/red_packet/claim.lua"));
pub static REFUND: Script = Script::new("red_packet/refund.lua", include_str!("../../../lua/red_packet/refund.lua"));
pub static AUDIT: Script = Script::new("red_packet/audit.lua", include_str!("../../../lua/red_packet/audit.lua"));
pub static SNAPSHOT: Script =
    Script::new("red_packet/snapshot.lua", include_str!("../../../lua/red_packet/snapshot.lua"));
pub static RECOVER: Script = Script::new("red_packet/recover.lua", include_str!("../../../lua/red_packet/recover.lua"));
pub static RESUME: Script = Script::new("red_packet/resume.lua", include_str!("../../../lua/red_packet/resume.lua"));

/// Every script of this kind, for the store to load.
pub static SCRIPTS: [&Script; 7] = [&OPEN, &CLAIM, &REFUND, &AUDIT, &SNAPSHOT, &RECOVER, &RESUME];

/// The kind, as it stands in keys.
pub const KIND: &str = INFO.id;

/// The most packets in one call of `open.lua`: about two milliseconds of Redis.
const CHUNK: usize = 4096;
/// Newest claims and sampled attempts in a snapshot.
const LATEST: usize = 32;
const SAMPLE: usize = 16;

/// Reply codes, as in `lua/README.md`.
pub mod reply {
    pub const DONE: i64 = 0;
    pub const REPEAT: i64 = 500;
    pub const SOLD_OUT: i64 = 1003;
    pub const EXPIRED: i64 = 1004;
    pub const UNKNOWN_SALE: i64 = 1005;
    pub const OPENING: i64 = 1006;
    pub const EXISTS: i64 = 1007;
    pub const OUT_OF_TURN: i64 = 1008;
    pub const NOT_EXPIRED: i64 = 1009;
    pub const SUSPENDED: i64 = 1012;
    pub const INCOMPLETE: i64 = 1013;
}

/// Red packet sales on one Redis. Any number of these, in any number of processes, behave as one.
#[derive(Clone)]
pub struct RedPackets {
    pub(super) store: Store,
    ledger: Ledger,
    pub(super) clock: Arc<dyn Clock>,
    ids: Arc<Ids>,
    claims: Arc<Batcher<ClaimScript>>,
    due: Arc<Due>,
}

impl RedPackets {
    pub fn new(resources: &Resources) -> Self {
        let Resources { store, ledger, clock, ids } = resources.clone();
        let claims = Arc::new(Batcher::new(ClaimScript { store: store.clone(), clock: clock.clone() }));
        Self { store, ledger, clock, ids, claims, due: Arc::default() }
    }

    /// Splits the money and puts the packets in, chunk by chunk; the last chunk opens the sale. On the
    /// same terms it may be repeated, also after a crash in the middle: it goes on where it ended.
    ///
    /// # Errors
    /// `bad_request`; `sale_exists` with other terms; `unavailable`.
    pub async fn open(&self, terms: Terms) -> Result<Opened> {
        terms.check()?;
        refuse_lost(&self.store, &self.ledger, KIND, &terms.sale).await?;
        let Terms { sale, total_cents, count, splitter, expires_in_s, seed } = terms;
        let seed = match seed {
            Some(seed) => seed,
            // Who names no seed and opens again means the same sale: its seed is the one drawn then.
            None => {
                let drawn: Option<u64> = self.store.query("HGET", (key(&sale, "meta"), "seed")).await?;
                drawn.unwrap_or_else(|| self.ids.seed())
            }
        };
        let packets = split(splitter, total_cents, count, seed).await?;
        let largest = packets.iter().copied().max().unwrap_or(1);
        let bucket_cents = largest.div_euclid(HISTOGRAM_BUCKETS as Cents) + 1;

        let now = self.clock.now();
        let _new: i64 = self.store.query("ZADD", (keys::SALES, "NX", now, format!("{KIND}:{sale}"))).await?;
        let keys = [key(&sale, "pending"), key(&sale, "meta"), key(&sale, "events")];
        for (chunk, cents) in packets.chunks(CHUNK).enumerate() {
            let first = chunk * CHUNK + 1;
            let mut args = vec![
                self.clock.now().to_string(),
                total_cents.to_string(),
                count.to_string(),
                splitter.name().to_owned(),
                seed.to_string(),
                expires_in_s.to_string(),
                bucket_cents.to_string(),
                first.to_string(),
            ];
            args.extend(cents.iter().zip(first..).map(|(cents, no)| format!("{no}:{cents}")));
            let (code, loaded): (i64, u64) = self.store.eval(&OPEN, &keys, &args).await?;
            match code {
                reply::DONE => {}
                reply::REPEAT => break,
                reply::EXISTS => {
                    return Err(Error {
                        code: Code::SaleExists,
                        message: format!("The id \"{sale}\" is taken by a sale on other terms; choose another."),
                        field: Some("id".to_owned()),
                    });
                }
                code => {
                    tracing::error!(sale, code, loaded, "open.lua answered out of turn");
                    return Err(Error::new(
                        Code::Unavailable,
                        format!("Only {loaded} packets are in; open the sale again on the same terms to go on."),
                    ));
                }
            }
        }
        Ok(Opened { sale })
    }

    /// One user's one try.
    ///
    /// # Errors
    /// `bad_request`, `unknown_sale`, `sale_opening`, `busy`; `unavailable` where the outcome is unknown.
    pub async fn claim(&self, sale: &str, user: String, request_id: Option<String>) -> Result<Outcome> {
        check_id("sale", sale)?;
        check_id("user", &user)?;
        let request_id = match request_id {
            Some(request_id) => {
                check_id("request_id", &request_id)?;
                request_id
            }
            None => self.ids.id(),
        };
        match self.claims.submit(sale, Attempt { user, request_id }).await? {
            Reply::Outcome(outcome) => Ok(outcome),
            Reply::UnknownSale => Err(Error::unknown_sale(sale)),
            Reply::Opening => Err(opening(sale)),
            Reply::Suspended => Err(suspended(sale)),
        }
    }

    /// All that the page shows, of one moment.
    ///
    /// # Errors
    /// `bad_request`, `unknown_sale`, `unavailable`.
    pub async fn snapshot(&self, sale: &str) -> Result<Snapshot> {
        check_id("sale", sale)?;
        let keys = ["pending", "meta", "stats", "events", "attempts", "crowd"].map(|part| key(sale, part));
        let reply: Value = self.store.eval(&SNAPSHOT, &keys, &[LATEST, SAMPLE]).await?;
        let mut reply = parts(reply)?.into_iter();
        let mut next = || reply.next().unwrap_or(Value::Nil);
        if from_redis_value::<i64>(next()).map_err(garbled)? != reply::DONE {
            return Err(Error::unknown_sale(sale));
        }
        let meta = Fields(from_redis_value(next()).map_err(garbled)?);
        let stats = Fields(from_redis_value(next()).map_err(garbled)?);
        let in_queue: u64 = from_redis_value(next()).map_err(garbled)?;
        let event_id: EventId = from_redis_value::<String>(next()).map_err(garbled)?.parse()?;
        let events: Vec<Entry> = from_redis_value(next()).map_err(garbled)?;
        let attempts: Vec<Entry> = from_redis_value(next()).map_err(garbled)?;
        let crowd: Option<String> = from_redis_value(next()).map_err(garbled)?;

        let now = self.clock.now();
        let (total_cents, count) = (meta.number("total_cents"), meta.number("count") as u64);
        let (claimed, claimed_cents) = (stats.number("won") as u64, stats.number("claimed_cents"));
        let refunded_cents = meta.number("refunded_cents");
        let expires_at = meta.number("expires_at");
        let state = state(meta.text("state"), expires_at, now);
        Ok(Snapshot {
            sale: sale.to_owned(),
            state,
            splitter: Splitter::from_name(meta.text("splitter")).unwrap_or(Splitter::Equal),
            total_cents,
            count,
            opened_at: meta.number("opened_at"),
            expires_at,
            pending: in_queue,
            pending_cents: total_cents - claimed_cents - refunded_cents,
            claimed,
            claimed_cents,
            refunded: meta.number("refunded") as u64,
            refunded_cents,
            outcomes: Outcomes {
                won: claimed,
                repeat: stats.number("repeat") as u64,
                sold_out: stats.number("sold_out") as u64,
                expired: stats.number("expired") as u64,
            },
            luckiest: luckiest(&meta),
            histogram: histogram(&meta, &stats),
            latest: latest(&events)?,
            declined: declined(&attempts, SAMPLE, declined_as)?,
            calls: stats.number("calls") as u64,
            crowd: crowd.map(|json| crowd::runner::read(&json, now)).transpose()?,
            event_id,
        })
    }

    /// Sends the unclaimed money of an expired sale back, once, whoever asks and how often.
    ///
    /// # Errors
    /// `bad_request`, `unknown_sale`, `sale_opening`, `unavailable`.
    pub async fn refund(&self, sale: &str) -> Result<Refund> {
        check_id("sale", sale)?;
        let keys = ["pending", "meta", "stats", "events"].map(|part| key(sale, part));
        let (code, detail): (i64, i64) = self.store.eval(&REFUND, &keys, &[self.clock.now()]).await?;
        match code {
            reply::DONE => Ok(Refund::Refunded { refunded_cents: detail }),
            reply::REPEAT => Ok(Refund::Repeat { refunded_cents: detail }),
            reply::NOT_EXPIRED => Ok(Refund::NotExpired { refunded_cents: 0, expires_at: detail }),
            reply::OPENING => Err(opening(sale)),
            reply::SUSPENDED => Err(suspended(sale)),
            _ => Err(Error::unknown_sale(sale)),
        }
    }

    /// Checks the sale's invariants, packet by packet. Where nobody could look, the verdict is `unknown`.
    ///
    /// # Errors
    /// `bad_request`, `unknown_sale`, `sale_opening`.
    pub async fn audit(&self, sale: &str) -> Result<Audit> {
        check_id("sale", sale)?;
        match audit::audit(&self.store, &self.ledger, sale, self.clock.now()).await {
            Err(error) if matches!(error.code, Code::Unavailable | Code::LedgerUnavailable) => {
                Ok(Audit::unknown(error.message, self.clock.now()))
            }
            audit => audit,
        }
    }

    /// Builds a sale anew that Redis has lost, from the ledger.
    ///
    /// # Errors
    /// `unknown_sale` to the ledger; `sale_exists` where Redis has it; `unavailable`, `ledger_unavailable`.
    pub async fn recover(&self, sale: &str) -> Result<Recovered> {
        check_id("sale", sale)?;
        recovery::recover(&self.store, &self.ledger, sale, &self.ids.id(), self.clock.now()).await
    }

    /// Refunds every expired sale that has not been refunded; says how many.
    ///
    /// # Errors
    /// `unavailable`.
    pub async fn sweep(&self) -> Result<u64> {
        self.due.sweep(self, &self.store, self.clock.now()).await
    }

    /// The packets that these users have, in their order.
    ///
    /// # Errors
    /// `unavailable`.
    pub async fn holdings(&self, sale: &str, users: &[String]) -> Result<Vec<Option<Holding>>> {
        let held: Vec<Option<String>> = self.store.query("HMGET", (key(sale, "claimants"), users)).await?;
        held.into_iter().map(|packet| packet.map(|packet| Ok(holding(&packet)?)).transpose()).collect()
    }

    /// The script that decides a claim.
    ///
    /// # Errors
    /// `unavailable`.
    pub async fn script(&self) -> Result<ScriptInfo> {
        ScriptInfo::of(&self.store, &CLAIM).await
    }
}

/// An attempt, as it waits for its batch.
pub struct Attempt {
    pub user: String,
    pub request_id: String,
}

/// What the script says of one attempt.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Reply {
    Outcome(Outcome),
    UnknownSale,
    Opening,
    Suspended,
}

/// `claim.lua`, bound.
struct ClaimScript {
    store: Store,
    clock: Arc<dyn Clock>,
}

impl BatchCall for ClaimScript {
    type Attempt = Attempt;
    type Reply = Reply;

    async fn call(&self, sale: &str, attempts: Vec<Attempt>) -> Result<Vec<Reply>> {
        let keys = claim_keys(sale);
        let args = ClaimArgs { now: self.clock.now(), attempts: &attempts };
        let reply = self.store.attempt(&CLAIM, &keys, &args).await?;
        read_claims(reply, attempts.len())
    }
}

/// KEYS of `claim.lua`.
pub fn claim_keys(sale: &str) -> [String; 6] {
    ["pending", "claimants", "meta", "stats", "events", "attempts"].map(|part| key(sale, part))
}

/// ARGV of `claim.lua`, written straight into the command.
pub struct ClaimArgs<'a> {
    pub now: Millis,
    pub attempts: &'a [Attempt],
}

impl ToRedisArgs for ClaimArgs<'_> {
    fn write_redis_args<W: ?Sized + RedisWrite>(&self, out: &mut W) {
        self.now.write_redis_args(out);
        out.write_arg(&pack(self.attempts.iter().map(|attempt| attempt.request_id.as_str())));
        for attempt in self.attempts {
            out.write_arg(attempt.user.as_bytes());
        }
    }

    fn num_of_args(&self) -> usize {
        2 + self.attempts.len()
    }
}

/// A list of texts as MessagePack, as the script's cmsgpack has it.
fn pack<'a>(texts: impl Iterator<Item = &'a str>) -> Vec<u8> {
    let texts: Vec<&str> = texts.collect();
    // Writing texts to memory cannot fail.
    rmp_serde::to_vec(&texts).unwrap_or_default()
}

/// The reply of `claim.lua` to `n` attempts: code and detail, in turn.
///
/// # Errors
/// `unavailable` when it is not that.
pub fn read_claims(reply: Value, n: usize) -> Result<Vec<Reply>> {
    let values = parts(reply)?;
    if values.len() != 2 * n {
        return Err(garbled(format!("{} values for {n} attempts", values.len())));
    }
    values.chunks_exact(2).map(|pair| read_claim(&pair[0], &pair[1])).collect()
}

fn read_claim(code: &Value, detail: &Value) -> Result<Reply> {
    let (Value::Int(code), Value::BulkString(detail)) = (code, detail) else {
        return Err(garbled(format!("{code:?}, {detail:?}")));
    };
    let detail = std::str::from_utf8(detail).map_err(garbled)?;
    Ok(match *code {
        reply::DONE => {
            let Holding { packet, cents } = holding(detail)?;
            Reply::Outcome(Outcome::Won { packet, cents })
        }
        reply::REPEAT => {
            let Holding { packet, cents } = holding(detail)?;
            Reply::Outcome(Outcome::Repeat { packet, cents })
        }
        reply::SOLD_OUT => Reply::Outcome(Outcome::SoldOut),
        reply::EXPIRED => Reply::Outcome(Outcome::Expired { expired_at: detail.parse().map_err(garbled)? }),
        reply::UNKNOWN_SALE => Reply::UnknownSale,
        reply::OPENING => Reply::Opening,
        reply::SUSPENDED => Reply::Suspended,
        code => return Err(garbled(format!("code {code}"))),
    })
}

/// A packet in somebody's hands, or waiting for somebody.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Holding {
    pub packet: u32,
    pub cents: Cents,
}

/// Reads `<no>:<cents>`.
///
/// # Errors
/// When it is not that.
pub fn holding(packet: &str) -> Read<Holding> {
    packet
        .split_once(':')
        .and_then(|(no, cents)| Some(Holding { packet: no.parse().ok()?, cents: cents.parse().ok()? }))
        .ok_or_else(|| Unreadable(format!("{packet:?} is no packet")))
}

/// The claims of one "claimed" event, in the order in which they were won.
///
/// # Errors
/// When the entry cannot be read.
pub fn claims(entry: &Entry) -> Read<Vec<Claim>> {
    let at = number_field(entry, "at")?;
    let words: Vec<String> = packed(entry, "data")?;
    words
        .chunks_exact(2)
        .map(|words| {
            let Holding { packet, cents } = holding(&words[1])?;
            Ok(Claim { user: words[0].clone(), packet, cents, at })
        })
        .collect()
}

/// The request ids that won the claims of one "claimed" event, in the same order.
///
/// # Errors
/// When the entry cannot be read.
pub fn winning_requests(entry: &Entry) -> Read<Vec<String>> {
    let requests: Vec<String> = packed(entry, "requests")?;
    let places: Vec<usize> = packed(entry, "places")?;
    let request = |place: usize| place.checked_sub(1).and_then(|index| requests.get(index)).cloned();
    places
        .into_iter()
        .map(|place| request(place).ok_or_else(|| Unreadable(format!("entry {} has no request {place}", entry.0))))
        .collect()
}

fn latest(events: &[Entry]) -> Result<Vec<Claim>> {
    let mut latest = Vec::with_capacity(LATEST);
    for entry in events {
        let wanted = LATEST - latest.len();
        latest.extend(claims(entry)?.into_iter().rev().take(wanted));
    }
    Ok(latest)
}

/// What a reply code means to whoever got nothing.
fn declined_as(code: i64) -> Declined {
    match code {
        reply::REPEAT => Declined::Repeat,
        reply::EXPIRED => Declined::Expired,
        _ => Declined::SoldOut,
    }
}

fn luckiest(meta: &Fields) -> Option<Claim> {
    let user = meta.0.get("best_user")?.clone();
    let Holding { packet, cents } = holding(meta.text("best_packet")).ok()?;
    Some(Claim { user, packet, cents, at: meta.number("best_at") })
}

fn histogram(meta: &Fields, stats: &Fields) -> Histogram {
    let mut counts = vec![0; HISTOGRAM_BUCKETS];
    for (column, count) in counts.iter_mut().enumerate() {
        *count = stats.number(&format!("amount:{column}")) as u64;
    }
    Histogram { width: meta.number("bucket_cents"), counts }
}

pub(super) fn state(name: &str, expires_at: Millis, now: Millis) -> State {
    match name {
        "opening" => State::Opening,
        "refunded" => State::Refunded,
        "suspended" => State::Suspended,
        _ if now >= expires_at => State::Expired,
        _ => State::Open,
    }
}

/// The key of one of a sale's parts.
pub fn key(sale: &str, part: &str) -> String {
    keys::sale(KIND, sale, part)
}

fn opening(sale: &str) -> Error {
    Error::new(Code::SaleOpening, format!("The sale \"{sale}\" is still being opened; try again in a moment."))
}

fn suspended(sale: &str) -> Error {
    Error::new(
        Code::SaleSuspended,
        format!(
            "The sale \"{sale}\" is suspended: Redis has lost part of it. Nothing was tried; run `stampede recover {sale}`."
        ),
    )
}

/// Splits the money, off the threads that answer.
///
/// # Errors
/// `internal`.
pub(super) async fn split(splitter: Splitter, total_cents: Cents, count: u64, seed: u64) -> Result<Vec<Cents>> {
    tokio::task::spawn_blocking(move || splitter.split(total_cents, count as usize, seed))
        .await
        .map_err(|error| Error::new(Code::Internal, error.to_string()))
}

fn parts(reply: Value) -> Result<Vec<Value>> {
    match reply {
        Value::Array(values) => Ok(values),
        other => Err(garbled(format!("{other:?}"))),
    }
}

/// A hash as Redis has it: field to text.
struct Fields(HashMap<String, String>);

impl Fields {
    fn text(&self, name: &str) -> &str {
        self.0.get(name).map_or("", String::as_str)
    }

    /// A field that is a number; one that is not there counts as nothing.
    fn number(&self, name: &str) -> i64 {
        self.text(name).parse().unwrap_or(0)
    }
}
