//! Coupons: codes for users who claim one, within limits for the sale, for a user, and for a user and day. This module
//! has the types and pure rules, without Leptos and Redis.

mod api;
pub mod codes;
pub mod crowd;
pub mod limits;
mod lists;
mod validity;

use crate::{
    Checks, EventId, IdentifiedBy, KindInfo, Millis, Ownership, SaleState, check_new_id,
    crowd::Status,
    error::Result,
    life::{Life, Phase, Plan},
    snapshot::SaleSnapshot,
};
pub use api::CouponApi;
pub use limits::{ByLimit, LIMITS, Limit, LimitName, MAX_LIMIT, Refusals};
pub use lists::{LISTED_AT_A_TIME, List, Lists, MAX_LISTED, Part, Uploaded, named_twice};
use schemars::{JsonSchema, Schema};
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};
pub use validity::Validity;

/// The names of the kind.
pub static INFO: KindInfo = KindInfo {
    id: "coupon",
    segment: "coupon",
    pages: "coupons",
    demo: "welcome",
    outcomes: &outcome::ALL,
    win: outcome::WON,
    ownership: Ownership {
        gained: &[outcome::WON],
        kept: &[outcome::REDEEMED, outcome::VOIDED],
        lost: &[outcome::RETURNED],
        identified_by: IdentifiedBy::Item,
        has_codes: true,
    },
};

/// The outcomes that the ledger records for a sale of coupons.
pub mod outcome {
    use crate::life::outcome as life;

    /// The sale was opened.
    pub const OPENED: &str = "opened";
    /// A user claimed a coupon.
    pub const WON: &str = "won";
    /// A coupon was redeemed.
    pub const REDEEMED: &str = "redeemed";
    /// A coupon was given back.
    pub const RETURNED: &str = "returned";
    /// The redemption of a coupon was taken back.
    pub const VOIDED: &str = "voided";
    /// A part of a list was uploaded; the item names the list and the places of its entries.
    pub const LISTED: &str = "listed";
    /// The limits were changed; the item has the new limits.
    pub const LIMITS: &str = "limits";
    /// Closed by an operator.
    pub const CLOSED: &str = "closed";
    /// The sale was recovered from the ledger.
    pub const RECOVERED: &str = "recovered";

    pub const ALL: [&str; 14] = [
        OPENED,
        LISTED,
        WON,
        REDEEMED,
        RETURNED,
        VOIDED,
        LIMITS,
        CLOSED,
        RECOVERED,
        life::PAUSED,
        life::RESUMED,
        life::SCHEDULED,
        life::REOPENED,
        life::DESCRIBED,
    ];

    /// The outcomes that belong to coupons.
    pub const OF_COUPONS: [&str; 4] = [WON, REDEEMED, RETURNED, VOIDED];
}

/// The time zone of a sale that names none.
pub const DEFAULT_TIME_ZONE: &str = "UTC";
/// The most coupons of a user that an answer lists.
pub const MOST_LISTED: usize = 100;
/// The number of minutes whose claims a snapshot has.
pub const MINUTES: usize = 60;

/// The limits of the demonstration. The form that opens a sale suggests them.
pub const SUGGESTED_LIMITS: ByLimit = ByLimit { total: Some(10_000), per_user: Some(5), per_user_per_day: Some(2) };

/// The terms on which a sale is opened.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Terms {
    /// The id of the sale.
    pub sale: String,
    /// The limits at the beginning.
    pub limits: ByLimit,
    /// The time zone in which days begin, by its IANA name.
    pub time_zone: String,
    /// Whether coupons that were given back still count against the limits.
    pub given_back_counts: bool,
    /// When coupons can be redeemed.
    pub validity: Validity,
    /// For how long lists of own codes and of users it is opened; nothing is uploaded yet.
    pub lists: Lists,
    /// Its start, its end, its texts and its currency.
    pub plan: Plan,
}

impl Terms {
    /// Checks everything but the time zone, which the server knows.
    ///
    /// # Errors
    /// `bad_request`, naming the field and the limit.
    pub fn check(&self) -> Result<()> {
        let mut checks = Checks::default();
        checks.note(check_new_id("id", &self.sale));
        checks.note(self.validity.check());
        checks.note(self.lists.check());
        checks.note(self.plan.check());
        checks.finish(self.limits.check())
    }
}

