//! The map's state and its actions; in the browser only.

use crate::{
    components::{Surface, performance_now},
    ticket::page::{
        map::{
            camera::{Camera, ViewPosition},
            geometry::{Bounds, Geometry},
            gestures::Pointers,
            handle::Request,
            names::Name,
            painter::Painter,
            pixels::PixelCanvas,
        },
        sale::{Pointed, Sale},
    },
};
use leptos::prelude::*;
use std::sync::Arc;
use web_sys::HtmlCanvasElement;

/// The zoom factor of a key or a button.
pub const ZOOM: f64 = 1.5;
/// The scale below which a tap zooms in instead of selecting, in CSS pixels per seat: the smallest target that WCAG
/// 2.5.8 allows.
const TAP_SCALE: f64 = 24.0;
/// The scale after such a tap, and around a seat that is requested elsewhere on the page.
const CLOSE_SCALE: f64 = 28.0;

/// The state that the map reports to the page.
#[derive(Clone, Copy)]
pub struct MapView {
    /// The first picture is drawn.
    pub is_drawn: RwSignal<bool>,
    /// Seats are so small that their shapes are filled.
    pub is_plain: RwSignal<bool>,
    /// The visible part, as shares of the hall's width and height: left, top, right, bottom. `None` while it is all.
    pub frame: RwSignal<Option<[f64; 4]>>,
    /// The same, in a form that restores it. `None` while it is all.
    pub place: RwSignal<Option<ViewPosition>>,
}

/// The changes since the last picture.
#[derive(Clone, Copy, Default)]
pub struct Changes {
    /// Possibly without effect: an observed canvas also reports its initial size.
    pub size: bool,
    pub colors: bool,
    pub camera: bool,
    pub seats: bool,
    /// Marks, the crosshair, or the demand.
    pub overlay: bool,
}

/// The camera, the canvases, and the pressed pointers.
pub struct MapState {
    pub sale: Sale,
    pub geometry: Arc<Geometry>,
    pub camera: Camera,
    pub view: MapView,
    pub pointers: Pointers,
    pub changes: Changes,
    pub painter: Painter,
    pub pixels: PixelCanvas,
    pub overlay_canvas: HtmlCanvasElement,
    pub overlay: Option<Surface>,
    /// The section names in the picture.
    pub names: Vec<Name>,
    /// The seat at the keyboard's crosshair, once it has been used.
    pub crosshair: Option<u32>,
    /// The crosshair is visible.
    pub has_crosshair: bool,
    /// Seats that were requested elsewhere on the page, until the map is pressed.
    pub shown: Vec<u32>,
    /// The name of the stage.
    pub stage: &'static str,
    /// The reader wants nothing to move.
    pub is_still: Signal<bool>,
    /// The time of creation, until the first picture.
    pub began: Option<f64>,
}

impl MapState {
    /// Creates the map; `None` if its canvases cannot be drawn on.
    pub fn new(
        sale: Sale,
        geometry: Arc<Geometry>,
        view: MapView,
        seats: HtmlCanvasElement,
        overlay_canvas: HtmlCanvasElement,
        stage: &'static str,
        is_still: Signal<bool>,
    ) -> Option<Self> {
        let began = performance_now();
        Some(Self {
            sale,
            camera: Camera::new(geometry.bounds, 1.0, 1.0),
            geometry,
            view,
            pointers: Pointers::default(),
            changes: Changes { size: true, colors: true, camera: true, seats: true, overlay: true },
            painter: Painter::default(),
            pixels: PixelCanvas::new(seats)?,
            overlay_canvas,
            overlay: None,
            names: Vec::new(),
            crosshair: None,
            has_crosshair: false,
            shown: Vec::new(),
            stage,
            is_still,
            began,
        })
    }

    /// Moves the view, in CSS pixels.
    pub fn pan(&mut self, dx: f64, dy: f64) {
        self.camera.pan(dx, dy);
        self.camera_moved();
    }

    /// Zooms by a factor around a point of the view, in CSS pixels.
    pub fn zoom(&mut self, factor: f64, x: f64, y: f64) {
        self.camera.zoom(factor, x, y);
        self.camera_moved();
    }

    /// Zooms in by one step around the middle.
    pub fn zoom_in(&mut self) {
        let (x, y) = self.camera.middle();
        self.zoom(ZOOM, x, y);
    }

    /// Zooms out by one step around the middle.
    pub fn zoom_out(&mut self) {
        let (x, y) = self.camera.middle();
        self.zoom(1.0 / ZOOM, x, y);
    }

    /// Shows the whole hall.
    pub fn show_all(&mut self) {
        self.camera.show_all();
        self.camera_moved();
    }

    /// Repaints everything, and moves the card of the seat under the pointer.
    pub fn camera_moved(&mut self) {
        self.changes.camera = true;
        self.point_at(self.pointed_seat());
    }

    /// Answers a request from elsewhere on the page.
    pub fn answer(&mut self, request: Request) {
        match request {
            Request::Show(seats) | Request::Frame(seats) => self.show_seats(seats),
            Request::PointAt(seat) => {
                if let Some([x, y]) = seat.and_then(|seat| self.place(seat)) {
                    self.camera.reveal(x, y);
                    self.camera_moved();
                }
                self.point_at(seat);
            }
        }
    }

    /// Shows seats from near, with all of them in view, and marks them.
    fn show_seats(&mut self, seats: Vec<u32>) {
        let places: Vec<_> = seats.iter().filter_map(|seat| self.place(*seat)).collect();
        if places.is_empty() {
            return;
        }
        self.camera.fit(Bounds::around(places.into_iter().map(|[x, y]| (x, y))), CLOSE_SCALE);
        self.camera_moved();
        // A single seat gets its card; with several, a card would cover others.
        self.point_at(seats.first().copied().filter(|_| seats.len() == 1));
        self.shown = seats;
    }

    /// Returns the position of a seat in the hall.
    pub fn place(&self, seat: u32) -> Option<[f64; 2]> {
        self.geometry.seats.get(seat as usize).map(|place| place.map(f64::from))
    }

    /// Selects the seat at a point of the view; from afar, zooms in.
    pub fn tap(&mut self, x: f64, y: f64) {
        let (hall_x, hall_y) = self.camera.to_hall(x, y);
        if self.come_close_to(hall_x, hall_y, TAP_SCALE) {
            return;
        }
        let seat = self.seat_at(x, y);
        self.point_at(seat);
        if let Some(seat) = seat {
            self.sale.toggle_on_map(seat);
        }
    }

    /// Zooms in on a point of the hall, if the scale is smaller than `least`. Returns whether it was.
    pub fn come_close_to(&mut self, x: f64, y: f64, least: f64) -> bool {
        let is_far = self.camera.scale < least;
        if is_far {
            self.camera.center_on(x, y, CLOSE_SCALE);
            self.camera_moved();
        }
        is_far
    }

    /// Returns the seat at a point of the view.
    pub fn seat_at(&self, x: f64, y: f64) -> Option<u32> {
        let (x, y) = self.camera.to_hall(x, y);
        self.sale.hall.with_value(|hall| self.geometry.seat_at(hall, x, y))
    }

    /// Returns the number of the seat under the reader's pointer.
    pub fn pointed_seat(&self) -> Option<u32> {
        self.sale.pointed.get_untracked().map(|pointed| pointed.seat)
    }

    /// Points at a seat, which shows its card.
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

    /// Captures a pointer for the map until it is lifted.
    pub fn capture_pointer(&self, id: i32) {
        // Fails if the pointer is up already.
        _ = self.overlay_canvas.set_pointer_capture(id);
    }
}
