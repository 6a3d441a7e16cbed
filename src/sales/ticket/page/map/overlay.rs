//! What lies over the seats: the stage, the sections with their names and heat, rows and numbers from near, and the
//! marks of seats that somebody points at, has chosen, or has.

use super::{
    camera::{Bounds, Camera},
    geometry::{Geometry, Outline, Stage},
};
use crate::{
    sales::ticket::{hall::Hall, seats::SeatState},
    ui::platform::Surface,
};

/// From so many CSS pixels a seat on, rows and then seats have their numbers.
const ROWS: f64 = 11.0;
pub const NUMBERS: f64 = 19.0;
/// Up to so many, sections have their names; the less room in a section, the smaller.
const NAMES: f64 = 11.0;

/// What the reader has to do with a seat.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Mark {
    Pointed,
    Chosen,
    Held,
    Paid,
}

/// Everything that is drawn.
pub struct Scene<'a> {
    pub camera: &'a Camera,
    pub geometry: &'a Geometry,
    pub hall: &'a Hall,
    pub states: &'a [SeatState],
    /// How hot each section is, from 0 to 1; none where nobody wants to know.
    pub heat: Option<&'a [f64]>,
    pub marks: &'a [(u32, Mark)],
    pub stage: &'static str,
}

pub fn draw(on: &Surface, scene: &Scene) {
    on.clear();
    stage(on, scene);
    let sections: Vec<_> =
        scene.geometry.sections.iter().enumerate().filter(|(_, section)| scene.sees(section.bounds)).collect();
    for (number, section) in &sections {
        edge(on, scene, section);
        if let Some(heat) = scene.heat.and_then(|heat| heat.get(*number)).filter(|heat| **heat > 0.01) {
            on.ink("--vermilion", 0.08 + 0.6 * heat.sqrt());
            on.pour();
        }
        on.pen("--line", 1.0);
        on.draw();
    }
    if scene.camera.scale >= ROWS {
        rows(on, scene);
    }
    for (seat, mark) in scene.marks {
        self::mark(on, scene, *seat, *mark);
    }
    if scene.camera.scale < NAMES {
        names(on, scene, &sections);
    }
}

impl Scene<'_> {
    fn sees(&self, [left, top, right, bottom]: Bounds) -> bool {
        let (left, top) = self.camera.see(left, top);
        let (right, bottom) = self.camera.see(right, bottom);
        right > 0.0 && bottom > 0.0 && left < self.camera.width && top < self.camera.height
    }

    fn place(&self, seat: u32) -> Option<(f64, f64)> {
        let [x, y] = *self.geometry.seats.get(seat as usize)?;
        let (x, y) = self.camera.see(x.into(), y.into());
        let room = self.camera.scale;
        let is_seen = x > -room && y > -room && x < self.camera.width + room && y < self.camera.height + room;
        is_seen.then_some((x, y))
    }
}

fn stage(on: &Surface, scene: &Scene) {
    let camera = scene.camera;
    let (Stage::Pitch(place) | Stage::Platform(place)) = scene.geometry.stage;
    let (left, top) = camera.see(place[0], place[1]);
    let (right, bottom) = camera.see(place[2], place[3]);
    let (width, height) = (right - left, bottom - top);
    let (x, y) = (left + width / 2.0, top + height / 2.0);
    let grass = matches!(scene.geometry.stage, Stage::Pitch(_));
    on.begin();
    on.cell(left, top, width, height);
    on.ink(if grass { "--pitch" } else { "--stage" }, 1.0);
    on.pour();
    if grass {
        on.pen("--pitch-line", 1.5);
        on.draw();
        on.begin();
        on.to(x, top, true);
        on.to(x, bottom, false);
        on.circle(x, y, height * 0.135);
        let (deep, wide) = (width * 0.157, height * 0.593);
        on.cell(left, y - wide / 2.0, deep, wide);
        on.cell(right - deep, y - wide / 2.0, deep, wide);
        on.draw();
    }
    let size = (height * 0.3).min(width * 0.12);
    if size >= 8.0 && !grass {
        on.letters(size.min(18.0) as u32, true);
        on.ink("--ink-soft", 1.0);
        on.write(x, y, scene.stage, false);
    }
}

fn edge(on: &Surface, scene: &Scene, section: &Outline) {
    on.begin();
    for (place, (x, y)) in section.edge.iter().enumerate() {
        let (x, y) = scene.camera.see(*x, *y);
        on.to(x, y, place == 0);
    }
    on.close();
}

fn names(on: &Surface, scene: &Scene, sections: &[(usize, &Outline)]) {
    on.ink("--ink", 1.0);
    on.pen("--floor", 3.0);
    for (number, section) in sections {
        let name = &scene.hall.layout.sections[*number].id;
        let size = (section.room * scene.camera.scale * 0.42).min(22.0);
        if size < 8.0 {
            continue;
        }
        on.letters(size as u32, true);
        let (x, y) = scene.camera.see(section.middle.0, section.middle.1);
        on.write(x, y, name, true);
    }
}

/// The numbers of rows, and those of free seats.
fn rows(on: &Surface, scene: &Scene) {
    let scale = scene.camera.scale;
    on.letters((scale * 0.42).max(9.0) as u32, false);
    for row in &scene.hall.rows {
        let section = &scene.hall.layout.sections[usize::from(row.section)];
        if !scene.sees(scene.geometry.sections[usize::from(row.section)].bounds) {
            continue;
        }
        let half = (f64::from(row.seats) - 1.0) / 2.0 + 0.95;
        let name = (row.row + 1).to_string();
        on.ink("--ink-soft", 1.0);
        let (x, y) = section.point(-half, row.row.into());
        let (x, y) = scene.camera.see(x, y);
        on.write(x, y, &name, false);
        if scale < NUMBERS {
            continue;
        }
        on.ink("--ink", 1.0);
        for place in 0..u32::from(row.seats) {
            let seat = row.first_seat + place;
            if scene.states.get(seat as usize) == Some(&SeatState::Free)
                && let Some((x, y)) = scene.place(seat)
            {
                on.write(x, y, &(place + 1).to_string(), false);
            }
        }
    }
}

fn mark(on: &Surface, scene: &Scene, seat: u32, mark: Mark) {
    let Some((x, y)) = scene.place(seat) else { return };
    let radius = (scene.camera.scale * 0.5).max(6.0);
    on.begin();
    on.circle(x, y, radius);
    let colour = match mark {
        Mark::Pointed => {
            on.pen("--ink", 2.0);
            return on.draw();
        }
        Mark::Chosen => "--strong",
        Mark::Held => "--gold-ink",
        Mark::Paid => "--good-ink",
    };
    on.ink(colour, 1.0);
    on.pour();
    on.pen("--floor", 1.5);
    on.draw();
    // What is chosen has a tick, what is paid two, what is held a ring: not told apart by colour alone.
    let step = radius * 0.4;
    let ticks: &[f64] = match mark {
        Mark::Paid => &[-0.25, 0.25],
        Mark::Chosen => &[0.0],
        _ => &[],
    };
    on.begin();
    for shift in ticks {
        let x = x + shift * radius * 1.2;
        on.to(x - step, y + step * 0.1, true);
        on.to(x - step * 0.2, y + step * 0.8, false);
        on.to(x + step, y - step * 0.8, false);
    }
    if mark == Mark::Held {
        on.circle(x, y, step * 0.6);
    }
    on.pen("--floor", (radius * 0.2).max(1.5));
    on.draw();
}
