//! `/tickets`: the ticket sales, and a form to open another.

use super::{
    SaleLine, api,
    page::{OpenTicketSale, StandingBadge},
    standing::Standing,
    words::words,
};
use crate::{
    components::{LoadAlert, LocalTime, Meter, SaleLink, TimeStyle, format::count, use_polling},
    error::Result,
    i18n,
};
use leptos::prelude::*;
use leptos_meta::Title;
use std::time::Duration;

/// How often the list is asked for anew.
const INTERVAL: Duration = Duration::from_secs(2);

/// `/tickets`
#[component]
pub fn TicketsPage() -> impl IntoView {
    let words = words();
    let sales = Resource::new(|| (), |()| api::list());
    let list = move || {
        Suspend::new(async move {
            let loaded = sales.await;
            if let Err(error) = &loaded {
                error.code.set_status();
            }
            view! { <TicketSales loaded /> }
        })
    };
    view! {
        <Title text=words.kind.name />
        <main id="main" class="home" tabindex="-1">
            <div class="intro">
                <h1>{words.list_title}</h1>
                <p>{words.list_intro}</p>
            </div>
            <Suspense fallback=|| view! { <p>{i18n::words().loading}</p> }>{list}</Suspense>
            <OpenTicketSale />
        </main>
    }
}

/// The newest ticket sales and what is left of each, kept up to date while somebody looks.
#[component]
pub fn TicketSales(
    /// The list as it is at first.
    loaded: Result<Vec<SaleLine>>,
) -> impl IntoView {
    let words = words();
    let (lines, error) = match loaded {
        Ok(lines) => (lines, None),
        Err(error) => (Vec::new(), Some(error)),
    };
    let (lines, error) = (RwSignal::new(lines), RwSignal::new(error));
    use_polling(INTERVAL, api::list, move |answer| match answer {
        Ok(news) => {
            lines.set(news);
            error.set(None);
        }
        Err(why) => error.set(Some(why)),
    });
    let is_empty = move || lines.with(Vec::is_empty) && error.with(Option::is_none);
    view! {
        <section class="sales" aria-labelledby="sales-title">
            <h2 id="sales-title">{words.list_sales}</h2>
            <LoadAlert error />
            <Show when=is_empty>
                <p class="empty">{words.list_empty}</p>
            </Show>
            <ul class="entries">
                <For
                    each=move || lines.get()
                    key=|line| line.sale.clone()
                    children=move |line| view! { <SaleEntry lines line /> }
                />
            </ul>
        </section>
    }
}

#[component]
fn SaleEntry(
    /// The list, which has newer figures than this line in time.
    lines: RwSignal<Vec<SaleLine>>,
    line: SaleLine,
) -> impl IntoView {
    let words = words();
    let SaleLine { sale, seats, opened_at, hall, .. } = line.clone();
    let seats = u64::from(seats);
    let line = Memo::new(move |_| {
        lines.with(|lines| lines.iter().find(|newer| newer.sale == line.sale).unwrap_or(&line).clone())
    });
    let free = Signal::derive(move || line.with(|line| u64::from(line.remaining)));
    let free_of = Signal::derive(move || (words.free_of)(count(free.get()), count(seats)));
    let held_and_sold =
        move || line.with(|line| (words.held_and_sold)(count(line.held.into()), count(line.sold.into())));
    let standing = Memo::new(move |_| line.with(|line| Standing::of(line.state, line.remaining.into())));
    view! {
        <li class="card entry">
            <div class="bar">
                <SaleLink kind="ticket" sale />
                <StandingBadge standing />
            </div>
            <Meter label=words.free value=free max=seats text=free_of />
            <div class="sub">
                <span>{hall.map_or(words.own_hall, words.hall_name)}</span>
                <span>{free_of}</span>
                <span>{held_and_sold}</span>
                <span class="aside">
                    <LocalTime at=opened_at style=TimeStyle::Full />
                </span>
            </div>
        </li>
    }
}
