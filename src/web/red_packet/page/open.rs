//! The form that opens a sale and goes to its page.

use crate::{
    components::{SelectField, TextField},
    i18n,
    open_form::{OpenForm, OpenSaleRequest, use_open_form},
    red_packet::{api::OpenRequest, words::words},
};
use leptos::prelude::*;
use model::{
    error::{Error, Result},
    form::FormValues,
    parse::parse_count,
    red_packet::{INFO, Opened, Splitter},
};

const MAX_HOURS: u64 = 1_000_000;

fn splitter(name: &str) -> Splitter {
    Splitter::from_name(name).unwrap_or(Splitter::DoubleMean)
}

/// Returns the typed terms, if they are numbers; the server checks the limits.
fn read(values: &FormValues) -> Result<OpenRequest> {
    // The server has one field for hours and minutes; an empty one is 0.
    let time = |name: &str| {
        let text = values.optional(name).unwrap_or_else(|| "0".to_owned());
        let time = parse_count(&text).filter(|time| *time < MAX_HOURS);
        time.ok_or_else(|| Error::bad(name, format!("`{name}` is not a valid duration.")))
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

impl OpenSaleRequest for OpenRequest {
    fn set_request_id(&mut self, id: String) {
        self.request_id = Some(id);
    }

    fn set_id(&mut self, id: Option<String>) {
        self.id = id;
    }

    fn sale(opened: Opened) -> String {
        opened.sale
    }
}

/// Shows the form that opens a red packet sale.
#[component]
pub fn OpenRedPacket() -> impl IntoView {
    let (words, shared) = (words(), i18n::words());
    let state = use_open_form(&INFO, read);
    let errors = state.errors;
    let chosen = RwSignal::new(Splitter::DoubleMean.name().to_owned());
    let options = Splitter::ALL.map(|splitter| (splitter.name(), (words.splitter_name)(splitter))).into();
    view! {
        <OpenForm state label=words.open_title icon=icondata_lu::LuGift>
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
        </OpenForm>
    }
}
