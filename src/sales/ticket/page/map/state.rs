//! What the map shows and how it answers; in the browser only.

use super::{
    camera::Camera,
    geometry::Geometry,
    gestures::Pointers,
    overlay::{Mark, SEAT_NUMBERS, Scene},
    painter::Painter,
    pixels::PixelCanvas,
};
use crate::{
    components::canvas::Surface,
    sales::ticket::{
        OrderState,
        hall::Hall,
        page::{
            demand::Demand,
            sale::{Pointed, Sale},
        },
    },
};
use leptos::prelude::*;
use std::mem;
use web_sys::HtmlCanvasElement;

/// How much closer a key or a button comes.
pub const ZOOM: f64 = 1.5;
/// Below so many CSS pixels a seat, a tap comes closer instead of choosing: nobody could tell which seat is meant.
const TAP_SCALE: f64 = 4.5;
/// How large seats are then.
const CLOSE_SCALE: f64 = 14.0;
/// How large they are around one that is asked for elsewhere on the page.
const SHOW_SCALE: f64 = 20.0;

/// What changed since the last picture.
#[derive(Clone, Copy, Default)]
pub struct Changes {
    /// Perhaps: a canvas that is watched is also told of the size that it has from the start.
    pub size: bool,
    pub colors: bool,
    pub camera: bool,
    pub seats: bool,
    /// Marks, or the demand.
    pub overlay: bool,
}

/// The camera, the canvases, and what is pressed.
pub struct MapState {
    sale: Sale,
    geometry: Geometry,
    camera: Camera,
    pub pointers: Pointers,
    pub changes: Changes,
    painter: Painter,
    pixels: PixelCanvas,
    overlay_canvas: HtmlCanvasElement,
    overlay: Option<Surface>,
    /// What the stage is called.
    stage: &'static str,
    /// When this began, until the first picture.
    began: Option<f64>,
}

impl MapState {
    /// `None` where there is nothing to draw on.
    pub fn new(
        sale: Sale,
        seats: HtmlCanvasElement,
        overlay_canvas: HtmlCanvasElement,
        stage: &'static str,
    ) -> Option<Self> {
        let began = performance_now();
        let geometry = sale.hall.with_value(Geometry::new);
        Some(Self {
            sale,
            camera: Camera::new(geometry.bounds, 1.0, 1.0),
            geometry,
            pointers: Pointers::default(),
            changes: Changes { size: true, colors: true, camera: true, seats: true, overlay: true },
            painter: Painter::default(),
            pixels: PixelCanvas::new(seats)?,
            overlay_canvas,
            overlay: None,
            stage,
            began,
        })
    }

    pub fn pan(&mut self, dx: f64, dy: f64) {
        self.camera.pan(dx, dy);
        self.camera_moved();
    }

    pub fn zoom(&mut self, factor: f64, x: f64, y: f64) {
        self.camera.zoom(factor, x, y);
        self.camera_moved();
    }

    pub fn zoom_in(&mut self) {
        let (x, y) = self.camera.middle();
        self.zoom(ZOOM, x, y);
    }

    pub fn zoom_out(&mut self) {
        let (x, y) = self.camera.middle();
        self.zoom(1.0 / ZOOM, x, y);
    }

    pub fn show_all(&mut self) {
        self.camera.show_all();
        self.camera_moved();
    }

    /// Has all painted anew, and takes the card of the seat that is pointed at along.
    fn camera_moved(&mut self) {
        self.changes.camera = true;
        self.point_at(self.pointed_seat());
    }

    /// Shows a seat from near, and points at it.
    pub fn show_seat(&mut self, seat: u32) {
        if let Some([x, y]) = self.geometry.seats.get(seat as usize).copied() {
            self.camera.center_on(x.into(), y.into(), SHOW_SCALE);
            self.camera_moved();
            self.point_at(Some(seat));
        }
    }

    /// Moves by a key, and points at the seat in the middle.
    pub fn step(&mut self, dx: f64, dy: f64) {
        self.pan(dx, dy);
        let (x, y) = self.camera.middle();
        self.point_at(self.seat_at(x, y));
    }

    /// Chooses the seat at a point of the view; from afar, comes closer.
    pub fn tap(&mut self, x: f64, y: f64) {
        if self.come_close(x, y) {
            return;
        }
        let seat = self.seat_at(x, y);
        self.point_at(seat);
        if let Some(seat) = seat {
            self.sale.toggle(seat);
        }
    }

    /// Points at the seat in the middle, or chooses it where it is pointed at already.
    pub fn press_middle(&mut self) {
        let (x, y) = self.camera.middle();
        self.come_close(x, y);
        let seat = self.seat_at(x, y);
        let was_pointed_at = self.pointed_seat() == seat;
        self.point_at(seat);
        if let Some(seat) = seat.filter(|_| was_pointed_at) {
            self.sale.toggle(seat);
        }
    }

