//! What the map shows and how it answers; in the browser only.

use crate::{
    components::performance_now,
    ticket::page::{
        map::{
            camera::{Camera, ViewPosition},
            canvas::Surface,
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

/// How much closer a key or a button comes.
pub const ZOOM: f64 = 1.5;
/// Below this many CSS pixels a seat, a tap zooms in instead of choosing: nobody could tell which seat is meant.
pub const TAP_SCALE: f64 = 4.5;
/// How large seats are then.
pub const CLOSE_SCALE: f64 = 14.0;
/// How large they are around one that is asked for elsewhere on the page.
const SHOW_SCALE: f64 = 20.0;

/// What the map reports to the page.
#[derive(Clone, Copy)]
pub struct MapView {
    /// There is a picture.
    pub is_drawn: RwSignal<bool>,
    /// Seats are so small that their shapes are filled.
    pub is_plain: RwSignal<bool>,
    /// What is in view, as shares of the hall's width and height: left, top, right, bottom. None while it is all.
    pub frame: RwSignal<Option<[f64; 4]>>,
    /// The same, to find it again. None while it is all.
    pub place: RwSignal<Option<ViewPosition>>,
}

/// What changed since the last picture.
#[derive(Clone, Copy, Default)]
pub struct Changes {
    /// Perhaps not really: an observed canvas also reports the size that it has from the start.
    pub size: bool,
    pub colors: bool,
    pub camera: bool,
    pub seats: bool,
    /// Marks, the crosshair, or the demand.
    pub overlay: bool,
}

/// The camera, the canvases, and what is pressed.
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
    /// The sections' names in the picture.
    pub names: Vec<Name>,
    /// The seat that the keyboard is at, once it has been used.
    pub crosshair: Option<u32>,
    /// The crosshair is seen.
    pub has_crosshair: bool,
    /// Seats that were asked for elsewhere on the page, until the map is pressed.
    pub shown: Vec<u32>,
    /// What the stage is called.
    pub stage: &'static str,
    /// When this began, until the first picture.
    pub began: Option<f64>,
}

impl MapState {
    /// `None` where there is nothing to draw on.
    pub fn new(
        sale: Sale,
        geometry: Arc<Geometry>,
        view: MapView,
        seats: HtmlCanvasElement,
        overlay_canvas: HtmlCanvasElement,
        stage: &'static str,
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

    /// Repaints everything, and moves the card of the seat that is pointed at.
    pub fn camera_moved(&mut self) {
        self.changes.camera = true;
        self.point_at(self.pointed_seat());
    }

    /// Shows what is asked for elsewhere on the page.
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

    /// Shows seats from near, all of them, and marks them.
    fn show_seats(&mut self, seats: Vec<u32>) {
        let places: Vec<_> = seats.iter().filter_map(|seat| self.place(*seat)).collect();
        if places.is_empty() {
            return;
        }
        self.camera.fit(Bounds::around(places.into_iter().map(|[x, y]| (x, y))), SHOW_SCALE);
        self.camera_moved();
        // One has its card; a card would cover others.
        self.point_at(seats.first().copied().filter(|_| seats.len() == 1));
        self.shown = seats;
    }

    /// Where in the hall a seat is.
    pub fn place(&self, seat: u32) -> Option<[f64; 2]> {
        self.geometry.seats.get(seat as usize).map(|place| place.map(f64::from))
    }

    /// Chooses the seat at a point of the view; from afar, comes closer.
    pub fn tap(&mut self, x: f64, y: f64) {
        if self.come_close(x, y) {
            return;
        }
        let seat = self.seat_at(x, y);
        self.point_at(seat);
        if let Some(seat) = seat {
            self.sale.toggle_on_map(seat);
        }
    }

    /// Brings a point of the view closer, where seats are too small to be told apart. Says whether they were.
    fn come_close(&mut self, x: f64, y: f64) -> bool {
        let (x, y) = self.camera.to_hall(x, y);
        self.come_close_to(x, y)
    }

    /// The same with a point of the hall.
    pub fn come_close_to(&mut self, x: f64, y: f64) -> bool {
        let is_far = self.camera.scale < TAP_SCALE;
        if is_far {
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

    /// The number of the seat that the reader points at.
    pub fn pointed_seat(&self) -> Option<u32> {
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
}
