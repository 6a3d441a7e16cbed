//! The specifics of a crowd at a ticket sale.

use crate::{
    components::{FormErrors, TextField, format::in_percent},
    crowd::{
        panel::{CrowdKindForm, Newest},
        preset::{Preset, Settings},
    },
    i18n, life,
    ticket::words::words,
};
use leptos::prelude::*;
use model::{
    Checks, check_within,
    crowd::{self, KindBehavior},
    error::Result,
    form::FormValues,
    ticket::{
        Declined, INFO, Snapshot,
        crowd::{Behavior, LARGEST_PARTY},
    },
};

/// The crowd panel of a ticket sale.
pub const CROWD: CrowdKindForm = CrowdKindForm {
    kind: INFO.id,
    presets,
    fields,
    behavior,
    sold_out: "not_enough_seats",
    refusals: || {
        vec!["seat_taken", "not_enough_seats", "not_together", "limit_reached", "closed", "not_open", "paused", "ended"]
    },
    answers: || {
        let (outcomes, shared) = (&words().outcomes, i18n::words());
        vec![
            (outcomes.held, "held"),
            (shared.repeat.label, "repeat"),
            (outcomes.seat_taken, "seat_taken"),
            (outcomes.not_enough_seats, "not_enough_seats"),
            (outcomes.not_together, "not_together"),
            (outcomes.limit_reached, "limit_reached"),
            (outcomes.closed, "closed"),
            (life::words().not_open, "not_open"),
            (life::words().paused, "paused"),
            (life::words().ended, "ended"),
            (outcomes.paid, "paid"),
            (outcomes.refunded, "refunded"),
            (outcomes.cancelled, "cancelled"),
        ]
    },
    behavior_name: |field| {
        let words = &words().crowd;
        match field {
            "choosers" => Some(words.choosers.label),
            "groups" => Some(words.groups),
            "adjacent" => Some(words.adjacent.label),
            "hot" => Some(words.hot.label),
            "pay" => Some(words.pay.label),
            "cancel" => Some(words.cancel.label),
            _ => None,
        }
    },
};

/// Returns presets with half as many users as seats. They want a third more seats than there are, as most come in
/// groups.
fn presets(seats: u64) -> Vec<Preset> {
    let words = &words().crowd;
    let users = u32::try_from(seats / 2).unwrap_or(u32::MAX);
    let mut presets = Preset::common(users, &Behavior::default().to_fields());
    let with = |behavior: Behavior| Settings::burst(users, behavior.to_fields());
    presets.push(Preset {
        name: words.first_row,
        hint: words.first_row_hint,
        settings: with(Behavior { choosers: 1.0, hot: 1.0, ..Behavior::default() }),
        opens_in_s: None,
    });
    presets.push(Preset {
        name: words.slow_payers,
        hint: words.slow_payers_hint,
        settings: with(Behavior { pay: 0.3, cancel: 0.3, ..Behavior::default() }),
        opens_in_s: None,
    });
    presets
}

fn fields(behavior: &crowd::Behavior, errors: FormErrors) -> AnyView {
    let words = &words().crowd;
    let behavior = Behavior::from_fields(behavior).unwrap_or_default();
    let largest = behavior.groups.iter().rposition(|weight| *weight > 0.0).map_or(LARGEST_PARTY, |place| place + 1);
    let Behavior { choosers, hot, adjacent, pay, cancel, .. } = behavior;
    view! {
        <TextField name="choosers" words=words.choosers value=in_percent(choosers) numeric=true errors />
        <TextField name="hot" words=words.hot value=in_percent(hot) numeric=true errors />
        <TextField name="group_max" words=words.group_max value=largest.to_string() numeric=true errors />
        <TextField name="adjacent" words=words.adjacent value=in_percent(adjacent) numeric=true errors />
        <TextField name="pay" words=words.pay value=in_percent(pay) numeric=true errors />
        <TextField name="cancel" words=words.cancel value=in_percent(cancel) numeric=true errors />
    }
    .into_any()
}

fn behavior(values: &FormValues) -> Result<crowd::Behavior> {
    let mut checks = Checks::default();
    let largest = checks.value(values.number("group_max"));
    let is_valid = checks.note(check_within("group_max", largest, 1..=LARGEST_PARTY, "")).is_some();
    let largest = if is_valid { largest } else { LARGEST_PARTY };
    // No group is larger than the largest allowed.
    let mut groups = Behavior::default().groups;
    groups[largest..].fill(0.0);
    let behavior = Behavior {
        choosers: checks.value(values.percent("choosers")),
        groups,
        adjacent: checks.value(values.percent("adjacent")),
        hot: checks.value(values.percent("hot")),
        pay: checks.value(values.percent("pay")),
        cancel: checks.value(values.percent("cancel")),
    };
    checks.finish(behavior.check().map(|()| behavior.to_fields()))
}

/// Returns the newest users of a snapshot, which names those who were refused.
pub fn newest(sale: &Snapshot) -> Newest {
    Newest::new([], &sale.declined, Declined::Repeat, words().refused_as)
}

#[cfg(test)]
mod tests {
    use super::*;
    use model::error::Error;

    #[test]
    fn all_shares_are_checked_whatever_is_wrong_with_the_others() {
        let wrong = |form: &str| {
            let read = behavior(&FormValues::decode(form.as_bytes()));
            let errors = read.err().into_iter().flat_map(Error::each);
            errors.filter_map(|error| error.field).collect::<Vec<_>>()
        };
        assert!(wrong("group_max=6&choosers=1&adjacent=1&hot=1&pay=80&cancel=20").is_empty());
        assert_eq!(
            wrong("group_max=0&choosers=x&adjacent=101&hot=1&pay=80&cancel=30"),
            ["group_max", "choosers", "adjacent", "cancel"]
        );
        assert_eq!(wrong("group_max=x&choosers=1&adjacent=1&hot=1&pay=80&cancel=20"), ["group_max"]);
    }
}
