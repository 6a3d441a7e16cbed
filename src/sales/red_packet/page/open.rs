//! The form that opens a sale and goes to its page.

use crate::{
    components::{Alert, FormErrors, FormValues, Icon, SelectField, SubmitButton, TextField, parse_count, sale_url},
    error::{Error, Result},
    i18n,
    sales::red_packet::{INFO, Opened, Splitter, api::open, words::words},
};
use leptos::{ev::SubmitEvent, prelude::*, task::spawn_local};
use leptos_router::hooks::use_navigate;

const MAX_HOURS: u64 = 1_000_000;

fn splitter(name: &str) -> Splitter {
    Splitter::from_name(name).unwrap_or(Splitter::DoubleMean)
}

/// Sends what was typed, as far as it is numbers; the server knows the limits.
async fn send(values: FormValues) -> Result<Opened> {
    // Hours and minutes are one field for the server; an empty one is nought.
    let time = |name: &str| {
        let text = values.optional(name).unwrap_or_else(|| "0".to_owned());
        let time = parse_count(&text).filter(|time| *time < MAX_HOURS);
        time.ok_or_else(|| Error::bad("expires_in_s", format!("`{name}` is not a time that is taken here.")))
    };
    open(
        values.optional("id"),
        values.money("total_cents")?,
        values.number("count")?,
        splitter(&values.text("splitter")),
        Some(time("expires_in_s")? * 3_600 + time("minutes")? * 60),
        values.optional_number("seed")?,
    )
    .await
}

/// Opens a red packet sale.
#[component]
pub fn OpenRedPacket() -> impl IntoView {
    let (words, shared) = (words(), i18n::words());
    let navigate = use_navigate();
    let errors = FormErrors::default();
    let waiting = RwSignal::new(false);
    let chosen = RwSignal::new(Splitter::DoubleMean.name().to_owned());
    let on_submit = move |event: SubmitEvent| {
        let values = FormValues::read(&event);
        if waiting.get_untracked() {
            return;
        }
        errors.clear();
        waiting.set(true);
        let navigate = navigate.clone();
        spawn_local(async move {
            let opened = send(values).await;
            // The page may be gone by the time of the answer.
            if waiting.try_set(false).is_some() {
                return;
            }
            match opened {
                Ok(opened) => navigate(&sale_url(&INFO, &opened.sale), Default::default()),
                Err(error) => errors.set(Some(error)),
            }
        });
    };
    let options = Splitter::ALL.map(|splitter| (splitter.name(), (words.splitter_name)(splitter))).into();
    view! {
        <form class="orders" aria-label=words.open_title on:submit=on_submit>
            <TextField name="count" words=words.count value="1000" numeric=true errors />
            <TextField name="total_cents" words=words.total_yuan value="10000.00" numeric=true errors />
            <div class="wide">
                <SelectField
                    name="splitter"
                    label=words.splitter
                    options
                    chosen
                    hint=Signal::derive(move || (words.splitter_hint)(splitter(&chosen.read())))
                />
            </div>
            <TextField name="expires_in_s" words=words.hours value="24" numeric=true errors />
            <TextField name="minutes" words=words.minutes value="0" numeric=true errors />
            <TextField name="seed" words=shared.seed numeric=true errors />
            <TextField name="id" words=shared.sale_id errors />
            <div class="actions">
                <SubmitButton disabled=waiting>
                    <Icon icon=icondata_lu::LuGift />
                    {words.open}
                </SubmitButton>
            </div>
            <Alert errors />
        </form>
    }
}