/// The answer to `open`.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[schemars(rename = "CouponOpened")]
pub struct Opened {
    /// The id of the sale.
    pub sale: String,
    /// Whether the sale was there before, on the same terms: opened by this request, sent earlier, or by another one.
    pub existed: bool,
}

/// The answer to an attempt to claim a coupon.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(tag = "outcome", rename_all = "snake_case")]
#[schemars(rename = "CouponOutcome")]
pub enum Outcome {
    /// The user got the coupon with this `code`.
    Won { code: String },
    /// The same request was answered before. The original code is returned with the current `state` of the coupon, and
    /// nothing changed.
    Repeat { code: String, state: CouponState },
    /// The limit named by `limit` allows no more. `left` has the number that each limit still allows; `null` for a
    /// limit that is not set.
    Refused { limit: LimitName, left: ByLimit },
    /// An operator closed the sale at `closed_at`.
    Closed { closed_at: Millis },
    /// The sale starts at `opens_at`; the server's time is `now`.
    NotOpen { opens_at: Millis, now: Millis },
    /// An operator paused the sale at `paused_at`, for this `reason`, which may be empty.
    Paused { paused_at: Millis, reason: String },
    /// The sale ended at `ends_at`.
    Ended { ends_at: Millis },
    /// The sale is only for the users of its list, and the user is not among them.
    NotInvited,
}

/// A coupon that was redeemed or given back, or whose redemption was taken back.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct EndedCoupon {
    /// The code of the coupon.
    pub code: String,
    /// The user who claimed the coupon.
    pub user: String,
    /// The time of the claim.
    pub claimed_at: Millis,
    /// The time at which that happened.
    pub ended_at: Millis,
}

/// The answer to an attempt to redeem a coupon, to give it back, or to take its redemption back.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(tag = "outcome", rename_all = "snake_case")]
#[schemars(rename = "CouponEnd")]
pub enum End {
    /// The coupon is redeemed now.
    Redeemed(EndedCoupon),
    /// The coupon is given back now.
    Returned(EndedCoupon),
    /// The redemption is taken back now: the user holds the coupon again.
    Voided(EndedCoupon),
    /// The same request was answered before. The original answer is returned, and nothing changed.
    Repeat(EndedCoupon),
    /// Another request redeemed the coupon before. Nothing changed.
    AlreadyRedeemed(EndedCoupon),
    /// Another request gave the coupon back before. Nothing changed.
    AlreadyReturned(EndedCoupon),
    /// This request redeemed the coupon before, and the redemption was taken back. Nothing changed.
    AlreadyVoided(EndedCoupon),
    /// The coupon cannot be redeemed before `valid_from`. Nothing changed.
    NotValidYet { code: String, valid_from: Millis },
    /// The coupon could be redeemed until `valid_until`. Nothing changed.
    NoLongerValid { code: String, valid_until: Millis },
    /// The sale has no coupon with this `code`.
    UnknownCode { code: String },
    /// The coupon is not redeemed by this request, so nothing can be taken back.
    UnknownRequest { code: String },
}

/// The answer to a change of limits.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(tag = "outcome", rename_all = "snake_case")]
#[schemars(rename = "CouponLimitsSet")]
pub enum LimitsSet {
    /// These `limits` are in force from now on.
    Set { limits: ByLimit },
    /// These `limits` were already in force, or the same request set them before. Nothing changed.
    Repeat { limits: ByLimit },
    /// The sale is closed, so limits have no effect any more. Nothing changed.
    Closed,
}

/// The state of a coupon.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
#[schemars(rename = "CouponState")]
pub enum CouponState {
    /// The user holds the coupon.
    Claimed,
    /// The coupon was used.
    Redeemed,
    /// The coupon was given back.
    Returned,
}

/// A coupon of a user.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Coupon {
    /// The code of the coupon.
    pub code: String,
    /// The state of the coupon.
    pub state: CouponState,
    /// The time of the claim.
    pub claimed_at: Millis,
    /// The time at which the coupon was redeemed or given back; `null` while the user holds it.
    pub ended_at: Option<Millis>,
    /// The request that redeemed the coupon or gave it back; `null` while the user holds it.
    pub ended_by: Option<String>,
}

/// The coupons of a user.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[schemars(rename = "CouponUser")]
pub struct UserCoupons {
    /// The id of the user.
    pub user: String,
    /// The number of further coupons that each limit allows this user; `null` for a limit that is not set.
    pub left: ByLimit,
    /// The user's coupons, newest first, at most 100.
    pub coupons: Vec<Coupon>,
}

