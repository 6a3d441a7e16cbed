//! English.

use super::TicketWords;
use crate::sales::ticket::{Declined, OrderState, halls::HallName, page::Standing, seats::SeatState};

/// `1 seat`, `2 seats`
fn seats(number: u64) -> String {
    [number.to_string().as_str(), if number == 1 { " seat" } else { " seats" }].concat()
}

pub static EN: TicketWords = TicketWords {
    tickets: "Tickets",
    seats: "Seats",
    limit: "Per person",
    hold: "Held for",
    hold_for: |s| if s % 60 == 0 { [&(s / 60).to_string(), " min"].concat() } else { [&s.to_string(), " s"].concat() },
    standing: |standing| match standing {
        Standing::Open => "Open",
        Standing::SoldOut => "No seat free",
        Standing::Suspended => "Suspended",
    },

    map: "Seat map",
    map_means: "Drag to move; wheel, pinch, + and − to zoom, 0 for all of it. With the keyboard, arrows move and Enter points at the seat in the middle, then chooses it. All seats are also listed by section and row.",
    map_without: "The map needs JavaScript. Stock by category and every row are below.",
    map_tools: "View",
    closer: "Zoom in",
    farther: "Zoom out",
    all_of_it: "Show all",
    heat: "Heat",
    stage: "STAGE",
    free: "Free",
    held: "Held",
    sold: "Sold",
    chosen: "Chosen",
    mine: "Yours",
    state: |state| match state {
        SeatState::Free => "free",
        SeatState::Held => "held",
        SeatState::Sold => "sold",
    },
    free_again: |left| ["unless it is paid, free again in ", &left].concat(),

    choose: "Get seats",
    your_choice: "Your choice",
    none_chosen: "No seat chosen yet. Press a free seat on the map or in the list by row.",
    chosen_total: |number, money| [&seats(number), ", ", &money].concat(),
    reserve: "Hold these seats",
    clear: "Clear",
    let_go_of: |seat| ["Let go of ", &seat].concat(),
    now_chosen: |seat, price| [&seat, " chosen, ", &price, "."].concat(),
    let_go: |seat| [&seat, " let go."].concat(),
    is_mine: |seat| [&seat, " is yours already."].concat(),
    is_not_free: |seat, state| match state {
        SeatState::Held => [&seat, " is held by somebody; it may be free again."].concat(),
        _ => [&seat, " is sold."].concat(),
    },
    no_more: |most| ["At most ", &most.to_string(), " at once. Let one go to choose another."].concat(),
    taken_now: |names, number| {
        [names.as_str(), if number == 1 { " was taken just now." } else { " were taken just now." }, " Choose another."]
            .concat()
    },
    give_me: "Or the best there are",
    how_many: "How many",
    category: "Category",
    together: "Side by side",
    give: "Give me these",
    you_hold: |names| [&names, ": held for you."].concat(),
    seat_taken: |names, number| {
        [names.as_str(), if number == 1 { " is taken" } else { " are taken" }, "; nothing was held for you."].concat()
    },
    maybe_again: "Perhaps free again at",
    left_in: |number, category| [&number, " in ", &category].concat(),
    not_enough: |left| ["Not enough seats; nothing was held for you. Left: ", &left, "."].concat(),
    limit_reached: |left| match left {
        0 => "You have as many tickets as one person may have.".to_owned(),
        left => ["You may have ", &seats(left), " more; nothing was held for you."].concat(),
    },

    basket: "Your orders",
    basket_empty: "Nothing is held for you yet.",
    order_state: |state| match state {
        OrderState::Held => "Held for you",
        OrderState::Paid => "Paid",
        OrderState::Cancelled => "Cancelled",
        OrderState::Expired => "Your hold ran out",
        OrderState::Refunded => "Money returned",
    },
    order_means: |state| match state {
        OrderState::Held => "Pay before the time is over, and the seats are yours.",
        OrderState::Paid => "These are your tickets.",
        OrderState::Cancelled => "The seats are free again.",
        OrderState::Expired => "The seats are free again. Choose anew.",
        OrderState::Refunded => "The seats are free again, and your money is on its way back.",
    },
    time_left: |left| [&left, " left"].concat(),
    time_is_over: "The time is over.",
    pay: |money| ["Pay ", &money].concat(),
    cancel: "Cancel",
    cancel_question: "Give these seats back? Somebody else may have them at once.",
    return_them: "Return tickets",
    return_question: "Return these tickets for their price? Somebody else may have the seats at once.",
    yes_end: "Yes, give back",
    no_keep: "Keep them",
    clear_away: "Clear away",

    by_row: "By section and row",
    path_means: "Arrows go from seat to seat and from row to row. Enter or space chooses a seat, or lets it go.",
    show_on_map: "Show on the map",
    section: "Section",
    row_label: "Row",
    row: |row| ["Row ", &row.to_string()].concat(),
    seats_of: |section, row| ["Section ", &section, ", row ", &row.to_string()].concat(),
    seat_name: |row, seat, state, price| {
        ["Row ", &row.to_string(), ", seat ", &seat.to_string(), ", ", state, ", ", &price].concat()
    },
    free_count: |number| [&number, " free"].concat(),

    stock: "What is left",
    stock_text: |free, all, held, sold| [&free, " of ", &all, " free, ", &held, " held, ", &sold, " sold"].concat(),
    hottest: "Hottest sections",
    cold: "Nobody has tried in the last few seconds.",
    per_second: "wishes a second",
    got_held: "Held",
    got_taken: "Seat taken",
    got_not_enough: "Not enough",
    got_limit: "Limit reached",
    paid: "Paid",
    cancelled: "Cancelled",
    expired: "Ran out",
    refunded: "Returned",
    late: "Paid too late",
    refused: "Newest refused attempts",
    nobody_refused: "Nobody was refused yet.",
    declined: |declined| match declined {
        Declined::Repeat => "Repeat",
        Declined::SeatTaken => "Seat taken",
        Declined::NotEnoughSeats => "Not enough",
        Declined::LimitReached => "Limit reached",
        Declined::OtherUser => "Another's request",
    },
    audit_none: "Not looked yet. An audit looks at every seat and order in Redis.",

    list_title: "A seat map that a crowd fights over",
    list_intro: "Chosen seats and the best that are left, held until they are paid. All or nothing, each seat once.",
    list_sales: "Sales",
    list_empty: "No ticket sale is open yet. Choose a hall and open the first one.",
    free_of: |free, all| [&free, " of ", &all, " free"].concat(),
    held_and_sold: |held, sold| [&held, " held, ", &sold, " sold"].concat(),
    open_title: "Open a ticket sale",
    open: "Open the sale",
    hall: "Hall",
    hall_name: |hall| match hall {
        HallName::Theatre => "Theatre",
        HallName::Arena => "Arena",
        HallName::Stadium => "Stadium",
    },
    hall_means: |hall| match hall {
        HallName::Theatre => "596 seats around a stage, three categories.",
        HallName::Arena => "12,000 seats: a floor and two rings.",
        HallName::Stadium => "60,000 seats around a pitch, six categories.",
    },
    own_hall: "Own hall",
    prices: "Price of a seat",
    limit_hint: "1 to 1,000",
    hold_label: "Seconds to pay",
    hold_hint: "1 to 7,200",
};
