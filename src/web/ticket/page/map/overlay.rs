//! The layer over the seats. It has the stage, the sections with their names and demand, and the row and seat numbers
//! from near. It also has the marks of seats that are pointed at, chosen or owned, and the keyboard's crosshair.

use crate::{
    components::Surface,
    ticket::page::{
        categories::{CategoryFilter, row_label},
        map::{
            camera::Camera,
            geometry::{Bounds, Geometry, Outline, Stage},
            legend::sign,
            names::Name,
        },
    },
};
use model::ticket::{
    hall::{Hall, Seat},
    seats::SeatState,
};
use std::f64::consts::TAU;

/// The scale from which row numbers are shown, in CSS pixels per seat.
const ROW_NUMBERS: f64 = 11.0;
/// The scale from which the numbers of free seats are shown, too.
pub const SEAT_NUMBERS: f64 = 19.0;

const NORMAL: u32 = 400;
const BOLD: u32 = 650;

/// The reader's relation to a seat.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Mark {
    Pointed,
    Chosen,
    Held,
    Paid,
}

/// The complete content of the layer.
pub struct Scene<'a> {
    pub camera: &'a Camera,
    pub geometry: &'a Geometry,
    pub hall: &'a Hall,
    pub states: &'a [SeatState],
    /// The demand for each section, from 0 to 1; `None` while it is not shown.
    pub demand: Option<&'a [f64]>,
    /// Marked seats, by number.
    pub marks: &'a [(u32, Mark)],
    /// Seats that were requested elsewhere on the page.
    pub shown: &'a [u32],
    pub names: &'a [Name],
    /// Free seats of filtered-out categories have no numbers.
    pub filter: CategoryFilter,
    /// The seat at the keyboard's crosshair.
    pub crosshair: Option<u32>,
    /// The name of the stage.
    pub stage: &'static str,
}

