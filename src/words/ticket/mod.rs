//! The words of the tickets' pages: apart from the others, since those pages are a download of their own.

mod en;
mod zh;

use super::{Lang, lang};
use crate::sales::ticket::{Declined, OrderState, halls::HallName, page::Standing, seats::SeatState};

/// The tickets' words in the language of the page.
pub fn ticket_words() -> &'static TicketWords {
    match lang() {
        Lang::En => &en::EN,
        Lang::Zh => &zh::ZH,
    }
}

/// The catalogue. Where words go around figures, the figures come written out; a bare number is there to choose
/// between one and many.
pub struct TicketWords {
    // The head.
    pub tickets: &'static str,
    pub seats: &'static str,
    pub limit: &'static str,
    pub hold: &'static str,
    /// Seconds.
    pub hold_for: fn(u64) -> String,
    pub standing: fn(Standing) -> &'static str,

    // The map.
    pub map: &'static str,
    pub map_means: &'static str,
    /// In its place where there is no JavaScript.
    pub map_without: &'static str,
    pub map_tools: &'static str,
    pub closer: &'static str,
    pub farther: &'static str,
    pub all_of_it: &'static str,
    pub heat: &'static str,
    pub stage: &'static str,
    pub free: &'static str,
    pub held: &'static str,
    pub sold: &'static str,
    pub chosen: &'static str,
    pub mine: &'static str,
    pub state: fn(SeatState) -> &'static str,
    /// A countdown.
    pub free_again: fn(String) -> String,

    // Choosing.
    pub choose: &'static str,
    pub your_choice: &'static str,
    pub none_chosen: &'static str,
    /// Seats and money.
    pub chosen_total: fn(u64, String) -> String,
    pub reserve: &'static str,
    pub clear: &'static str,
    pub let_go_of: fn(String) -> String,
    /// A seat and its price.
    pub now_chosen: fn(String, String) -> String,
    pub let_go: fn(String) -> String,
    pub is_mine: fn(String) -> String,
    pub is_not_free: fn(String, SeatState) -> String,
    pub no_more: fn(usize) -> String,
    /// Seats, and how many.
    pub taken_now: fn(String, u64) -> String,
    pub give_me: &'static str,
    pub how_many: &'static str,
    pub category: &'static str,
    pub together: &'static str,
    pub give: &'static str,
    pub you_hold: fn(String) -> String,
    pub seat_taken: fn(String, u64) -> String,
    /// Before the time.
    pub maybe_again: &'static str,
    /// A number and a category.
    pub left_in: fn(String, String) -> String,
    pub not_enough: fn(String) -> String,
    pub limit_reached: fn(u64) -> String,

    // The basket.
    pub basket: &'static str,
    pub basket_empty: &'static str,
    pub order_state: fn(OrderState) -> &'static str,
    pub order_means: fn(OrderState) -> &'static str,
    /// A countdown.
    pub time_left: fn(String) -> String,
    pub time_is_over: &'static str,
    /// An amount.
    pub pay: fn(String) -> String,
    pub cancel: &'static str,
    pub cancel_question: &'static str,
    pub return_them: &'static str,
    pub return_question: &'static str,
    pub yes_end: &'static str,
    pub no_keep: &'static str,
    pub clear_away: &'static str,

    // By section and row.
    pub by_row: &'static str,
    pub path_means: &'static str,
    pub show_on_map: &'static str,
    pub section: &'static str,
    pub row_label: &'static str,
    pub row: fn(u64) -> String,
    /// A section and a row.
    pub seats_of: fn(String, u64) -> String,
    /// Row, seat, state, price.
    pub seat_name: fn(u64, u64, &str, String) -> String,
    pub free_count: fn(String) -> String,

    // Stock, heat and attempts.
    pub stock: &'static str,
    /// Free, all, held, sold.
    pub stock_text: fn(String, String, String, String) -> String,
    pub hottest: &'static str,
    pub cold: &'static str,
    pub per_second: &'static str,
    pub got_held: &'static str,
    pub got_taken: &'static str,
    pub got_not_enough: &'static str,
    pub got_limit: &'static str,
    pub paid: &'static str,
    pub cancelled: &'static str,
    pub expired: &'static str,
    pub refunded: &'static str,
    pub late: &'static str,
    pub refused: &'static str,
    pub nobody_refused: &'static str,
    pub declined: fn(Declined) -> &'static str,
    pub audit_none: &'static str,

    // The list of sales.
    pub list_title: &'static str,
    pub list_intro: &'static str,
    pub list_empty: &'static str,
    pub list_sales: &'static str,
    /// Free and all.
    pub free_of: fn(String, String) -> String,
    /// Held and sold.
    pub held_and_sold: fn(String, String) -> String,
    pub open_title: &'static str,
    pub open: &'static str,
    pub hall: &'static str,
    pub hall_name: fn(HallName) -> &'static str,
    pub hall_means: fn(HallName) -> &'static str,
    /// A hall that a client described.
    pub own_hall: &'static str,
    pub prices: &'static str,
    pub limit_hint: &'static str,
    pub hold_label: &'static str,
    pub hold_hint: &'static str,
}
