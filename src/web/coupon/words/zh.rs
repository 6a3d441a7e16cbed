//! Simplified Chinese.

use crate::{
    components::format::count,
    coupon::words::Words,
    i18n::{FieldWords, KindWords, id_error},
};
use model::coupon::{CouponState, Declined, End, INFO, LimitName};

const LIMIT_ERROR: &str = "请填写 1 至 1,000,000 的整数，留空表示不限。";
const SHARE_ERROR: &str = "请填写 0 至 100 的百分比；核销与退回之和不超过 100。";

pub static ZH: Words = Words {
    kind: KindWords {
        info: &INFO,
        name: "优惠券",
        effect_of_closing: "已领取的券仍可核销或退回。",
        explained_attempt: "请求领取一张券。",
        item_name: str::to_owned,
        outcome_name: |name| match name {
            "won" => Some("领取"),
            "redeemed" => Some("核销"),
            "returned" => Some("退回"),
            "limits" => Some("修改限额"),
            _ => None,
        },
        invariant_name: |name| match name {
            "coupons" => Some("券的数量相符"),
            "events" => Some("每次领取都有一个事件"),
            "redeemed" => Some("已核销的券"),
            "returned" => Some("已退回的券"),
            "limits" => Some("与历史不符的限额"),
            "beyond_total" => Some("超出总限额的领取"),
            "beyond_per_user" => Some("超出每人限额的领取"),
            "beyond_per_user_per_day" => Some("超出每人每日限额的领取"),
            "counts_total" => Some("活动计数有误"),
            "counts_per_user" => Some("计数有误的用户"),
            "counts_per_user_per_day" => Some("当日计数有误的用户"),
            "doubled" => Some("重复发放的券码，或同一请求的两张券"),
            "ended_twice" => Some("重复使用的券"),
            "ledger" => Some("每次领取都已入账"),
            _ => None,
        },
    },

    claimed_and_redeemed: |claimed, redeemed| format!("已领取 {claimed} 张，已核销 {redeemed} 张"),
    open_title: "创建优惠券活动",
    limit_field: |limit| FieldWords {
        label: match limit {
            LimitName::Total => "发放总数",
            LimitName::PerUser => "每人限领",
            LimitName::PerUserPerDay => "每人每日限领",
        },
        hint: "留空表示不限",
        error: LIMIT_ERROR,
    },
    time_zone: FieldWords {
        label: "时区",
        hint: "按此时区划分日期，如 Asia/Shanghai",
        error: "请填写时区，如 Asia/Shanghai 或 UTC。",
    },
    given_back: "退回的券",
    given_back_checkbox: "退回的券仍计入限额",
    given_back_counts: "仍计入限额",
    given_back_frees: "不再计入限额",

    limits: "限额",
    limit_name,
    counted_of: |counted, most| format!("{counted} / {most}"),
    counted_unlimited: |counted| format!("{counted}，不限"),
    at_most: |most| format!("最多 {most}"),
    unlimited: "不限",
    of_user: |user| format!("每人限额显示的是 {user} 的用量。"),
    of_nobody: "查询用户后，可查看其限额用量。",
    next_day_in: |time, zone| format!("{time} 后进入新的一天（{zone}）。"),
    days_begin: |zone| format!("每天零点（{zone}）进入新的一天。"),
    per_minute: "每分钟领取量（UTC）",
    per_second: "本次模拟每秒领取量",
    claims_at_most: |number| format!("最高一列：{} 次", count(number)),
    no_claims: "最近一小时没有人领取。",
    refused_times: |number| format!("拒绝 {} 次", count(number)),
    claimed: "已领取",
    redeemed: "已核销",
    returned: "已退回",

    claim: "领取一张",
    you_won: "归您了。",
    already_yours: "是同一请求此前领到的券，没有任何变化。",
    refused_by: |limit, left| match (limit, left) {
        (LimitName::Total, _) => "券已全部领完。".to_owned(),
        (LimitName::PerUser, Some(left)) => format!("您已达到每人限领数量，还有 {left} 张留给其他人。"),
        (LimitName::PerUser, None) => "您已达到每人限领数量。".to_owned(),
        (LimitName::PerUserPerDay, _) => "您今天的券已领完，请明天再来。".to_owned(),
    },
    sale_closed: "活动已关闭，已领取的券仍可核销或退回。",
    copy_code: "复制券码",

    look_up_title: "用户的券",
    look_up_user: FieldWords { label: "用户", hint: "", error: id_error!(zh) },
    look_up: "查询",
    left: |left| format!("还可领 {left} 张"),
    no_coupons: "没有券。",
    coupons: "券",
    code: "券码",
    state: "状态",
    state_name: |state| match state {
        CouponState::Claimed => "已领取",
        CouponState::Redeemed => "已核销",
        CouponState::Returned => "已退回",
    },
    actions: "操作",
    redeem: "核销",
    redeem_code: |code| format!("核销 {code}"),
    give_back: "退回",
    give_back_code: |code| format!("退回 {code}"),
    ended: |end| match end {
        End::Redeemed(coupon) => format!("{} 已核销。", coupon.code),
        End::Returned(coupon) => format!("{} 已退回。", coupon.code),
        End::Repeat(coupon) => format!("{} 已由同一请求处理，没有任何变化。", coupon.code),
        End::AlreadyRedeemed(coupon) => format!("{} 此前已核销，没有任何变化。", coupon.code),
        End::AlreadyReturned(coupon) => format!("{} 此前已退回，没有任何变化。", coupon.code),
        End::UnknownCode { code } => format!("没有券码为 {code} 的券。"),
    },

    edit_limits: "修改限额",
    set_limits: "保存限额",
    limits_question: |most, counted| {
        format!("已领取 {} 张。若总数改为 {}，将无人能再领取。仍要修改吗？", count(counted), count(most))
    },
    limits_yes: "修改",
    limits_no: "暂不",
    limits_set: "新限额已生效。",
    limits_same: "限额没有变化。",

    won: "领取",
    sale_closed_short: "已关闭",
    refused_by_limit: "按限额统计的拒绝",
    refused: "被拒绝",
    declined: |declined| match declined {
        Declined::Repeat => "重复请求",
        Declined::Closed => "已关闭",
        Declined::OtherUser => "其他用户的请求",
        Declined::Limit(limit) => limit_name(limit),
    },
    latest: "最新领取",
    none_claimed: "还没有人领取。",

    greedy: FieldWords { label: "多次领取", hint: "领取三次的用户百分比", error: SHARE_ERROR },
    redeem_share: FieldWords { label: "核销", hint: "立即核销的券百分比", error: SHARE_ERROR },
    give_back_share: FieldWords { label: "退回", hint: "立即退回的券百分比", error: SHARE_ERROR },
    all_greedy: "人人多领",
    all_greedy_hint: "每人都领三次：检验每人限额。",

    not_audited: "尚未审计。审计会检查 Redis 中的每张券和每位用户的计数。",
};

fn limit_name(limit: LimitName) -> &'static str {
    match limit {
        LimitName::Total => "总数",
        LimitName::PerUser => "每人",
        LimitName::PerUserPerDay => "每人每日",
    }
}
