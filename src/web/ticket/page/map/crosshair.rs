//! Keyboard control of the map: a crosshair that goes from seat to seat.

use crate::ticket::{
    page::map::{
        state::MapState,
        steps::{nearest, nearest_towards, next_seat},
    },
    words::words,
};
use leptos::prelude::WithValue;

/// The scale from which an arrow key goes from one seat to the next, and Enter selects, in CSS pixels per seat.
const STEP_SCALE: f64 = 4.5;
/// The distance of an arrow key from afar, where seats are too small to go from one to the next, in CSS pixels.
const STRIDE: f64 = 32.0;

impl MapState {
    /// Moves the crosshair in a direction, which is (1, 0), (-1, 0), (0, 1) or (0, -1); shows it if it was hidden.
    pub fn step(&mut self, direction: (f64, f64)) {
        let from = self.seen_crosshair();
        let to = match from {
            None => self.seat_in_middle(),
            Some(from) => self.seat_after(from, direction).or(Some(from)),
        };
        self.move_crosshair(to);
    }

    /// Selects the seat at the crosshair, or deselects it; from afar, zooms in. Shows the crosshair if it was hidden.
    pub fn press_crosshair(&mut self) {
        let was_seen = self.seen_crosshair();
        let seat = was_seen.or_else(|| self.seat_in_middle());
        let came_closer =
            seat.and_then(|seat| self.place(seat)).is_some_and(|[x, y]| self.come_close_to(x, y, STEP_SCALE));
        self.move_crosshair(seat);
        match was_seen {
            Some(seat) if came_closer => self.sale.announce_on_map(words().came_closer.to_owned(), seat),
            Some(seat) => self.sale.toggle_on_map(seat),
            None => {}
        }
    }

    /// Hides the crosshair. The next key shows it in the same place, if that is still in view.
    pub fn hide_crosshair(&mut self) {
        if self.has_crosshair {
            self.has_crosshair = false;
            self.changes.overlay = true;
        }
    }

    /// Returns the crosshair's seat, if it is visible.
    fn seen_crosshair(&self) -> Option<u32> {
        self.crosshair.filter(|seat| self.has_crosshair && self.is_in_view(*seat))
    }

    fn is_in_view(&self, seat: u32) -> bool {
        self.place(seat).is_some_and(|[x, y]| {
            let (x, y) = self.camera.to_view(x, y);
            (0.0..=self.camera.width).contains(&x) && (0.0..=self.camera.height).contains(&y)
        })
    }

    /// Returns the last seat of the crosshair if it is in view, and otherwise the seat nearest to the middle of the
    /// view.
    fn seat_in_middle(&self) -> Option<u32> {
        self.crosshair.filter(|seat| self.is_in_view(*seat)).or_else(|| {
            let (x, y) = self.camera.middle();
            let (x, y) = self.camera.to_hall(x, y);
            nearest(&self.geometry.seats, x, y)
        })
    }

    fn seat_after(&self, from: u32, direction: (f64, f64)) -> Option<u32> {
        if self.camera.scale >= STEP_SCALE {
            return self.sale.hall.with_value(|hall| next_seat(hall, &self.geometry, from, direction));
        }
        let [x, y] = self.place(from)?;
        let stride = STRIDE / self.camera.scale;
        nearest_towards(&self.geometry.seats, from, direction, x + direction.0 * stride, y + direction.1 * stride)
    }

    fn move_crosshair(&mut self, seat: Option<u32>) {
        self.crosshair = seat;
        self.has_crosshair = seat.is_some();
        self.changes.overlay = true;
        if let Some([x, y]) = seat.and_then(|seat| self.place(seat)) {
            let before = self.camera;
            self.camera.reveal(x, y);
            if self.camera != before {
                self.camera_moved();
            }
        }
        self.point_at(seat);
    }
}
