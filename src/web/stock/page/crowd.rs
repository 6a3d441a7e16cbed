//! What the crowd panel asks and shows of a crowd at a sale of stock.

use crate::{
    components::{FormErrors, TextField, format::in_percent},
    crowd::{
        panel::{CrowdKindForm, Newest},
        preset::{Preset, Settings},
    },
    i18n, life,
    stock::words::words,
};
use leptos::prelude::*;
use model::{
    Checks,
    crowd::{self, KindBehavior},
    error::Result,
    form::FormValues,
    stock::{Declined, INFO, Snapshot, crowd::Behavior},
};

/// The crowd panel of a sale of stock.
pub const CROWD: CrowdKindForm = CrowdKindForm {
    kind: INFO.id,
    presets,
    fields,
    behavior,
    sold_out: "not_enough",
    refusals: || vec!["not_enough", "limit_reached", "closed", "not_open", "paused", "ended"],
    answers: || {
        let (words, shared) = (words(), i18n::words());
        vec![
            (words.won, "won"),
            (shared.repeat.label, "repeat"),
            (words.not_enough, "not_enough"),
            (words.limit_reached, "limit_reached"),
            (words.returned, "returned"),
            (words.confirmed_short, "confirmed"),
            (words.late, "late"),
            (words.refused, "refused"),
            (words.sale_closed_short, "closed"),
            (life::words().not_open, "not_open"),
            (life::words().paused, "paused"),
            (life::words().ended, "ended"),
        ]
    },
    behavior_name: |field| match field {
        "several" => Some(words().several.label),
        "fail" => Some(words().fail.label),
        _ => None,
    },
};

/// As many users as units: some want several.
fn presets(units: u64) -> Vec<Preset> {
    let words = words();
    let users = u32::try_from(units).unwrap_or(u32::MAX);
    let mut presets = Preset::common(users, &Behavior::default().to_fields());
    presets.push(Preset {
        name: words.all_fail,
        hint: words.all_fail_hint,
        settings: Settings::burst(users, Behavior { fail: 1.0, ..Behavior::default() }.to_fields()),
        opens_in_s: None,
    });
    presets
}

fn fields(behavior: &crowd::Behavior, errors: FormErrors) -> AnyView {
    let words = words();
    let Behavior { several, fail } = Behavior::from_fields(behavior).unwrap_or_default();
    view! {
        <TextField name="several" words=words.several value=in_percent(several) numeric=true errors />
        <TextField name="fail" words=words.fail value=in_percent(fail) numeric=true errors />
    }
    .into_any()
}

fn behavior(values: &FormValues) -> Result<crowd::Behavior> {
    let mut checks = Checks::default();
    let behavior =
        Behavior { several: checks.value(values.percent("several")), fail: checks.value(values.percent("fail")) };
    checks.finish(behavior.check().map(|()| behavior.to_fields()))
}

/// The newest users of a snapshot.
pub fn newest(sale: &Snapshot) -> Newest {
    Newest::new(sale.latest.iter().map(|deduction| &deduction.user), &sale.declined, Declined::Repeat, words().declined)
}
