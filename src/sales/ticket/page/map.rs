//! The seat map: the seats on a canvas as pixels, and over it another one with lines, names and marks.
//!
//! While the camera rests, only seats that changed are painted. When it moves, all are: a picture of 60,000 seats
//! takes less than a frame.

mod camera;
mod geometry;
mod input;
mod overlay;
mod painter;
mod section;
mod sprites;

pub use painter::CATEGORIES;
pub use section::{Handle, map};

use super::Sale;
use crate::{
    sales::ticket::{OrderState, hall::Hall, words::words},
    ui::platform::{self, Pixels, Surface},
};
use camera::Camera;
use geometry::Geometry;
use leptos::{prelude::*, web_sys::Element};
use overlay::{Mark, Scene};
use painter::Painter;
use std::mem;

/// What of the screen is older than what is known.
#[derive(Clone, Copy, Default)]
struct Stale {
    size: bool,
    colours: bool,
    seats: bool,
    over: bool,
}

pub struct Map {
    sale: Sale,
    geometry: Geometry,
    camera: Camera,
    painter: Painter,
    pointers: input::Pointers,
    under: Element,
    over: Option<Element>,
    pixels: Option<Pixels>,
    surface: Option<Surface>,
    stale: Stale,
    /// Whether a frame is on its way.
    awaited: bool,
    stage: &'static str,
    began: f64,
}

impl Map {
    fn new(sale: Sale, under: Element) -> Self {
        let began = platform::ticks();
        let geometry = sale.hall.with_value(Geometry::of);
        let camera = Camera::new(geometry.bounds, 1.0, 1.0);
        let stale = Stale { size: true, colours: true, seats: true, over: true };
        let (painter, pointers) = Default::default();
        let stage = words().stage;
        let (over, pixels, surface) = Default::default();
        Self {
            sale,
            geometry,
            camera,
            painter,
            pointers,
            under,
            over,
            pixels,
            surface,
            stale,
            awaited: false,
            stage,
            began,
        }
    }

    fn moved(&mut self) {
        (self.stale.seats, self.stale.over) = (true, true);
    }

    pub fn scale(&self) -> f64 {
        self.camera.scale
    }

    fn pan(&mut self, x: f64, y: f64) {
        self.camera.pan(x, y);
        self.moved();
    }

    fn zoom(&mut self, times: f64, x: f64, y: f64) {
        self.camera.zoom(times, x, y);
        self.moved();
    }

    fn zoom_middle(&mut self, times: f64) {
        self.zoom(times, self.camera.width / 2.0, self.camera.height / 2.0);
    }

    fn fit(&mut self) {
        self.camera.fit();
        self.moved();
    }

    /// Moves by a key, and points at the seat in the middle.
    fn step(&mut self, x: f64, y: f64) {
        self.pan(x, y);
        self.point(self.seat_at(self.camera.width / 2.0, self.camera.height / 2.0));
    }

    /// Comes close to a point of the view.
    fn come(&mut self, x: f64, y: f64, scale: f64) {
        let (x, y) = self.camera.at(x, y);
        self.camera.go(x, y, scale);
        self.moved();
    }

    /// Presses the middle by a key.
    fn press(&mut self, close: f64, too_small: f64) {
        let (x, y) = (self.camera.width / 2.0, self.camera.height / 2.0);
        if self.scale() < too_small {
            self.come(x, y, close);
        }
        let seat = self.seat_at(x, y);
        let pointed = self.sale.pointed.with_untracked(|pointed| pointed.map(|pointed| pointed.seat));
        self.point(seat);
        // The first time it is only pointed at.
        if let Some(seat) = seat.filter(|seat| pointed == Some(*seat)) {
            self.sale.toggle(seat);
        }
    }

    fn show(&mut self, seat: u32) {
        if let Some([x, y]) = self.geometry.seats.get(seat as usize).copied() {
            self.camera.go(x.into(), y.into(), 20.0);
            self.moved();
            self.point(Some(seat));
        }
    }

    fn seat_at(&self, x: f64, y: f64) -> Option<u32> {
        let (x, y) = self.camera.at(x, y);
        self.sale.hall.with_value(|hall| hall.seat_at(x, y).map(|seat| hall.number(seat)))
    }

