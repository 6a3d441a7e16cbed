//! The crowd panel of a ticket sale: beside what every crowd is asked, what its users want and do.

use super::{
    Crowd,
    form::{self, Questions, percent, small},
    frame,
};
use crate::{
    crowd::{Status, api::StartRequest},
    error::{Error, Result},
    i18n,
    sales::ticket::{
        crowd::{Behavior, LARGEST_PARTY},
        words::words,
    },
    ui::{field::Field, node::El},
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
    let (words, shared) = (words(), i18n::words());
    let (asked, outcomes) = (&words.crowd, &words.outcomes);
    let line = |name, words, value| Field { name, words, value, numeric: true };
    let fields = vec![
        line("choosers", asked.choosers, "30"),
        line("hot", asked.hot, "20"),
        line("group_max", asked.group_max, "6"),
        line("adjacent", asked.adjacent, "90"),
        line("pay", asked.pay, "80"),
        line("cancel", asked.cancel, "10"),
    ];
    let answers = [
        (outcomes.held, "held"),
        (shared.repeat, "repeat"),
        (outcomes.seat_taken, "seat_taken"),
        (outcomes.not_enough_seats, "not_enough_seats"),
        (outcomes.limit_reached, "limit_reached"),
        (outcomes.paid, "paid"),
        (outcomes.late, "refunded"),
        (outcomes.cancelled, "cancelled"),
    ];
    let crowd = Crowd(status);
    let questions = Questions { fields, typed, names: NAMES };
    frame(crowd, form::form(sale, "ticket", questions, crowd), answers.into())
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
    let behavior = Behavior {
        choosers: percent("choosers")?,
        groups,
        adjacent: percent("adjacent")?,
        hot: percent("hot")?,
        pay: percent("pay")?,
        cancel: percent("cancel")?,
    };
    request.behavior = behavior.to_fields();
    Ok(())
}
