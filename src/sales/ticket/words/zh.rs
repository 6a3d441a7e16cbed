//! Simplified Chinese.

use super::{CrowdWords, Outcomes, Words};
use crate::{
    i18n::{FieldWords, KindWords},
    sales::ticket::{Declined, INFO, OrderState, halls::HallName, seats::SeatState},
};

pub static ZH: Words = Words {
    kind: KindWords {
        info: &INFO,
        name: "门票",
        effect_of_closing: "已锁座的订单仍可付款。",
        explained_attempt: "请求锁定第一个票价区的一个座位。",
        item_name: str::to_owned,
        outcome_name: |name| match name {
            "held" => Some("已锁座"),
            "paid" => Some("已付款"),
            "late" => Some("逾期付款"),
            "cancelled" => Some("已取消"),
            "expired" => Some("已过期"),
            _ => None,
        },
        invariant_name: |name| match name {
            "seats" => Some("座位数量相符"),
            "remaining" => Some("空闲座位"),
            "held" => Some("已锁座的座位"),
            "sold" => Some("已售座位"),
            "half_done" => Some("不完整的订单"),
            "index" => Some("座位索引中相符的排"),
            "holders" => Some("每个已占座位都有订单"),
            "limits" => Some("超出限购的用户"),
            "deadlines" => Some("每个锁座订单都有付款期限"),
            "money" => Some("金额相符"),
            "doubled" => Some("重复售出的座位"),
            "events" => Some("事件与计数相符"),
            "ledger" => Some("每个订单都已入账"),
            _ => None,
        },
    },
    outcomes: Outcomes {
        held: "已锁座",
        seat_taken: "座位被占",
        not_enough_seats: "余票不足",
        limit_reached: "达到限购",
        closed: "活动已关闭",
        other_user: "他人的请求",
        paid: "已付款",
        late: "逾期付款",
        cancelled: "已取消",
        expired: "已过期",
        refunded: "已退款",
    },
    crowd: CrowdWords {
        first_row: "争抢前排",
        first_row_hint: "同时涌入，人人都选最好的几排。",
        slow_payers: "迟迟不付款",
        slow_payers_hint: "同时涌入；三成付款，三成取消，其余任订单过期。",
        choosers: FieldWords {
            label: "自选座位（%）",
            hint: "占用户的比例；其余由系统分配最佳座位",
            error: "请填写 0 至 100 的整数。",
        },
        hot: FieldWords {
            label: "只要最佳几排（%）", hint: "占自选用户的比例", error: "请填写 0 至 100 的整数。"
        },
        groups: "各人数团体的权重",
        group_max: FieldWords {
            label: "每单最多张数", hint: "1 至 6；两张最常见", error: "请填写 1 至 6 的整数。"
        },
        adjacent: FieldWords {
            label: "要求连座（%）", hint: "占非自选用户的比例", error: "请填写 0 至 100 的整数。"
        },
        pay: FieldWords {
            label: "付款（%）", hint: "占锁座用户的比例", error: "请填写 0 至 100 的整数。"
        },
        cancel: FieldWords {
            label: "取消（%）",
            hint: "占锁座用户的比例；其余任其过期",
            error: "请填写 0 至 100 的整数。",
        },
    },

    held_and_sold: |held, sold| format!("已锁座 {held}，已售 {sold}"),
    open_title: "创建售票活动",
    hall: "场馆",
    hall_name: |hall| match hall {
        HallName::Theatre => "剧院",
        HallName::Arena => "体育馆",
        HallName::Stadium => "体育场",
    },
    hall_hint: |hall| match hall {
        HallName::Theatre => "596 个座位环绕舞台，三个票价区。",
        HallName::Arena => "12,000 个座位：内场和两层看台。",
        HallName::Stadium => "60,000 个座位环绕球场，六个票价区。",
    },
    category_name: |name| match name {
        "stalls" => Some("池座"),
        "circle" => Some("二楼楼座"),
        "balcony" => Some("三楼楼座"),
        "floor" => Some("内场"),
        "lower" => Some("下层看台"),
        "upper" => Some("上层看台"),
        "cat1" => Some("一类座"),
        "cat2" => Some("二类座"),
        "cat3" => Some("三类座"),
        "cat4" => Some("四类座"),
        "cat5" => Some("五类座"),
        "cat6" => Some("六类座"),
        _ => None,
    },
    own_hall: "自定义布局",
    prices: "票价",
    price: FieldWords {
        label: "", hint: "", error: "请填写金额（元），最多两位小数，不超过 1,000,000。"
    },
    limit_per_user: FieldWords {
        label: "每人限购", hint: "1 至 1,000", error: "请填写 1 至 1,000 的整数。"
    },
    hold_s: FieldWords {
        label: "锁座时长（秒）", hint: "1 至 7,200", error: "请填写 1 至 7,200 的整数秒数。"
    },

    seats: "座位",
    limit: "每人限购",
    hold: "锁座时长",
    hold_for: |s| {
        if s % 60 == 0 { format!("{} 分钟", s / 60) } else { format!("{s} 秒") }
    },

    map: "座位图",
    map_hint: "拖动可移动；滚轮、双指或 + 和 − 键可缩放，按 0 显示全部。使用键盘时，方向键让十字准线在座位间移动，回车或空格键选中或取消选择该座位，按住 Shift 再按方向键可移动座位图。所有座位也按区和排列出。",
    map_waiting: "正在加载座位图…",
    map_without: "座位图需要 JavaScript。各票价区的余票和每一排都列在下面。",
    map_tools: "视图",
    zoom_in: "放大",
    zoom_out: "缩小",
    show_all: "显示全部",
    demand: "热度",
    demand_unit: "每百座请求数/秒",
    demand_scale: |most| format!("颜色由浅到深表示每百座每秒 0 至 {most} 次请求"),
    overview: "全场缩略图，方框内为当前显示的部分。点击或拖动可移动座位图。",
    show_only: "只显示这些票价区",
    stage: "舞台",
    free: "空闲",
    held: "已锁座",
    sold: "已售",
    chosen: "已选",
    mine: "我的",
    state: |state| match state {
        SeatState::Free => "空闲",
        SeatState::Held => "已锁座",
        SeatState::Sold => "已售",
    },
    free_again: |left| format!("若未付款，{left} 后重新开放"),

    choose: "选座",
    your_choice: "已选座位",
    none_chosen: "尚未选座。请在座位图或分排列表中选择空闲座位。",
    chosen_total: |number, money| format!("{number} 个座位，{money}"),
    reserve: "锁定所选座位",
    clear: "清空",
    deselect: |seat| format!("取消选择 {seat}"),
    selected: |seat, price| format!("已选 {seat}，{price}。"),
    deselected: |seat| format!("已取消选择 {seat}。"),
    is_mine: |seat| format!("{seat} 已经是您的座位。"),
    came_closer: "已放大。再按回车选中。",
    is_not_free: |seat, state| match state {
        SeatState::Held => format!("{seat} 已被他人锁座，之后可能重新开放。"),
        _ => format!("{seat} 已售出。"),
    },
    no_more: |most| format!("一次最多选 {most} 个座位。请先取消一个。"),
    taken_now: |names, _| format!("{names} 刚刚被占用。请另选座位。"),
    best_available: "最佳可选座位",
    how_many: "张数",
    category: "票价区",
    together: "连座",
    hold_best: "锁定最佳座位",
    you_hold: |names| format!("已锁座：{names}。"),
    seat_taken: |names, _| format!("{names} 已被占用。未锁定任何座位。"),
    maybe_again: "可能重新开放的时间：",
    left_in: |number, category| format!("{category} 剩 {number}"),
    not_enough: |left| format!("余票不足。未锁定任何座位。余票：{left}。"),
    sale_closed: "活动已关闭，不能再锁座。",
    limit_reached: |left| match left {
        0 => "已达到每人限购数量。".to_owned(),
        left => format!("最多还能锁定 {left} 个座位。本次未锁定任何座位。"),
    },

    orders: "我的订单",
    orders_empty: "还没有订单。锁座后，订单会显示在这里等待付款。",
    order_state: |state| match state {
        OrderState::Held => "已锁座",
        OrderState::Paid => "已付款",
        OrderState::Cancelled => "已取消",
        OrderState::Expired => "锁座已过期",
        OrderState::Refunded => "已退款",
    },
    order_hint: |state| match state {
        OrderState::Held => "请在倒计时结束前付款，以获得这些门票。",
        OrderState::Paid => "这些是您的门票。",
        OrderState::Cancelled => "座位已重新开放。",
        OrderState::Expired => "座位已重新开放。请重新选座。",
        OrderState::Refunded => "座位已重新开放，款项已退回。",
    },
    time_is_over: "时间已到。",
    pay: |money| format!("支付 {money}"),
    cancel: "取消订单",
    cancel_question: "放弃这些座位？其他人可能会立即抢到。",
    return_tickets: "退票",
    return_question: "退掉这些门票并获得退款？其他人可能会立即抢到座位。",
    confirm_end: "是，放弃",
    keep: "不，继续持有",
    dismiss: "关闭",

    by_row: "按区和排选座",
    by_row_hint: "方向键在座位和排之间移动。回车或空格键选中或取消选择座位。",
    show_on_map: "在座位图上显示",
    section: "区",
    row_label: "排",
    row: |row| format!("第 {row} 排"),
    seats_of: |section, row| format!("{section} 区第 {row} 排"),
    seat_name: |row, seat, state, price| format!("第 {row} 排 {seat} 号，{state}，{price}"),
    free_count: |number| format!("空闲 {number}"),

    availability: "余票",
    availability_text: |free, all, held, sold| format!("共 {all}，空闲 {free}，已锁座 {held}，已售 {sold}"),
    hottest: "热门区域",
    no_demand: "最近几秒没有请求。",
    per_second: "次请求/秒",
    refused_as: |declined| match declined {
        Declined::Repeat => "重复请求",
        Declined::SeatTaken => ZH.outcomes.seat_taken,
        Declined::NotEnoughSeats => ZH.outcomes.not_enough_seats,
        Declined::LimitReached => ZH.outcomes.limit_reached,
        Declined::OtherUser => ZH.outcomes.other_user,
        Declined::Closed => ZH.outcomes.closed,
    },

    not_audited: "尚未审计。审计会检查 Redis 中的每个座位和订单。",
};
