//! The texts of tickets.

mod en;
mod zh;

use crate::i18n::{FieldWords, KindWords, by_lang};
use model::ticket::{Declined, OrderState, halls::HallName, seats::SeatState};

/// The texts in the language of the page.
pub fn words() -> &'static Words {
    by_lang(&en::EN, &zh::ZH)
}

/// The catalogue. Figures are passed as formatted text; a bare number is passed if it
/// selects singular or plural.
pub struct Words {
    pub kind: KindWords,
    pub outcomes: Outcomes,
    pub crowd: CrowdWords,

    // The list of sales, and the form that opens one.
    /// Held and sold.
    pub held_and_sold: fn(String, String) -> String,
    pub open_title: &'static str,
    pub hall: &'static str,
    pub hall_name: fn(HallName) -> &'static str,
    pub hall_hint: fn(HallName) -> &'static str,
    /// What a category of a built-in hall is called, by its name in the layout.
    pub category_name: fn(&str) -> Option<&'static str>,
    /// A custom layout.
    pub own_hall: &'static str,
    pub prices: &'static str,
    pub price: FieldWords,
    pub limit_per_user: FieldWords,
    pub hold_s: FieldWords,

    // The head of a sale.
    pub seats: &'static str,
    pub limit: &'static str,
    pub hold: &'static str,
    /// Seconds.
    pub hold_for: fn(u64) -> String,

    // The map.
    pub map: &'static str,
    pub map_hint: &'static str,
    /// Shown until the map is drawn.
    pub map_waiting: &'static str,
    /// Shown instead if there is no JavaScript.
    pub map_without: &'static str,
    pub map_tools: &'static str,
    pub zoom_in: &'static str,
    pub zoom_out: &'static str,
    pub show_all: &'static str,
    pub demand: &'static str,
    /// What the figures on the scale of the demand count.
    pub demand_unit: &'static str,
    /// The scale of the demand, up to a figure.
    pub demand_scale: fn(String) -> String,
    /// The small picture of all of the hall.
    pub overview: &'static str,
    /// The buttons that show the seats of some categories only.
    pub show_only: &'static str,
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
    pub deselect: fn(String) -> String,
    /// A seat and its price.
    pub selected: fn(String, String) -> String,
    pub deselected: fn(String) -> String,
    pub is_mine: fn(String) -> String,
    /// After a key on the map, where seats were too small to be told apart.
    pub came_closer: &'static str,
    pub is_not_free: fn(String, SeatState) -> String,
    pub no_more: fn(u64) -> String,
    /// Seat names, and how many.
    pub taken_now: fn(String, u64) -> String,
    pub best_available: &'static str,
    pub how_many: &'static str,
    pub category: &'static str,
    pub together: &'static str,
    pub hold_best: &'static str,
    pub you_hold: fn(String) -> String,
    pub seat_taken: fn(String, u64) -> String,
    /// Followed by a time.
    pub maybe_again: &'static str,
    /// A number and a category.
    pub left_in: fn(String, String) -> String,
    pub not_enough: fn(String) -> String,
    pub limit_reached: fn(u64) -> String,
    pub sale_closed: &'static str,

    // The visitor's orders.
    pub orders: &'static str,
    pub orders_empty: &'static str,
    pub order_state: fn(OrderState) -> &'static str,
    pub order_hint: fn(OrderState) -> &'static str,
    pub time_is_over: &'static str,
    /// An amount.
    pub pay: fn(String) -> String,
    pub cancel: &'static str,
    pub cancel_question: &'static str,
    pub return_tickets: &'static str,
    pub return_question: &'static str,
    pub confirm_end: &'static str,
    pub keep: &'static str,
    pub dismiss: &'static str,

    // By section and row.
    pub by_row: &'static str,
    pub by_row_hint: &'static str,
    pub show_on_map: &'static str,
    pub section: &'static str,
    pub row_label: &'static str,
    pub row: fn(u64) -> String,
    /// A section and a row.
    pub seats_of: fn(String, u64) -> String,
    /// Row, seat, state, price.
    pub seat_name: fn(u64, u64, &str, String) -> String,
    pub free_count: fn(String) -> String,

    // Availability, demand and attempts.
    pub availability: &'static str,
    /// Free, all, held, sold.
    pub availability_text: fn(String, String, String, String) -> String,
    pub hottest: &'static str,
    pub no_demand: &'static str,
    pub per_second: &'static str,
    pub refused_as: fn(Declined) -> &'static str,

    // The audit.
    pub not_audited: &'static str,
}

/// Labels for the outcomes of attempts and orders.
pub struct Outcomes {
    pub held: &'static str,
    pub seat_taken: &'static str,
    pub not_enough_seats: &'static str,
    pub limit_reached: &'static str,
    pub closed: &'static str,
    pub other_user: &'static str,
    pub paid: &'static str,
    pub late: &'static str,
    pub cancelled: &'static str,
    pub expired: &'static str,
    pub refunded: &'static str,
}

/// What the crowd panel of a ticket sale has: presets and fields.
pub struct CrowdWords {
    pub first_row: &'static str,
    pub first_row_hint: &'static str,
    pub slow_payers: &'static str,
    pub slow_payers_hint: &'static str,
    pub choosers: FieldWords,
    pub hot: FieldWords,
    pub group_max: FieldWords,
    /// The weights of the sizes of groups.
    pub groups: &'static str,
    pub adjacent: FieldWords,
    pub pay: FieldWords,
    pub cancel: FieldWords,
}
