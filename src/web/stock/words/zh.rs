//! Simplified Chinese.

use crate::{
    components::format::count,
    i18n::{FieldWords, KindWords},
    stock::words::{Words, signed},
};
use model::stock::{Adjusted, Declined, Expired, GivenBack, INFO, Outcome, Paused};

const QUANTITY_ERROR: &str = "请填写 1 至 1,000,000 的整数。";
const SHARE_ERROR: &str = "请填写 0 至 100 的百分比。";

pub static ZH: Words = Words {
    kind: KindWords {
        info: &INFO,
        name: "库存",
        effect_of_closing: "不能再扣减；已扣减的仍可退回。",
        explained_attempt: "请求扣减一件。",
        item_name: crate::stock::words::units,
        outcome_name: |name| match name {
            "won" => Some("扣减"),
            "returned" => Some("退回"),
            "restocked" => Some("补货"),
            "corrected" => Some("盘点修正"),
            _ => None,
        },
        invariant_name: |name| match name {
            "quantity" => Some("库存数量相符"),
            "cached" => Some("缓存中的库存"),
            "ledger_quantity" => Some("账本中的库存"),
            "events" => Some("每次扣减都有一个事件"),
            "deducted" => Some("已扣减的数量"),
            "returned" => Some("已退回的数量"),
            "restocked" => Some("已补货的数量"),
            "corrected" => Some("盘点修正的数量"),
            "requests" => Some("已保存的请求"),
            "negative" => Some("扣减超出库存的次数"),
            "doubled" => Some("重复扣减的请求"),
            "returned_twice" => Some("重复退回的订单"),
            "ledger" => Some("每次扣减都已入账"),
            _ => None,
        },
    },

    deducted_and_returned: |deducted, returned| format!("已扣减 {deducted} 件，已退回 {returned} 件"),
    is_low: "库存不足",
    open_title: "创建库存活动",
    quantity: FieldWords { label: "库存数量", hint: "", error: QUANTITY_ERROR },
    ttl_s: FieldWords {
        label: "缓存有效期",
        hint: "每次扣减后库存在 Redis 中保留的秒数",
        error: "请填写 1 至 86,400 秒。",
    },
    low_mark: FieldWords { label: "低库存线", hint: "留空表示不设", error: QUANTITY_ERROR },

    stage: "库存",
    in_redis: "Redis 中",
    in_ledger: "账本中",
    on_the_way: |change| format!("{change} 尚未入账"),
    up_to_date: "已同步",
    not_cached: "未缓存",
    not_cached_hint: "下一次请求会先与账本比对，再重新加载。",
    time_to_live: "距过期",
    renewed: |time| format!("每次扣减重新计时 {time}。"),
    unknown: "未知",
    over_time: "库存随时间的变化",
    span: "时间范围",
    last_minute: "最近 1 分钟",
    last_ten_minutes: "最近 10 分钟",
    newest_rows: |rows| format!("仅显示最新的 {rows} 条。"),
    units_deducted: "已扣减的数量",
    units_returned: "已退回的数量",
    units_restocked: "已补货的数量",
    units_corrected: "盘点修正的数量",
    oversold: |units| format!("超卖 {units} 件：补货、盘点修正和退回的数量会先抵消超卖的部分。"),
    low: |mark, times| match times {
        0 | 1 => format!("库存不足：不超过 {mark}。"),
        times => format!("库存不足：不超过 {mark}，这是第 {times} 次。", times = count(times)),
    },
    is_paused: "账本写入器暂停写入此活动，其间账本会滞后。",
    resumes_in: |time| format!("{time} 后恢复。"),
    rebuilds: "加载记录",
    no_rebuilds: "尚未加载。",
    process: "进程",
    ledger_difference: "账本差额",

    drift: "缓存与账本",
    expire: "立即过期",
    expired: |expired| match expired {
        Expired::Expired => "缓存的库存已过期。",
        Expired::NotCached => "库存本来就没有缓存。",
    },
    pause: "暂停写账本",
    resume: "恢复写账本",
    paused: |paused| match paused {
        Paused::Paused { seconds } => format!("已暂停 {seconds} 秒。"),
        Paused::Resumed => "已恢复将此活动写入账本。".to_owned(),
    },
    restock_title: "补货",
    restock_quantity: FieldWords { label: "补货数量", hint: "", error: QUANTITY_ERROR },
    restock: "补货",
    correct_title: "盘点修正",
    counted: FieldWords {
        label: "盘点数量",
        hint: "输入期间扣减的数量会一并计入",
        error: "请填写 0 至 1,000,000,000,000 的整数。",
    },
    correct: "修正",
    adjusted: |adjusted| match adjusted {
        Adjusted::Corrected { left, change: 0 } => format!("盘点无差异，现有 {} 件。", count(left)),
        Adjusted::Restocked { left, change } | Adjusted::Corrected { left, change } => {
            format!("{}，现有 {} 件。", signed(change), count(left))
        }
        Adjusted::Repeat { left, change } => {
            format!("{} 已由同一请求处理，当时为 {} 件。", signed(change), count(left))
        }
        Adjusted::NotEnough { left } => format!("只剩 {} 件，不够扣除，没有任何变化。", count(left)),
        Adjusted::Closed => "活动已关闭，没有任何变化。".to_owned(),
    },

    wanted: FieldWords { label: "数量", hint: "", error: QUANTITY_ERROR },
    deduct: "扣减",
    outcome: |outcome| match outcome {
        Outcome::Won { left } => format!("已扣减，还剩 {} 件。", count(left)),
        Outcome::Repeat { left } => format!("同一请求已经扣减，当时还剩 {} 件，没有任何变化。", count(left)),
        Outcome::NotEnough { left: 0 } => "已售罄。".to_owned(),
        Outcome::NotEnough { left } => format!("库存不足，只剩 {} 件。", count(left)),
        Outcome::Closed { .. } => "活动已关闭，已扣减的仍可退回。".to_owned(),
    },
    give_back: "退回",
    given_back: |given| match given {
        GivenBack::Returned { quantity, .. } => format!("已退回 {} 件。", count(quantity)),
        GivenBack::Repeat { .. } => "此前已退回，没有任何变化。".to_owned(),
        GivenBack::UnknownRequest => "此活动没有这个请求。".to_owned(),
    },
    sale_closed: "活动已关闭，已扣减的仍可退回。",

    won: "扣减",
    returned: "已退回",
    not_enough: "库存不足",
    sale_closed_short: "已关闭",
    refused: "被拒绝",
    declined: |declined| match declined {
        Declined::Repeat => "重复请求",
        Declined::NotEnough => "库存不足",
        Declined::Closed => "已关闭",
        Declined::Reused => "请求编号被重复使用",
    },
    latest: "最新扣减",
    none_deducted: "还没有扣减。",
    amount: "数量",
    left: "剩余",

    opened_with: "初始库存",
    kept_for: "缓存有效期",
    no_low_mark: "不设",

    several: FieldWords { label: "扣减多件", hint: "扣减两件或三件的用户百分比", error: SHARE_ERROR },
    fail: FieldWords { label: "失败订单", hint: "立即退回的订单百分比", error: SHARE_ERROR },
    all_fail: "订单全部失败",
    all_fail_hint: "全部立即退回：不能丢失，也不能重复退回。",

    not_audited: "尚未审计。审计会比较 Redis 与账本中的库存以及每个请求。",
};
