//! The server functions of coupons, which are also their JSON API. They check nothing themselves: the service does, for
//! every caller.

#![allow(clippy::too_many_arguments, reason = "each is a field of a request")]

#[cfg(feature = "ssr")]
use crate::services::services;
use leptos::{prelude::*, server_fn::codec::Json};
#[cfg(feature = "ssr")]
use model::coupon::CouponApi;
use model::{
    Answer, Audit, Millis, ScriptInfo, StrictJson,
    coupon::{ByLimit, End, LimitName, LimitsSet, Lists, Opened, Outcome, Snapshot, Uploaded, UserCoupons, Validity},
    error::Result,
    life::{Instant, Texts},
};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// Opens a sale of coupons. Each limit may be left out: then there is none.
#[server(
    name = OpenCouponsRequest,
    prefix = "/api",
    endpoint = "/coupon/open",
    input = StrictJson,
    input_derive = (Clone, Serialize, Deserialize, JsonSchema),
    output = Json
)]
pub async fn open(
    /// An id for the sale, which identifies the request, too: sent again, it opens no other sale. Without one, the sale
    /// gets one from its `request_id`.
    id: Option<String>,
    /// Identifies a request without an `id`: sent again, it opens no other sale.
    request_id: Option<String>,
    /// The most coupons in all.
    total: Option<u64>,
    /// The most coupons of a user.
    per_user: Option<u64>,
    /// The most coupons of a user on a day.
    per_user_per_day: Option<u64>,
    /// The time zone in which days begin, by its IANA name.
    time_zone: Option<String>,
    /// Whether coupons that were given back still count against the limits.
    given_back_counts: Option<bool>,
    /// From when on coupons can be redeemed, by Redis' clock; at once if left out.
    valid_from: Option<Millis>,
    /// Until when coupons can be redeemed, that instant not included; without an end if left out.
    valid_until: Option<Millis>,
    /// How many own codes will be uploaded, each of which is given once; if left out, a code is made for each claim. The sale
    /// accepts claims once all are uploaded.
    own_codes: Option<u64>,
    /// How many users will be uploaded, who alone may claim; if left out, everybody may. The sale accepts claims once all are
    /// uploaded.
    only_for: Option<u64>,
    /// The start, in epoch milliseconds or RFC 3339 with an offset; give either this or `opens_in_s`, or neither for a sale
    /// that is open at once.
    opens_at: Option<Instant>,
    /// The start, in seconds from now.
    opens_in_s: Option<u64>,
    /// The end, as `opens_at`; give either this or `ends_in_s`, or neither for a sale without an end.
    ends_at: Option<Instant>,
    /// The end, in seconds from the start.
    ends_in_s: Option<u64>,
    /// The title, in each language or in one of them.
    title: Option<Texts>,
    /// The description, likewise.
    description: Option<Texts>,
    /// The currency of all amounts, by its code of ISO 4217; CNY by default.
    currency: Option<String>,
) -> Result<Opened> {
    let (sale, origin) = services()?.ids.id_of_sale(id, request_id.as_deref())?;
    let terms = model::coupon::Terms {
        sale,
        limits: ByLimit { total, per_user, per_user_per_day },
        time_zone: time_zone.unwrap_or_else(|| model::coupon::DEFAULT_TIME_ZONE.to_owned()),
        given_back_counts: given_back_counts.unwrap_or_default(),
        validity: model::coupon::Validity { valid_from, valid_until },
        lists: Lists::given(own_codes, only_for)?,
        plan: model::life::PlanFields { opens_at, opens_in_s, ends_at, ends_in_s, title, description, currency }
            .read()?,
    };
    services()?.kind::<dyn CouponApi>().open_as(terms, origin).await
}

