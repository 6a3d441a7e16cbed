//! The remaining seats of each category, exactly.

use crate::{
    components::{Meter, format::count},
    ticket::{
        page::{Sale, map::CATEGORY_COLORS},
        words::words,
    },
};
use leptos::prelude::*;
use model::{
    snapshot::SaleSnapshot,
    ticket::{Price, Snapshot},
};

/// The numbers of free, held, sold and blocked seats of a category.
#[derive(Clone, Copy, Default, PartialEq)]
struct Counts {
    free: u64,
    held: u64,
    sold: u64,
    blocked: u64,
}

impl Counts {
    fn of(sale: &Snapshot, category: &str) -> Self {
        let [free, held, sold, blocked] = [&sale.remaining, &sale.held, &sale.sold, &sale.blocked]
            .map(|by_category| by_category.get(category).copied().unwrap_or_default().into());
        Self { free, held, sold, blocked }
    }

    /// Returns the number of seats for sale.
    fn for_sale(self) -> u64 {
        self.free + self.held + self.sold
    }
}

/// Shows a bar and the figures for each category.
#[component]
pub fn Availability(
    /// The sale on the page, kept up to date by the live view.
    sale: Sale,
) -> impl IntoView {
    let words = words();
    let categories = sale.live.snapshot.with_untracked(|sale| sale.categories.clone());
    let lines = categories.into_iter().zip(CATEGORY_COLORS.iter().copied().cycle());
    let all_held = Memo::new(move |_| {
        let (free, held) = sale.live.read(|sale| (sale.free_seats(), sale.held()));
        (free == 0 && held > 0).then_some(held)
    });
    view! {
        <section class="card availability wide" aria-labelledby="availability-title">
            <h2 id="availability-title">{words.availability}</h2>
            <p class="aside">{move || all_held.get().map(words.all_taken)}</p>
            <ul class="categories">
                {lines.map(|(category, color)| view! { <CategoryAvailability sale category color /> }).collect_view()}
            </ul>
        </section>
    }
}

#[component]
fn CategoryAvailability(
    /// The sale on the page, kept up to date by the live view.
    sale: Sale,
    /// The category, with its capacity and price.
    category: Price,
    /// The custom property with the category's colour on the map.
    color: &'static str,
) -> impl IntoView {
    let words = words();
    let Price { name, price_cents, .. } = category;
    let label = sale.category_name(&name);
    let counts = {
        let name = name.clone();
        Memo::new(move |_| sale.live.read(|sale| Counts::of(sale, &name)))
    };
    let text = Signal::derive(move || {
        let all = counts.get();
        let text = (words.availability_text)(count(all.free), count(all.for_sale()), count(all.held), count(all.sold));
        if all.blocked == 0 { text } else { format!("{text}, {}", (words.blocked_count)(count(all.blocked))) }
    });
    let has_blocked = Memo::new(move |_| counts.get().blocked > 0);
    // In thousandths, as the bar shows nothing finer.
    let share = move |seats: u64| {
        format!("--share:{}", (seats * 1_000).checked_div(counts.get().for_sale()).unwrap_or_default())
    };
    view! {
        <li style=format!("--swatch:var({color})")>
            <div class="sub">
                <h3 class="swatch">{label.clone()}</h3>
                <span class="price">{sale.live.money(price_cents)}</span>
            </div>
            <Meter
                class="stack"
                label=label.clone()
                value=Signal::derive(move || counts.get().free)
                max=Signal::derive(move || counts.get().for_sale())
                text
            >
                <span class="free" style=move || share(counts.get().free)></span>
                <span class="held" style=move || share(counts.get().held)></span>
                <span class="sold" style=move || share(counts.get().sold)></span>
            </Meter>
            <div class="sub">
                <span>
                    <b>{move || count(counts.get().free)}</b>
                    " "
                    {words.free}
                </span>
                <span>
                    <b>{move || count(counts.get().held)}</b>
                    " "
                    {words.held}
                </span>
                <span>
                    <b>{move || count(counts.get().sold)}</b>
                    " "
                    {words.sold}
                </span>
                <Show when=move || has_blocked.get()>
                    <span>
                        <b>{move || count(counts.get().blocked)}</b>
                        " "
                        {words.blocked}
                    </span>
                </Show>
            </div>
        </li>
    }
}