impl Scene<'_> {
    /// Draws the layer anew.
    pub fn draw(&self, on: &Surface) {
        on.clear();
        on.context().set_text_align("center");
        on.context().set_text_baseline("middle");
        on.context().set_line_join("round");
        self.draw_stage(on);
        self.draw_sections(on);
        self.draw_shown(on);
        if self.camera.scale >= ROW_NUMBERS {
            self.draw_numbers(on);
        }
        self.draw_names(on);
        for (seat, mark) in self.marks {
            self.draw_mark(on, *seat, *mark);
        }
        self.draw_crosshair(on);
    }

    fn is_in_view(&self, bounds: Bounds) -> bool {
        let Bounds { left, top, right, bottom } = self.camera.bounds_to_view(bounds);
        right > 0.0 && bottom > 0.0 && left < self.camera.width && top < self.camera.height
    }

    fn sections_in_view(&self) -> impl Iterator<Item = (usize, &Outline)> {
        self.geometry.sections.iter().enumerate().filter(|(_, section)| self.is_in_view(section.bounds))
    }

    /// Returns the position of a seat in the view, if it is visible.
    fn seat_in_view(&self, seat: u32) -> Option<(f64, f64)> {
        let [x, y] = *self.geometry.seats.get(seat as usize)?;
        let (x, y) = self.camera.to_view(x.into(), y.into());
        let margin = self.camera.scale;
        let is_in_view =
            x > -margin && y > -margin && x < self.camera.width + margin && y < self.camera.height + margin;
        is_in_view.then_some((x, y))
    }

    fn draw_stage(&self, on: &Surface) {
        let context = on.context();
        let view = self.camera.bounds_to_view(self.geometry.stage.bounds());
        let Bounds { left, top, right, bottom } = view;
        let (width, height, (x, y)) = (view.width(), view.height(), view.center());
        context.begin_path();
        context.rect(left, top, width, height);
        match self.geometry.stage {
            Stage::Pitch(_) => {
                on.set_fill("--pitch", 1.0);
                context.fill();
                on.set_stroke("--pitch-line", 1.5);
                context.stroke();
                context.begin_path();
                context.move_to(x, top);
                context.line_to(x, bottom);
                circle(on, x, y, height * 0.135);
                let (depth, breadth) = (width * 0.157, height * 0.593);
                context.rect(left, y - breadth / 2.0, depth, breadth);
                context.rect(right - depth, y - breadth / 2.0, depth, breadth);
                context.stroke();
            }
            Stage::Platform(_) => {
                on.set_fill("--stage", 1.0);
                context.fill();
                let size = (height * 0.3).min(width * 0.12);
                if size >= 8.0 {
                    on.set_font(size.min(18.0) as u32, BOLD);
                    on.set_fill("--ink-soft", 1.0);
                    fill_text(on, self.stage, x, y);
                }
            }
        }
    }

    fn draw_sections(&self, on: &Surface) {
        let context = on.context();
        on.set_stroke("--line", 1.0);
        for (number, section) in self.sections_in_view() {
            context.begin_path();
            for (x, y) in &section.edge {
                let (x, y) = self.camera.to_view(*x, *y);
                context.line_to(x, y);
            }
            context.close_path();
            if let Some(demand) = self.demand.and_then(|demand| demand.get(number)).filter(|demand| **demand > 0.01) {
                on.set_fill("--indigo", 0.08 + 0.6 * demand.sqrt());
                context.fill();
                context.set_global_alpha(1.0);
            }
            context.stroke();
        }
    }

    /// Draws a line around the requested seats; neighbours share one line.
    fn draw_shown(&self, on: &Surface) {
        let context = on.context();
        let radius = (self.camera.scale * 0.72).max(9.0);
        let places: Vec<_> = self.shown.iter().filter_map(|seat| self.seat_in_view(*seat)).collect();
        // The inside of the line is cleared again, so that the seats stay visible.
        for (operation, radius) in [("source-over", radius + 3.0), ("destination-out", radius)] {
            _ = context.set_global_composite_operation(operation);
            on.set_fill("--ink", 1.0);
            context.begin_path();
            places.iter().for_each(|(x, y)| circle(on, *x, *y, radius));
            context.fill();
        }
        _ = context.set_global_composite_operation("source-over");
    }

    fn draw_names(&self, on: &Surface) {
        on.set_stroke("--floor", 3.0);
        for Name { section, x, y, size, label } in self.names {
            on.set_font(*size as u32, BOLD);
            let name = &self.hall.layout.sections[*section].id;
            match label {
                Some(label) => {
                    on.set_fill("--floor", 0.92);
                    on.context().fill_rect(label.left, label.top, label.width(), label.height());
                    on.set_fill("--ink", 1.0);
                }
                // With a halo, as it is drawn over seats.
                None => {
                    on.set_fill("--ink", 1.0);
                    _ = on.context().stroke_text(name, *x, *y);
                }
            }
            fill_text(on, name, *x, *y);
        }
    }

    /// Draws the names of rows, and the numbers of free seats and the signs of their marks.
    fn draw_numbers(&self, on: &Surface) {
        let scale = self.camera.scale;
        on.set_font((scale * 0.42).max(9.0) as u32, NORMAL);
        for (number, row) in (0..).zip(&self.hall.rows) {
            if !self.is_in_view(self.geometry.sections[usize::from(row.section)].bounds) {
                continue;
            }
            let section = &self.hall.layout.sections[usize::from(row.section)];
            // Once, at the left end.
            if self.hall.rows_of(row.section, row.row).first() == Some(&number) {
                let half = section.half(row.row) + 0.95;
                let (x, y) = self.geometry.placement.point(section, -half, row.row.into());
                let (x, y) = self.camera.to_view(x, y);
                on.set_fill("--ink-soft", 1.0);
                fill_text(on, &row_label(section, row.row), x, y);
            }
            if scale < SEAT_NUMBERS {
                continue;
            }
            if !self.filter.shows(row.category.into()) {
                continue;
            }
            on.set_fill("--ink", 1.0);
            for place in 0..row.seats {
                let seat = row.first_seat + u32::from(place);
                if self.states.get(seat as usize) == Some(&SeatState::Free)
                    && let Some((x, y)) = self.seat_in_view(seat)
                {
                    fill_text(on, &self.hall.seat_number(Seat { row: number, place }).to_string(), x, y);
                    self.draw_signs(on, seat, x, y);
                }
            }
        }
    }

    /// Draws the signs of a seat's marks at its lower right.
    fn draw_signs(&self, on: &Surface, seat: u32, x: f64, y: f64) {
        let Some(of_seat) = self.hall.marks.get(&seat) else { return };
        let signs = of_seat.marks.iter().filter_map(|mark| sign(*mark));
        for (sign, nth) in signs.zip(0..) {
            let apart = self.camera.scale * 0.36;
            fill_text(on, sign, x + apart * (1.0 - 0.8 * f64::from(nth)), y + apart);
        }
    }

    fn draw_mark(&self, on: &Surface, seat: u32, mark: Mark) {
        let Some((x, y)) = self.seat_in_view(seat) else { return };
        let context = on.context();
        let radius = (self.camera.scale * 0.5).max(6.0);
        context.begin_path();
        circle(on, x, y, radius);
        let color = match mark {
            Mark::Pointed => {
                on.set_stroke("--ink", 2.0);
                context.stroke();
                return;
            }
            Mark::Chosen => "--strong",
            Mark::Held => "--gold-ink",
            Mark::Paid => "--good-ink",
        };
        on.set_fill(color, 1.0);
        context.fill();
        on.set_stroke("--floor", 1.5);
        context.stroke();
        // Not distinguished by colour alone: a chosen seat has a tick, a paid one two, a held one a ring.
        let size = radius * 0.4;
        let tick = |shift: f64| {
            let x = x + shift * radius;
            context.move_to(x - size, y + size * 0.1);
            context.line_to(x - size * 0.2, y + size * 0.8);
            context.line_to(x + size, y - size * 0.8);
        };
        context.begin_path();
        match mark {
            Mark::Paid => [-0.3, 0.3].into_iter().for_each(tick),
            Mark::Held => circle(on, x, y, size * 0.6),
            _ => tick(0.0),
        }
        on.set_stroke("--floor", (radius * 0.2).max(1.5));
        context.stroke();
    }

    /// Draws lines through the view that leave the seat free, on a halo of the floor's colour.
    fn draw_crosshair(&self, on: &Surface) {
        let Some((x, y)) = self.crosshair.and_then(|seat| self.seat_in_view(seat)) else { return };
        let context = on.context();
        let gap = (self.camera.scale * 0.5).max(6.0) + 3.0;
        context.begin_path();
        for (from, to) in [((0.0, y), (x - gap, y)), ((x + gap, y), (self.camera.width, y))] {
            context.move_to(from.0, from.1);
            context.line_to(to.0, to.1);
        }
        for (from, to) in [((x, 0.0), (x, y - gap)), ((x, y + gap), (x, self.camera.height))] {
            context.move_to(from.0, from.1);
            context.line_to(to.0, to.1);
        }
        context.set_global_alpha(0.8);
        on.set_stroke("--floor", 4.0);
        context.stroke();
        on.set_stroke("--ink", 1.5);
        context.stroke();
        context.set_global_alpha(1.0);
    }
}

/// Adds a circle to the path.
fn circle(on: &Surface, x: f64, y: f64, radius: f64) {
    on.context().move_to(x + radius, y);
    _ = on.context().arc(x, y, radius, 0.0, TAU);
}

fn fill_text(on: &Surface, text: &str, x: f64, y: f64) {
    _ = on.context().fill_text(text, x, y);
}
