//! The legend of the map's colours for the demand.

use crate::{
    components::format::tenths,
    ticket::{
        page::{Sale, demand::Demand},
        words::words,
    },
};
use leptos::prelude::*;

/// Shows the scale of the demand, over the map while that shows the demand.
#[component]
pub fn DemandScale(
    /// The sale, which counts the demand of each section.
    sale: Sale,
) -> impl IntoView {
    let words = words();
    let most = Memo::new(move |_| tenths(sale.demand.with(Demand::scale)));
    view! {
        <div
            class="demand-scale"
            role="img"
            aria-label=move || (words.demand_scale)(most.get())
            hidden=move || !sale.shows_demand.get()
        >
            <span>"0"</span>
            <i></i>
            <span>{move || most.get()}</span>
            <span class="aside">{words.demand_unit}</span>
        </div>
    }
}
