//! What the crowd panel asks and shows of a crowd at a sale of coupons.

use crate::{
    components::{FormErrors, TextField, format::in_percent},
    coupon::words::words,
    crowd::{
        panel::{CrowdKindForm, Newest},
        preset::{Preset, Settings},
    },
    i18n, life,
};
use leptos::prelude::*;
use model::{
    Checks,
    coupon::{Declined, INFO, LIMITS, Snapshot, crowd::Behavior},
    crowd::{self, KindBehavior},
    error::Result,
    form::FormValues,
};

/// The crowd panel of a sale of coupons.
pub const CROWD: CrowdKindForm = CrowdKindForm {
    kind: INFO.id,
    presets,
    fields,
    behavior,
    sold_out: "total",
    refusals: || {
        LIMITS
            .iter()
            .map(|limit| limit.name.name())
            .chain(["closed", "not_open", "paused", "ended", "not_invited"])
            .collect()
    },
    answers: || {
        let (words, shared) = (words(), i18n::words());
        let mut answers = vec![(words.won, "won"), (shared.repeat.label, "repeat")];
        answers.extend(LIMITS.map(|limit| ((words.refusal_of)(limit.name), limit.name.name())));
        answers.extend([
            (words.redeemed, "redeemed"),
            (words.returned, "returned"),
            (words.refused, "refused"),
            (words.sale_closed_short, "closed"),
            (life::words().not_open, "not_open"),
            (life::words().paused, "paused"),
            (life::words().ended, "ended"),
            (words.not_invited_short, "not_invited"),
        ]);
        answers
    },
    behavior_name: |field| {
        let words = words();
        match field {
            "greedy" => Some(words.greedy.label),
            "redeem" => Some(words.redeem_share.label),
            "give_back" => Some(words.give_back_share.label),
            _ => None,
        }
    },
};

/// A fifth more users than coupons; without a limit, as many as a preset has at most.
fn presets(coupons: u64) -> Vec<Preset> {
    let words = words();
    let users = u32::try_from(coupons.saturating_add(coupons / 5)).unwrap_or(u32::MAX);
    let mut presets = Preset::common(users, &Behavior::default().to_fields());
    presets.push(Preset {
        name: words.all_greedy,
        hint: words.all_greedy_hint,
        settings: Settings::burst(users, Behavior { greedy: 1.0, ..Behavior::default() }.to_fields()),
        opens_in_s: None,
    });
    presets
}

fn fields(behavior: &crowd::Behavior, errors: FormErrors) -> AnyView {
    let words = words();
    let Behavior { greedy, redeem, give_back } = Behavior::from_fields(behavior).unwrap_or_default();
    view! {
        <TextField name="greedy" words=words.greedy value=in_percent(greedy) numeric=true errors />
        <TextField name="redeem" words=words.redeem_share value=in_percent(redeem) numeric=true errors />
        <TextField name="give_back" words=words.give_back_share value=in_percent(give_back) numeric=true errors />
    }
    .into_any()
}

fn behavior(values: &FormValues) -> Result<crowd::Behavior> {
    let mut checks = Checks::default();
    let behavior = Behavior {
        greedy: checks.value(values.percent("greedy")),
        redeem: checks.value(values.percent("redeem")),
        give_back: checks.value(values.percent("give_back")),
    };
    checks.finish(behavior.check().map(|()| behavior.to_fields()))
}

/// The newest users of a snapshot.
pub fn newest(sale: &Snapshot) -> Newest {
    Newest::new(sale.latest.iter().map(|claim| &claim.user), &sale.declined, Declined::Repeat, words().declined)
}
