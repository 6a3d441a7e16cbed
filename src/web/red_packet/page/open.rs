//! The form that opens a sale and goes to its page.

use crate::{
    components::{Fields, SelectField, TextField, format::amount},
    i18n,
    life::{PlanParts, read_plan},
    open_form::{OpenForm, OpenSaleRequest, form_fields, open_sale_request, typed_id, use_open_form},
    red_packet::{api::OpenRequest, words::words},
};
use leptos::prelude::*;
use model::{
    Checks,
    error::{Error, Result},
    form::FormValues,
    life::{Currency, Plan},
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

open_sale_request!(OpenRequest: opens_at, opens_in_s, title, description, currency; fields);

/// Returns the values of the form's fields: it has an amount of the currency, and hours and minutes.
fn fields(request: &OpenRequest) -> Fields {
    let mut fields = form_fields(request);
    let currency = request.currency.as_deref().and_then(Currency::from_code).unwrap_or_default();
    let life_s = request.expires_in_s.unwrap_or_default();
    fields.insert("total_cents".to_owned(), amount(request.total_cents.unsigned_abs(), currency));
    fields.insert("expires_in_s".to_owned(), (life_s / 3_600).to_string());
    fields.insert("minutes".to_owned(), (life_s % 3_600 / 60).to_string());
    fields
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
    fn a_form_that_is_filled_in_asks_for_the_same_terms() {
        for (amount, plan) in [
            ("1234.56", ""),
            ("1234", "&currency=JPY&opens_at=5+min&title.en=Gifts&title.zh=%E7%BA%A2%E5%8C%85&description.en=a%0Ab"),
        ] {
            let form = "count=10&expires_in_s=25&minutes=30&splitter=equal&seed=7&id=spring";
            let form = format!("{form}&total_cents={amount}{plan}");
            let request = read(&FormValues::decode(form.as_bytes())).expect("terms");
            let encoded = form_urlencoded::Serializer::new(String::new()).extend_pairs(request.fields()).finish();
            let same = read(&FormValues::decode(encoded.as_bytes())).expect("terms");
            let json = |request| serde_json::to_value(request).expect("JSON");
            assert_eq!(json(same), json(OpenRequest { id: None, ..request }));
        }
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
