//! The texts of tickets.

use crate::{
    components::format::{count, counted},
    i18n::{FieldWords, KindWords},
};
use model::ticket::{Declined, INFO, OrderState, Seating, hall::marks::Mark, halls::HallName, seats::SeatState};

crate::i18n::words! {
    /// The catalogue. Figures are passed as formatted text; a bare number is passed if it selects singular or plural.
    pub struct Words {
        kind: KindWords {
            info = &INFO, &INFO;
            name = "Tickets", "门票";
            effect_of_closing =
                "Orders that are held can still be paid. The sale can be reopened.",
                "已锁座的订单仍可付款。活动可重新开放。";
            reopens = true, true;
            explained_attempt =
                "The attempt is for one seat of the first category.",
                "请求锁定第一个票价区的一个座位。";
            item_name = str::to_owned, str::to_owned;
            outcome_name =
                |name| match name {
                    "held" => Some("Held"),
                    "extended" => Some("Hold extended"),
                    "paid" => Some("Paid"),
                    "late" => Some("Paid too late"),
                    "cancelled" => Some("Cancelled"),
                    "expired" => Some("Expired"),
                    "blocked" => Some("Blocked"),
                    "unblocked" => Some("Unblocked"),
                    _ => None,
                },
                |name| match name {
                    "held" => Some("已锁座"),
                    "extended" => Some("锁座已延长"),
                    "paid" => Some("已付款"),
                    "late" => Some("逾期付款"),
                    "cancelled" => Some("已取消"),
                    "expired" => Some("已过期"),
                    "blocked" => Some("已停售"),
                    "unblocked" => Some("恢复销售"),
                    _ => None,
                };
            invariant_name =
                |name| match name {
                    "seats" => Some("All seats accounted for"),
                    "remaining" => Some("Free seats add up"),
                    "held" => Some("Held seats add up"),
                    "sold" => Some("Sold seats add up"),
                    "blocked" => Some("Blocked seats add up"),
                    "half_done" => Some("No incomplete order"),
                    "index" => Some("All rows agree with the index of seats"),
                    "holders" => Some("Every taken seat has an order"),
                    "limits" => Some("No user over the limit"),
                    "deadlines" => Some("Every held order has a deadline"),
                    "money" => Some("All money accounted for"),
                    "doubled" => Some("No seat given twice"),
                    "events" => Some("Events match the counts"),
                    "ledger" => Some("Every order is in the ledger"),
                    _ => None,
                },
                |name| match name {
                    "seats" => Some("座位数量相符"),
                    "remaining" => Some("空闲座位数相符"),
                    "held" => Some("已锁座位数相符"),
                    "sold" => Some("已售座位数相符"),
                    "blocked" => Some("停售座位数相符"),
                    "half_done" => Some("没有不完整的订单"),
                    "index" => Some("每排都与座位索引相符"),
                    "holders" => Some("每个已占座位都有订单"),
                    "limits" => Some("没有用户超出限购"),
                    "deadlines" => Some("每个锁座订单都有付款期限"),
                    "money" => Some("金额相符"),
                    "doubled" => Some("没有座位重复售出"),
                    "events" => Some("事件与计数相符"),
                    "ledger" => Some("每个订单都已入账"),
                    _ => None,
                };
        };
        /// Beside the picture of the demonstration.
        demonstration =
            "Hundreds click the same seat at the same moment: one gets it, and the others are told before they pay.",
            "几百人同时点同一个座位：只有一人得到，其他人在付款前就会知道。";
        outcomes: Outcomes = Outcomes::EN, Outcomes::ZH;
        crowd: CrowdWords = CrowdWords::EN, CrowdWords::ZH;

        // The list of sales, and the form that opens one.
        /// Held and sold.
        held_and_sold: fn(String, String) -> String =
            |held, sold| format!("{held} held, {sold} sold"),
            |held, sold| format!("已锁座 {held}，已售 {sold}");
        open_title = "Open a ticket sale", "创建售票活动";
        hall = "Hall", "场馆";
        hall_name: fn(HallName) -> &'static str =
            |hall| match hall {
                HallName::Theatre => "Theater",
                HallName::Arena => "Arena",
                HallName::Stadium => "Stadium",
            },
            |hall| match hall {
                HallName::Theatre => "剧院",
                HallName::Arena => "体育馆",
                HallName::Stadium => "体育场",
            };
        hall_hint: fn(HallName) -> &'static str =
            |hall| match hall {
                HallName::Theatre => "596 seats around a stage, three categories.",
                HallName::Arena => "12,000 seats: a floor and two tiers.",
                HallName::Stadium => "60,000 seats around a pitch, six categories.",
            },
            |hall| match hall {
                HallName::Theatre => "596 个座位环绕舞台，三个票价区。",
                HallName::Arena => "12,000 个座位：内场和两层看台。",
                HallName::Stadium => "60,000 个座位环绕球场，六个票价区。",
            };
        /// What a category of a built-in hall is called, by its name in the layout.
        category_name: fn(&str) -> Option<&'static str> =
            |name| match name {
                "stalls" => Some("Stalls"),
                "circle" => Some("Circle"),
                "balcony" => Some("Balcony"),
                "floor" => Some("Floor"),
                "lower" => Some("Lower tier"),
                "upper" => Some("Upper tier"),
                "cat1" => Some("Category 1"),
                "cat2" => Some("Category 2"),
                "cat3" => Some("Category 3"),
                "cat4" => Some("Category 4"),
                "cat5" => Some("Category 5"),
                "cat6" => Some("Category 6"),
                _ => None,
            },
            |name| match name {
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
            };
        /// A custom layout.
        own_hall = "Custom layout", "自定义布局";
        own_hall_hint = "The layout of the preview page.", "预览页中的布局。";
        preview = "Preview a layout", "预览布局";
        prices = "Seat prices", "票价";
        price: FieldWords {
            label = "", "";
            hint = "", "";
            error =
                "Enter an amount with up to two decimals, or those of its currency, at most 1,000,000.",
                "请填写金额，最多两位小数（或所选货币的小数位数），不超过 1,000,000。";
        };
        limit_per_user: FieldWords {
            label = "Limit per person", "每人限购";
            hint = "1 to 1,000", "1 至 1,000";
            error = "Enter a whole number from 1 to 1,000.", "请填写 1 至 1,000 的整数。";
        };
        hold_s: FieldWords {
            label = "Time to pay (s)", "锁座时长（秒）";
            hint = "1 to 7,200", "1 至 7,200";
            error = "Enter a whole number of seconds from 1 to 7,200.", "请填写 1 至 7,200 的整数秒数。";
        };

        extendable_checkbox =
            "Buyers may extend their hold once, by the same time again",
            "买家可将锁座延长一次，延长时间与锁座时长相同";

        // The head of a sale.
        seats = "Seats", "座位";
        limit = "Limit per person", "每人限购";
        hold = "Hold time", "锁座时长";
        /// Seconds.
        hold_for: fn(u64) -> String =
            |s| if s % 60 == 0 { format!("{} min", s / 60) } else { format!("{s} s") },
            |s| {
                if s % 60 == 0 { format!("{} 分钟", s / 60) } else { format!("{s} 秒") }
            };

        /// A duration.
        hold_extendable: fn(String) -> String =
            |time| format!("{time}, can be extended once"),
            |time| format!("{time}，可延长一次");

        // The map.
        map = "Seat map", "座位图";
        map_hint =
            "Drag to move. Zoom with the wheel, a pinch, or + and −; 0 shows all. With the keyboard, the arrow keys \
             move the crosshair from seat to seat, Enter or Space selects its seat, and Shift with an arrow key moves \
             the map. All seats are also listed by section and row.",
            "拖动可移动；滚轮、双指或 + 和 − 键可缩放，按 0 显示全部。使用键盘时，方向键让十字准线在座位间移动，\
             回车或空格键选中或取消选择该座位，按住 Shift 再按方向键可移动座位图。所有座位也按区和排列出。";
        /// Shown until the map is drawn.
        map_waiting = "Loading the seat map…", "正在加载座位图…";
        /// Shown instead if there is no JavaScript.
        map_without =
            "The map needs JavaScript. Availability by category and every row are listed below.",
            "座位图需要 JavaScript。各票价区的余票和每一排都列在下面。";
        map_help = "How to use the map", "座位图使用说明";
        map_tools = "Map view", "视图";
        zoom_in = "Zoom in", "放大";
        zoom_out = "Zoom out", "缩小";
        show_all = "Show all", "显示全部";
        demand = "Demand", "热度";
        /// What the figures on the scale of the demand count.
        demand_unit = "attempts/s per 100 seats", "每百座请求数/秒";
        /// The scale of the demand, up to a figure.
        demand_scale: fn(String) -> String =
            |most| format!("Colors from 0 to {most} attempts/s per 100 seats"),
            |most| format!("颜色由浅到深表示每百座每秒 0 至 {most} 次请求");
        /// The small picture of all of the hall.
        overview =
            "The whole hall, with a frame around what the map shows. Click or drag to move the map.",
            "全场缩略图，方框内为当前显示的部分。点击或拖动可移动座位图。";
        /// The buttons that show the seats of some categories only.
        show_only = "Show only these categories", "只显示这些票价区";
        stage = "STAGE", "舞台";
        free = "Free", "空闲";
        held = "Held", "已锁座";
        sold = "Sold", "已售";
        blocked = "Not for sale", "不出售";
        /// A number.
        blocked_count: fn(String) -> String =
            |number| format!("{number} not for sale"),
            |number| format!("不出售 {number}");
        mark: fn(Mark) -> &'static str =
            |mark| match mark {
                Mark::Blocked => "Not for sale",
                Mark::Wheelchair => "Wheelchair place",
                Mark::RestrictedView => "Restricted view",
            },
            |mark| match mark {
                Mark::Blocked => "不出售",
                Mark::Wheelchair => "轮椅席位",
                Mark::RestrictedView => "视线受阻",
            };
        chosen = "Selected", "已选";
        mine = "Yours", "我的";
        state: fn(SeatState) -> &'static str =
            |state| match state {
                SeatState::Free => "free",
                SeatState::Held => "held",
                SeatState::Sold => "sold",
                SeatState::Blocked => "not for sale",
            },
            |state| match state {
                SeatState::Free => "空闲",
                SeatState::Held => "已锁座",
                SeatState::Sold => "已售",
                SeatState::Blocked => "不出售",
            };
        /// A countdown.
        free_again: fn(String) -> String =
            |left| format!("if unpaid, free again in {left}"),
            |left| format!("若未付款，{left} 后重新开放");

        // Choosing.
        choose = "Select seats", "选座";
        your_choice = "Your selection", "已选座位";
        none_chosen =
            "No seats selected. Select a free seat on the map or in the list by row.",
            "尚未选座。请在座位图或分排列表中选择空闲座位。";
        /// Seats and money.
        chosen_total: fn(u64, String) -> String =
            |number, money| format!("{}, {money}", seats(number)),
            |number, money| format!("{number} 个座位，{money}");
        reserve = "Hold these seats", "锁定所选座位";
        clear = "Clear", "清空";
        deselect: fn(String) -> String =
            |seat| format!("Deselect {seat}"),
            |seat| format!("取消选择 {seat}");
        /// A seat and its price.
        selected: fn(String, String) -> String =
            |seat, price| format!("{seat} selected, {price}."),
            |seat, price| format!("已选 {seat}，{price}。");
        deselected: fn(String) -> String =
            |seat| format!("{seat} deselected."),
            |seat| format!("已取消选择 {seat}。");
        is_mine: fn(String) -> String =
            |seat| format!("{seat} is already yours."),
            |seat| format!("{seat} 已经是您的座位。");
        /// After a key on the map, where seats were too small to be told apart.
        came_closer = "Zoomed in. Press Enter again to select.", "已放大。再按回车选中。";
        is_not_free: fn(String, SeatState) -> String =
            |seat, state| match state {
                SeatState::Held => format!("{seat} is held by someone else. It may become free again."),
                SeatState::Blocked => format!("{seat} is not for sale."),
                _ => format!("{seat} is sold."),
            },
            |seat, state| match state {
                SeatState::Held => format!("{seat} 已被他人锁座，之后可能重新开放。"),
                SeatState::Blocked => format!("{seat} 不出售。"),
                _ => format!("{seat} 已售出。"),
            };
        no_more: fn(u64) -> String =
            |most| format!("At most {} at a time. Deselect one to select another.", seats(most)),
            |most| format!("一次最多选 {most} 个座位。请先取消一个。");
        /// Seat names, and how many.
        taken_now: fn(String, u64) -> String =
            |names, number| {
                format!(
                    "{names} {}",
                    if number == 1 { "was just taken. Choose another." } else { "were just taken. Choose others." }
                )
            },
            |names, _| format!("{names} 刚刚被占用。请另选座位。");
        /// The same of seats that an operator has blocked.
        off_sale_now: fn(String, u64) -> String =
            |names, number| {
                let what = if number == 1 { "is no longer for sale. Choose another." } else {
                    "are no longer for sale. Choose others."
                };
                format!("{names} {what}")
            },
            |names, _| format!("{names} 刚刚停售。请另选座位。");
        /// A hint that stops nobody: seat names, and how many.
        leaves_single: fn(String, u64) -> String =
            |names, number| {
                let what = if number == 1 { "as a single free seat" } else { "as single free seats" };
                format!("Your selection leaves {names} {what}.")
            },
            |names, _| format!("所选座位会留下单个空位：{names}。");
        best_available = "Best available", "最佳可选座位";
        how_many = "How many", "张数";
        category = "Category", "票价区";
        seating_label = "Seating", "座位安排";
        seating: fn(Seating) -> &'static str =
            |seating| match seating {
                Seating::Adjacent => "Side by side if possible",
                Seating::Strict => "Side by side or none",
                Seating::Anywhere => "Anywhere",
            },
            |seating| match seating {
                Seating::Adjacent => "尽量连座",
                Seating::Strict => "必须连座",
                Seating::Anywhere => "不限",
            };
        hold_best = "Hold best available", "锁定最佳座位";
        you_hold: fn(String) -> String =
            |names| format!("Held for you: {names}."),
            |names| format!("已锁座：{names}。");
        seat_taken: fn(String, u64) -> String =
            |names, number| format!("{names} {} taken. No seats were held.", if number == 1 { "is" } else { "are" }),
            |names, _| format!("{names} 已被占用。未锁定任何座位。");
        /// Followed by a time.
        maybe_again = "May be free again at", "可能重新开放的时间：";
        /// A number and a category.
        left_in: fn(String, String) -> String =
            |number, category| format!("{number} in {category}"),
            |number, category| format!("{category} 剩 {number}");
        not_enough: fn(String) -> String =
            |left| format!("Not enough seats. No seats were held. Left: {left}."),
            |left| format!("余票不足。未锁定任何座位。余票：{left}。");
        /// A category, and how many seats are side by side there.
        group_in: fn(String, u64) -> String =
            |category, largest| match largest {
                0 | 1 => format!("no two seats are side by side in {category}"),
                largest => format!("at most {} are side by side in {category}", seats(largest)),
            },
            |category, largest| match largest {
                0 | 1 => format!("{category} 已没有相邻的空位"),
                largest => format!("{category} 最多有 {largest} 个相邻的空位"),
            };
        /// What is side by side, in each category.
        not_together: fn(String) -> String =
            |groups| format!("No seats were held: {groups}. Try fewer, or another seating."),
            |groups| format!("未锁定任何座位：{groups}。请减少张数或更改座位安排。");
        limit_reached: fn(u64) -> String =
            |left| match left {
                0 => "You have reached the limit per person.".to_owned(),
                left => {
                    format!(
                        "You can hold {left} more {}. No seats were held.",
                        if left == 1 { "seat" } else { "seats" }
                    )
                }
            },
            |left| match left {
                0 => "已达到每人限购数量。".to_owned(),
                left => format!("最多还能锁定 {left} 个座位。本次未锁定任何座位。"),
            };
        sale_closed = "This sale was closed. No more seats can be held.", "活动已关闭，不能再锁座。";

        // The visitor's orders.
        orders = "Your orders", "我的订单";
        orders_empty =
            "No orders yet. Seats you hold appear here, waiting to be paid for.",
            "还没有订单。锁座后，订单会显示在这里等待付款。";
        order_state: fn(OrderState) -> &'static str =
            |state| match state {
                OrderState::Held => "Held for you",
                OrderState::Paid => "Paid",
                OrderState::Cancelled => "Cancelled",
                OrderState::Expired => "Hold expired",
                OrderState::Refunded => "Refunded",
            },
            |state| match state {
                OrderState::Held => "已锁座",
                OrderState::Paid => "已付款",
                OrderState::Cancelled => "已取消",
                OrderState::Expired => "锁座已过期",
                OrderState::Refunded => "已退款",
            };
        order_hint: fn(OrderState) -> &'static str =
            |state| match state {
                OrderState::Held => "Pay before the time is up to get these tickets.",
                OrderState::Paid => "These are your tickets.",
                OrderState::Cancelled => "The seats are free again.",
                OrderState::Expired => "The seats are free again. Choose new ones.",
                OrderState::Refunded => "The seats are free again, and your payment is refunded.",
            },
            |state| match state {
                OrderState::Held => "请在倒计时结束前付款，以获得这些门票。",
                OrderState::Paid => "这些是您的门票。",
                OrderState::Cancelled => "座位已重新开放。",
                OrderState::Expired => "座位已重新开放。请重新选座。",
                OrderState::Refunded => "座位已重新开放，款项已退回。",
            };
        split_seats = "Not all of these seats are side by side.", "这些座位并非全部相邻。";
        /// The link to the page of the order.
        details = "Order details", "订单详情";
        time_is_over = "Time is up.", "时间已到。";
        /// An amount.
        pay: fn(String) -> String =
            |money| format!("Pay {money}"),
            |money| format!("支付 {money}");
        extend = "Extend hold", "延长锁座";
        cancel = "Cancel order", "取消订单";
        cancel_question =
            "Give up these seats? Someone else may take them at once.",
            "放弃这些座位？其他人可能会立即抢到。";
        return_tickets = "Return tickets", "退票";
        return_question =
            "Return these tickets for a refund? Someone else may take the seats at once.",
            "退掉这些门票并获得退款？其他人可能会立即抢到座位。";
        // Of an order with several seats.
        give_some_back = "Give some seats back", "退回部分座位";
        choose_part = "Which seats do you give back?", "选择要退回的座位";
        give_chosen_back = "Give selected seats back", "退回所选座位";
        keep_all = "Keep all seats", "保留全部座位";
        /// Seat names.
        cancel_part_question: fn(String) -> String =
            |names| format!("Give up {names}? Someone else may take them at once."),
            |names| format!("放弃 {names}？其他人可能会立即抢到。");
        /// Seat names, and their price.
        return_part_question: fn(String, String) -> String =
            |names, money| format!("Return {names} and get {money} back? Someone else may take the seats at once."),
            |names, money| format!("退掉 {names} 并获得 {money} 退款？其他人可能会立即抢到座位。");
        confirm_end = "Yes, give them up", "确认退票";
        keep = "Keep them", "保留门票";
        dismiss = "Dismiss", "关闭";

        // By section and row.
        by_row = "By section and row", "按区和排选座";
        by_row_hint =
            "Arrow keys move between seats and rows. Enter or Space selects or deselects a seat.",
            "方向键在座位和排之间移动。回车或空格键选中或取消选择座位。";
        show_on_map = "Show on map", "在座位图上显示";
        section = "Section", "区";
        row_label = "Row", "排";
        row: fn(String) -> String =
            |row| format!("Row {row}"),
            |row| format!("第 {row} 排");
        /// A section and a row.
        seats_of: fn(String, String) -> String =
            |section, row| format!("Section {section}, row {row}"),
            |section, row| format!("{section} 区第 {row} 排");
        /// Row, seat, state, price.
        seat_name: fn(String, u64, &str, String) -> String =
            |row, seat, state, price| format!("Row {row}, seat {seat}, {state}, {price}"),
            |row, seat, state, price| format!("第 {row} 排 {seat} 号，{state}，{price}");
        free_count: fn(String) -> String =
            |number| format!("{number} free"),
            |number| format!("空闲 {number}");

        // Availability, demand and attempts.
        availability = "Availability", "余票";
        /// While no seat is free; takes how many are only held.
        all_taken: fn(u64) -> String =
            |held| format!("All seats are taken. {} may be free again: they are held, not paid.", seats(held)),
            |held| format!("座位已全部被占用，其中 {} 个已锁座但未支付，可能重新释放。", count(held));
        /// Free, all, held, sold.
        availability_text: fn(String, String, String, String) -> String =
            |free, all, held, sold| format!("{free} of {all} free, {held} held, {sold} sold"),
            |free, all, held, sold| format!("共 {all}，空闲 {free}，已锁座 {held}，已售 {sold}");
        // Seats that an operator takes off sale.
        block_title = "Block seats", "停售座位";
        blocked_seats: FieldWords {
            label = "Seats", "座位";
            hint = "Ids, separated by spaces; selected seats are filled in", "座位编号，以空格分隔；已选座位会自动填入";
            error = "Enter 1 to 500 seats of this hall, each once.", "请填写本场馆的 1 至 500 个座位，不可重复。";
        };
        block_reason: FieldWords {
            label = "Reason", "原因";
            hint = "Optional; shown on the seats and in the ledger", "可留空；显示在座位和账本上";
            error = "Enter one line of at most 200 characters.", "请填写一行，最多 200 个字符。";
        };
        block = "Block", "停售";
        unblock = "Unblock", "恢复销售";
        blocked_now: fn(String) -> String =
            |names| format!("No longer for sale: {names}."),
            |names| format!("已停售：{names}。");
        unblocked_now: fn(String) -> String =
            |names| format!("For sale again: {names}."),
            |names| format!("已恢复销售：{names}。");
        /// Seats, each with its state.
        not_free: fn(String) -> String =
            |names| format!("Nothing was changed, because these seats are not free: {names}."),
            |names| format!("未作任何更改，以下座位并非空闲：{names}。");
        not_blocked: fn(String) -> String =
            |names| format!("Nothing was changed, because these seats are not blocked: {names}."),
            |names| format!("未作任何更改，以下座位未停售：{names}。");
        seat_in_state: fn(&str, &str) -> String =
            |seat, state| format!("{seat} ({state})"),
            |seat, state| format!("{seat}（{state}）");
        hottest = "Sections in demand", "热门区域";
        no_demand = "No attempts in the last few seconds.", "最近几秒没有请求。";
        per_second = "attempts/s", "次请求/秒";
        refused_as: fn(Declined) -> &'static str =
            |declined| match declined {
                Declined::Repeat => "Repeat",
                Declined::SeatTaken => Outcomes::EN.seat_taken,
                Declined::NotEnoughSeats => Outcomes::EN.not_enough_seats,
                Declined::NotTogether => Outcomes::EN.not_together,
                Declined::LimitReached => Outcomes::EN.limit_reached,
                Declined::OtherUser => Outcomes::EN.other_user,
                Declined::Closed => Outcomes::EN.closed,
                Declined::NotOpen => "Not started",
                Declined::Paused => "Paused",
                Declined::Ended => "Ended",
            },
            |declined| match declined {
                Declined::Repeat => "重复请求",
                Declined::SeatTaken => Outcomes::ZH.seat_taken,
                Declined::NotEnoughSeats => Outcomes::ZH.not_enough_seats,
                Declined::NotTogether => Outcomes::ZH.not_together,
                Declined::LimitReached => Outcomes::ZH.limit_reached,
                Declined::OtherUser => Outcomes::ZH.other_user,
                Declined::Closed => Outcomes::ZH.closed,
                Declined::NotOpen => "未开始",
                Declined::Paused => "暂停中",
                Declined::Ended => "已结束",
            };

        // The audit.
        not_audited =
            "Not audited yet. An audit checks every seat and order in Redis.",
            "尚未审计。审计会检查 Redis 中的每个座位和订单。";
    }

    /// Labels for the outcomes of attempts and orders.
    pub struct Outcomes {
        held = "Held", "已锁座";
        seat_taken = "Seat taken", "座位被占";
        not_enough_seats = "Not enough seats", "余票不足";
        not_together = "Not side by side", "无法连座";
        limit_reached = "Limit reached", "达到限购";
        closed = "Sale closed", "活动已关闭";
        other_user = "Another user's request", "他人的请求";
        extended = "Hold extended", "锁座已延长";
        paid = "Paid", "已付款";
        late = "Paid too late", "逾期付款";
        cancelled = "Cancelled", "已取消";
        expired = "Expired", "已过期";
        refunded = "Refunded", "已退款";
    }

    /// What the crowd panel of a ticket sale has: presets and fields.
    pub struct CrowdWords {
        first_row = "Front rows", "争抢前排";
        first_row_hint = "All at once, and everyone picks seats in the best rows.", "同时涌入，人人都选最好的几排。";
        slow_payers = "Slow payers", "迟迟不付款";
        slow_payers_hint =
            "All at once; a third pay, a third cancel, the others let their orders expire.",
            "同时涌入；三成付款，三成取消，其余任订单过期。";
        choosers: FieldWords {
            label = "Choose seats (%)", "自选座位（%）";
            hint = "Share of users; the others take the best available", "占用户的比例；其余由系统分配最佳座位";
            error = "Enter a percentage from 0 to 100.", "请填写 0 至 100 的百分比。";
        };
        hot: FieldWords {
            label = "Want the best rows (%)", "只要最佳几排（%）";
            hint = "Share of those who choose", "占自选用户的比例";
            error = "Enter a percentage from 0 to 100.", "请填写 0 至 100 的百分比。";
        };
        group_max: FieldWords {
            label = "Largest group", "每单最多张数";
            hint = "1 to 6; pairs are the most common", "1 至 6；两张最常见";
            error = "Enter a whole number from 1 to 6.", "请填写 1 至 6 的整数。";
        };
        /// The weights of the sizes of groups.
        groups = "Group sizes by weight", "各人数团体的权重";
        adjacent: FieldWords {
            label = "Sit side by side (%)", "要求连座（%）";
            hint = "Share of those who do not choose", "占非自选用户的比例";
            error = "Enter a percentage from 0 to 100.", "请填写 0 至 100 的百分比。";
        };
        pay: FieldWords {
            label = "Pay (%)", "付款（%）";
            hint = "Share of holders who pay", "占锁座用户的比例";
            error = "Enter a percentage from 0 to 100.", "请填写 0 至 100 的百分比。";
        };
        cancel: FieldWords {
            label = "Cancel (%)", "取消（%）";
            hint = "Share of holders who cancel; the rest let it expire", "占锁座用户的比例；其余任其过期";
            error = "Enter a percentage from 0 to 100.", "请填写 0 至 100 的百分比。";
        };
    }
}

/// `1 seat`, `2 seats`
fn seats(number: u64) -> String {
    counted(number, "seat", "seats")
}
