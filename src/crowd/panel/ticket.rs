//! The crowd panel of a ticket sale: beside what every crowd is asked, what its users want and do.

use super::{
    Crowd,
    form::{self, Questions, percent, small},
    frame,
};
use crate::{
    crowd::{Kind, LARGEST_PARTY, Status, api::StartRequest},
    error::{Error, Result},
    ui::{field::Field, node::El},
    words::{ticket_crowd::ticket_crowd_words, words},
};
use leptos::prelude::*;

/// All fields of the form.
const NAMES: &[&str] = &[
    "users",
    "concurrency",
    "repeat_rate",
    "seed",
    "choosers",
    "hot",
    "group_max",
    "adjacent",
    "pay",
    "cancel",
    "per_s",
    "over_s",
];

/// The panel of one ticket sale. `status` is the latest crowd there, whoever started it, as the live view
/// tells it.
pub fn ticket_panel(sale: String, status: RwSignal<Option<Status>>) -> El {
    let (all, own) = (words(), ticket_crowd_words());
    let line = |name, label, value, hint| Field { name, label, value, hint, numeric: true };
    let fields = vec![
        line("choosers", own.choosers, "30", own.choosers_hint),
        line("hot", own.hot, "20", own.hot_hint),
        line("group_max", own.group_max, "6", own.group_max_hint),
        line("adjacent", own.adjacent, "90", own.adjacent_hint),
        line("pay", own.pay, "80", own.pay_hint),
        line("cancel", own.cancel, "10", own.cancel_hint),
    ];
    let answers = [
        (own.held, "held"),
        (all.repeat, "repeat"),
        (own.seat_taken, "seat_taken"),
        (own.not_enough_seats, "not_enough_seats"),
        (own.limit_reached, "limit_reached"),
        (own.paid, "paid"),
        (own.refunded, "refunded"),
        (own.cancelled, "cancelled"),
    ];
    let crowd = Crowd(status);
    let questions = Questions { fields, typed, names: NAMES };
    frame(crowd, form::form(sale, Kind::Ticket, questions, crowd), answers.into())
}

/// Puts what was typed into the request.
fn typed(request: &mut StartRequest) -> Result<()> {
    let largest = small("group_max")? as usize;
    if !(1..=LARGEST_PARTY).contains(&largest) {
        return Err(Error::bad("group_max", ""));
    }
    // Couples and families of four are the most frequent; nobody comes in a larger group than the largest.
    let mut groups = [1.0, 4.0, 1.0, 2.0, 0.5, 0.5];
    groups[largest..].fill(0.0);
    request.groups = Some(groups);
    request.choosers = Some(percent("choosers")?);
    request.hot = Some(percent("hot")?);
    request.adjacent = Some(percent("adjacent")?);
    request.pay = Some(percent("pay")?);
    request.cancel = Some(percent("cancel")?);
    Ok(())
}
