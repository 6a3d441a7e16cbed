//! The settings of a run: who comes, how many at a time, how fast, how stubborn.

use super::{Crowd, CrowdKindForm};
use crate::{
    components::{Alert, Button, FormErrors, FormValues, Icon, SelectField, SubmitButton, TextField},
    crowd::{
        Arrival, ArrivalKind, MAX_OVER_S, MAX_PER_S,
        api::{StartRequest, StopRequest},
        words::words,
    },
    error::{Error, Result},
    i18n,
};
use leptos::{ev::SubmitEvent, prelude::*};

const ARRIVALS: [(&str, ArrivalKind); 3] =
    [("burst", ArrivalKind::Burst), ("ramp", ArrivalKind::Ramp), ("constant", ArrivalKind::Constant)];

fn arrival_kind(value: &str) -> ArrivalKind {
    ARRIVALS.iter().find(|(name, _)| *name == value).map_or(ArrivalKind::Burst, |(_, kind)| *kind)
}

/// What was typed, as far as it is numbers; the server knows the other limits.
fn read(values: &FormValues, sale: String, form: CrowdKindForm) -> Result<StartRequest> {
    // For the server these two are one field, `arrival`; here each has its own place.
    let within = |name: &str, most: u32| {
        let number: u32 = values.number(name)?;
        if (1..=most).contains(&number) { Ok(number) } else { Err(Error::bad(name, format!("At most {most}."))) }
    };
    let kind = arrival_kind(&values.text("arrival"));
    let mut arrival = Arrival { kind, ..Arrival::BURST };
    if kind != ArrivalKind::Burst {
        arrival.per_s = within("per_s", MAX_PER_S)?;
    }
    if kind == ArrivalKind::Ramp {
        arrival.over_s = within("over_s", MAX_OVER_S)?;
    }
    Ok(StartRequest {
        sale,
        users: values.number("users")?,
        concurrency: values.number("concurrency")?,
        repeat_rate: values.percent("repeat_rate")?,
        arrival,
        seed: values.optional_number("seed")?,
        kind: Some(form.kind.to_owned()),
        behavior: (form.behavior)(values)?,
    })
}

/// Starts and stops the crowd.
#[component]
pub fn CrowdForm(
    sale: String,
    crowd: Crowd,
    /// Why nobody can get anything at the sale any more.
    ended: Signal<Option<&'static str>>,
    form: CrowdKindForm,
) -> impl IntoView {
    let (words, shared) = (words(), i18n::words());
    let errors = FormErrors::default();
    let (start, stop) = (ServerAction::<StartRequest>::new(), ServerAction::<StopRequest>::new());
    errors.follow(start.into());
    errors.follow(stop.into());
    let (starting, stopping) = (start.pending(), stop.pending());
    let is_waiting = move || starting.get() || stopping.get();
    let can_start = move || !is_waiting() && !crowd.is_running() && ended.with(Option::is_none);
    let chosen = RwSignal::new(String::from(ARRIVALS[0].0));
    let arrival = Memo::new(move |_| chosen.with(|chosen| arrival_kind(chosen)));
    let on_submit = move |event: SubmitEvent| {
        let values = FormValues::read(&event);
        if !untrack(can_start) {
            return;
        }
        match read(&values, sale.clone(), form) {
            Ok(request) => {
                errors.clear();
                start.dispatch(request);
            }
            Err(error) => errors.set(Some(error)),
        }
    };
    let on_stop = move || {
        errors.clear();
        stop.dispatch(StopRequest { run: untrack(|| crowd.read(|status| status.run.clone())) });
    };
    let options = ARRIVALS.map(|(value, kind)| (value, (words.arrival_name)(kind))).into();
    let is_burst = Signal::derive(move || arrival.get() == ArrivalKind::Burst);
    let is_no_ramp = Signal::derive(move || arrival.get() != ArrivalKind::Ramp);
    view! {
        <form class="orders" on:submit=on_submit>
            <TextField name="users" words=words.users value="10000" numeric=true errors />
            <TextField name="concurrency" words=words.concurrency value="500" numeric=true errors />
            <TextField name="repeat_rate" words=words.repeat_rate value="20" numeric=true errors />
            <TextField name="seed" words=shared.seed numeric=true errors />
            {(form.fields)(errors)}
            <SelectField
                name="arrival"
                label=words.arrival
                options
                chosen
                hint=Signal::derive(move || (words.arrival_hint)(arrival.get()))
            />
            <TextField name="per_s" words=words.per_s value="5000" numeric=true hidden=is_burst errors />
            <TextField name="over_s" words=words.over_s value="10" numeric=true hidden=is_no_ramp errors />
            <div class="actions">
                <SubmitButton disabled=Signal::derive(move || !can_start()) attr:aria-describedby="crowd-ended">
                    <Icon icon=icondata_lu::LuUsers />
                    {words.start}
                </SubmitButton>
                <Button disabled=Signal::derive(move || is_waiting() || !crowd.is_running()) on_click=on_stop>
                    <Icon icon=icondata_lu::LuSquare />
                    {words.stop}
                </Button>
            </div>
            <p class="ended" id="crowd-ended">
                {ended}
            </p>
            <Alert errors />
        </form>
    }
}
