//! The form that opens a ticket sale and goes to its page.

use crate::{
    components::{Fields, FormErrors, FormMemory, SelectField, TextField, format::amount},
    i18n::FieldWords,
    life::{PlanParts, copied_plan, read_plan},
    open_form::{OpenForm, OpenSaleRequest, form_fields, open_sale_request, typed_id, use_open_form},
    ticket::{api::OpenTicketsRequest, words::words},
};
use leptos::prelude::*;
use model::{
    Cents, Checks,
    error::{Error, Result},
    form::FormValues,
    life::{Currency, Plan},
    ticket::{HallChoice, INFO, Snapshot, Terms, check_price, halls::HallName},
};
use std::collections::BTreeSet;

const HALL: &str = "hall";
const EXTENDABLE: &str = "extendable";

/// What the plan of a sale may have.
const PLAN: PlanParts = PlanParts { ends: true, money: true };

open_sale_request!(OpenTicketsRequest: opens_at, opens_in_s, ends_at, ends_in_s, title, description, currency; fields);

/// Returns the values of the form's fields: it has one for the price of each category of the hall.
fn fields(request: &OpenTicketsRequest) -> Fields {
    let currency = request.currency.as_deref().and_then(Currency::from_code).unwrap_or_default();
    let price = |(category, cents): (&String, &Cents)| (category.clone(), amount(cents.unsigned_abs(), currency));
    let mut fields = form_fields(request);
    fields.extend(request.prices.iter().flatten().map(price));
    // A hall that is not built in is not among its options.
    fields.retain(|name, text| name != HALL || !text.is_empty());
    fields
}

/// Returns a request that opens another sale on the terms of this one, in the built-in hall that has its categories.
pub fn copy(sale: &Snapshot) -> OpenTicketsRequest {
    let names: BTreeSet<&str> = sale.categories.iter().map(|price| price.name.as_str()).collect();
    let of = |hall: &HallName| categories(*hall).iter().map(|category| category.name).collect::<BTreeSet<_>>();
    let mut request = OpenTicketsRequest {
        id: None,
        request_id: None,
        hall: HallName::ALL.into_iter().find(|hall| of(hall) == names),
        layout: None,
        prices: Some(sale.categories.iter().map(|price| (price.name.clone(), price.price_cents)).collect()),
        limit_per_user: Some(sale.limit_per_user),
        hold_s: Some(sale.hold_s),
        extendable: Some(sale.extendable),
        opens_at: None,
        opens_in_s: None,
        ends_at: None,
        ends_in_s: None,
        title: None,
        description: None,
        currency: None,
    };
    request.set_plan(copied_plan(&sale.life, sale.opened_at));
    request
}

/// Shows the form that opens a sale of a built-in hall.
#[component]
pub fn OpenTicketSale() -> impl IntoView {
    let words = words();
    let state = use_open_form(&INFO, read);
    let (errors, typed) = (state.errors, state.typed);
    let hall = RwSignal::new(HallName::Theatre.name().to_owned());
    let halls = HallName::ALL.map(|hall| (hall.name(), (words.hall_name)(hall))).to_vec();
    let hint = Signal::derive(move || (words.hall_hint)(hall.with(|name| hall_of(name))));
    view! {
        <OpenForm state label=words.open_title icon=icondata_lu::LuArmchair plan=PLAN>
            <div class="wide">
                <SelectField name=HALL label=words.hall options=halls chosen=hall hint />
            </div>
            <fieldset class="wide prices">
                <legend>{words.prices}</legend>
                <For
                    each=move || hall.with(|name| categories(hall_of(name)))
                    key=|category| category.name
                    children=move |category| view! { <PriceField category typed errors /> }
                />
            </fieldset>
            <TextField name="limit_per_user" words=words.limit_per_user value="6" numeric=true errors />
            <TextField name="hold_s" words=words.hold_s value="600" numeric=true errors />
            <label class="check wide">
                <input type="checkbox" name=EXTENDABLE />
                <span>{words.extendable_checkbox}</span>
            </label>
        </OpenForm>
    }
}

