//! The form that opens a ticket sale and goes to its page.

use crate::{
    error::{Error, Result},
    i18n::{self, FieldWords},
    nodes,
    sales::{
        Cents,
        ticket::{MAX_PRICE_CENTS, Opened, api::OpenTicketsRequest, halls::HallName, words::words},
    },
    ui::{
        ask::ask_at,
        field::{Field, choice, field, filled, number, submit},
        format::{money, parse_count, parse_money, segment},
        node::{El, each, el, item},
        notice::notice,
        platform,
    },
};
use leptos::{prelude::*, server_fn::ServerFn};
use leptos_router::hooks::use_navigate;
use serde::{Serialize, Serializer};

/// The fields of the categories' prices, in their order.
const PRICES: [&str; 6] = ["price-1", "price-2", "price-3", "price-4", "price-5", "price-6"];
/// All that say beside them what is wrong.
const FIELDS: &[&str] =
    &["limit_per_user", "hold_s", "id", "price-1", "price-2", "price-3", "price-4", "price-5", "price-6"];

fn hall(place: usize) -> HallName {
    HallName::ALL.get(place).copied().unwrap_or(HallName::Theatre)
}

/// The request without what this form never asks for: layouts have fractions, and writing those is a heavy thing.
#[derive(Serialize)]
struct OpenHall {
    id: Option<String>,
    hall: HallName,
    #[serde(serialize_with = "as_object")]
    prices: Vec<(&'static str, Cents)>,
    limit_per_user: u32,
    hold_s: u64,
}

/// Pairs as an object: a map of its own would be 4 kB of the download.
fn as_object<S: Serializer>(pairs: &[(&str, Cents)], serializer: S) -> std::result::Result<S::Ok, S::Error> {
    serializer.collect_map(pairs.iter().copied())
}

/// What was typed, as far as it is numbers; the server knows the limits.
fn typed() -> Result<OpenHall> {
    let id = platform::typed("id");
    let hall = hall(platform::chosen("hall"));
    let price = |(field, (category, _)): (&&'static str, &(&'static str, Cents))| {
        let cents = parse_money(&platform::typed(field)).filter(|cents| *cents <= MAX_PRICE_CENTS);
        cents.map(|cents| (*category, cents)).ok_or_else(|| Error::bad(field, ""))
    };
    let prices = PRICES.iter().zip(hall.categories()).map(price).collect::<Result<_>>()?;
    let limit = number("limit_per_user", "limit_per_user", parse_count)?;
    Ok(OpenHall {
        id: (!id.is_empty()).then_some(id),
        hall,
        prices,
        limit_per_user: u32::try_from(limit).unwrap_or(u32::MAX),
        hold_s: number("hold_s", "hold_s", parse_count)?,
    })
}

/// A field for each category of the hall that is chosen.
fn prices(chosen: RwSignal<usize>, error: RwSignal<Option<Error>>) -> El {
    let words = words();
    let fields = move || {
        let hall = hall(chosen.get());
        let field = |(name, (category, cents)): (&&'static str, &(&'static str, Cents))| {
            let words = FieldWords { label: category, ..words.price };
            let field = Field { name, words, numeric: true, ..Field::default() };
            let usual = money(*cents);
            item(*category, move || filled(field, usual, error))
        };
        PRICES.iter().zip(hall.categories()).map(field).collect()
    };
    el("fieldset").class("wide prices").with(nodes![el("legend").text(words.prices), each(fields)])
}

pub fn open() -> El {
    let (words, shared) = (words(), i18n::words());
    let navigate = use_navigate();
    let chosen = RwSignal::new(0);
    let error = RwSignal::new(None::<Error>);
    let waiting = RwSignal::new(false);
    let open = move || {
        if waiting.get_untracked() {
            return;
        }
        let terms = match typed() {
            Ok(terms) => terms,
            Err(why) => return error.set(Some(why)),
        };
        error.set(None);
        waiting.set(true);
        let navigate = navigate.clone();
        ask_at(OpenTicketsRequest::PATH, &terms, move |opened: Result<Opened>| {
            waiting.set(false);
            match opened {
                Ok(opened) => navigate(&["/tickets/", &segment(&opened.sale)].concat(), Default::default()),
                Err(why) => error.set(Some(why)),
            }
        });
    };
    let line = |name, words, value| field(Field { name, words, value, numeric: name != "id" }, error);
    let names = HallName::ALL.map(words.hall_name);
    let means = move |place| (words.hall_hint)(hall(place));
    el("section").class("card open").attr("aria-labelledby", "open-title").with(nodes![
        el("h2").attr("id", "open-title").text(words.open_title),
        el("form")
            .class("orders")
            .on("submit", move |event| {
                event.prevent_default();
                open();
            })
            .with(nodes![
                el("div").class("wide").with(nodes![choice("hall", words.hall, &names, chosen, means)]),
                prices(chosen, error),
                line("limit_per_user", words.limit_per_user, "6"),
                line("hold_s", words.hold_s, "600"),
                line("id", shared.sale_id, ""),
                el("div").class("actions").with(nodes![submit("strong", move || waiting.get()).text(words.open)]),
                notice(error, FIELDS),
            ]),
    ])
}
