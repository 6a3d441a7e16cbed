//! English.

use crate::{
    i18n::{FieldWords, KindWords},
    ticket::words::{CrowdWords, Outcomes, Words},
};
use model::ticket::{Declined, INFO, OrderState, halls::HallName, seats::SeatState};

/// `1 seat`, `2 seats`
fn seats(number: u64) -> String {
    format!("{number} {}", if number == 1 { "seat" } else { "seats" })
}

pub static EN: Words = Words {
    kind: KindWords {
        info: &INFO,
        name: "Tickets",
        effect_of_closing: "Orders that are held can still be paid.",
        explained_attempt: "The attempt is for one seat of the first category.",
        item_name: str::to_owned,
        outcome_name: |name| match name {
            "held" => Some("Held"),
            "paid" => Some("Paid"),
            "late" => Some("Paid too late"),
            "cancelled" => Some("Cancelled"),
            "expired" => Some("Expired"),
            _ => None,
        },
        invariant_name: |name| match name {
            "seats" => Some("All seats accounted for"),
            "remaining" => Some("Free seats"),
            "held" => Some("Held seats"),
            "sold" => Some("Sold seats"),
            "half_done" => Some("Incomplete orders"),
            "index" => Some("Rows that agree with the index of seats"),
            "holders" => Some("Every taken seat has an order"),
            "limits" => Some("Users over the limit"),
            "deadlines" => Some("Every held order has a deadline"),
            "money" => Some("All money accounted for"),
            "doubled" => Some("Seats given twice"),
            "events" => Some("Events match the counts"),
            "ledger" => Some("Every order is in the ledger"),
            _ => None,
        },
    },
    outcomes: Outcomes {
        held: "Held",
        seat_taken: "Seat taken",
        not_enough_seats: "Not enough seats",
        limit_reached: "Limit reached",
        closed: "Sale closed",
        other_user: "Another user's request",
        paid: "Paid",
        late: "Paid too late",
        cancelled: "Cancelled",
        expired: "Expired",
        refunded: "Refunded",
    },
    crowd: CrowdWords {
        first_row: "Fight for the front rows",
        first_row_hint: "All at once, and everyone picks seats in the best rows.",
        slow_payers: "Slow payers",
        slow_payers_hint: "All at once; a third pay, a third cancel, the others let their orders expire.",
        choosers: FieldWords {
            label: "Choose seats (%)",
            hint: "Share of users; the others take the best available",
            error: "Enter a percentage from 0 to 100.",
        },
        hot: FieldWords {
            label: "Want the best rows (%)",
            hint: "Share of those who choose",
            error: "Enter a percentage from 0 to 100.",
        },
        groups: "Group sizes by weight",
        group_max: FieldWords {
            label: "Largest group",
            hint: "1 to 6; pairs are the most common",
            error: "Enter a whole number from 1 to 6.",
        },
        adjacent: FieldWords {
            label: "Sit side by side (%)",
            hint: "Share of those who do not choose",
            error: "Enter a percentage from 0 to 100.",
        },
        pay: FieldWords {
            label: "Pay (%)",
            hint: "Share of holders who pay",
            error: "Enter a percentage from 0 to 100.",
        },
        cancel: FieldWords {
            label: "Cancel (%)",
            hint: "Share of holders who cancel; the rest let it expire",
            error: "Enter a percentage from 0 to 100.",
        },
    },

    held_and_sold: |held, sold| format!("{held} held, {sold} sold"),
    open_title: "Open a ticket sale",
    hall: "Hall",
    hall_name: |hall| match hall {
        HallName::Theatre => "Theater",
        HallName::Arena => "Arena",
        HallName::Stadium => "Stadium",
    },
    hall_hint: |hall| match hall {
        HallName::Theatre => "596 seats around a stage, three categories.",
        HallName::Arena => "12,000 seats: a floor and two tiers.",
        HallName::Stadium => "60,000 seats around a pitch, six categories.",
    },
    category_name: |name| match name {
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
    own_hall: "Custom layout",
    prices: "Seat prices",
    price: FieldWords { label: "", hint: "", error: "Enter an amount with up to two decimals, at most ¥1,000,000." },
    limit_per_user: FieldWords {
        label: "Limit per person",
        hint: "1 to 1,000",
        error: "Enter a whole number from 1 to 1,000.",
    },
    hold_s: FieldWords {
        label: "Time to pay (s)",
        hint: "1 to 7,200",
        error: "Enter a whole number of seconds from 1 to 7,200.",
    },

    seats: "Seats",
    limit: "Limit per person",
    hold: "Hold time",
    hold_for: |s| if s % 60 == 0 { format!("{} min", s / 60) } else { format!("{s} s") },

    map: "Seat map",
    map_hint: "Drag to move. Zoom with the wheel, a pinch, or + and −; 0 shows all. With the keyboard, the arrow keys move the crosshair from seat to seat, Enter or Space selects its seat, and Shift with an arrow key moves the map. All seats are also listed by section and row.",
    map_waiting: "Loading the seat map…",
    map_without: "The map needs JavaScript. Availability by category and every row are listed below.",
    map_tools: "Map view",
    zoom_in: "Zoom in",
    zoom_out: "Zoom out",
    show_all: "Show all",
    demand: "Demand",
    demand_unit: "attempts/s per 100 seats",
    demand_scale: |most| format!("Colors from 0 to {most} attempts/s per 100 seats"),
    overview: "The whole hall, with a frame around what the map shows. Click or drag to move the map.",
    show_only: "Show only these categories",
    stage: "STAGE",
    free: "Free",
    held: "Held",
    sold: "Sold",
    chosen: "Selected",
    mine: "Yours",
    state: |state| match state {
        SeatState::Free => "free",
        SeatState::Held => "held",
        SeatState::Sold => "sold",
    },
    free_again: |left| format!("if unpaid, free again in {left}"),

    choose: "Select seats",
    your_choice: "Your selection",
    none_chosen: "No seats selected. Select a free seat on the map or in the list by row.",
    chosen_total: |number, money| format!("{}, {money}", seats(number)),
    reserve: "Hold these seats",
    clear: "Clear",
    deselect: |seat| format!("Deselect {seat}"),
    selected: |seat, price| format!("{seat} selected, {price}."),
    deselected: |seat| format!("{seat} deselected."),
    is_mine: |seat| format!("{seat} is already yours."),
    came_closer: "Zoomed in. Press Enter again to select.",
    is_not_free: |seat, state| match state {
        SeatState::Held => format!("{seat} is held by someone else. It may become free again."),
        _ => format!("{seat} is sold."),
    },
    no_more: |most| format!("At most {} at a time. Deselect one to select another.", seats(most)),
    taken_now: |names, number| {
        format!(
            "{names} {}",
            if number == 1 { "was just taken. Choose another." } else { "were just taken. Choose others." }
        )
    },
    best_available: "Best available",
    how_many: "How many",
    category: "Category",
    together: "Side by side",
    hold_best: "Hold best available",
    you_hold: |names| format!("Held for you: {names}."),
    seat_taken: |names, number| {
        format!("{names} {} taken. No seats were held.", if number == 1 { "is" } else { "are" })
    },
    maybe_again: "May be free again at",
    left_in: |number, category| format!("{number} in {category}"),
    not_enough: |left| format!("Not enough seats. No seats were held. Left: {left}."),
    sale_closed: "This sale was closed. No more seats can be held.",
    limit_reached: |left| match left {
        0 => "You have reached the limit per person.".to_owned(),
        left => {
            format!("You can hold {left} more {}. No seats were held.", if left == 1 { "seat" } else { "seats" })
        }
    },

    orders: "Your orders",
    orders_empty: "No orders yet. Seats you hold appear here, waiting to be paid for.",
    order_state: |state| match state {
        OrderState::Held => "Held for you",
        OrderState::Paid => "Paid",
        OrderState::Cancelled => "Cancelled",
        OrderState::Expired => "Hold expired",
        OrderState::Refunded => "Refunded",
    },
    order_hint: |state| match state {
        OrderState::Held => "Pay before the time is up to get these tickets.",
        OrderState::Paid => "These are your tickets.",
        OrderState::Cancelled => "The seats are free again.",
        OrderState::Expired => "The seats are free again. Choose new ones.",
        OrderState::Refunded => "The seats are free again, and your payment is refunded.",
    },
    time_is_over: "Time is up.",
    pay: |money| format!("Pay {money}"),
    cancel: "Cancel order",
    cancel_question: "Give up these seats? Someone else may take them at once.",
    return_tickets: "Return tickets",
    return_question: "Return these tickets for a refund? Someone else may take the seats at once.",
    confirm_end: "Yes, give them up",
    keep: "Keep them",
    dismiss: "Dismiss",

    by_row: "By section and row",
    by_row_hint: "Arrow keys move between seats and rows. Enter or Space selects or deselects a seat.",
    show_on_map: "Show on map",
    section: "Section",
    row_label: "Row",
    row: |row| format!("Row {row}"),
    seats_of: |section, row| format!("Section {section}, row {row}"),
    seat_name: |row, seat, state, price| format!("Row {row}, seat {seat}, {state}, {price}"),
    free_count: |number| format!("{number} free"),

    availability: "Availability",
    availability_text: |free, all, held, sold| format!("{free} of {all} free, {held} held, {sold} sold"),
    hottest: "Sections in demand",
    no_demand: "No attempts in the last few seconds.",
    per_second: "attempts/s",
    refused_as: |declined| match declined {
        Declined::Repeat => "Repeat",
        Declined::SeatTaken => EN.outcomes.seat_taken,
        Declined::NotEnoughSeats => EN.outcomes.not_enough_seats,
        Declined::LimitReached => EN.outcomes.limit_reached,
        Declined::OtherUser => EN.outcomes.other_user,
        Declined::Closed => EN.outcomes.closed,
    },

    not_audited: "Not audited yet. An audit checks every seat and order in Redis.",
};
