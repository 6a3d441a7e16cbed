//! The form that opens a sale and goes to its page.

use crate::{
    components::{
        Alert, FormErrors, FormValues, Icon, SelectField, SubmitButton, TextField, parse_count, sale_url,
        use_request_ids,
    },
    error::{Error, Result},
    i18n,
    sales::red_packet::{INFO, Opened, Splitter, api::OpenRequest, words::words},
};
use leptos::{ev::SubmitEvent, prelude::*};
use leptos_router::hooks::use_navigate;

const MAX_HOURS: u64 = 1_000_000;

fn splitter(name: &str) -> Splitter {
    Splitter::from_name(name).unwrap_or(Splitter::DoubleMean)
}

/// What was typed, as far as it is numbers; the server knows the limits.
fn read(values: &FormValues) -> Result<OpenRequest> {
    // Hours and minutes are one field for the server; an empty one is nought.
    let time = |name: &str| {
        let text = values.optional(name).unwrap_or_else(|| "0".to_owned());
        let time = parse_count(&text).filter(|time| *time < MAX_HOURS);
        time.ok_or_else(|| Error::bad("expires_in_s", format!("`{name}` is not a time that is taken here.")))
    };
    Ok(OpenRequest {
        id: values.optional("id"),
        request_id: None,
        total_cents: values.money("total_cents")?,
        count: values.number("count")?,
        splitter: splitter(&values.text("splitter")),
        expires_in_s: Some(time("expires_in_s")? * 3_600 + time("minutes")? * 60),
        seed: values.optional_number("seed")?,
    })
}

/// Opens a red packet sale.
#[component]
pub fn OpenRedPacket() -> impl IntoView {
    let (words, shared) = (words(), i18n::words());
    let open = ServerAction::<OpenRequest>::new();
    let (pending, opened) = (open.pending(), open.value());
    let errors = FormErrors::default();
    let request_ids = use_request_ids::<String>();
    errors.follow(open.into());
    let chosen = RwSignal::new(Splitter::DoubleMean.name().to_owned());
    let navigate = use_navigate();
    Effect::new(move || {
        let Some(answer) = opened.get() else { return };
        request_ids.settle(&answer);
        if let Ok(Opened { sale, .. }) = answer {
            untrack(|| navigate(&sale_url(&INFO, &sale), Default::default()));
        }
    });
    let on_submit = move |event: SubmitEvent| {
        let values = FormValues::read(&event);
        if pending.get_untracked() {
            return;
        }
        match read(&values) {
            Ok(mut request) => {
                errors.clear();
                // Sent again because its answer was lost, it opens no second sale.
                request.request_id = Some(request_ids.id(serde_json::to_string(&request).unwrap_or_default()));
                open.dispatch(request);
            }
            Err(error) => errors.set(Some(error)),
        }
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
                <SubmitButton disabled=pending>
                    <Icon icon=icondata_lu::LuGift />
                    {words.open}
                </SubmitButton>
            </div>
            <Alert errors />
        </form>
    }
}
