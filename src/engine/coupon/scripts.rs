//! The scripts of coupons: their keys, arguments and replies.
//!
//! Lists in arguments and replies are MessagePack (`lua/README.md`, "Records").

use crate::coupon::{
    codes::{code_of, hide_codes},
    windows::Zone,
};
use crate::life::details::{not_open, paused};
use ledger::kind::LastingParts;
use model::{
    Millis,
    coupon::{
        ByLimit, CouponState, End, EndedCoupon, INFO, LIMITS, Limit, LimitName, Outcome,
        limits::{Scope, Table},
    },
    error::{Code, Error, Result},
};
use moka::sync::Cache;
use serde::{Deserialize, Serialize};
use std::sync::Arc;
use store::{
    Store,
    batcher::BatchCall,
    failure::damaged,
    format::FORMAT,
    keys,
    reply::{AttemptReply, ReplyCode},
    runtime::Clock,
    script::{Script, script},
    stream::protocol_error,
};

/// The kind, as in keys.
pub const KIND: &str = INFO.id;

/// The parts of a coupon sale's keys, in the order in which `lua/README.md` lists them.
pub const PARTS: [&str; 11] =
    ["meta", "counts", "coupons", "codes", "pending", "invited", "stats", "events", "attempts", "crowd", "crowd_lock"];

/// The parts whose keys must exist. (Scripts detect missing pending, held or taken items by counting.)
pub const LASTING: LastingParts = LastingParts { from_opening: &[], once_given: &["counts", "coupons", "stats"] };

// A program of version 5 takes the limits of a sale from its table, but knows no other names than these.
const _: () = assert!(LIMITS.len() == 3 || FORMAT > 5, "a limit that older programs do not know raises the version");

/// Opens a sale.
pub static OPEN: Script = script!("coupon/open.lua");
/// Uploads a part of a list.
pub static UPLOAD: Script = script!("coupon/upload.lua");
/// Answers a batch of attempts.
pub static CLAIM: Script = script!("coupon/claim.lua");
/// Redeems a batch of coupons.
pub static REDEEM: Script = script!("coupon/redeem.lua");
/// Gives a batch of coupons back.
pub static GIVE_BACK: Script = script!("coupon/give_back.lua");
/// Takes a batch of redemptions back.
pub static VOID: Script = script!("coupon/void.lua");
/// Changes limits.
pub static SET_LIMITS: Script = script!("coupon/set_limits.lua");
pub static CLOSE: Script = script!("coupon/close.lua");
/// Reads the coupons of a user.
pub static USER: Script = script!("coupon/user.lua");
pub static SNAPSHOT: Script = script!("coupon/snapshot.lua");
pub static AUDIT: Script = script!("coupon/audit.lua");
pub static RECOVER: Script = script!("coupon/recover.lua");
/// Reopens a recovered sale.
pub static RESUME: Script = script!("coupon/resume.lua");

/// Every script of this kind, for the store to load.
pub static SCRIPTS: [&Script; 13] = [
    &OPEN,
    &UPLOAD,
    &CLAIM,
    &REDEEM,
    &GIVE_BACK,
    &VOID,
    &SET_LIMITS,
    &CLOSE,
    &USER,
    &SNAPSHOT,
    &AUDIT,
    &RECOVER,
    &RESUME,
];

/// The most coupons that one call may redeem, give back, or take the redemptions back of.
pub const CODES_AT_A_TIME: usize = 64;
/// The number of sales whose [`Basis`] this process remembers.
const SALES: u64 = 10_000;
/// The number of tries of an attempt that assumes a wrong [`Basis`]. Another sale may have taken the id twice
/// meanwhile, but hardly three times.
const TRIES: usize = 3;

/// The key of one of a sale's parts.
pub fn key(sale: &str, part: &str) -> String {
    keys::sale(KIND, sale, part)
}

/// The assumptions of each call about its sale: the time zone, and the key of its codes. Neither ever changes, but
/// another sale may take the id. So the scripts compare them, and answer with the right ones.
#[derive(Clone, Debug)]
pub struct Basis {
    text: String,
    zone: Zone,
}

impl Basis {
    /// Reads the basis from a script's answer or from `meta`.
    ///
    /// # Errors
    /// `internal` if the text has another form, because somebody has changed it by hand.
    pub fn read(text: &str) -> Result<Self> {
        let zone = text.split_once(' ').and_then(|(zone, _)| Zone::named(zone).ok());
        let zone = zone.ok_or_else(|| damaged("its time zone cannot be read"))?;
        Ok(Self { text: text.to_owned(), zone })
    }

