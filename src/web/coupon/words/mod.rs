//! The texts of coupons.

mod en;
mod zh;

use crate::i18n::{FieldWords, KindWords, by_lang};
use model::coupon::{CouponState, Declined, End, LimitName};

/// The texts in the language of the page.
pub fn words() -> &'static Words {
    by_lang(&en::EN, &zh::ZH)
}

/// The catalogue. Figures are passed as formatted text.
pub struct Words {
    pub kind: KindWords,

    // The list of sales, and the form that opens one.
    pub claimed_and_redeemed: fn(String, String) -> String,
    pub open_title: &'static str,
    pub limit_field: fn(LimitName) -> FieldWords,
    pub time_zone: FieldWords,
    pub given_back: &'static str,
    /// Beside the box that makes them count.
    pub given_back_checkbox: &'static str,
    pub given_back_counts: &'static str,
    pub given_back_frees: &'static str,

    // The stage.
    pub limits: &'static str,
    pub limit_name: fn(LimitName) -> &'static str,
    pub counted_of: fn(String, String) -> String,
    pub counted_unlimited: fn(String) -> String,
    pub at_most: fn(String) -> String,
    pub unlimited: &'static str,
    pub of_user: fn(String) -> String,
    pub of_nobody: &'static str,
    pub next_day_in: fn(String, String) -> String,
    pub days_begin: fn(&str) -> String,
    pub per_minute: &'static str,
    pub per_second: &'static str,
    /// The most claims in one of these minutes.
    pub claims_at_most: fn(u64) -> String,
    pub no_claims: &'static str,
    /// How many attempts a limit has refused.
    pub refused_times: fn(u64) -> String,
    pub claimed: &'static str,
    pub redeemed: &'static str,
    pub returned: &'static str,

    // The visitor's own attempt.
    pub claim: &'static str,
    pub you_won: &'static str,
    pub already_yours: &'static str,
    /// Refused by a limit, with what is left in all where that is limited.
    pub refused_by: fn(LimitName, Option<String>) -> String,
    pub sale_closed: &'static str,
    pub copy_code: &'static str,

    // What a user holds.
    pub look_up_title: &'static str,
    pub look_up_user: FieldWords,
    pub look_up: &'static str,
    pub left: fn(String) -> String,
    pub no_coupons: &'static str,
    pub coupons: &'static str,
    pub code: &'static str,
    pub state: &'static str,
    pub state_name: fn(CouponState) -> &'static str,
    pub actions: &'static str,
    pub redeem: &'static str,
    pub redeem_code: fn(String) -> String,
    pub give_back: &'static str,
    pub give_back_code: fn(String) -> String,
    pub ended: fn(End) -> String,

    // The limits, to be changed.
    pub edit_limits: &'static str,
    pub set_limits: &'static str,
    /// Lowered to the first, while the second is claimed.
    pub limits_question: fn(u64, u64) -> String,
    pub limits_yes: &'static str,
    pub limits_no: &'static str,
    pub limits_set: &'static str,
    pub limits_same: &'static str,

    // The attempts.
    pub won: &'static str,
    pub sale_closed_short: &'static str,
    pub refused_by_limit: &'static str,
    pub refused: &'static str,
    pub declined: fn(Declined) -> &'static str,
    pub latest: &'static str,
    pub none_claimed: &'static str,

    // The crowd.
    pub greedy: FieldWords,
    pub redeem_share: FieldWords,
    pub give_back_share: FieldWords,
    pub all_greedy: &'static str,
    pub all_greedy_hint: &'static str,

    // The audit.
    pub not_audited: &'static str,
}

#[cfg(test)]
mod tests {
    use super::*;
    use model::coupon::LIMITS;

    /// The compiler asks for all other words of a limit; these are found by name.
    #[test]
    fn what_the_audit_checks_of_each_limit_has_a_name() {
        for (limit, words) in LIMITS.into_iter().flat_map(|limit| [(limit, &en::EN), (limit, &zh::ZH)]) {
            for check in ["beyond", "counts"] {
                let name = format!("{check}_{}", limit.name.name());
                assert!((words.kind.invariant_name)(&name).is_some(), "{name}");
            }
        }
    }
}