    /// Points at a seat: its card stands beside it.
    fn point(&mut self, seat: Option<u32>) {
        let pointed = seat.and_then(|seat| {
            let [x, y] = *self.geometry.seats.get(seat as usize)?;
            let (x, y) = self.camera.see(x.into(), y.into());
            let (width, height) = (self.camera.width, self.camera.height);
            Some(Pointed { seat, x: (x / width * 1_000.0) as i32, y: (y / height * 1_000.0) as i32 })
        });
        if self.sale.pointed.with_untracked(|was| *was != pointed) {
            self.sale.pointed.set(pointed);
            self.stale.over = true;
        }
    }

    /// Brings the screen up to date.
    fn frame(&mut self) {
        self.awaited = false;
        let stale = mem::take(&mut self.stale);
        // A canvas that is watched is also told of the size that it has from the start.
        let resized = stale.size && !self.pixels.as_ref().is_some_and(|pixels| pixels.fits(&self.under));
        if resized {
            self.pixels = Pixels::of(&self.under);
            if let Some(pixels) = &self.pixels {
                let (width, height) = (f64::from(pixels.width), f64::from(pixels.height));
                self.camera.resize(width / pixels.density, height / pixels.density);
            }
        }
        if stale.colours {
            self.painter.take_colours(&self.under);
        }
        if resized || stale.colours {
            // Its style is live, but what it has taken from it is not.
            self.surface = self.over.as_ref().and_then(Surface::of);
        }
        let Some(pixels) = &self.pixels else { return };
        let fresh = self.sale.changed_seats.try_update_value(mem::take).unwrap_or_default();
        let (sale, camera, places) = (self.sale, &self.camera, &self.geometry.seats);
        let painter = &mut self.painter;
        let all = resized || stale.colours || stale.seats;
        sale.hall.with_value(|hall| {
            sale.seats.with_value(|states| {
                if all {
                    let ends: Vec<u32> = hall.categories.iter().map(|category| category.seats.end).collect();
                    painter.paint(pixels, camera, places, states, &ends);
                } else {
                    let changed = fresh.iter().filter_map(|number| {
                        let row = hall.rows.partition_point(|row| row.first_seat <= *number).checked_sub(1)?;
                        let number = *number as usize;
                        Some((number, *states.get(number)?, hall.rows[row].category))
                    });
                    painter.repaint(pixels, camera, places, changed);
                }
                let over = all || stale.over || (!fresh.is_empty() && camera.scale >= overlay::NUMBERS);
                if let Some(surface) = self.surface.as_ref().filter(|_| over) {
                    let heat =
                        sale.shows_demand.get_untracked().then(|| sale.demand.with_untracked(|demand| demand.shares()));
                    let marks = marks(sale, hall);
                    overlay::draw(
                        surface,
                        &Scene {
                            camera,
                            geometry: &self.geometry,
                            hall,
                            states,
                            heat: heat.as_deref(),
                            marks: &marks,
                            stage: self.stage,
                        },
                    );
                }
            });
        });
        if self.began > 0.0 {
            let took = (platform::ticks() - self.began) as u32;
            self.began = 0.0;
            _ = self.under.set_attribute("data-first-ms", &took.to_string());
        }
        _ = self.under.set_attribute("data-event-id", &sale.event_id());
    }
}

/// A seat that somebody points at, and where it is in the view, in thousandths of its width and height.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Pointed {
    pub seat: u32,
    pub x: i32,
    pub y: i32,
}

fn marks(sale: Sale, hall: &Hall) -> Vec<(u32, Mark)> {
    let mut marks = Vec::new();
    let mut add = |seats: &[String], mark: Mark| {
        marks.extend(seats.iter().filter_map(|id| hall.find(id)).map(|seat| (hall.number(seat), mark)));
    };
    sale.my_orders.list.with_untracked(|orders| {
        for order in orders {
            match order.state {
                OrderState::Held => add(&order.seats, Mark::Held),
                OrderState::Paid => add(&order.seats, Mark::Paid),
                _ => {}
            }
        }
    });
    marks.extend(sale.selection.get_untracked().into_iter().map(|seat| (seat, Mark::Chosen)));
    marks.extend(sale.pointed.get_untracked().map(|pointed| (pointed.seat, Mark::Pointed)));
    marks
}
