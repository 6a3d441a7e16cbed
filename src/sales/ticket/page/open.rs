//! The form that opens a ticket sale and goes to its page.

use crate::{
    components::{Alert, FormErrors, FormValues, SelectField, SubmitButton, TextField, format::money},
    domain::Cents,
    error::{Error, Result},
    i18n::{self, FieldWords},
    sales::{
        open_form::{OpenSaleRequest, use_open_form},
        ticket::{INFO, MAX_PRICE_CENTS, Opened, api::OpenTicketsRequest, halls::HallName, words::words},
    },
};
use leptos::prelude::*;

const HALL: &str = "hall";
/// The fields of the categories' prices, in their order.
const PRICES: [&str; 6] = ["price-1", "price-2", "price-3", "price-4", "price-5", "price-6"];

impl OpenSaleRequest for OpenTicketsRequest {
    fn set_request_id(&mut self, id: String) {
        self.request_id = Some(id);
    }

    fn sale(opened: Opened) -> String {
        opened.sale
    }
}

/// Opens a sale of one of the halls that come with the program.
#[component]
pub fn OpenTicketSale() -> impl IntoView {
    let (words, shared) = (words(), i18n::words());
    let form = use_open_form::<OpenTicketsRequest>(&INFO);
    let (errors, pending) = (form.errors, form.pending);
    let hall = RwSignal::new(HallName::Theatre.name().to_owned());
    let halls = HallName::ALL.map(|hall| (hall.name(), (words.hall_name)(hall))).to_vec();
    let hint = Signal::derive(move || (words.hall_hint)(hall.with(|name| hall_of(name))));
    view! {
        <form class="form-grid" aria-label=words.open_title on:submit=move |event| form.submit(&event, read)>
            <div class="wide">
                <SelectField name=HALL label=words.hall options=halls chosen=hall hint />
            </div>
            <fieldset class="wide prices">
                <legend>{words.prices}</legend>
                <For
                    each=move || hall.with(|name| categories(hall_of(name)))
                    key=|category| category.name
                    children=move |category| view! { <PriceField category errors /> }
                />
            </fieldset>
            <TextField name="limit_per_user" words=words.limit_per_user value="6" numeric=true errors />
            <TextField name="hold_s" words=words.hold_s value="600" numeric=true errors />
            <TextField name="id" words=shared.sale_id errors />
            <div class="actions">
                <SubmitButton pending>{words.open}</SubmitButton>
            </div>
            <Alert errors />
        </form>
    }
}

/// A category of a hall, with the field for its price.
#[derive(Clone, Copy)]
struct Category {
    field: &'static str,
    name: &'static str,
    /// What a seat costs unless the reader says otherwise.
    cents: Cents,
}

fn categories(hall: HallName) -> Vec<Category> {
    PRICES.iter().zip(hall.categories()).map(|(field, (name, cents))| Category { field, name, cents: *cents }).collect()
}

/// The hall of this name; the theatre, where there is none.
fn hall_of(name: &str) -> HallName {
    HallName::from_name(name).unwrap_or(HallName::Theatre)
}

#[component]
fn PriceField(
    /// The category that gets the price.
    category: Category,
    /// The errors of the form.
    errors: FormErrors,
) -> impl IntoView {
    let Category { field, name, cents } = category;
    let words = words();
    let words = FieldWords { label: (words.category_name)(name).unwrap_or(name), ..words.price };
    view! { <TextField name=field words value=money(cents) numeric=true errors /> }
}

/// The typed terms, if they are numbers; the server checks the limits.
fn read(values: &FormValues) -> Result<OpenTicketsRequest> {
    let hall = hall_of(&values.text(HALL));
    let price = |Category { field, name, .. }: Category| {
        let cents = values.money(field)?;
        if cents > MAX_PRICE_CENTS {
            // The server would name all of the prices.
            return Err(Error::bad(field, format!("`{field}` is more than {MAX_PRICE_CENTS} cents.")));
        }
        Ok((name.to_owned(), cents))
    };
    Ok(OpenTicketsRequest {
        id: values.optional("id"),
        request_id: None,
        hall: Some(hall),
        layout: None,
        prices: Some(categories(hall).into_iter().map(price).collect::<Result<_>>()?),
        limit_per_user: Some(values.number("limit_per_user")?),
        hold_s: Some(values.number("hold_s")?),
    })
}