impl OpenCouponsRequest {
    /// A request for a sale with these limits, which gets its id from the server.
    pub fn new(
        limits: ByLimit,
        time_zone: Option<String>,
        given_back_counts: bool,
        validity: Validity,
        lists: Lists,
    ) -> Self {
        let ByLimit { total, per_user, per_user_per_day } = limits;
        let given_back_counts = Some(given_back_counts);
        let Validity { valid_from, valid_until } = validity;
        let listed = |length: u64| (length > 0).then_some(length);
        let (own_codes, only_for) = (listed(lists.own_codes), listed(lists.only_for));
        Self {
            id: None,
            request_id: None,
            total,
            per_user,
            per_user_per_day,
            time_zone,
            given_back_counts,
            valid_from,
            valid_until,
            own_codes,
            only_for,
            opens_at: None,
            opens_in_s: None,
            ends_at: None,
            ends_in_s: None,
            title: None,
            description: None,
            currency: None,
        }
    }
}

/// Uploads a part of a list of a sale: own codes, or users who may claim. Parts come in the order of the list, and a list
/// names each once. Once all are there, the sale accepts claims. Own codes are given in their order; one that is given back
/// is given again after all others, unless it goes on counting against the limits.
#[server(
    name = UploadListRequest,
    prefix = "/api",
    endpoint = "/coupon/upload",
    input = StrictJson,
    input_derive = (Clone, Serialize, Deserialize, JsonSchema),
    output = Json
)]
pub async fn upload(
    /// The id of the sale.
    sale: String,
    /// The place of the first entry of this part in its list, from 1. A part that is sent again changes nothing.
    first: u64,
    /// Own codes, as they are to be shown; give either these or `users`. In upper case or not, with hyphens or not, they are
    /// the same code, and so are O and 0, I, L and 1.
    codes: Option<Vec<String>>,
    /// Users who may claim, exactly as they claim.
    users: Option<Vec<String>>,
) -> Result<Uploaded> {
    services()?.kind::<dyn CouponApi>().upload(&sale, model::coupon::Part::given(first, codes, users)?).await
}

/// Attempts to claim a coupon for a user.
#[server(
    name = ClaimCouponRequest,
    prefix = "/api",
    endpoint = "/coupon/claim",
    input = StrictJson,
    input_derive = (Clone, Serialize, Deserialize, JsonSchema),
    output = Json
)]
pub async fn claim(
    /// The id of the sale.
    sale: String,
    /// Who wants a coupon.
    user: String,
    /// Identifies the attempt: sent again, it gets the same code. Without one, every call is another attempt,
    /// and its answer names the id that it was given.
    request_id: Option<String>,
) -> Result<Answer<Outcome>> {
    services()?.kind::<dyn CouponApi>().claim(&sale, user, request_id).await
}

/// Redeems a coupon, once.
#[server(
    name = RedeemCouponRequest,
    prefix = "/api",
    endpoint = "/coupon/redeem",
    input = StrictJson,
    input_derive = (Clone, Serialize, Deserialize, JsonSchema),
    output = Json
)]
pub async fn redeem(
    /// The id of the sale.
    sale: String,
    /// The code, in capitals or not, with or without hyphens.
    code: String,
    /// Identifies the redemption of this code: sent again, it gets the same answer. Without one, every call is another
    /// attempt, and its answer names the id that it was given.
    request_id: Option<String>,
) -> Result<Answer<End>> {
    services()?.kind::<dyn CouponApi>().redeem(&sale, &code, request_id).await
}

/// Gives a coupon back, once. It frees its place in the limits, unless the sale's terms say that it still counts.
#[server(
    name = GiveBackCouponRequest,
    prefix = "/api",
    endpoint = "/coupon/give-back",
    input = StrictJson,
    input_derive = (Clone, Serialize, Deserialize, JsonSchema),
    output = Json
)]
pub async fn give_back(
    /// The id of the sale.
    sale: String,
    /// The code, in capitals or not, with or without hyphens.
    code: String,
    /// Why, for the ledger: that of the request that gives it back, not of one that repeats it.
    reason: Option<String>,
    /// Identifies the return of this code: sent again, it gets the same answer. Without one, every call is another
    /// attempt, and its answer names the id that it was given.
    request_id: Option<String>,
) -> Result<Answer<End>> {
    services()?.kind::<dyn CouponApi>().give_back(&sale, &code, reason.unwrap_or_default(), request_id).await
}

