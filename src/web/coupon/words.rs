//! The texts of coupons.

use crate::{
    components::format::count,
    i18n::{FieldWords, KindWords, id_error},
};
use model::coupon::{CouponState, Declined, End, INFO, LimitName};

crate::i18n::words! {
    /// The catalogue. Figures are passed as formatted text.
    pub struct Words {
        kind: KindWords {
            info = &INFO, &INFO;
            name = "Coupons", "优惠券";
            effect_of_closing =
                "Coupons already claimed can still be redeemed or given back. The sale can be reopened.",
                "已领取的券仍可核销或退回。活动可重新开放。";
            reopens = true, true;
            explained_attempt = "The attempt is for one coupon.", "请求领取一张券。";
            // A code, or a part of a list.
            item_name =
                |item| match item.split_once(' ') {
                    Some(("codes", places)) => format!("Codes {places}"),
                    Some(("users", places)) => format!("Users {places}"),
                    _ => item.to_owned(),
                },
                |item| match item.split_once(' ') {
                    Some(("codes", places)) => format!("券码 {places}"),
                    Some(("users", places)) => format!("用户 {places}"),
                    _ => item.to_owned(),
                };
            outcome_name =
                |name| match name {
                    "won" => Some("Claimed"),
                    "redeemed" => Some("Redeemed"),
                    "returned" => Some("Given back"),
                    "voided" => Some("Redemption taken back"),
                    "limits" => Some("Limits changed"),
                    "listed" => Some("List uploaded"),
                    _ => None,
                },
                |name| match name {
                    "won" => Some("领取"),
                    "redeemed" => Some("核销"),
                    "returned" => Some("退回"),
                    "voided" => Some("撤销核销"),
                    "limits" => Some("修改限额"),
                    "listed" => Some("上传名单"),
                    _ => None,
                };
            invariant_name =
                |name| match name {
                    "coupons" => Some("All coupons accounted for"),
                    "events" => Some("One event per claim"),
                    "redeemed" => Some("Redeemed coupons add up"),
                    "returned" => Some("Coupons given back add up"),
                    "voided" => Some("Redemptions taken back add up"),
                    "limits" => Some("All limits agree with the history"),
                    "beyond_total" => Some("No claim beyond the total limit"),
                    "beyond_per_user" => Some("No claim beyond the limit per user"),
                    "beyond_per_user_per_day" => Some("No claim beyond the limit per user and day"),
                    "counts_total" => Some("The count of the sale is right"),
                    "counts_per_user" => Some("Every user's count is right"),
                    "counts_per_user_per_day" => Some("Every user's count of the day is right"),
                    "doubled" => Some("No code given twice, nor two for one request"),
                    "ended_twice" => Some("No coupon used twice"),
                    "lists" => Some("All lists agree with the history"),
                    "own_codes" => Some("Own codes given and left add up"),
                    "codes_left" => Some("Own codes left agree with the history"),
                    "invited" => Some("Every invited user is listed"),
                    "uninvited" => Some("No claim by anybody who is not invited"),
                    "ledger" => Some("Every claim is in the ledger"),
                    _ => None,
                },
                |name| match name {
                    "coupons" => Some("券的数量相符"),
                    "events" => Some("每次领取都有一个事件"),
                    "redeemed" => Some("已核销的券数相符"),
                    "returned" => Some("已退回的券数相符"),
                    "voided" => Some("已撤销的核销数相符"),
                    "limits" => Some("限额与历史相符"),
                    "beyond_total" => Some("没有领取超出总限额"),
                    "beyond_per_user" => Some("没有领取超出每人限额"),
                    "beyond_per_user_per_day" => Some("没有领取超出每人每日限额"),
                    "counts_total" => Some("活动计数正确"),
                    "counts_per_user" => Some("每个用户的计数正确"),
                    "counts_per_user_per_day" => Some("每个用户的当日计数正确"),
                    "doubled" => Some("没有券码重复发放，也没有同一请求领到两张"),
                    "ended_twice" => Some("没有券重复使用"),
                    "lists" => Some("名单与历史相符"),
                    "own_codes" => Some("自有券码：已发放与剩余相加相符"),
                    "codes_left" => Some("剩余自有券码与历史相符"),
                    "invited" => Some("受邀用户名单完整"),
                    "uninvited" => Some("没有未受邀用户领取"),
                    "ledger" => Some("每次领取都已入账"),
                    _ => None,
                };
        };
        /// Beside the picture of the demonstration.
        demonstration =
            "Each claim has to pass every limit at once, for all, for a user and for a day, also when it is sent twice.",
            "每次领取都要同时通过总量、每人、每天的限制，请求重复发送也一样。";

        // The list of sales, and the form that opens one.
        claimed_and_redeemed: fn(String, String) -> String =
            |claimed, redeemed| format!("{claimed} claimed, {redeemed} redeemed"),
            |claimed, redeemed| format!("已领取 {claimed} 张，已核销 {redeemed} 张");
        open_title = "Open a coupon sale", "创建优惠券活动";
        limit_field: fn(LimitName) -> FieldWords =
            |limit| FieldWords {
                label: match limit {
                    LimitName::Total => "Total",
                    LimitName::PerUser => "Per user",
                    LimitName::PerUserPerDay => "Per user and day",
                },
                hint: "Leave empty for no limit",
                error: Errors::EN.limit,
            },
            |limit| FieldWords {
                label: match limit {
                    LimitName::Total => "发放总数",
                    LimitName::PerUser => "每人限领",
                    LimitName::PerUserPerDay => "每人每日限领",
                },
                hint: "留空表示不限",
                error: Errors::ZH.limit,
            };
        time_zone: FieldWords {
            label = "Time zone", "时区";
            hint = "Where days begin, such as Asia/Shanghai", "按此时区划分日期，如 Asia/Shanghai";
            error = "Enter a time zone, such as Europe/Berlin or UTC.", "请填写时区，如 Asia/Shanghai 或 UTC。";
        };
        own_codes_field: FieldWords {
            label = "Own codes", "自有券码";
            hint = "How many; you upload them next. Empty: codes are made", "填写数量，创建后上传；留空则自动生成";
            error = Errors::EN.listed, Errors::ZH.listed;
        };
        only_for_field: FieldWords {
            label = "Only for", "仅限";
            hint = "How many users; you upload them next. Empty: everybody", "填写用户数，创建后上传；留空则不限";
            error = Errors::EN.listed, Errors::ZH.listed;
        };
        given_back = "Coupons given back", "退回的券";
        /// Beside the box that makes them count.
        given_back_checkbox = "Coupons given back still count toward the limits", "退回的券仍计入限额";
        given_back_counts = "They still count toward the limits", "仍计入限额";
        given_back_frees = "They no longer count toward the limits", "不再计入限额";

        valid_from = "Redeemable from", "核销开始时间";
        valid_until = "Redeemable until", "核销截止时间";

        own_codes = "Own codes", "自有券码";
        codes_left: fn(String, String) -> String =
            |left, all| format!("{left} of {all} left"),
            |left, all| format!("剩余 {left} / {all}");
        only_for = "Only for", "仅限";
        users: fn(u64) -> String =
            |users| if users == 1 { "1 user".to_owned() } else { format!("{} users", count(users)) },
            |users| format!("{} 位用户", count(users));

        // The lists, to be uploaded.
        upload_codes = "Upload own codes", "上传自有券码";
        upload_users = "Upload the users", "上传用户名单";
        upload_note =
            "Nobody can claim until the list is whole. One entry a line; of a CSV file, the first column counts.",
            "名单完整之前无法领取。每行一条；CSV 文件取第一列。";
        typed_list = "List", "名单";
        list_file = "Or a file", "或选择文件";
        entries_of_file: fn(String) -> String =
            |entries| format!("{entries} entries from the file"),
            |entries| format!("文件中共 {entries} 条");
        forget_file = "Remove file", "移除文件";
        upload = "Upload", "上传";
        uploaded: fn(String, String) -> String =
            |uploaded, all| format!("{uploaded} of {all} uploaded"),
            |uploaded, all| format!("已上传 {uploaded} / {all}");
        /// The list has so many entries, and the sale was opened for so many.
        wrong_length: fn(String, String) -> String =
            |entries, all| format!("The list has {entries} entries; the sale was opened for {all}."),
            |entries, all| format!("名单有 {entries} 条，活动创建时填写的是 {all} 条。");

        // The stage.
        limits = "Limits", "限额";
        limit_name: fn(LimitName) -> &'static str =
            |limit| match limit {
                LimitName::Total => "Total",
                LimitName::PerUser => "Per user",
                LimitName::PerUserPerDay => "Per user and day",
            },
            |limit| match limit {
                LimitName::Total => "总数",
                LimitName::PerUser => "每人",
                LimitName::PerUserPerDay => "每人每日",
            };
        /// The answer to an attempt that a limit refused.
        refusal_of: fn(LimitName) -> &'static str =
            |limit| match limit {
                LimitName::Total => "Refused: total limit",
                LimitName::PerUser => "Refused: limit per user",
                LimitName::PerUserPerDay => "Refused: limit per user and day",
            },
            |limit| match limit {
                LimitName::Total => "被拒：总限额",
                LimitName::PerUser => "被拒：每人限额",
                LimitName::PerUserPerDay => "被拒：每人每日限额",
            };
        counted_of: fn(String, String) -> String =
            |counted, most| format!("{counted} of {most}"),
            |counted, most| format!("{counted} / {most}");
        counted_unlimited: fn(String) -> String =
            |counted| format!("{counted}, no limit"),
            |counted| format!("{counted}，不限");
        /// Claims were stopped, after so many.
        stopped: fn(String) -> String =
            |counted| format!("{counted}, stopped"),
            |counted| format!("{counted}，已停止领取");
        at_most: fn(String) -> String =
            |most| format!("at most {most}"),
            |most| format!("最多 {most}");
        unlimited = "No limit", "不限";
        of_user: fn(String) -> String =
            |user| format!("The limits per user are shown for {user}."),
            |user| format!("每人限额显示的是 {user} 的用量。");
        of_nobody =
            "Look up a user to see how far they are from the limits per user.",
            "查询用户后，可查看其限额用量。";
        next_day_in: fn(String, String) -> String =
            |time, zone| format!("The next day begins in {time} ({zone})."),
            |time, zone| format!("距零点还有 {time}（{zone}）。");
        days_begin: fn(&str) -> String =
            |zone| format!("Each day begins at midnight ({zone})."),
            |zone| format!("每天零点（{zone}）进入新的一天。");
        per_minute = "Claims per minute", "每分钟领取量";
        /// Over how many milliseconds the claims are counted.
        by_crowd: fn(u64) -> String =
            |ms| match ms {
                1_000 => "Claims per second, by this crowd".to_owned(),
                _ => format!("Claims per {ms} ms, by this crowd"),
            },
            |ms| match ms {
                1_000 => "本次模拟每秒领取量".to_owned(),
                _ => format!("本次模拟每 {ms} 毫秒领取量"),
            };
        /// Since the first of them, in claims a minute.
        mean: fn(String) -> String =
            |number| format!("mean {number}"),
            |number| format!("平均 {number}");
        no_claims = "Nothing claimed in the last hour.", "最近一小时没有人领取。";
        /// How many attempts a limit has refused.
        refused_times: fn(u64) -> String =
            |number| format!("{} refused", count(number)),
            |number| format!("拒绝 {} 次", count(number));
        claimed = "Claimed", "已领取";
        redeemed = "Redeemed", "已核销";
        returned = "Given back", "已退回";

        // The visitor's own attempt.
        claim = "Claim a coupon", "领取一张";
        you_won = "is yours.", "归您了。";
        /// The same request got it before, and this is what became of it.
        repeated: fn(CouponState) -> &'static str =
            |state| match state {
                CouponState::Claimed => "is already yours from the same request. Nothing changed.",
                CouponState::Redeemed => "is from the same request, and was redeemed. Nothing changed.",
                CouponState::Returned => "is from the same request, and was given back. Nothing changed.",
            },
            |state| match state {
                CouponState::Claimed => "是同一请求此前领到的券，没有任何变化。",
                CouponState::Redeemed => "是同一请求此前领到的券，已核销，没有任何变化。",
                CouponState::Returned => "是同一请求此前领到的券，已退回，没有任何变化。",
            };
        /// Refused by a limit, with what is left in all where that is limited.
        refused_by: fn(LimitName, Option<String>) -> String =
            |limit, left| match (limit, left) {
                (LimitName::Total, _) => "Every coupon has been claimed.".to_owned(),
                (LimitName::PerUser, Some(left)) => {
                    format!("You have reached the limit per user. {left} left for other users.")
                }
                (LimitName::PerUser, None) => "You have reached the limit per user.".to_owned(),
                (LimitName::PerUserPerDay, _) => "You have reached the limit for today. Come back tomorrow.".to_owned(),
            },
            |limit, left| match (limit, left) {
                (LimitName::Total, _) => "券已全部领完。".to_owned(),
                (LimitName::PerUser, Some(left)) => format!("您已达到每人限领数量，还有 {left} 张留给其他人。"),
                (LimitName::PerUser, None) => "您已达到每人限领数量。".to_owned(),
                (LimitName::PerUserPerDay, _) => "您今天的券已领完，请明天再来。".to_owned(),
            };
        /// Refused by the list of users.
        not_invited =
            "This sale is only for invited users, and your name is not on the list.",
            "本活动仅限受邀用户领取，名单中没有您的名字。";
        not_invited_short = "Not invited", "未受邀";
        lists_missing =
            "This sale is being prepared: its lists are not uploaded yet.",
            "活动正在准备：名单尚未上传完毕。";
        /// Refused by a limit of 0 in all.
        claims_stopped = "Claiming is stopped. No more coupons are given out for now.", "领取已停止，暂不再发放。";
        sale_closed =
            "This sale is closed. Coupons can still be redeemed or given back.",
            "活动已关闭，已领取的券仍可核销或退回。";
        copy_code = "Copy code", "复制券码";

        // What a user holds.
        look_up_title = "Coupons of a user", "用户的券";
        look_up_user: FieldWords {
            label = "User", "用户";
            hint = "", "";
            error = id_error!(en), id_error!(zh);
        };
        look_up = "Look up", "查询";
        left: fn(String) -> String =
            |left| format!("{left} left"),
            |left| format!("还可领 {left} 张");
        no_coupons = "No coupons.", "没有券。";
        coupons = "Coupons", "券";
        code = "Code", "券码";
        state = "State", "状态";
        state_name: fn(CouponState) -> &'static str =
            |state| match state {
                CouponState::Claimed => "Claimed",
                CouponState::Redeemed => "Redeemed",
                CouponState::Returned => "Given back",
            },
            |state| match state {
                CouponState::Claimed => "已领取",
                CouponState::Redeemed => "已核销",
                CouponState::Returned => "已退回",
            };
        actions = "Actions", "操作";
        redeem = "Redeem", "核销";
        redeem_code: fn(String) -> String =
            |code| format!("Redeem {code}"),
            |code| format!("核销 {code}");
        give_back = "Give back", "退回";
        give_back_code: fn(String) -> String =
            |code| format!("Give back {code}"),
            |code| format!("退回 {code}");
        give_back_question: fn(String) -> String =
            |code| format!("Give {code} back? The user can no longer use it."),
            |code| format!("退回 {code}？用户将不能再使用该券。");
        give_back_yes = "Give it back", "退回";
        /// Takes a redemption back.
        void = "Take back", "撤销核销";
        void_question: fn(String) -> String =
            |code| format!("Take the redemption of {code} back? The user can then have it redeemed again."),
            |code| format!("要撤销 {code} 的核销吗？撤销后该券可再次核销。");
        void_yes = "Take it back", "撤销";
        void_no = "Leave it", "保留";
        ended: fn(End) -> String =
            |end| match end {
                End::Redeemed(coupon) => format!("{} is redeemed.", coupon.code),
                End::Returned(coupon) => format!("{} is given back.", coupon.code),
                End::Voided(coupon) => format!("The redemption of {} is taken back.", coupon.code),
                End::Repeat(coupon) => {
                    format!("{} was already done by the same request. Nothing changed.", coupon.code)
                }
                End::AlreadyRedeemed(coupon) => format!("{} had already been redeemed. Nothing changed.", coupon.code),
                End::AlreadyReturned(coupon) => {
                    format!("{} had already been given back. Nothing changed.", coupon.code)
                }
                End::AlreadyVoided(coupon) => {
                    format!("The redemption of {} had already been taken back. Nothing changed.", coupon.code)
                }
                End::NotValidYet { code, .. } => format!("{code} cannot be redeemed yet. Nothing changed."),
                End::NoLongerValid { code, .. } => format!("{code} can no longer be redeemed. Nothing changed."),
                End::UnknownCode { code } => format!("Nobody has a coupon with the code {code}."),
                End::UnknownRequest { code } => {
                    format!("{code} is no longer redeemed by that request. Nothing changed.")
                }
            },
            |end| match end {
                End::Redeemed(coupon) => format!("{} 已核销。", coupon.code),
                End::Returned(coupon) => format!("{} 已退回。", coupon.code),
                End::Voided(coupon) => format!("{} 的核销已撤销。", coupon.code),
                End::Repeat(coupon) => format!("{} 已由同一请求处理，没有任何变化。", coupon.code),
                End::AlreadyRedeemed(coupon) => format!("{} 此前已核销，没有任何变化。", coupon.code),
                End::AlreadyReturned(coupon) => format!("{} 此前已退回，没有任何变化。", coupon.code),
                End::AlreadyVoided(coupon) => format!("{} 的核销此前已撤销，没有任何变化。", coupon.code),
                End::UnknownRequest { code } => format!("{code} 已不是由该请求核销，没有任何变化。"),
                End::NotValidYet { code, .. } => format!("{code} 还不能核销，没有任何变化。"),
                End::NoLongerValid { code, .. } => format!("{code} 已过核销截止时间，没有任何变化。"),
                End::UnknownCode { code } => format!("没有券码为 {code} 的券。"),
            };

        // The limits, to be changed.
        edit_limits = "Change the limits", "修改限额";
        set_limits = "Set limits", "保存限额";
        /// The field of a limit of a sale that is open.
        changed_limit: fn(LimitName) -> FieldWords =
            |limit| match limit {
                LimitName::Total => FieldWords {
                    hint: "0 stops claims; leave empty for no limit",
                    error: Errors::EN.total,
                    ..(Words::EN.limit_field)(limit)
                },
                _ => (Words::EN.limit_field)(limit),
            },
            |limit| match limit {
                LimitName::Total => FieldWords {
                    hint: "填 0 停止领取，留空表示不限",
                    error: Errors::ZH.total,
                    ..(Words::ZH.limit_field)(limit)
                },
                _ => (Words::ZH.limit_field)(limit),
            };
        /// Lowered to the first, while the second is claimed.
        limits_question: fn(u64, u64) -> String =
            |most, counted| {
                if most == 0 {
                    return "Nobody gets another coupon until you raise the limit. Stop claims?".to_owned();
                }
                let coupons = if counted == 1 { "coupon is" } else { "coupons are" };
                format!(
                    "{} {coupons} claimed already. With a limit of {}, nobody gets another. Set it anyway?",
                    count(counted),
                    count(most)
                )
            },
            |most, counted| {
                if most == 0 {
                    return "在提高限额之前，将无人能再领取。要停止领取吗？".to_owned();
                }
                format!("已领取 {} 张。若总数改为 {}，将无人能再领取。仍要修改吗？", count(counted), count(most))
            };
        limits_yes = "Set it", "修改";
        limits_no = "Not now", "暂不";
        limits_set = "The limits are in force.", "新限额已生效。";
        limits_same = "These limits were in force already.", "限额没有变化。";

        // The attempts.
        won = "Claimed", "领取";
        sale_closed_short = "Closed", "已关闭";
        refused_by_limit = "Refused by limit", "按限额统计的拒绝";
        refused = "Refused", "被拒绝";
        declined: fn(Declined) -> &'static str =
            |declined| match declined {
                Declined::Repeat => "Repeat",
                Declined::Closed => "Closed",
                Declined::NotOpen => "Not started",
                Declined::Paused => "Paused",
                Declined::Ended => "Ended",
                Declined::NotInvited => Words::EN.not_invited_short,
                Declined::OtherUser => "Another user's request",
                Declined::Limit(limit) => (Words::EN.refusal_of)(limit),
            },
            |declined| match declined {
                Declined::Repeat => "重复请求",
                Declined::Closed => "已关闭",
                Declined::NotOpen => "未开始",
                Declined::Paused => "暂停中",
                Declined::Ended => "已结束",
                Declined::NotInvited => Words::ZH.not_invited_short,
                Declined::OtherUser => "其他用户的请求",
                Declined::Limit(limit) => (Words::ZH.refusal_of)(limit),
            };
        latest = "Newest claims", "最新领取";
        none_claimed = "Nothing claimed yet.", "还没有人领取。";

        // The crowd.
        greedy: FieldWords {
            label = "Greedy", "多次领取";
            hint = "Percent of users who claim three times", "领取三次的用户百分比";
            error = Errors::EN.share, Errors::ZH.share;
        };
        redeem_share: FieldWords {
            label = "Redeem", "核销";
            hint = "Percent of coupons redeemed right away", "立即核销的券百分比";
            error = Errors::EN.share, Errors::ZH.share;
        };
        give_back_share: FieldWords {
            label = "Give back", "退回";
            hint = "Percent of coupons given back right away", "立即退回的券百分比";
            error = Errors::EN.share, Errors::ZH.share;
        };
        all_greedy = "All greedy", "人人多领";
        all_greedy_hint = "Everybody claims three times, to test the limits per user.", "每人都领三次：检验每人限额。";

        // The audit.
        not_audited =
            "Not audited yet. An audit checks every coupon and every user's counts in Redis.",
            "尚未审计。审计会检查 Redis 中的每张券和每位用户的计数。";
    }

    /// What several fields say of an invalid input.
    pub struct Errors {
        total =
            "Enter a whole number from 0 to 1,000,000, or nothing for no limit.",
            "请填写 0 至 1,000,000 的整数，留空表示不限。";
        limit =
            "Enter a whole number from 1 to 1,000,000, or nothing for no limit.",
            "请填写 1 至 1,000,000 的整数，留空表示不限。";
        listed =
            "Enter a whole number from 0 to 1,000,000, or nothing.",
            "请填写 0 至 1,000,000 的整数，或留空。";
        share =
            "Enter a percentage from 0 to 100; redeemed and given back are at most 100 together.",
            "请填写 0 至 100 的百分比；核销与退回之和不超过 100。";
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use model::coupon::LIMITS;

    /// The compiler asks for all other words of a limit; these are found by name.
    #[test]
    fn what_the_audit_checks_of_each_limit_has_a_name() {
        for (limit, words) in LIMITS.into_iter().flat_map(|limit| [(limit, &Words::EN), (limit, &Words::ZH)]) {
            for check in ["beyond", "counts"] {
                let name = format!("{check}_{}", limit.name.name());
                assert!((words.kind.invariant_name)(&name).is_some(), "{name}");
            }
        }
    }
}
