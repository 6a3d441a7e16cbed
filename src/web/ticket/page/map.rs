//! The seat map: one canvas with the seats as pixels, and another over it with lines, names and marks.
//!
//! Sixty thousand seats are too many for nodes and signals: their states are in [`Sale::seats`], and one signal counts
//! their changes. While the camera rests, only the changed seats are painted. When it moves, all are: a picture of
//! 60,000 seats takes less than a frame.

mod camera;
mod crosshair;
mod demand_scale;
mod geometry;
mod gestures;
mod handle;
mod input;
mod just_taken;
mod legend;
mod map_ref;
mod miniature;
mod names;
mod overlay;
mod overview;
mod painter;
mod picture;
mod pixels;
mod placement;
mod sprites;
mod state;
mod steps;

pub use handle::Handle;
pub use miniature::MINIATURE;
pub use painter::CATEGORY_COLORS;

use crate::{
    components::{Button, Icon},
    ticket::{
        page::{
            Sale,
            map::{
                demand_scale::DemandScale,
                legend::{Legend, PriceKey},
                map_ref::{unfold, use_map},
                overview::Overview,
                state::MapState,
            },
        },
        words::words,
    },
};
use leptos::prelude::*;

/// Shows the card with the map, its tools, its legend and the buttons of the price categories.
#[component]
pub fn SeatMap(
    /// The sale, with its seats, the selection and the seat under the pointer.
    sale: Sale,
    /// Moves the map from elsewhere on the page.
    handle: Handle,
    /// The layer over the map: the card of the seat under the pointer.
    children: Children,
) -> impl IntoView {
    let words = words();
    let (seats, overlay) = (NodeRef::new(), NodeRef::new());
    let map = use_map(sale, handle, seats, overlay);
    let tool = move |icon, label: &'static str, act: fn(&mut MapState)| {
        view! {
            <Button class="quiet tool" on_click=move || map.update(act) {..} aria-label=label title=label>
                <Icon icon />
            </Button>
        }
    };
    view! {
        <section class="card map" aria-labelledby="map-title">
            <div class="bar">
                <h2 id="map-title" class="stage-heading">{words.map}</h2>
                <Legend sale is_plain=map.view.is_plain />
                <div class="tools" role="group" aria-label=words.map_tools>
                    <Button
                        class="quiet tool"
                        on_click=move || sale.shows_demand.update(|shows| *shows = !*shows)
                        {..}
                        aria-pressed=move || sale.shows_demand.get().to_string()
                    >
                        {words.demand}
                    </Button>
                    {tool(icondata_lu::LuPlus, words.zoom_in, MapState::zoom_in)}
                    {tool(icondata_lu::LuMinus, words.zoom_out, MapState::zoom_out)}
                    {tool(icondata_lu::LuMaximize, words.show_all, MapState::show_all)}
                    <details class="map-help">
                        <summary class="button quiet tool" aria-label=words.map_help title=words.map_help>
                            <Icon icon=icondata_lu::LuCircleHelp />
                        </summary>
                        <p class="aside" id="map-hint">
                            {words.map_hint}
                        </p>
                    </details>
                </div>
                <PriceKey sale is_plain=map.view.is_plain />
            </div>
            <div class="hall">
                <canvas class="seats" node_ref=seats aria-hidden="true"></canvas>
                <canvas
                    class="overlay"
                    node_ref=overlay
                    role="application"
                    tabindex="0"
                    aria-label=words.map
                    aria-describedby="map-hint"
                    on:pointerdown=move |event| map.update(|map| map.on_pointer_down(&event))
                    on:pointermove=move |event| map.update(|map| map.on_pointer_move(&event))
                    on:pointerup=move |event| map.update(|map| map.on_pointer_up(&event))
                    on:pointercancel=move |event| map.update(|map| map.on_pointer_cancel(&event))
                    on:pointerleave=move |event| map.update(|map| map.on_pointer_leave(&event))
                    on:dblclick=move |event| map.update(|map| map.on_double_click(&event))
                    on:wheel=move |event| map.update(|map| map.on_wheel(&event))
                    on:keydown=move |event| map.update(|map| map.on_key_down(&event))
                    on:focus=move |event| _ = unfold(&event_target(&event))
                    on:blur=move |_| map.update(MapState::on_blur)
                ></canvas>
                <p class="waiting" hidden=move || map.view.is_drawn.get()>
                    {words.map_waiting}
                </p>
                <DemandScale sale />
                <Overview sale map />
                {children()}
                // As HTML: a browser with JavaScript parses the contents as text, where hydration would look for
                // elements.
                <noscript inner_html=format!("<p class=\"empty\">{}</p>", words.map_without) />
            </div>
        </section>
    }
    .into_any()
}