/// The state of a sale.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
#[schemars(rename = "CouponSaleState")]
pub enum State {
    /// The lists of the sale are not uploaded yet, so nothing can be claimed.
    Opening,
    /// Coupons can be claimed from the start of the sale on.
    Scheduled,
    /// Coupons can be claimed.
    Open,
    /// An operator paused the sale. Coupons can be redeemed and given back.
    Paused,
    /// The sale has ended. Coupons can be redeemed and given back, but no longer claimed.
    Expired,
    /// Redis has lost part of the sale. Nothing can be claimed until the sale is recovered from the ledger.
    Suspended,
    /// An operator closed the sale. Coupons can be redeemed and given back, but no longer claimed.
    Closed,
}

/// A coupon that was claimed.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[schemars(rename = "CouponClaim")]
pub struct Claim {
    /// The user who claimed the coupon.
    pub user: String,
    /// The last four characters of the code. The rest is left out, as viewers of the sale must not be able to use the
    /// coupon.
    pub code_ends: String,
    /// The time of the claim.
    pub at: Millis,
}

/// The answer to an attempt that changed nothing.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
#[schemars(rename = "CouponRefusal", transform = list_limits)]
pub enum Declined {
    /// The same request was answered before.
    Repeat,
    /// The sale had been closed.
    Closed,
    /// The sale had not started.
    NotOpen,
    /// The sale was paused.
    Paused,
    /// The sale had ended.
    Ended,
    /// The sale was not for the user.
    NotInvited,
    /// Another user had used the request id.
    OtherUser,
    /// A limit allowed no more; the value is the name of the limit.
    #[serde(untagged)]
    Limit(LimitName),
}

/// Lists the limits by name where the derived schema refers to their type, so that the schema is one list of strings.
fn list_limits(schema: &mut Schema) {
    let Some(Value::Array(mut names)) = schema.remove("anyOf") else { return };
    names.retain(|name| name.get("const").is_some());
    names.extend(LIMITS.map(|Limit { name, .. }| {
        let name = name.name();
        json!({ "const": name, "description": format!("The limit `{name}` allowed no more."), "type": "string" })
    }));
    schema.insert("oneOf".to_owned(), Value::Array(names));
}

/// An attempt that changed nothing.
pub type DeclinedAttempt = crate::DeclinedAttempt<Declined>;

/// Attempts by outcome. The script itself counts them, so the counts are exact.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[schemars(rename = "CouponOutcomes")]
pub struct Outcomes {
    /// Attempts that got a coupon.
    pub won: u64,
    /// Attempts that got the original answer again.
    pub repeat: u64,
    /// Attempts that a limit refused.
    #[serde(flatten)]
    pub refused: Refusals,
    /// Attempts after the sale was closed.
    pub closed: u64,
    /// Attempts before the start.
    pub not_open: u64,
    /// Attempts while the sale was paused.
    pub paused: u64,
    /// Attempts after the end.
    pub ended: u64,
    /// Attempts of users whom the sale was not for.
    pub not_invited: u64,
}

impl Outcomes {
    /// The number of all attempts.
    pub fn sum(&self) -> u64 {
        let by_life = self.closed + self.not_open + self.paused + self.ended;
        self.won + self.repeat + self.refused.sum() + by_life + self.not_invited
    }
}

/// The claims of one minute.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[schemars(rename = "CouponMinute")]
pub struct Minute {
    /// The beginning of the minute.
    pub at: Millis,
    /// Coupons claimed in the minute.
    pub claims: u64,
}