    /// The text that the scripts compare.
    pub fn text(&self) -> &str {
        &self.text
    }

    pub fn zone(&self) -> &Zone {
        &self.zone
    }

    /// The code of a request.
    pub fn code_of(&self, request_id: &str) -> String {
        code_of(self.key(), request_id)
    }

    /// The text without the key of the codes, and without codes.
    pub fn hide_in(&self, text: &str) -> String {
        hide_codes(&text.replace(self.key(), "…"))
    }

    fn key(&self) -> &str {
        self.text.split_once(' ').map_or("", |(_, key)| key)
    }
}

/// The basis of each sale that this process knows.
#[derive(Clone)]
pub struct BasisCache(Cache<String, Arc<Basis>>);

impl Default for BasisCache {
    fn default() -> Self {
        Self(Cache::new(SALES))
    }
}

impl BasisCache {
    /// The basis of a sale. For an unknown sale, it is a basis that no sale has.
    pub fn get(&self, sale: &str) -> Result<Arc<Basis>> {
        match self.0.get(sale) {
            Some(basis) => Ok(basis),
            None => Ok(Arc::new(Basis { text: String::new(), zone: Zone::named(model::coupon::DEFAULT_TIME_ZONE)? })),
        }
    }

    /// Stores the basis in a script's answer to a call that assumed another basis, or windows that do not reach its
    /// time. Returns the time and the basis.
    ///
    /// # Errors
    /// As [`Basis::read`].
    pub fn learn(&self, sale: &str, text: &str) -> Result<(Millis, Arc<Basis>)> {
        let (now, text) = text.split_once(' ').unwrap_or_default();
        let basis = Arc::new(Basis::read(text)?);
        self.0.insert(sale.to_owned(), basis.clone());
        Ok((now.parse().map_err(protocol_error)?, basis))
    }
}

/// An attempt that waits for its batch.
#[derive(Clone, Debug)]
pub struct Attempt {
    /// The user who makes the attempt.
    pub user: String,
    /// Identifies the request.
    pub request_id: String,
}

impl Attempt {
    /// The attempt's value of a further scope. There is no such scope yet; one that is added finds its value here.
    fn value_of(&self, _scope: Scope) -> &str {
        ""
    }
}

/// The binding of `claim.lua`.
pub(super) struct ClaimScript {
    pub store: Store,
    pub clock: Arc<dyn Clock>,
    pub bases: BasisCache,
}

impl BatchCall for ClaimScript {
    type Attempt = Attempt;
    type Reply = Result<Outcome>;

    async fn call(&self, sale: &str, attempts: Vec<Attempt>) -> Result<Vec<Result<Outcome>>> {
        let (mut now, mut basis) = (self.clock.now(), self.bases.get(sale)?);
        for _ in 0..TRIES {
            let args = claim_args(&*self.clock, now, &basis, &attempts)?;
            let replies = self.store.attempt(&CLAIM, (KIND, sale), &args, attempts.len()).await?;
            match replies.first() {
                Some(reply) if reply.code == ReplyCode::OtherTerms => {
                    (now, basis) = self.bases.learn(sale, reply.text()?)?
                }
                _ => return Ok(replies.iter().map(|reply| read_claim(reply, sale)).collect()),
            }
        }
        Err(other_terms(sale))
    }
}

/// The arguments of `claim.lua` after `seen`, with the windows around an instant.
///
/// # Errors
/// `internal` if the instant is outside the calendar's range.
pub fn claim_args(clock: &dyn Clock, now: Millis, basis: &Basis, attempts: &[Attempt]) -> Result<Vec<Vec<u8>>> {
    let codes: Vec<String> = attempts.iter().map(|attempt| basis.code_of(&attempt.request_id)).collect();
    let mut values = Vec::with_capacity(3 * attempts.len());
    for (attempt, code) in attempts.iter().zip(&codes) {
        values.extend([attempt.user.as_str(), attempt.request_id.as_str(), code.as_str()]);
        values.extend(Scope::further().map(|scope| attempt.value_of(scope)));
    }
    let mut args = vec![
        clock.script_time().into_bytes(),
        basis.text.clone().into_bytes(),
        pack(&basis.zone.windows_around(now)?),
        attempts.len().to_string().into_bytes(),
        pack(&values),
    ];
    args.extend(Scope::further().map(|scope| scope.name.into()));
    Ok(args)
}

