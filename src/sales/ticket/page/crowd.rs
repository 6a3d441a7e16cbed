//! What the crowd panel asks and shows of a crowd at a ticket sale.

use crate::{
    components::{FormErrors, FormValues, TextField},
    crowd::{self, panel::CrowdKindForm},
    error::{Error, Result},
    i18n,
    sales::ticket::{
        INFO,
        crowd::{Behavior, LARGEST_PARTY},
        words::words,
    },
};
use leptos::prelude::*;

/// The crowd panel of a ticket sale.
pub const CROWD: CrowdKindForm = CrowdKindForm {
    kind: INFO.id,
    fields,
    behavior,
    answers: || {
        let (outcomes, shared) = (&words().outcomes, i18n::words());
        vec![
            (outcomes.held, "held"),
            (shared.repeat, "repeat"),
            (outcomes.seat_taken, "seat_taken"),
            (outcomes.not_enough_seats, "not_enough_seats"),
            (outcomes.limit_reached, "limit_reached"),
            (outcomes.closed, "closed"),
            (outcomes.paid, "paid"),
            (outcomes.refunded, "refunded"),
            (outcomes.cancelled, "cancelled"),
        ]
    },
};

fn fields(errors: FormErrors) -> AnyView {
    let words = &words().crowd;
    view! {
        <TextField name="choosers" words=words.choosers value="30" numeric=true errors />
        <TextField name="hot" words=words.hot value="20" numeric=true errors />
        <TextField name="group_max" words=words.group_max value="6" numeric=true errors />
        <TextField name="adjacent" words=words.adjacent value="90" numeric=true errors />
        <TextField name="pay" words=words.pay value="80" numeric=true errors />
        <TextField name="cancel" words=words.cancel value="10" numeric=true errors />
    }
    .into_any()
}

fn behavior(values: &FormValues) -> Result<crowd::Behavior> {
    let largest: usize = values.number("group_max")?;
    if !(1..=LARGEST_PARTY).contains(&largest) {
        return Err(Error::bad("group_max", format!("`group_max` is {largest}; it must be 1 to {LARGEST_PARTY}.")));
    }
    // Nobody comes in a larger group than the largest.
    let mut groups = Behavior::default().groups;
    groups[largest..].fill(0.0);
    let behavior = Behavior {
        choosers: values.percent("choosers")?,
        groups,
        adjacent: values.percent("adjacent")?,
        hot: values.percent("hot")?,
        pay: values.percent("pay")?,
        cancel: values.percent("cancel")?,
    };
    Ok(behavior.to_fields())
}
