//! The words of the crowd panel at a ticket sale, which only its page needs.

use super::{Lang, lang};

/// The words of [`lang`].
pub fn ticket_crowd_words() -> &'static TicketCrowdWords {
    match lang() {
        Lang::En => &EN,
        Lang::Zh => &ZH,
    }
}

/// The catalogue.
pub struct TicketCrowdWords {
    // What is asked.
    pub choosers: &'static str,
    pub choosers_hint: &'static str,
    pub hot: &'static str,
    pub hot_hint: &'static str,
    pub group_max: &'static str,
    pub group_max_hint: &'static str,
    pub adjacent: &'static str,
    pub adjacent_hint: &'static str,
    pub pay: &'static str,
    pub pay_hint: &'static str,
    pub cancel: &'static str,
    pub cancel_hint: &'static str,

    // How attempts are answered.
    pub held: &'static str,
    pub seat_taken: &'static str,
    pub not_enough_seats: &'static str,
    pub limit_reached: &'static str,
    pub paid: &'static str,
    pub refunded: &'static str,
    pub cancelled: &'static str,
}

const EN: TicketCrowdWords = TicketCrowdWords {
    choosers: "Choose their seats",
    choosers_hint: "Percent of users; the others take the best there are.",
    hot: "Want the best rows",
    hot_hint: "Percent of those who choose.",
    group_max: "Largest group",
    group_max_hint: "1 to 6; couples come most often.",
    adjacent: "Sit side by side",
    adjacent_hint: "Percent of those who do not choose.",
    pay: "Pay",
    pay_hint: "Percent of those who hold seats.",
    cancel: "Cancel",
    cancel_hint: "Percent too; the rest let it lapse.",
    held: "Held",
    seat_taken: "Seat taken",
    not_enough_seats: "Not enough seats",
    limit_reached: "Limit reached",
    paid: "Paid",
    refunded: "Paid too late",
    cancelled: "Cancelled",
};

const ZH: TicketCrowdWords = TicketCrowdWords {
    choosers: "自己选座",
    choosers_hint: "占用户的百分比；其余的由系统配座。",
    hot: "都要最好的几排",
    hot_hint: "占选座用户的百分比。",
    group_max: "一单最多几张",
    group_max_hint: "1 到 6；两人一起的最多。",
    adjacent: "要连座",
    adjacent_hint: "占系统配座用户的百分比。",
    pay: "付款",
    pay_hint: "占已锁座用户的百分比。",
    cancel: "取消",
    cancel_hint: "同上；其余的任其过期。",
    held: "已锁座",
    seat_taken: "座位被占",
    not_enough_seats: "座位不足",
    limit_reached: "超过限购",
    paid: "已付款",
    refunded: "付款太迟",
    cancelled: "已取消",
};