/// Reads the reply of `claim.lua` to one attempt.
///
/// # Errors
/// `unknown_sale`, `sale_suspended`, `request_reused`; `unavailable`, `internal` if the reply cannot be read.
pub fn read_claim(reply: &AttemptReply, sale: &str) -> Result<Outcome> {
    Ok(match reply.code {
        ReplyCode::Done => Outcome::Won { code: reply.text()?.to_owned() },
        ReplyCode::Repeat => {
            let (code, state) = reply.text()?.split_once(' ').unwrap_or_default();
            let state = match state {
                "claimed" => CouponState::Claimed,
                "redeemed" => CouponState::Redeemed,
                "returned" => CouponState::Returned,
                other => return Err(protocol_error(format!("{other:?} is no state of a coupon"))),
            };
            Outcome::Repeat { code: code.to_owned(), state }
        }
        ReplyCode::LimitReached => {
            let words: Vec<Word> = unpack(&reply.detail)?;
            match words.split_first() {
                Some((Word::Text(limit), left)) => {
                    Outcome::Refused { limit: limit_named(limit)?, left: left_of(left)? }
                }
                _ => return Err(protocol_error("a refusal names no limit")),
            }
        }
        ReplyCode::Closed => Outcome::Closed { closed_at: reply.text()?.parse().map_err(protocol_error)? },
        ReplyCode::NotOpen => {
            let (opens_at, now) = not_open(reply.text()?)?;
            Outcome::NotOpen { opens_at, now }
        }
        ReplyCode::Paused => {
            let (paused_at, reason) = paused(reply.text()?)?;
            Outcome::Paused { paused_at, reason }
        }
        ReplyCode::NotInvited => Outcome::NotInvited,
        ReplyCode::Expired => Outcome::Ended { ends_at: reply.text()?.parse().map_err(protocol_error)? },
        ReplyCode::OtherUser => {
            return Err(Error::of_field(
                Code::RequestReused,
                "request_id",
                "`request_id` was used for another user at this sale; nothing was tried. Use a new one.",
            ));
        }
        code => return Err(code.refusal(&CLAIM, sale)),
    })
}

/// A word of a reply: a text or a number.
#[derive(Deserialize)]
#[serde(untagged)]
pub(super) enum Word {
    Text(String),
    Number(i64),
}

/// Reads the name and number of each limit, alternating. A negative number stands for none.
///
/// # Errors
/// `unavailable` if the words have another form.
pub(super) fn left_of(words: &[Word]) -> Result<ByLimit> {
    let mut left = ByLimit::default();
    for pair in words.chunks(2) {
        match pair {
            [Word::Text(name), Word::Number(number)] => left.set(limit_named(name)?, u64::try_from(*number).ok()),
            _ => return Err(protocol_error("the numbers of limits cannot be read")),
        }
    }
    Ok(left)
}

/// Reads the name and maximum of each limit, alternating, as in `meta` and events. An empty maximum stands for none.
pub(super) fn maxima(words: &[String]) -> Option<ByLimit> {
    let mut limits = ByLimit::default();
    for pair in words.chunks(2) {
        let [name, maximum] = pair else { return None };
        limits.set(LimitName::from_name(name)?, self::maximum(maximum)?);
    }
    Some(limits)
}

/// Reads a maximum in the form of the scripts. The outer `None` means that the text is no maximum.
pub(super) fn maximum(text: &str) -> Option<Option<u64>> {
    if text.is_empty() { Some(None) } else { text.parse().ok().map(Some) }
}

/// The text that [`maxima`] reads, for the limits of a table.
pub fn maxima_args(table: &Table, limits: &ByLimit) -> Vec<String> {
    let words = |limit: Limit| [limit.name.name().to_owned(), maximum_arg(limits.get(limit.name))];
    table.limits().flat_map(words).collect()
}

/// A maximum in the form of the scripts.
pub fn maximum_arg(maximum: Option<u64>) -> String {
    maximum.map_or_else(String::new, |maximum| maximum.to_string())
}

fn limit_named(name: &str) -> Result<LimitName> {
    LimitName::from_name(name).ok_or_else(|| protocol_error(format!("{name:?} is no limit")))
}

/// An attempt to end a coupon, or to take its redemption back, that waits for its batch.
pub(super) struct EndAttempt {
    pub code: String,
    pub request_id: String,
    /// Why, may be empty; `None` for a redemption, which has none.
    pub reason: Option<String>,
}