/// A category of a hall. Its price field has its name, which no two halls share: text for one hall is not restored for
/// another.
#[derive(Clone, Copy)]
struct Category {
    name: &'static str,
    /// The default price of a seat.
    cents: Cents,
}

fn categories(hall: HallName) -> Vec<Category> {
    hall.categories().iter().map(|(name, cents)| Category { name, cents: *cents }).collect()
}

/// Returns the hall of this name, or the theatre if there is none.
fn hall_of(name: &str) -> HallName {
    HallName::from_name(name).unwrap_or(HallName::Theatre)
}

#[component]
fn PriceField(
    /// The category of the price.
    category: Category,
    /// The typed contents of the form.
    typed: FormMemory,
    /// The errors of the form.
    errors: FormErrors,
) -> impl IntoView {
    let Category { name, cents } = category;
    let words = words();
    let words = FieldWords { label: (words.category_name)(name).unwrap_or(name), ..words.price };
    // The hall may have been restored as well, and its fields appear afterwards.
    Effect::new(move || typed.restore());
    view! { <TextField name words value=amount(cents.unsigned_abs(), Currency::CNY) numeric=true errors /> }
}

/// Returns the typed terms, all checked.
fn read(values: &FormValues) -> Result<OpenTicketsRequest> {
    let mut checks = Checks::default();
    let hall = hall_of(&values.text(HALL));
    let (plan, currency) = read_plan(values, &mut checks);
    let price = |Category { name, .. }: Category| {
        let checked = values.money(name, currency).and_then(|cents| check_price(name, cents));
        // The error of the rule refers to all prices.
        let cents = checked.map_err(|error| Error { field: Some(name.to_owned()), ..error });
        (name.to_owned(), checks.value(cents))
    };
    let prices = categories(hall).into_iter().map(price).collect();
    let terms = Terms {
        sale: typed_id(values),
        hall: HallChoice::Hall(hall),
        prices,
        limit_per_user: checks.value(values.number("limit_per_user")),
        hold_s: checks.value(values.number("hold_s")),
        extendable: values.is_checked(EXTENDABLE),
        // Checked by itself.
        plan: Plan::default(),
    };
    let checked = terms.check_figures();
    let Terms { prices, limit_per_user, hold_s, extendable, .. } = terms;
    let mut request = OpenTicketsRequest {
        id: values.optional("id"),
        request_id: None,
        hall: Some(hall),
        layout: None,
        prices: Some(prices),
        limit_per_user: Some(limit_per_user),
        hold_s: Some(hold_s),
        extendable: Some(extendable),
        opens_at: None,
        opens_in_s: None,
        ends_at: None,
        ends_in_s: None,
        title: None,
        description: None,
        currency: None,
    };
    request.set_plan(plan);
    checks.finish(checked.map(|()| request))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn all_fields_are_checked_whatever_is_wrong_with_the_others() {
        let wrong = |form: &str| {
            let read = read(&FormValues::decode(form.as_bytes()));
            let errors = read.err().into_iter().flat_map(Error::each);
            errors.filter_map(|error| error.field).collect::<Vec<_>>()
        };
        let prices: Vec<String> =
            categories(HallName::Theatre).iter().map(|Category { name, .. }| format!("{name}=abc")).collect();
        let names = categories(HallName::Theatre).iter().map(|category| category.name).collect::<Vec<_>>();
        let all = format!("hall=theatre&{}&limit_per_user=0&hold_s=99999", prices.join("&"));
        assert_eq!(wrong(&all), [&names[..], &["limit_per_user", "hold_s"]].concat());
        assert!(wrong(&all.replace("abc", "1").replace("user=0", "user=6").replace("99999", "600")).is_empty());
        let dear = all.replace("abc", "1000000.01").replace("99999", "600");
        assert_eq!(wrong(&dear), [&names[..], &["limit_per_user"]].concat());
    }
}
