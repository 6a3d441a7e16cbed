//! The texts of an order's page.

use model::ticket::OrderState;

crate::i18n::words! {
    /// The catalogue. Figures are passed as formatted text.
    pub struct Words {
        title = "Order", "订单";
        copy_id = "Copy order ID", "复制订单编号";
        unknown = "Order not found", "订单不存在";
        unknown_hint =
            "The ledger has no order with this ID. A new order appears here in a moment; otherwise, check the ID.",
            "账本中没有此编号的订单。新订单稍后显示；否则请检查编号。";
        unrecorded =
            "The ledger has not recorded this order yet. This is what Redis has.",
            "账本尚未记录此订单，这里显示的是 Redis 中的数据。";
        /// Followed by the reason.
        not_in_redis =
            "This is what the ledger has, because the order cannot be read from Redis.",
            "无法从 Redis 读取此订单，这里显示的是账本中的数据。";
        now = "State now", "当前状态";
        state: fn(OrderState) -> &'static str =
            |state| match state {
                OrderState::Held => "Held",
                OrderState::Paid => "Paid",
                OrderState::Cancelled => "Cancelled",
                OrderState::Expired => "Expired",
                OrderState::Refunded => "Refunded",
            },
            |state| match state {
                OrderState::Held => "已锁座",
                OrderState::Paid => "已付款",
                OrderState::Cancelled => "已取消",
                OrderState::Expired => "已过期",
                OrderState::Refunded => "已退款",
            };
        total = "Total", "总价";
        held_until = "Held until", "锁座至";
        seats = "Seats", "座位";
        seat = "Seat", "座位";
        holder = "Holder", "持有人";
        price = "Price", "票价";
        /// The column of boxes, and what each of them is for.
        select = "Select", "选择";
        select_seat: fn(String) -> String =
            |seat| format!("Select {seat}"),
            |seat| format!("选择 {seat}");
        /// Of a seat that came back with a part of the order.
        returned = "Returned", "已退回";
        history = "History", "历史";
        in_ledger = "View in the ledger", "在账本中查看";
        is_partial =
            "This order has more changes than are shown: these are the newest. The ledger has all of them.",
            "此订单的变更较多，仅显示最新的部分，可在账本中查看全部。";

        // What an operator can do.
        release = "Release seats", "释放座位";
        release_question =
            "Cancel this order and release its seats? Someone else may take them at once.",
            "取消此订单并释放座位？其他人可能会立即抢到。";
        released = "The order is cancelled. Its seats are free again.", "订单已取消，座位已重新开放。";
        refund = "Refund order", "退款";
        /// An amount.
        refund_question: fn(String) -> String =
            |money| format!("Refund {money} and release the seats? Someone else may take them at once."),
            |money| format!("退款 {money} 并释放座位？其他人可能会立即抢到。");
        refunded = "The order is refunded. Its seats are free again.", "订单已退款，座位已重新开放。";
        release_part = "Release selected seats", "释放所选座位";
        refund_part = "Refund selected seats", "退所选座位";
        /// Seat names.
        release_part_question: fn(String) -> String =
            |names| format!("Release {names}, and keep the other seats? Someone else may take them at once."),
            |names| format!("释放 {names} 并保留其余座位？其他人可能会立即抢到。");
        /// An amount, and seat names.
        refund_part_question: fn(String, String) -> String =
            |money, names| {
                format!("Refund {money} for {names}, and keep the other seats? Someone else may take them at once.")
            },
            |money, names| format!("为 {names} 退款 {money} 并保留其余座位？其他人可能会立即抢到。");
        /// Seat names, while their price is not known.
        refund_part_of_unknown_price: fn(String) -> String =
            |names| format!("Refund {names}, and keep the other seats? Someone else may take them at once."),
            |names| format!("为 {names} 退款并保留其余座位？其他人可能会立即抢到。");
        released_part: fn(String) -> String =
            |names| format!("Released: {names}. The order keeps the other seats."),
            |names| format!("已释放：{names}。订单保留其余座位。");
        refunded_part: fn(String, String) -> String =
            |money, names| format!("{money} refunded for {names}. The order keeps the other seats."),
            |money, names| format!("已为 {names} 退款 {money}。订单保留其余座位。");
        was_returned = "These seats were released before. Nothing was changed.", "这些座位此前已释放，未做任何更改。";
        extend = "Extend hold", "延长锁座";
        extend_question =
            "Extend this hold by the hold time of the sale? That can be done once.",
            "按活动的锁座时长延长此锁座？只能延长一次。";
        extended = "The hold is extended.", "锁座已延长。";
        already_extended = "The hold had been extended already. Nothing was changed.", "锁座此前已延长，未做任何更改。";
        too_late =
            "The order is paid, has ended, or its time is over. Nothing was changed.",
            "订单已付款、已结束或已超时，未做任何更改。";
        not_extendable = "Holds of this sale cannot be extended.", "此活动的锁座不能延长。";
        confirm = "Yes, do it", "确认";
        leave = "Leave it", "保持不变";
        /// Somebody else, or the deadline, was faster.
        was_over = "The order had ended already. Nothing was changed.", "订单此前已结束，未做任何更改。";
    }
}
