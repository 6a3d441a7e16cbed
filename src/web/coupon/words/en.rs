//! English.

use crate::{
    components::format::count,
    coupon::words::Words,
    i18n::{FieldWords, KindWords, id_error},
};
use model::coupon::{CouponState, Declined, End, INFO, LimitName};

const LIMIT_ERROR: &str = "Enter a whole number from 1 to 1,000,000, or nothing for no limit.";
const SHARE_ERROR: &str = "Enter a percentage from 0 to 100; redeemed and given back are at most 100 together.";

pub static EN: Words = Words {
    kind: KindWords {
        info: &INFO,
        name: "Coupons",
        effect_of_closing: "Coupons already claimed can still be redeemed or given back.",
        explained_attempt: "The attempt is for one coupon.",
        item_name: str::to_owned,
        outcome_name: |name| match name {
            "won" => Some("Claimed"),
            "redeemed" => Some("Redeemed"),
            "returned" => Some("Given back"),
            "limits" => Some("Limits changed"),
            _ => None,
        },
        invariant_name: |name| match name {
            "coupons" => Some("All coupons accounted for"),
            "events" => Some("One event per claim"),
            "redeemed" => Some("Coupons redeemed"),
            "returned" => Some("Coupons given back"),
            "limits" => Some("Limits that differ from the history"),
            "beyond_total" => Some("Claims beyond the total limit"),
            "beyond_per_user" => Some("Claims beyond the limit per user"),
            "beyond_per_user_per_day" => Some("Claims beyond the limit per user and day"),
            "counts_total" => Some("Wrong count for the sale"),
            "counts_per_user" => Some("Users with a wrong count"),
            "counts_per_user_per_day" => Some("Users with a wrong count for the day"),
            "doubled" => Some("Codes given out twice, or two for one request"),
            "ended_twice" => Some("Coupons used twice"),
            "ledger" => Some("Every claim is in the ledger"),
            _ => None,
        },
    },

    claimed_and_redeemed: |claimed, redeemed| format!("{claimed} claimed, {redeemed} redeemed"),
    open_title: "Open a coupon sale",
    limit_field: |limit| FieldWords {
        label: match limit {
            LimitName::Total => "Total",
            LimitName::PerUser => "Per user",
            LimitName::PerUserPerDay => "Per user and day",
        },
        hint: "Leave empty for no limit",
        error: LIMIT_ERROR,
    },
    time_zone: FieldWords {
        label: "Time zone",
        hint: "Where days begin, such as Asia/Shanghai",
        error: "Enter a time zone, such as Europe/Berlin or UTC.",
    },
    given_back: "Coupons given back",
    given_back_checkbox: "Coupons given back still count toward the limits",
    given_back_counts: "They still count toward the limits",
    given_back_frees: "They no longer count toward the limits",

    limits: "Limits",
    limit_name,
    counted_of: |counted, most| format!("{counted} of {most}"),
    counted_unlimited: |counted| format!("{counted}, no limit"),
    at_most: |most| format!("at most {most}"),
    unlimited: "No limit",
    of_user: |user| format!("The limits per user are shown for {user}."),
    of_nobody: "Look up a user to see how far they are from the limits per user.",
    next_day_in: |time, zone| format!("The next day begins in {time} ({zone})."),
    days_begin: |zone| format!("Each day begins at midnight ({zone})."),
    per_minute: "Claims per minute (UTC)",
    per_second: "Claims per second, by this crowd",
    claims_at_most: |number| format!("Tallest bar: {}", count(number)),
    no_claims: "Nothing claimed in the last hour.",
    refused_times: |number| format!("{} refused", count(number)),
    claimed: "Claimed",
    redeemed: "Redeemed",
    returned: "Given back",

    claim: "Claim a coupon",
    you_won: "is yours.",
    already_yours: "is already yours from the same request. Nothing changed.",
    refused_by: |limit, left| match (limit, left) {
        (LimitName::Total, _) => "Every coupon has been claimed.".to_owned(),
        (LimitName::PerUser, Some(left)) => {
            format!("You have reached the limit per user. {left} left for other users.")
        }
        (LimitName::PerUser, None) => "You have reached the limit per user.".to_owned(),
        (LimitName::PerUserPerDay, _) => "You have reached the limit for today. Come back tomorrow.".to_owned(),
    },
    sale_closed: "This sale is closed. Coupons can still be redeemed or given back.",
    copy_code: "Copy code",

    look_up_title: "Coupons of a user",
    look_up_user: FieldWords { label: "User", hint: "", error: id_error!(en) },
    look_up: "Look up",
    left: |left| format!("{left} left"),
    no_coupons: "No coupons.",
    coupons: "Coupons",
    code: "Code",
    state: "State",
    state_name: |state| match state {
        CouponState::Claimed => "Claimed",
        CouponState::Redeemed => "Redeemed",
        CouponState::Returned => "Given back",
    },
    actions: "Actions",
    redeem: "Redeem",
    redeem_code: |code| format!("Redeem {code}"),
    give_back: "Give back",
    give_back_code: |code| format!("Give back {code}"),
    ended: |end| match end {
        End::Redeemed(coupon) => format!("{} is redeemed.", coupon.code),
        End::Returned(coupon) => format!("{} is given back.", coupon.code),
        End::Repeat(coupon) => format!("{} was already done by the same request. Nothing changed.", coupon.code),
        End::AlreadyRedeemed(coupon) => format!("{} had already been redeemed. Nothing changed.", coupon.code),
        End::AlreadyReturned(coupon) => format!("{} had already been given back. Nothing changed.", coupon.code),
        End::UnknownCode { code } => format!("Nobody has a coupon with the code {code}."),
    },

    edit_limits: "Change the limits",
    set_limits: "Set limits",
    limits_question: |most, counted| {
        let coupons = if counted == 1 { "coupon is" } else { "coupons are" };
        format!(
            "{} {coupons} claimed already. With a limit of {}, nobody gets another. Set it anyway?",
            count(counted),
            count(most)
        )
    },
    limits_yes: "Set it",
    limits_no: "Not now",
    limits_set: "The limits are in force.",
    limits_same: "These limits were in force already.",

    won: "Claimed",
    sale_closed_short: "Closed",
    refused_by_limit: "Refused by limit",
    refused: "Refused",
    declined: |declined| match declined {
        Declined::Repeat => "Repeat",
        Declined::Closed => "Closed",
        Declined::OtherUser => "Another user's request",
        Declined::Limit(limit) => limit_name(limit),
    },
    latest: "Newest claims",
    none_claimed: "Nothing claimed yet.",

    greedy: FieldWords { label: "Greedy", hint: "Percent of users who claim three times", error: SHARE_ERROR },
    redeem_share: FieldWords { label: "Redeem", hint: "Percent of coupons redeemed right away", error: SHARE_ERROR },
    give_back_share: FieldWords {
        label: "Give back",
        hint: "Percent of coupons given back right away",
        error: SHARE_ERROR,
    },
    all_greedy: "All greedy",
    all_greedy_hint: "Everybody claims three times, to test the limits per user.",

    not_audited: "Not audited yet. An audit checks every coupon and every user's counts in Redis.",
};

fn limit_name(limit: LimitName) -> &'static str {
    match limit {
        LimitName::Total => "Total",
        LimitName::PerUser => "Per user",
        LimitName::PerUserPerDay => "Per user and day",
    }
}