/// The binding of `redeem.lua`, `give_back.lua` or `void.lua`.
pub(super) struct EndScript {
    pub store: Store,
    pub clock: Arc<dyn Clock>,
    pub script: &'static Script,
    /// The answer if it was done now.
    pub done: fn(EndedCoupon) -> End,
}

impl BatchCall for EndScript {
    type Attempt = EndAttempt;
    type Reply = Result<End>;

    const ROOM: usize = CODES_AT_A_TIME;
    const SETTLES: bool = true;

    async fn call(&self, sale: &str, attempts: Vec<EndAttempt>) -> Result<Vec<Result<End>>> {
        let mut args = vec![self.clock.script_time()];
        for EndAttempt { code, request_id, reason } in &attempts {
            args.extend([code.clone(), request_id.clone()]);
            args.extend(reason.clone());
        }
        let replies = self.store.attempt(self.script, (KIND, sale), &args, attempts.len()).await?;
        let replies = replies.iter().zip(attempts);
        Ok(replies.map(|(reply, attempt)| self.read(reply, sale, attempt.code)).collect())
    }
}

impl EndScript {
    fn read(&self, reply: &AttemptReply, sale: &str, code: String) -> Result<End> {
        let answer: fn(EndedCoupon) -> End = match reply.code {
            ReplyCode::Done => self.done,
            ReplyCode::Repeat => End::Repeat,
            ReplyCode::Redeemed => End::AlreadyRedeemed,
            ReplyCode::Returned => End::AlreadyReturned,
            ReplyCode::TakenBack => End::AlreadyVoided,
            ReplyCode::NotValidYet => |coupon| End::NotValidYet { code: coupon.code, valid_from: coupon.ended_at },
            ReplyCode::NoLongerValid => |coupon| End::NoLongerValid { code: coupon.code, valid_until: coupon.ended_at },
            ReplyCode::UnknownCode => return Ok(End::UnknownCode { code }),
            ReplyCode::UnknownRequest => return Ok(End::UnknownRequest { code }),
            ReplyCode::LimitReached => {
                let why = format!("100 redemptions of the coupon {code} were taken back before, which is the most.");
                return Err(Error::bad("code", why));
            }
            code => return Err(code.refusal(self.script, sale)),
        };
        let EndDetail { user, claimed_at, ended_at, own } = unpack(&reply.detail)?;
        Ok(answer(EndedCoupon { code: own.unwrap_or(code), user, claimed_at, ended_at }))
    }
}

/// What `redeem.lua`, `give_back.lua` and `void.lua` say of a coupon.
#[derive(Deserialize)]
struct EndDetail {
    user: String,
    claimed_at: Millis,
    ended_at: Millis,
    /// The code as it is spelled, in a sale with own codes.
    #[serde(default)]
    own: Option<String>,
}

/// A stored coupon. The scripts store it as a list in this order.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct CouponRecord {
    /// The user who claimed the coupon.
    pub user: String,
    /// The state of the coupon.
    pub state: CouponState,
    /// The time of the claim.
    pub claimed_at: Millis,
    /// The user's previous coupon; empty for the first.
    pub previous: String,
    /// The windows in which the coupon counts, as marks separated by blanks.
    pub windows: String,
    /// The further fields of `counts` in which the coupon counts.
    pub others: Vec<String>,
    /// The time at which it was redeemed or given back, or its redemption was taken back; `None` before.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub ended_at: Option<Millis>,
    /// The request that redeemed it or gave it back; empty if its redemption was taken back.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub ended_by: Option<String>,
    /// The redemptions that were taken back: the request of each, and when it was taken back.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub voided: Vec<(String, Millis)>,
    /// The code as it is spelled, in a sale with own codes. Then all fields before it are there: `ended_at` is 0 and
    /// `ended_by` empty until the coupon has ended.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub own: Option<String>,
}

impl CouponRecord {
    /// The coupon as it is stored.
    pub(super) fn packed(&self) -> Vec<u8> {
        let Self { user, state, claimed_at, previous, windows, others, ended_at, ended_by, voided, own } = self;
        match own {
            None => pack(self),
            Some(own) => pack(&(user, state, claimed_at, previous, windows, others, ended_at, ended_by, voided, own)),
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

pub(super) fn other_terms(sale: &str) -> Error {
    Error::new(
        Code::Busy,
        format!(
            "The sale \"{sale}\" was opened anew, or Redis' clock was changed, more than once just now; nothing was tried. \
             Try again."
        ),
    )
}