    /// Brings a point of the view closer, where seats are too small to be told apart. Says whether they were.
    fn come_close(&mut self, x: f64, y: f64) -> bool {
        let is_far = self.camera.scale < TAP_SCALE;
        if is_far {
            let (x, y) = self.camera.to_hall(x, y);
            self.camera.center_on(x, y, CLOSE_SCALE);
            self.camera_moved();
        }
        is_far
    }

    /// The seat at a point of the view.
    pub fn seat_at(&self, x: f64, y: f64) -> Option<u32> {
        let (x, y) = self.camera.to_hall(x, y);
        self.sale.hall.with_value(|hall| hall.seat_at(x, y).map(|seat| hall.number(seat)))
    }

    fn pointed_seat(&self) -> Option<u32> {
        self.sale.pointed.get_untracked().map(|pointed| pointed.seat)
    }

    /// Points at a seat: its card stands beside it.
    pub fn point_at(&mut self, seat: Option<u32>) {
        let pointed = seat.and_then(|seat| {
            let [x, y] = *self.geometry.seats.get(seat as usize)?;
            let (x, y) = self.camera.to_view(x.into(), y.into());
            let per_mille = |length: f64, all: f64| (length / all * 1_000.0) as i32;
            Some(Pointed { seat, x: per_mille(x, self.camera.width), y: per_mille(y, self.camera.height) })
        });
        if self.sale.pointed.get_untracked() != pointed {
            self.sale.pointed.set(pointed);
        }
    }

    /// Whatever this pointer does from now on is done to the map, until it is lifted.
    pub fn capture_pointer(&self, id: i32) {
        // Fails where the pointer is up already.
        _ = self.overlay_canvas.set_pointer_capture(id);
    }

    /// Brings the picture up to date.
    pub fn draw(&mut self) {
        let changes = mem::take(&mut self.changes);
        let resized = changes.size && self.pixels.fit();
        if resized && !self.pixels.is_empty() {
            let (width, height) = self.pixels.css_size();
            self.camera.resize(width, height);
            self.point_at(self.pointed_seat());
        }
        if resized || changes.colors {
            self.overlay = Surface::new(&self.overlay_canvas);
        }
        if changes.colors {
            self.painter.read_colors(&self.pixels);
        }
        if self.pixels.is_empty() {
            return;
        }
        let Self { sale, geometry, camera, painter, pixels, .. } = self;
        sale.hall.with_value(|hall| {
            sale.seats.with_value(|states| {
                let all = resized || changes.colors || changes.camera;
                let mut seats_changed = false;
                if all {
                    painter.paint_all(pixels, camera, hall, &geometry.seats, states);
                } else if changes.seats {
                    seats_changed = painter.paint_changed(pixels, camera, hall, &geometry.seats, states);
                }
                let numbers_changed = seats_changed && camera.scale >= SEAT_NUMBERS;
                if let Some(surface) = self.overlay.as_ref().filter(|_| all || changes.overlay || numbers_changed) {
                    let demand = sale.shows_demand.get_untracked().then(|| sale.demand.with_untracked(Demand::shares));
                    let (demand, marks) = (demand.as_deref(), &marks(*sale, hall));
                    Scene { camera, geometry, hall, states, demand, marks, stage: self.stage }.draw(surface);
                }
            });
        });
        // For whoever measures the page.
        if let (Some(began), Some(now)) = (self.began.take(), performance_now()) {
            _ = self.pixels.canvas.set_attribute("data-first-ms", &format!("{:.0}", now - began));
        }
        _ = self.pixels.canvas.set_attribute("data-event-id", &self.sale.event_id().to_string());
    }
}

/// Milliseconds since the page began.
fn performance_now() -> Option<f64> {
    window().performance().map(|performance| performance.now())
}

/// The seats that the reader points at, has chosen, holds, or has paid for.
fn marks(sale: Sale, hall: &Hall) -> Vec<(u32, Mark)> {
    let mut marks = Vec::new();
    sale.my_orders.list.with_untracked(|orders| {
        for order in orders {
            let mark = match order.state {
                OrderState::Held => Mark::Held,
                OrderState::Paid => Mark::Paid,
                OrderState::Cancelled | OrderState::Expired | OrderState::Refunded => continue,
            };
            let seats = order.seats.iter().filter_map(|id| hall.find(id));
            marks.extend(seats.map(|seat| (hall.number(seat), mark)));
        }
    });
    sale.selection.with_untracked(|seats| marks.extend(seats.iter().map(|seat| (*seat, Mark::Chosen))));
    marks.extend(sale.pointed.get_untracked().map(|pointed| (pointed.seat, Mark::Pointed)));
    marks
}
