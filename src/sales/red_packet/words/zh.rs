//! Simplified Chinese.

use super::Words;
use crate::{
    i18n::{FieldWords, KindWords},
    sales::red_packet::{Splitter, page::Standing},
    ui::format::count,
};

pub static ZH: Words = Words {
    kind: KindWords {
        id: "red_packet",
        name: "抢红包",
        outcome_name: |name| match name {
            "won" => Some("抢到"),
            _ => None,
        },
        invariant_name: |name| match name {
            "packets" => Some("红包一个不少"),
            "money" => Some("金额分文不差"),
            "doubled" => Some("重复发给两人"),
            "twice" => Some("一人领到两个"),
            "claimed_cents" => Some("已领金额与计数相符"),
            "ledger_cents" => Some("已领金额与账本相符"),
            _ => None,
        },
    },

    left_of: |left, all| ["剩 ", &left, " / ", &all, " 个"].concat(),
    money_of: |left, all| [&left, " / ", &all].concat(),
    open_title: "发一个新红包",
    open: "发红包",
    count: FieldWords {
        label: "红包个数", hint: "1 至 1,000,000 个", error: "请填写 1 至 1,000,000 的整数。"
    },
    total_yuan: FieldWords {
        label: "总金额（元）",
        hint: "每个至少 0.01 元",
        error: "请填写金额，最多两位小数：每个红包至少一分钱，总额不超过一百亿元。",
    },
    hours: FieldWords {
        label: "有效期（小时）",
        hint: "到期未领的可退回给发送者",
        error: "有效期须大于零，且不超过 366 天。",
    },
    minutes: FieldWords { label: "加（分钟）", hint: "", error: "" },
    splitter: "拆分方式",
    splitter_name: |splitter| match splitter {
        Splitter::DoubleMean => "二倍均值法",
        Splitter::LineCut => "线段切割法",
        Splitter::Equal => "平均分配",
    },
    splitter_hint: |splitter| match splitter {
        Splitter::DoubleMean => "每个红包在一分钱与剩余均值的两倍之间随机。",
        Splitter::LineCut => "把总金额随机切开：大红包少，小红包多。",
        Splitter::Equal => "尽量平均，最多相差一分钱。",
    },

    standing: |standing| match standing {
        Standing::Opening => "装填中",
        Standing::Open => "进行中",
        Standing::SoldOut => "已抢光",
        Standing::Expired => "已过期",
        Standing::Refunded => "已退回",
        Standing::Suspended => "已暂停",
    },
    expires_at: "到期时间",
    refund: "把剩余的退回给发送者",
    refund_question: |money, number| ["确定把 ", &count(number), " 个红包共 ", &money, " 退回给发送者吗？"].concat(),
    refund_yes: "确定退回",
    refund_no: "先不退",
    refunded_now: |money| [&money, " 已退回给发送者。"].concat(),
    refunded_before: |money| [&money, " 此前已退回给发送者。"].concat(),
    not_expired: "红包还没到期，没有退回任何金额。",

    queues: "两条队列",
    pending: "未领",
    pending_hint: "还没有人领",
    claimed: "已领",
    claimed_hint: "一人一个",
    of: |all| ["/ ", &all].concat(),
    queue_text: |held, all, money| [&held, " / ", &all, " 个，", &money].concat(),
    per_cell: |number| ["一格代表 ", &count(number), " 个红包。"].concat(),
    refunded_line: |number, money| ["已退回 ", &count(number), " 个，共 ", &money, "。"].concat(),
    figures: "数据",
    total: "总金额",
    remaining: "剩余金额",
    packets: "红包个数",
    mean_batch: "平均每次处理",
    luckiest: "手气最佳",
    luckiest_who: |user, packet| [&user, "，第 ", &packet, " 号红包"].concat(),
    luckiest_none: "虚位以待",
    histogram: "已领金额分布",
    histogram_empty: "还没有人领到红包。",
    packets_at_most: |number| ["最高一列：", &count(number), " 个"].concat(),

    won: "抢到",
    sold_out: "已抢光",
    expired: "已过期",

    feed: "抢红包动态",
    feed_rows: "最新动态",
    feed_sample: "请求密集时这里只显示抽样，计数始终精确。",
    feed_empty: "没有可显示的动态。",
    filter: "显示",
    filter_user: "按用户筛选",
    pause: "暂停",
    paused: |news| ["已暂停，新增 ", &news, " 条"].concat(),
    packet: "红包",

    try_it: "我也来抢",
    claim: "抢",
    you_won: |packet| ["归你了：第 ", &packet, " 号红包。"].concat(),
    already_yours: |packet| ["你已经领过第 ", &packet, " 号红包，没有变化。"].concat(),
    too_late: "手慢了，红包已抢光。",
    sale_expired: "红包已过期，剩余金额将退回给发送者。",

    not_audited: "尚未审计。审计会逐个清点 Redis 里的红包。",
};
