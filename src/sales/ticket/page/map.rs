//! The seat map: the seats on one canvas as pixels, and over it another one with lines, names and marks.
//!
//! Sixty thousand seats are too many for nodes and signals: their states stay in [`Sale::seats`], and one signal
//! counts their changes. While the camera rests, only seats that changed are painted. When it moves, all are: a
//! picture of 60,000 seats takes less than a frame.

mod camera;
mod geometry;
mod gestures;
mod input;
mod overlay;
mod painter;
mod pixels;
mod sprites;
mod state;

pub use painter::CATEGORY_COLORS;

use super::Sale;
use crate::{
    components::{AnimationFrame, Button, Icon, use_animation_frame, use_dark_mode},
    sales::ticket::words::words,
};
use leptos::{html, prelude::*};
use leptos_use_element_size::{UseElementSizeReturn, use_element_size};
use send_wrapper::SendWrapper;
use state::{Changes, MapState};

/// Moves the map from elsewhere on the page.
#[derive(Clone, Copy)]
pub struct Handle(RwSignal<Option<u32>>);

impl Handle {
    pub fn new() -> Self {
        Self(RwSignal::new(None))
    }

    /// Shows a seat from near, and its card.
    pub fn show(self, seat: u32) {
        self.0.set(Some(seat));
    }
}

/// The card with the map, its tools and its legend.
#[component]
pub fn SeatMap(
    /// Has the seats, and is told which of them are pointed at and chosen.
    sale: Sale,
    /// Moves the map from elsewhere on the page.
    handle: Handle,
    /// What lies over the map: the card of the seat that is pointed at.
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
                <h2 id="map-title">{words.map}</h2>
                <div class="tools" role="group" aria-label=words.map_tools>
                    <Button
                        class="quiet tool"
                        on_click=move || sale.shows_demand.update(|shows| *shows = !*shows)
                        {..}
                        aria-pressed=move || sale.shows_demand.get().to_string()
                    >
                        {words.heat}
                    </Button>
                    {tool(icondata_lu::LuPlus, words.zoom_in, MapState::zoom_in)}
                    {tool(icondata_lu::LuMinus, words.zoom_out, MapState::zoom_out)}
                    {tool(icondata_lu::LuMaximize, words.show_all, MapState::show_all)}
                </div>
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
                    on:blur=move |_| map.update(|map| map.point_at(None))
                ></canvas>
                {children()}
                // As HTML: a browser with JavaScript has text in here, where hydration would look for elements.
                <noscript inner_html=format!("<p class=\"empty\">{}</p>", words.map_without) />
            </div>
            <Legend />
            <p class="aside" id="map-hint">
                {words.map_hint}
            </p>
        </section>
    }
    .into_any()
}

/// What the shapes mean. Drawn as on the map from near.
#[component]
fn Legend() -> impl IntoView {
    let words = words();
    let shape = |class: &'static str| view! { <i class=class aria-hidden="true"></i> };
    view! {
        <p class="legend">
            <span class="key">{shape("free")} {words.free}</span>
            <span class="key">{shape("held")} {words.held}</span>
            <span class="key">{shape("sold")} {words.sold}</span>
            <span class="key">{shape("chosen")} {words.chosen}</span>
            <span class="key">{shape("mine")} {shape("paid")} {words.mine}</span>
        </p>
    }
}

/// The map behind its component.
#[derive(Clone, Copy)]
struct MapRef {
    /// None on the server, and before its canvases are there.
    state: StoredValue<Option<SendWrapper<MapState>>>,
    frame: AnimationFrame,
}

impl MapRef {
    /// Does something to the map, and shows in the next frame what came of it.
    fn update(self, act: impl FnOnce(&mut MapState)) {
        self.state.try_update_value(|state| {
            if let Some(state) = state {
                act(state);
                self.frame.request();
            }
        });
    }

    /// Draws anew in the next frame whenever one of the signals that `track` reads changes.
    fn redraw_on(self, track: impl Fn() + 'static, change: fn(&mut Changes)) {
        Effect::watch(track, move |(), _, _| self.update(|map| change(&mut map.changes)), false);
    }
}

/// Makes the map once its canvases are there, and keeps it up to date.
fn use_map(sale: Sale, handle: Handle, seats: NodeRef<html::Canvas>, overlay: NodeRef<html::Canvas>) -> MapRef {
    let stage = words().stage;
    let state = StoredValue::new(None::<SendWrapper<MapState>>);
    let draw = move || {
        state.try_update_value(|state| {
            if let Some(state) = state {
                state.draw();
            }
        });
    };
    let map = MapRef { state, frame: use_animation_frame(draw) };
    Effect::new(move || {
        if let (Some(seats), Some(overlay)) = (seats.get(), overlay.get()) {
            state.set_value(MapState::new(sale, seats, overlay, stage).map(SendWrapper::new));
            // The first picture waits for no frame.
            draw();
        }
    });
    let UseElementSizeReturn { width, height } = use_element_size(seats);
    let dark = use_dark_mode();
    let size = move || {
        width.track();
        height.track();
    };
    let marks = move || {
        sale.selection.track();
        sale.my_orders.list.track();
        sale.pointed.track();
        if sale.shows_demand.get() {
            sale.demand.track();
        }
    };
    map.redraw_on(size, |changes| changes.size = true);
    map.redraw_on(move || dark.track(), |changes| changes.colors = true);
    map.redraw_on(move || sale.seats_version.track(), |changes| changes.seats = true);
    map.redraw_on(marks, |changes| changes.overlay = true);
    Effect::new(move || {
        if let Some(seat) = handle.0.get() {
            map.update(|map| map.show_seat(seat));
        }
    });
    map
}