/// All data of a sale that its page shows, read consistently. The first render and every frame of the live view have
/// this shape. Each frame is complete, so losing one does no harm.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[schemars(rename = "CouponSnapshot")]
pub struct Snapshot {
    /// The id of the sale.
    pub sale: String,
    /// The state of the sale.
    pub state: State,
    /// The life of the sale: start, end, pause, title, description and currency.
    pub life: Life,
    /// The limits in force.
    pub limits: ByLimit,
    /// The time zone in which days begin.
    pub time_zone: String,
    /// Whether coupons that were given back still count against the limits.
    pub given_back_counts: bool,
    /// When coupons can be redeemed.
    #[serde(flatten)]
    pub validity: Validity,
    /// The lists of the sale.
    #[serde(flatten)]
    pub lists: Lists,
    /// The time of the opening.
    pub opened_at: Millis,
    /// The end of the day to which claims count, in the time zone of the sale. The limit for a user and day starts
    /// again then. The day is today, or a later day that had already begun if the clock went back.
    pub day_ends_at: Millis,
    /// Coupons that count against the limit for the sale.
    pub counted: u64,
    /// Coupons that were claimed.
    pub claimed: u64,
    /// Coupons that were redeemed.
    pub redeemed: u64,
    /// Coupons that were given back.
    pub returned: u64,
    /// Attempts by outcome.
    pub outcomes: Outcomes,
    /// Claims per minute of the last hour, oldest first; minutes without claims are left out.
    pub minutes: Vec<Minute>,
    /// The newest claims, newest first, at most 32.
    pub latest: Vec<Claim>,
    /// A sample of the newest attempts that changed nothing, newest first, at most 16.
    pub declined: Vec<DeclinedAttempt>,
    /// Calls of `claim.lua` for this sale.
    pub calls: u64,
    /// The latest crowd at this sale, running or ended.
    pub crowd: Option<Status>,
    /// The last event that the snapshot reflects.
    pub event_id: EventId,
}

impl SaleSnapshot for Snapshot {
    fn sale(&self) -> &str {
        &self.sale
    }

    fn event_id(&self) -> EventId {
        self.event_id
    }

    fn life(&self) -> &Life {
        &self.life
    }

    fn crowd(&self) -> Option<&Status> {
        self.crowd.as_ref()
    }

    fn sale_state(&self) -> SaleState {
        self.state.listed(self.left())
    }

    fn left(&self) -> Option<u64> {
        self.total().map(|most| most.saturating_sub(self.counted))
    }

    fn total(&self) -> Option<u64> {
        self.lists.most(self.limits.total)
    }
}

impl Snapshot {
    /// The own codes that nobody has; `None` if codes are made for each claim.
    pub fn codes_left(&self) -> Option<u64> {
        let Lists { own_codes, codes_uploaded, .. } = self.lists;
        (own_codes > 0).then(|| codes_uploaded.saturating_sub(self.counted))
    }

    /// Whether an operator has stopped claims, by a limit of 0.
    pub fn is_stopped(&self) -> bool {
        self.limits.total == Some(0)
    }
}

impl State {
    /// The state as in lists and badges, which distinguish "sold out".
    pub fn listed(self, left: Option<u64>) -> SaleState {
        match self {
            Self::Opening => SaleState::Opening,
            Self::Open if left == Some(0) => SaleState::SoldOut,
            Self::Open => SaleState::Open,
            Self::Scheduled => SaleState::Scheduled,
            Self::Paused => SaleState::Paused,
            Self::Expired => SaleState::Expired,
            Self::Suspended => SaleState::Suspended,
            Self::Closed => SaleState::Closed,
        }
    }

    /// The state with this name in Redis, in this phase, with these lists.
    pub fn of(name: &str, phase: Phase, lists: Lists) -> Self {
        match (name, phase) {
            ("open", Phase::Open) if !lists.is_whole() => Self::Opening,
            ("open" | "paused", Phase::Scheduled) => Self::Scheduled,
            ("open" | "paused", Phase::Open) => Self::Open,
            ("open" | "paused", Phase::Paused) => Self::Paused,
            ("open" | "paused", Phase::Ended) => Self::Expired,
            ("closed", _) => Self::Closed,
            // Only a newer program writes other states, and it refuses attempts by this program.
            _ => Self::Suspended,
        }
    }
}

/// The fields of a coupon sale in the list, besides those of every kind.
#[derive(Serialize, JsonSchema)]
#[schemars(rename = "CouponSummary")]
pub struct Details {
    /// The limits in force.
    pub limits: ByLimit,
    /// Coupons that count against the limit for the sale.
    pub counted: u64,
    /// Coupons that were claimed.
    pub claimed: u64,
    /// Coupons that were redeemed.
    pub redeemed: u64,
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::checks::wrong_fields;

    #[test]
    fn all_terms_at_fault_are_named() {
        let limits = ByLimit { total: Some(0), per_user: None, per_user_per_day: Some(MAX_LIMIT + 1) };
        let (time_zone, validity, plan) = ("UTC".to_owned(), Validity::default(), Plan::default());
        let lists = Lists::of(MAX_LISTED + 1, 0);
        let terms = Terms { sale: String::new(), limits, time_zone, given_back_counts: false, validity, lists, plan };
        assert_eq!(wrong_fields(terms.check()), ["id", "own_codes", "total", "per_user_per_day"]);
    }
}
