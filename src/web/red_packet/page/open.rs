//! The form that opens a sale and goes to its page.

use crate::{
    components::{SelectField, TextField},
    i18n,
    life::{PlanParts, read_plan},
    open_form::{OpenForm, OpenSaleRequest, open_sale_request, typed_id, use_open_form},
    red_packet::{api::OpenRequest, words::words},
};
use leptos::prelude::*;
use model::{
    Checks,
    error::{Error, Result},
    form::FormValues,
    life::Plan,
    parse::parse_count,
    red_packet::{INFO, Splitter, Terms},
};

const MAX_HOURS: u64 = 1_000_000;

fn splitter(name: &str) -> Splitter {
    Splitter::from_name(name).unwrap_or(Splitter::DoubleMean)
}

/// Returns the typed terms, all checked.
fn read(values: &FormValues) -> Result<OpenRequest> {
    // The server has one field for hours and minutes; an empty one is 0.
    let time = |name: &str| {
        let text = values.optional(name).unwrap_or_else(|| "0".to_owned());
        let time = parse_count(&text).filter(|time| *time < MAX_HOURS);
        time.ok_or_else(|| Error::bad(name, format!("`{name}` is not a valid duration.")))
    };
    let mut checks = Checks::default();
    // Minutes that cannot be read leave a life, so that nothing follows from them for the hours.
    let (hours, minutes) = (checks.value(time("expires_in_s")), checks.note(time("minutes")).unwrap_or(1));
    let (plan, currency) = read_plan(values, &mut checks);
    let terms = Terms {
        sale: typed_id(values),
        total_cents: checks.value(values.money("total_cents", currency)),
        count: checks.value(values.number("count")),
        splitter: splitter(&values.text("splitter")),
        expires_in_s: hours * 3_600 + minutes * 60,
        seed: checks.value(values.optional_number("seed")),
        // Checked by itself.
        plan: Plan::default(),
    };
    let checked = terms.check();
    let Terms { total_cents, count, splitter, expires_in_s, seed, .. } = terms;
    let (id, expires_in_s) = (values.optional("id"), Some(expires_in_s));
    let mut request = OpenRequest {
        id,
        request_id: None,
        total_cents,
        count,
        splitter,
        expires_in_s,
        seed,
        opens_at: None,
        opens_in_s: None,
        title: None,
        description: None,
        currency: None,
    };
    request.set_plan(plan);
    checks.finish(checked.map(|()| request))
}

/// What the plan of a sale may have.
const PLAN: PlanParts = PlanParts { ends: false, money: true };

open_sale_request!(OpenRequest: opens_at, opens_in_s, title, description, currency);

/// Shows the form that opens a red packet sale.
#[component]
pub fn OpenRedPacket() -> impl IntoView {
    let (words, shared) = (words(), i18n::words());
    let state = use_open_form(&INFO, read);
    let errors = state.errors;
    let chosen = RwSignal::new(Splitter::DoubleMean.name().to_owned());
    let options = Splitter::ALL.map(|splitter| (splitter.name(), (words.splitter_name)(splitter))).into();
    view! {
        <OpenForm state label=words.open_title icon=icondata_lu::LuGift plan=PLAN>
            <div class="fields">
                <TextField name="count" words=words.count value="1000" numeric=true errors />
                <TextField name="total_cents" words=words.amount value="10000.00" numeric=true errors />
            </div>
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

#[cfg(test)]
mod tests {
    use super::*;

    fn wrong(form: &str) -> Vec<String> {
        let read = read(&FormValues::decode(form.as_bytes()));
        read.err().into_iter().flat_map(Error::each).filter_map(|error| error.field).collect()
    }

    #[test]
    fn all_fields_are_checked_whatever_is_wrong_with_the_others() {
        assert!(wrong("count=10&total_cents=1&expires_in_s=24&minutes=0&seed=&id=").is_empty());
        assert_eq!(wrong("count=abc&total_cents=-5&expires_in_s=24&minutes=0&id=.."), ["total_cents", "count", "id"]);
        assert_eq!(wrong("count=0&total_cents=1&expires_in_s=0&minutes=half&seed=x"), ["minutes", "seed", "count"]);
        assert_eq!(wrong("count=10&total_cents=1&expires_in_s=0&minutes=0"), ["expires_in_s"]);
        assert_eq!(wrong("count=abc&total_cents=0&expires_in_s=24&minutes=0"), ["count", "total_cents"]);
    }
}
