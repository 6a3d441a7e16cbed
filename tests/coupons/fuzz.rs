//! Requests about coupons.

use super::kind::KIND;
use crate::fuzz::requests::{Call, Fuzz, Values, body, maybe, one_of};
use model::coupon::LimitName;
use rand::Rng;
use rand_chacha::ChaCha8Rng;
use serde_json::json;
use web::coupon::api::{
    ClaimCouponRequest, CouponAuditRequest, CouponScriptRequest, CouponSnapshotRequest, CouponUserRequest,
    GiveBackCouponRequest, OpenCouponsRequest, RedeemCouponRequest, SetLimitsRequest, UploadListRequest,
    VoidRedemptionRequest,
};

/// The own codes of a sale that has such. One request uploads them all.
const OWN_CODES: u64 = 300;

pub const FUZZ: Fuzz = Fuzz { open, call, behavior: |_| json!({}) };

fn open(values: &Values, id: Option<String>, random: &mut ChaCha8Rng) -> Call {
    body(OpenCouponsRequest {
        id,
        request_id: maybe(random, |random| values.request_id(random)),
        total: Some(500),
        per_user: maybe(random, |_| 5),
        per_user_per_day: Some(3),
        time_zone: Some(one_of(random, &["UTC", "Asia/Shanghai"]).to_owned()),
        given_back_counts: maybe(random, |random| random.random()),
        valid_from: maybe(random, |_| 0),
        valid_until: None,
        own_codes: maybe(random, |_| OWN_CODES),
        // A list that is never whole would leave nothing to do.
        only_for: None,
        opens_at: None,
        opens_in_s: None,
        ends_at: None,
        ends_in_s: None,
        title: None,
        description: None,
        currency: None,
    })
}

fn call(values: &Values, random: &mut ChaCha8Rng) -> Call {
    let (sale, user) = (values.sale(&KIND), values.user(random));
    let request_id = maybe(random, |random| values.request_id(random));
    let code = values.learned("code", random);
    match random.random_range(0..18) {
        0 => body(SetLimitsRequest {
            sale,
            total: maybe(random, |random| random.random_range(400..=600)),
            per_user: maybe(random, |random| random.random_range(1..=9)),
            per_user_per_day: None,
            unlimited: maybe(random, |_| vec![LimitName::PerUserPerDay]),
            request_id,
        }),
        1 => body(CouponUserRequest { sale, user }),
        2 => body(CouponSnapshotRequest { sale }),
        3 => body(CouponAuditRequest { sale }),
        4 => body(CouponScriptRequest {}),
        5..8 => body(RedeemCouponRequest { sale, code, request_id }),
        16 => {
            let reason = maybe(random, |_| "fuzz".to_owned());
            body(VoidRedemptionRequest { sale, code, reason, request_id: values.request_id(random) })
        }
        17 => {
            let codes = (0..OWN_CODES).map(|nth| format!("Summer-{nth:03}")).collect();
            body(UploadListRequest { sale, first: 1, codes: Some(codes), users: None })
        }
        8..10 => {
            let reason = maybe(random, |_| "fuzz".to_owned());
            body(GiveBackCouponRequest { sale, code, reason, request_id })
        }
        _ => body(ClaimCouponRequest { sale, user, request_id }),
    }
}
