//! The form that opens a ticket sale and goes to its page.

use crate::{
    components::{FormErrors, FormMemory, SelectField, TextField, format::money},
    i18n::FieldWords,
    open_form::{OpenForm, OpenSaleRequest, use_open_form},
    ticket::{api::OpenTicketsRequest, words::words},
};
use leptos::prelude::*;
use model::{
    Cents,
    error::{Error, Result},
    form::FormValues,
    ticket::{INFO, MAX_PRICE_CENTS, Opened, halls::HallName},
};

const HALL: &str = "hall";

impl OpenSaleRequest for OpenTicketsRequest {
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
        <OpenForm state label=words.open_title icon=icondata_lu::LuArmchair>
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
    view! { <TextField name words value=money(cents) numeric=true errors /> }
}

/// Returns the typed terms, if they are numbers; the server checks the limits.
fn read(values: &FormValues) -> Result<OpenTicketsRequest> {
    let hall = hall_of(&values.text(HALL));
    let price = |Category { name, .. }: Category| {
        let cents = values.money(name)?;
        if cents > MAX_PRICE_CENTS {
            // The server's error would refer to all prices.
            return Err(Error::bad(name, format!("`{name}` is more than {MAX_PRICE_CENTS} cents.")));
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
