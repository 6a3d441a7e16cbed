//! The settings of a run: the number of users, their concurrency and speed, and the share of them that click twice.

use crate::{
    components::{Icon, SelectField, SubmitButton, TextField, format::in_percent},
    crowd::{panel::CrowdControl, preset::Settings, words::words},
    i18n,
};
use leptos::{ev::SubmitEvent, prelude::*};
use model::{
    Checks,
    crowd::{Arrival, ArrivalKind, RunConfig},
    error::Result,
    form::FormValues,
};

const ARRIVALS: [(&str, ArrivalKind); 3] =
    [("burst", ArrivalKind::Burst), ("ramp", ArrivalKind::Ramp), ("constant", ArrivalKind::Constant)];

fn arrival_name(kind: ArrivalKind) -> &'static str {
    ARRIVALS.iter().find(|(_, known)| *known == kind).map_or(ARRIVALS[0].0, |(name, _)| *name)
}

fn arrival_kind(value: &str) -> ArrivalKind {
    ARRIVALS.iter().find(|(name, _)| *name == value).map_or(ArrivalKind::Burst, |(_, kind)| *kind)
}

/// Returns the typed settings and the optional seed, all checked.
fn read(values: &FormValues, crowd: CrowdControl) -> Result<(Settings, Option<u64>)> {
    let mut checks = Checks::default();
    let kind = arrival_kind(&values.text("arrival"));
    let mut arrival = Arrival { kind, ..Arrival::BURST };
    if kind != ArrivalKind::Burst {
        arrival.per_s = checks.value(values.number("arrival.per_s"));
    }
    if kind == ArrivalKind::Ramp {
        arrival.over_s = checks.value(values.number("arrival.over_s"));
    }
    let seed: Option<u64> = checks.value(values.optional_number("seed"));
    let config = RunConfig {
        sale: crowd.sale.get_value(),
        users: checks.value(values.number("users")),
        concurrency: checks.value(values.number("concurrency")),
        repeat_rate: checks.value(values.percent("repeat_rate")),
        arrival,
        seed: seed.unwrap_or_default(),
        behavior: Some(checks.value((crowd.form.behavior)(values))),
    };
    checks.finish(config.check().map(|()| (config.into(), seed)))
}

/// Shows all settings of a crowd, initially those of the chosen preset.
#[component]
pub fn CrowdForm(
    /// The crowd of the sale on the page.
    crowd: CrowdControl,
) -> impl IntoView {
    let read = move |values: &FormValues| read(values, crowd);
    let on_submit = move |event: SubmitEvent| {
        if let Some((settings, seed)) = crowd.errors.read(&event, read) {
            crowd.start(settings, seed);
        }
    };
    view! {
        <form
            class="form-grid"
            node_ref=crowd.typed.form
            on:submit=on_submit
            on:input=move |event| crowd.errors.recheck(&event, read)
            on:focusin=move |event| crowd.errors.recheck(&event, read)
        >
            {move || fields(crowd, crowd.preset().settings)}
            <div class="actions">
                <SubmitButton
                    class=""
                    disabled=Signal::derive(move || !crowd.is_startable())
                    pending=Signal::derive(move || crowd.is_pending() || crowd.is_running())
                    attr:aria-describedby="crowd-ended"
                >
                    <Icon icon=icondata_lu::LuUsers />
                    {move || crowd.start_label()}
                </SubmitButton>
            </div>
            <p class="ended" id="crowd-ended">
                {crowd.ended}
            </p>
        </form>
    }
}

fn fields(crowd: CrowdControl, settings: Settings) -> impl IntoView {
    let (words, shared, errors) = (words(), i18n::words(), crowd.errors);
    let Settings { users, concurrency, repeat_rate, arrival: Arrival { kind, per_s, over_s }, behavior } = settings;
    let chosen = RwSignal::new(arrival_name(kind).to_owned());
    let arrival = Memo::new(move |_| chosen.with(|chosen| arrival_kind(chosen)));
    let options = ARRIVALS.map(|(value, kind)| (value, (words.arrival_name)(kind))).into();
    Effect::new(move || crowd.typed.restore());
    let is_burst = Signal::derive(move || arrival.get() == ArrivalKind::Burst);
    let is_no_ramp = Signal::derive(move || arrival.get() != ArrivalKind::Ramp);
    view! {
        <TextField name="users" words=words.users value=users.to_string() numeric=true errors />
        <TextField name="concurrency" words=words.concurrency value=concurrency.to_string() numeric=true errors />
        <TextField name="repeat_rate" words=words.repeat_rate value=in_percent(repeat_rate) numeric=true errors />
        <TextField name="seed" words=shared.seed numeric=true errors />
        {(crowd.form.fields)(&behavior, errors)}
        <SelectField
            name="arrival"
            label=words.arrival
            options
            chosen
            hint=Signal::derive(move || (words.arrival_hint)(arrival.get()))
        />
        <TextField name="arrival.per_s" words=words.per_s value=per_s.to_string() numeric=true hidden=is_burst errors />
        <TextField
            name="arrival.over_s"
            words=words.over_s
            value=over_s.to_string()
            numeric=true
            hidden=is_no_ramp
            errors
        />
    }
}
