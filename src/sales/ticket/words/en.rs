//! English.

use super::{CrowdWords, Outcomes, Words};
use crate::{
    i18n::{FieldWords, KindWords},
    sales::ticket::{Declined, OrderState, halls::HallName, page::Standing, seats::SeatState},
};

/// `1 seat`, `2 seats`
fn seats(number: u64) -> String {
    [number.to_string().as_str(), if number == 1 { " seat" } else { " seats" }].concat()
}

pub static EN: Words = Words {
    kind: KindWords {
        id: "ticket",
        name: "Tickets",
        outcome_name: |name| match name {
            "held" => Some("Held"),
            "paid" => Some("Paid"),
            "late" => Some("Paid too late"),
            "cancelled" => Some("Cancelled"),
            "expired" => Some("Expired"),
            _ => None,
        },
        invariant_name: |name| match name {
            "seats" => Some("All seats are there"),
            "remaining" => Some("Remaining = unsold"),
            "held" => Some("Seats held"),
            "sold" => Some("Seats sold"),
            "half_done" => Some("Orders half done"),
            "holders" => Some("Every seat taken has its order"),
            "limits" => Some("Users over the limit"),
            "deadlines" => Some("Every held order has its deadline"),
            "money" => Some("All money is there"),
            "doubled" => Some("Given to two users"),
            _ => None,
        },
    },
    outcomes: Outcomes {
        held: "Held",
        seat_taken: "Seat taken",
        not_enough_seats: "Not enough",
        limit_reached: "Limit reached",
        other_user: "Another's request",
        paid: "Paid",
        late: "Paid too late",
        cancelled: "Cancelled",
        expired: "Ran out",
        refunded: "Returned",
    },
    crowd: CrowdWords {
        choosers: FieldWords {
            label: "Choose their seats",
            hint: "Percent of users; the others take the best there are.",
            error: "Enter a whole number from 0 to 100.",
        },
        hot: FieldWords {
            label: "Want the best rows",
            hint: "Percent of those who choose.",
            error: "Enter a whole number from 0 to 100.",
        },
        group_max: FieldWords {
            label: "Largest group",
            hint: "1 to 6; couples come most often.",
            error: "Enter a whole number from 1 to 6.",
        },
        adjacent: FieldWords {
            label: "Sit side by side",
            hint: "Percent of those who do not choose.",
            error: "Enter a whole number from 0 to 100.",
        },
        pay: FieldWords {
            label: "Pay",
            hint: "Percent of those who hold seats.",
            error: "Enter a whole number from 0 to 100.",
        },
        cancel: FieldWords {
            label: "Cancel",
            hint: "Percent too; the rest let it lapse.",
            error: "Enter a whole number from 0 to 100.",
        },
    },

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
    hall_hint: |hall| match hall {
        HallName::Theatre => "596 seats around a stage, three categories.",
        HallName::Arena => "12,000 seats: a floor and two rings.",
        HallName::Stadium => "60,000 seats around a pitch, six categories.",
    },
    own_hall: "Own hall",
    prices: "Price of a seat",
    price: FieldWords { label: "", hint: "", error: "Enter yuan with at most two decimals, at most a million." },
    limit_per_user: FieldWords {
        label: "Per person",
        hint: "1 to 1,000",
        error: "Enter a whole number from 1 to 1,000.",
    },
    hold_s: FieldWords { label: "Seconds to pay", hint: "1 to 7,200", error: "Enter whole seconds from 1 to 7,200." },

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
    map_hint: "Drag to move; wheel, pinch, + and − to zoom, 0 for all of it. With the keyboard, arrows move and Enter points at the seat in the middle, then chooses it. All seats are also listed by section and row.",
    map_without: "The map needs JavaScript. Stock by category and every row are below.",
    map_tools: "View",
    zoom_in: "Zoom in",
    zoom_out: "Zoom out",
    show_all: "Show all",
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
    deselect: |seat| ["Let go of ", &seat].concat(),
    selected: |seat, price| [&seat, " chosen, ", &price, "."].concat(),
    deselected: |seat| [&seat, " let go."].concat(),
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
    best_available: "Or the best there are",
    how_many: "How many",
    category: "Category",
    together: "Side by side",
    hold_best: "Give me these",
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

    orders: "Your orders",
    orders_empty: "Nothing is held for you yet.",
    order_state: |state| match state {
        OrderState::Held => "Held for you",
        OrderState::Paid => "Paid",
        OrderState::Cancelled => "Cancelled",
        OrderState::Expired => "Your hold ran out",
        OrderState::Refunded => "Money returned",
    },
    order_hint: |state| match state {
        OrderState::Held => "Pay before the time is over, and the seats are yours.",
        OrderState::Paid => "These are your tickets.",
        OrderState::Cancelled => "The seats are free again.",
        OrderState::Expired => "The seats are free again. Choose anew.",
        OrderState::Refunded => "The seats are free again, and your money is on its way back.",
    },
    time_is_over: "The time is over.",
    pay: |money| ["Pay ", &money].concat(),
    cancel: "Cancel",
    cancel_question: "Give these seats back? Somebody else may have them at once.",
    return_tickets: "Return tickets",
    return_question: "Return these tickets for their price? Somebody else may have the seats at once.",
    confirm_end: "Yes, give back",
    keep: "Keep them",
    dismiss: "Clear away",

    by_row: "By section and row",
    by_row_hint: "Arrows go from seat to seat and from row to row. Enter or space chooses a seat, or lets it go.",
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
    no_demand: "Nobody has tried in the last few seconds.",
    per_second: "wishes a second",
    refused: "Newest refused attempts",
    none_refused: "Nobody was refused yet.",
    refused_as: |declined| match declined {
        Declined::Repeat => "Repeat",
        Declined::SeatTaken => EN.outcomes.seat_taken,
        Declined::NotEnoughSeats => EN.outcomes.not_enough_seats,
        Declined::LimitReached => EN.outcomes.limit_reached,
        Declined::OtherUser => EN.outcomes.other_user,
    },

    not_audited: "Not looked yet. An audit looks at every seat and order in Redis.",
};
