//! Updates of the picture, with all changes since the last one.

use crate::{
    components::{Surface, performance_now},
    ticket::page::{
        demand::Demand,
        map::{
            names,
            overlay::{Mark, SEAT_NUMBERS, Scene},
            sprites,
            state::MapState,
        },
    },
};
use leptos::prelude::*;
use model::ticket::{OrderState, hall::Hall};
use std::mem;

impl MapState {
    /// Updates the picture.
    pub fn draw(&mut self) {
        // After navigation within the app, the canvas is created before it is in the document, where it has neither a
        // size nor colours. Its first size triggers the first picture.
        if !self.pixels.canvas.is_connected() {
            return;
        }
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
        if resized || changes.camera {
            self.tell_view();
        }
        let marks = self.sale.hall.with_value(|hall| self.marks(hall));
        let crosshair = self.crosshair.filter(|_| self.has_crosshair);
        let Self { sale, geometry, camera, painter, pixels, names, shown, stage, is_still, .. } = self;
        let filter = sale.filter.get_untracked();
        sale.hall.with_value(|hall| {
            sale.seats.with_value(|states| {
                let all = resized || changes.colors || changes.camera;
                let mut seats_changed = false;
                if all {
                    painter.paint_all(pixels, camera, hall, &geometry.seats, states, filter);
                } else if changes.seats {
                    painter.just_taken.begin(performance_now().filter(|_| !is_still.get_untracked()));
                    seats_changed = painter.paint_changed(pixels, camera, hall, &geometry.seats, states, filter);
                }
                let numbers_changed = seats_changed && camera.scale >= SEAT_NUMBERS;
                if let Some(surface) = self.overlay.as_ref().filter(|_| all || changes.overlay || numbers_changed) {
                    let demand = sale.shows_demand.get_untracked().then(|| sale.demand.with_untracked(Demand::shares));
                    let (demand, marks) = (demand.as_deref(), &marks);
                    Scene { camera, geometry, hall, states, demand, marks, shown, names, filter, crosshair, stage }
                        .draw(surface);
                }
            });
        });
        // For tools that measure the page.
        if let (Some(began), Some(now)) = (self.began.take(), performance_now()) {
            _ = self.pixels.canvas.set_attribute("data-first-ms", &format!("{:.0}", now - began));
            self.view.is_drawn.set(true);
        }
        _ = self.pixels.canvas.set_attribute("data-event-id", &self.sale.event_id().to_string());
    }

    /// Determines the visible names, and reports the view to the page. The names are put into an attribute, for tests
    /// of the page.
    fn tell_view(&mut self) {
        let is_plain = self.camera.scale * self.pixels.density < sprites::PLAIN;
        if self.view.is_plain.get_untracked() != is_plain {
            self.view.is_plain.set(is_plain);
        }
        let frame = (!self.camera.shows_all()).then(|| self.camera.frame());
        if self.view.frame.get_untracked() != frame {
            self.view.frame.set(frame);
        }
        let place = self.camera.place();
        if self.view.place.get_untracked() != place {
            self.view.place.set(place);
        }
        let Self { sale, geometry, camera, names, .. } = self;
        sale.hall.with_value(|hall| {
            let sections = &hall.layout.sections;
            let placed = names::place(camera, geometry, |section| sections[section].id.chars().count());
            let is_same = placed.iter().map(|name| name.section).eq(names.iter().map(|name| name.section));
            *names = placed;
            if !is_same {
                let ids: Vec<_> = names.iter().map(|name| sections[name.section].id.as_str()).collect();
                _ = self.overlay_canvas.set_attribute("data-names", &ids.join(" "));
            }
        });
    }

    /// Returns the seats that the reader has chosen, holds, or has paid for, and the one under the pointer.
    fn marks(&self, hall: &Hall) -> Vec<(u32, Mark)> {
        let sale = self.sale;
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
}
