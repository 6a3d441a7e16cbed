//! Simplified Chinese.

use crate::{
    components::format::count,
    i18n::{FieldWords, KindWords},
    red_packet::words::Words,
};
use model::red_packet::{INFO, Splitter};

pub static ZH: Words = Words {
    kind: KindWords {
        info: &INFO,
        name: "红包",
        effect_of_closing: "未领金额将退回给发送者。",
        explained_attempt: "请求领取一个红包。",
        item_name: |number| format!("#{number}"),
        outcome_name: |name| match name {
            "won" => Some("抢到"),
            _ => None,
        },
        invariant_name: |name| match name {
            "packets" => Some("红包数量相符"),
            "money" => Some("金额相符"),
            "doubled" => Some("重复发放的红包"),
            "twice" => Some("领到两个红包的用户"),
            "events" => Some("每次抢到都有一个事件"),
            "claimed_cents" => Some("已领金额"),
            "ledger" => Some("每次抢到都已入账"),
            "ledger_cents" => Some("账本中的已领金额"),
            _ => None,
        },
    },

    money_of: |left, all| format!("{left} / {all}"),
    money_refunded: |money| format!("已退回 {money}"),
    open_title: "创建红包活动",
    count: FieldWords {
        label: "红包个数", hint: "1 至 1,000,000 个", error: "请填写 1 至 1,000,000 的整数。"
    },
    total_yuan: FieldWords {
        label: "总金额（元）",
        hint: "每个至少 0.01 元",
        error: "请填写金额，最多两位小数：每个红包至少 0.01 元，总额不超过 100 亿元。",
    },
    hours: FieldWords {
        label: "有效期（小时）",
        hint: "到期后，未领金额退回给发送者",
        error: "请填写 1 秒至 366 天的时长。",
    },
    minutes: FieldWords { label: "分钟", hint: "", error: "请填写整数分钟。" },
    splitter: "拆分方式",
    splitter_name: |splitter| match splitter {
        Splitter::DoubleMean => "二倍均值法",
        Splitter::LineCut => "线段切割法",
        Splitter::Equal => "平均分配",
    },
    splitter_hint: |splitter| match splitter {
        Splitter::DoubleMean => "金额随机，每个在 0.01 元与剩余均值的两倍之间。",
        Splitter::LineCut => "随机切分：大红包少，小红包多。",
        Splitter::Equal => "平均分配，最多相差 0.01 元。",
    },

    expires_at: "到期时间",
    refund: "退回未领金额",
    refund_question: |money, number| format!("将 {} 个红包共 {money} 退回给发送者？", count(number)),
    refund_yes: "退回",
    refund_no: "暂不退回",
    refunded_now: |money| format!("{money} 已退回给发送者。"),
    refunded_before: |money| format!("{money} 此前已退回给发送者。"),
    not_expired: "活动尚未到期，没有退回任何金额。",

    queues: "队列",
    pending: "未领",
    pending_hint: "尚未领取",
    claimed: "已领",
    claimed_hint: "一人一个",
    of: |all| format!("/ {all}"),
    queue_text: |held, all, money| format!("{held} / {all} 个，{money}"),
    per_cell: |number| format!("一格代表 {} 个红包。", count(number)),
    refunded_line: |number, money| format!("已退回 {} 个，共 {money}。", count(number)),
    figures: "数据",
    total: "总金额",
    remaining: "剩余金额",
    packets: "红包个数",
    mean_batch: "每次调用的请求数",
    luckiest: "手气最佳",
    luckiest_who: |user, packet| format!("{user}，第 {packet} 号红包"),
    luckiest_none: "暂无",
    histogram: "已领金额分布",
    histogram_empty: "还没有人领取。",
    packets_at_most: |number| format!("最高一列：{} 个", count(number)),

    won: "抢到",
    sold_out: "已抢光",
    expired: "已过期",
    closed: "已关闭",

    feed: "请求",
    feed_rows: "最新请求",
    feed_sample: "请求密集时仅显示抽样，计数始终准确。",
    feed_empty: "没有可显示的请求。",
    filter: "显示",
    paused: |news| format!("已暂停，新增 {news} 条"),
    packet: "红包",

    claim: "抢红包",
    you_won: |packet| format!("已领取：第 {packet} 号红包。"),
    already_yours: |packet| format!("您已领取第 {packet} 号红包，结果不变。"),
    too_late: "红包已抢光。",
    sale_expired: "活动已过期，未领金额将退回给发送者。",
    sale_closed: "活动已关闭，未领金额已退回给发送者。",

    not_audited: "尚未审计。审计会清点 Redis 中的每个红包。",
};
