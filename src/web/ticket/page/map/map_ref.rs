//! The map behind its component: created with its canvases, and kept up to date.

use crate::{
    components::{AnimationFrame, use_animation_frame, use_dark_mode, use_tab_storage},
    ticket::{
        page::{
            Sale,
            map::{
                camera::ViewPosition,
                geometry::Geometry,
                handle::{Handle, Request},
                just_taken::PERIOD_MS,
                state::{Changes, MapState, MapView},
            },
        },
        words::words,
    },
};
use leptos::{html, prelude::*};
use leptos_use_element_size::{UseElementSizeReturn, use_element_size};
use leptos_use_preferences::use_prefers_reduced_motion;
use send_wrapper::SendWrapper;
use std::{sync::Arc, time::Duration};
use web_sys::Element;

/// The height of a map that is not folded, at least, in pixels.
const LEAST_HEIGHT: f64 = 100.0;

/// The map behind its component.
#[derive(Clone, Copy)]
pub struct MapRef {
    /// `None` on the server, and before its canvases are there.
    state: StoredValue<Option<SendWrapper<MapState>>>,
    /// Likewise.
    pub geometry: StoredValue<Option<Arc<Geometry>>>,
    /// The view's state for the rest of the page.
    pub view: MapView,
    frame: AnimationFrame,
}

impl MapRef {
    /// Acts on the map, and shows the result in the next frame.
    pub fn update(self, act: impl FnOnce(&mut MapState)) {
        self.state.try_update_value(|state| {
            if let Some(state) = state {
                act(state);
                self.frame.request();
            }
        });
    }

    /// Redraws in the next frame whenever a signal that `track` reads changes.
    fn redraw_on(self, track: impl Fn() + 'static, change: fn(&mut Changes)) {
        Effect::watch(track, move |(), _, _| self.update(|map| change(&mut map.changes)), false);
    }
}

/// Creates the map once its canvases are there, and keeps it up to date.
pub fn use_map(sale: Sale, handle: Handle, seats: NodeRef<html::Canvas>, overlay: NodeRef<html::Canvas>) -> MapRef {
    let stage = words().stage;
    let state = StoredValue::new(None::<SendWrapper<MapState>>);
    let geometry = StoredValue::new(None::<Arc<Geometry>>);
    let view = MapView {
        is_drawn: RwSignal::new(false),
        is_plain: RwSignal::new(false),
        frame: RwSignal::new(None),
        place: RwSignal::new(None),
    };
    let (kept, keep) = use_tab_storage::<Option<ViewPosition>>(format!("map:{}", sale.id()));
    Effect::watch(move || view.place.get(), move |place, _, _| keep.set(*place), false);
    let is_still = use_prefers_reduced_motion();
    // Seats that were just taken stand out for a moment, and are then painted again.
    let moment = RwSignal::new(());
    let is_awaited = StoredValue::new(false);
    let draw = move || {
        let has_just_taken = state.try_update_value(|state| {
            state.as_mut().is_some_and(|state| {
                state.draw();
                state.painter.just_taken.is_any_drawn
            })
        });
        if has_just_taken == Some(true) && !is_awaited.get_value() {
            is_awaited.set_value(true);
            let is_over = move || {
                // The page may be disposed.
                if is_awaited.try_set_value(false).is_none() {
                    moment.set(());
                }
            };
            set_timeout(is_over, Duration::from_millis(PERIOD_MS as u64));
        }
    };
    let map = MapRef { state, geometry, view, frame: use_animation_frame(draw) };
    Effect::new(move || {
        if let (Some(seats), Some(overlay)) = (seats.get(), overlay.get()) {
            let shapes = Arc::new(sale.hall.with_value(Geometry::new));
            geometry.set_value(Some(shapes.clone()));
            let mut map = MapState::new(sale, shapes, view, seats, overlay, stage, is_still);
            if let (Some(map), Some(place)) = (&mut map, kept.get_untracked()) {
                map.camera.go_to(place);
            }
            state.set_value(map.map(SendWrapper::new));
            // The first picture does not wait for a frame.
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
    let filter = move || sale.filter.track();
    map.redraw_on(size, |changes| changes.size = true);
    map.redraw_on(move || dark.track(), |changes| changes.colors = true);
    map.redraw_on(move || sale.seats_version.track(), |changes| changes.seats = true);
    map.redraw_on(move || moment.track(), |changes| changes.seats = true);
    map.redraw_on(marks, |changes| changes.overlay = true);
    map.redraw_on(filter, |changes| (changes.seats, changes.overlay) = (true, true));
    Effect::new(move || {
        let Some(request) = handle.request() else { return };
        if let (Request::Show(_), Some(seats)) = (&request, seats.get_untracked()) {
            scroll_to(&seats);
        }
        map.update(|map| map.answer(request));
    });
    map
}

/// Scrolls the page until all of an element is visible; not at all if it is already. (Functions that always scroll
/// would go elsewhere on narrow screens, where the map stays while the page scrolls.)
fn scroll_to(element: &Element) {
    if unfold(element) {
        return;
    }
    let place = element.get_bounding_client_rect();
    let height = window().inner_height().ok().and_then(|height| height.as_f64()).unwrap_or_default();
    if place.top() < 0.0 || place.bottom() > height {
        element.scroll_into_view_with_bool(false);
    }
}

/// Scrolls to the top of the page if the map is folded, as on a phone while a form is read: there it has its height.
/// Returns whether it was.
pub fn unfold(element: &Element) -> bool {
    let is_folded = element.get_bounding_client_rect().height() < LEAST_HEIGHT;
    if is_folded {
        window().scroll_to_with_x_and_y(0.0, 0.0);
    }
    is_folded
}