/// Takes the redemption of a coupon back, once: the user holds the coupon again, and can have it redeemed by another
/// request.
#[server(
    name = VoidRedemptionRequest,
    prefix = "/api",
    endpoint = "/coupon/void",
    input = StrictJson,
    input_derive = (Clone, Serialize, Deserialize, JsonSchema),
    output = Json
)]
pub async fn void(
    /// The id of the sale.
    sale: String,
    /// The code, in capitals or not, with or without hyphens.
    code: String,
    /// Why, for the ledger: that of the request that takes it back, not of one that repeats it.
    reason: Option<String>,
    /// The `request_id` of the redemption.
    request_id: String,
) -> Result<Answer<End>> {
    services()?.kind::<dyn CouponApi>().void(&sale, &code, reason.unwrap_or_default(), request_id).await
}

/// Changes limits, for all claims that follow. Those that are left out, or `null`, stay as they are; at least one is to be
/// set or lifted.
#[server(
    name = SetLimitsRequest,
    prefix = "/api",
    endpoint = "/coupon/limits",
    input = StrictJson,
    input_derive = (Clone, Serialize, Deserialize, JsonSchema),
    output = Json
)]
pub async fn set_limits(
    /// The id of the sale.
    sale: String,
    /// The most coupons in all, from now on.
    total: Option<u64>,
    /// The most coupons of a user, from now on.
    per_user: Option<u64>,
    /// The most coupons of a user on a day, from now on.
    per_user_per_day: Option<u64>,
    /// The limits to lift. (`null` in the place of a maximum lifts none.)
    unlimited: Option<Vec<LimitName>>,
    /// Identifies the edit: sent again, it gets its answer again, and undoes nothing that was set since, as long as it is
    /// one of the newest 64. Without one, every call is another edit.
    request_id: Option<String>,
) -> Result<Answer<LimitsSet>> {
    let limits = ByLimit { total, per_user, per_user_per_day };
    services()?.kind::<dyn CouponApi>().set_limits(&sale, limits, &unlimited.unwrap_or_default(), request_id).await
}

impl SetLimitsRequest {
    /// A request that sets those of these limits that are there, and lifts the others that it names.
    pub fn new(sale: String, limits: ByLimit, unlimited: Vec<LimitName>, request_id: Option<String>) -> Self {
        let ByLimit { total, per_user, per_user_per_day } = limits;
        Self { sale, total, per_user, per_user_per_day, unlimited: Some(unlimited), request_id }
    }
}

/// What a user holds, and how many more each limit allows.
#[server(
    name = CouponUserRequest,
    prefix = "/api",
    endpoint = "/coupon/user",
    input = StrictJson,
    input_derive = (Clone, Serialize, Deserialize, JsonSchema),
    output = Json
)]
pub async fn user(
    /// The id of the sale.
    sale: String,
    /// The user.
    user: String,
) -> Result<UserCoupons> {
    services()?.kind::<dyn CouponApi>().user(&sale, user).await
}

/// A consistent snapshot of the sale.
#[server(
    name = CouponSnapshotRequest,
    prefix = "/api",
    endpoint = "/coupon/snapshot",
    input = StrictJson,
    input_derive = (Clone, Serialize, Deserialize, JsonSchema),
    output = Json
)]
pub async fn snapshot(
    /// The id of the sale.
    sale: String,
) -> Result<Snapshot> {
    services()?.kind::<dyn CouponApi>().snapshot(&sale).await
}

/// Checks the sale's invariants, coupon by coupon and user by user.
#[server(
    name = CouponAuditRequest,
    prefix = "/api",
    endpoint = "/coupon/audit",
    input = StrictJson,
    input_derive = (Clone, Serialize, Deserialize, JsonSchema),
    output = Json
)]
pub async fn audit(
    /// The id of the sale.
    sale: String,
) -> Result<Audit> {
    services()?.ledger.audit(model::coupon::INFO.id, &sale).await
}

/// The script that decides claims, exactly as it runs.
#[server(
    name = CouponScriptRequest,
    prefix = "/api",
    endpoint = "/coupon/script",
    input = StrictJson,
    input_derive = (Clone, Serialize, Deserialize, JsonSchema),
    output = Json
)]
pub async fn script() -> Result<ScriptInfo> {
    services()?.kind::<dyn CouponApi>().script().await
}
