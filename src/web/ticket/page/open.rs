//! The form that opens a ticket sale and goes to its page. The hall is a built-in one, or the layout of the preview page.

use crate::{
    base_path::under_base,
    components::{Fields, FormErrors, FormMemory, SelectField, TextField, format::amount, use_tab_storage},
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
    life::{Currency, Plan, PlanFields},
    ticket::{
        HallChoice, INFO, PREVIEW, Snapshot, Terms, check_price,
        hall::Layout,
        halls::HallName,
        layout_file::{self, LayoutFile},
    },
};
use std::collections::{BTreeMap, BTreeSet};

const HALL: &str = "hall";
const EXTENDABLE: &str = "extendable";
/// The choice of a hall of the reader's own.
const OWN: &str = "own";
/// The form's field with the layout of that hall, and the key by which the tab keeps it.
pub const LAYOUT: &str = "layout";
/// The key by which the tab keeps that the form is to be opened with that layout.
pub const OWN_WANTED: &str = "layout-wanted";

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

/// Shows the form that opens a ticket sale.
#[component]
pub fn OpenTicketSale() -> impl IntoView {
    let words = words();
    let state = use_open_form(&INFO, read);
    let (errors, typed) = (state.errors, state.typed);
    let hall = RwSignal::new(HallName::Theatre.name().to_owned());
    let mut halls = HallName::ALL.map(|hall| (hall.name(), (words.hall_name)(hall))).to_vec();
    halls.push((OWN, words.own_hall));
    let is_own = Memo::new(move |_| hall.with(|name| name == OWN));
    let hint = Signal::derive(move || match is_own.get() {
        true => words.own_hall_hint,
        false => (words.hall_hint)(hall.with(|name| hall_of(name))),
    });
    let (layout, _) = use_tab_storage::<String>(LAYOUT.to_owned());
    let own = Memo::new(move |_| if is_own.get() { layout.with(|text| layout_of(text)) } else { None });
    // The preview leads here with its layout.
    let (wanted, want) = use_tab_storage::<bool>(OWN_WANTED.to_owned());
    Effect::new(move || {
        if wanted.get() && typed.form.get().is_some() {
            want.set(false);
            typed.fill([(HALL.to_owned(), OWN.to_owned())].into());
            hall.set(OWN.to_owned());
        }
    });
    let preview = under_base(format!("/{}/{PREVIEW}", INFO.pages));
    view! {
        <OpenForm state label=words.open_title icon=icondata_lu::LuArmchair plan=PLAN>
            <div class="wide">
                <SelectField name=HALL label=words.hall options=halls chosen=hall hint />
                <a class="aside" href=preview>
                    {words.preview}
                </a>
                <input type="hidden" name=LAYOUT prop:value=move || layout.get() disabled=move || !is_own.get() />
            </div>
            <fieldset class="wide prices">
                <legend>{words.prices}</legend>
                <For
                    each=move || if is_own.get() { Vec::new() } else { hall.with(|name| categories(hall_of(name))) }
                    key=|category| category.name
                    children=move |category| view! { <PriceField category typed errors /> }
                />
                <For
                    each=move || own.get().map(|layout| layout.categories).unwrap_or_default()
                    key=String::clone
                    children=move |category| view! { <OwnPriceField category typed /> }
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

/// Returns the layout in a text, if it has no mistakes.
fn layout_of(text: &str) -> Option<Layout> {
    let LayoutFile { hall, mistakes } = layout_file::read(text);
    hall.filter(|_| mistakes.is_empty()).map(|hall| hall.layout)
}

/// Returns the name of the field with the price of a category of the reader's own hall. (The category may be named like
/// another field.)
fn own_price(category: &str) -> String {
    format!("price-{category}")
}

/// Shows the field with the price of a category of the reader's own hall.
#[component]
fn OwnPriceField(
    /// The name of the category.
    category: String,
    /// The typed contents of the form.
    typed: FormMemory,
) -> impl IntoView {
    let name = own_price(&category);
    Effect::new(move || typed.restore());
    view! {
        <div class="field">
            <label for=name.clone() translate="no">
                {category}
            </label>
            <input id=name.clone() name=name type="text" autocomplete="off" inputmode="decimal" value="" />
        </div>
    }
}

/// Returns the typed terms, all checked.
fn read(values: &FormValues) -> Result<OpenTicketsRequest> {
    if values.text(HALL) == OWN { read_own(values) } else { read_built_in(values) }
}

/// Does so for a hall of the reader's own.
fn read_own(values: &FormValues) -> Result<OpenTicketsRequest> {
    let mut checks = Checks::default();
    let layout =
        checks.value(layout_of(&values.text(LAYOUT)).ok_or_else(|| {
            Error::bad(HALL, "There is no layout without mistakes; make one on the preview page first.")
        }));
    let (plan, currency) = read_plan(values, &mut checks);
    let mut prices = BTreeMap::new();
    for category in &layout.categories {
        let price = values.money(&own_price(category), currency).and_then(|cents| check_price(category, cents));
        let why = || Error::bad("prices", format!("The price of \"{category}\" must be an amount."));
        prices.insert(category.clone(), checks.value(price.map_err(|_| why())));
    }
    request(values, checks, plan, (None, Some(layout)), prices)
}

/// Does so for a built-in hall.
fn read_built_in(values: &FormValues) -> Result<OpenTicketsRequest> {
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
    request(values, checks, plan, (Some(hall), None), prices)
}

/// Makes the request for a hall, either a built-in one or a layout. Checks the rest of the form.
fn request(
    values: &FormValues,
    mut checks: Checks,
    plan: PlanFields,
    (hall, layout): (Option<HallName>, Option<Layout>),
    prices: BTreeMap<String, Cents>,
) -> Result<OpenTicketsRequest> {
    let terms = Terms {
        sale: typed_id(values),
        // Checked by itself, too.
        hall: HallChoice::Hall(HallName::Theatre),
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
        hall,
        layout,
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
