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
        confirm = "Yes, do it", "确认";
        leave = "Leave it", "保持不变";
        /// Somebody else, or the deadline, was faster.
        was_over = "The order had ended already. Nothing was changed.", "订单此前已结束，未做任何更改。";
    }
}
