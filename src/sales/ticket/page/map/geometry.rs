//! Where everything in the hall is, in seats.

use super::camera::Bounds;
use crate::sales::ticket::hall::{Hall, Section};

/// Beyond the middle of the outermost seats, in seats.
const EDGE: f64 = 0.75;
/// The largest step along an outline, in seats.
const STEP: f64 = 4.0;

pub struct Geometry {
    /// By the number of the seat.
    pub seats: Vec<[f32; 2]>,
    /// In the order of the layout.
    pub sections: Vec<Outline>,
    pub stage: Stage,
    pub bounds: Bounds,
}

/// A section's edge, and what its name may take up.
pub struct Outline {
    pub edge: Vec<(f64, f64)>,
    pub middle: (f64, f64),
    /// The shorter of its sides.
    pub room: f64,
    pub bounds: Bounds,
}

/// What all look at.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Stage {
    /// In the middle of a ring.
    Pitch(Bounds),
    Platform(Bounds),
}

impl Geometry {
    pub fn of(hall: &Hall) -> Self {
        let mut seats = Vec::with_capacity(hall.seats() as usize);
        for row in &hall.rows {
            let section = &hall.layout.sections[usize::from(row.section)];
            let half = (f64::from(row.seats) - 1.0) / 2.0;
            let from_middle = |across: f64| {
                let (x, y) = section.point(across, f64::from(row.row));
                (x - section.x, y - section.y)
            };
            // Points that are evenly apart on a line or a circle follow from the two before them.
            let (mut before, mut now) = (from_middle(-half - 1.0), from_middle(-half));
            let (across, square) = (before.0 * now.0 + before.1 * now.1, now.0 * now.0 + now.1 * now.1);
            let twice = if section.radius > 0.0 { 2.0 * across / square } else { 2.0 };
            for _ in 0..row.seats {
                seats.push([(now.0 + section.x) as f32, (now.1 + section.y) as f32]);
                (before, now) = (now, (twice * now.0 - before.0, twice * now.1 - before.1));
            }
        }
        let sections: Vec<Outline> = hall.layout.sections.iter().map(outline).collect();
        let mut bounds = around(sections.iter().flat_map(|section| section.edge.iter().copied()));
        let stage = stage(hall, bounds);
        let (Stage::Pitch(place) | Stage::Platform(place)) = stage;
        bounds = around([(bounds[0], bounds[1]), (bounds[2], bounds[3]), (place[0], place[1]), (place[2], place[3])]);
        Self { seats, sections, stage, bounds }
    }
}

fn around(points: impl IntoIterator<Item = (f64, f64)>) -> Bounds {
    let none = [f64::INFINITY, f64::INFINITY, f64::NEG_INFINITY, f64::NEG_INFINITY];
    points
        .into_iter()
        .fold(none, |[left, top, right, bottom], (x, y)| [left.min(x), top.min(y), right.max(x), bottom.max(y)])
}

/// Along the first row, down one side, back along the last row, up the other side.
fn outline(section: &Section) -> Outline {
    let last = section.rows.len().saturating_sub(1);
    let half = |row: usize| (f64::from(section.rows[row]) - 1.0) / 2.0 + EDGE;
    let along = |row: usize, depth: f64| {
        let (half, steps) = (half(row), (half(row) * 2.0 / STEP).ceil().max(1.0) as u32);
        (0..=steps).map(move |step| section.point(half * (2.0 * f64::from(step) / f64::from(steps) - 1.0), depth))
    };
    let mut edge: Vec<_> = along(0, -EDGE).collect();
    edge.extend((1..last).map(|row| section.point(half(row), row as f64)));
    let mut back: Vec<_> = along(last, last as f64 + EDGE).collect();
    back.reverse();
    edge.extend(back);
    edge.extend((1..last).rev().map(|row| section.point(-half(row), row as f64)));
    let middle = section.point(0.0, last as f64 / 2.0);
    let room = (2.0 * half(last / 2)).min(last as f64 + 2.0 * EDGE);
    let bounds = around(edge.iter().copied());
    Outline { edge, middle, room, bounds }
}

/// In front of straight rows; else in the middle of a ring; else at the point that all rows curve around.
fn stage(hall: &Hall, [left, top, right, bottom]: Bounds) -> Stage {
    let sections = &hall.layout.sections;
    let straight: Vec<_> = sections.iter().filter(|section| section.radius == 0.0).collect();
    let innermost = sections.iter().map(|section| section.radius).filter(|radius| *radius > 0.0);
    let innermost = innermost.fold(f64::INFINITY, f64::min);
    if !straight.is_empty() {
        let [left, top, right, _] = around(straight.iter().flat_map(|section| outline(section).edge));
        let (middle, half) = ((left + right) / 2.0, (right - left) * 0.3);
        let depth = (half * 0.4).clamp(2.0, 14.0);
        return Stage::Platform([middle - half, top - 3.0 - depth, middle + half, top - 3.0]);
    }
    let is_ring = top < -0.5 * bottom && left < -0.5 * right;
    if is_ring {
        // The proportions of a football pitch, as large as the ring takes it.
        let (half_x, half_y) = (0.72 * innermost, 0.466 * innermost);
        return Stage::Pitch([-half_x, -half_y, half_x, half_y]);
    }
    let half = 0.62 * innermost;
    Stage::Platform([-half, 0.15 * innermost, half, 0.5 * innermost])
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::sales::ticket::halls::HallName;

    #[test]
    fn every_seat_is_where_the_hall_says_and_found_there() {
        for name in HallName::ALL {
            let hall = Hall::new(name.layout()).unwrap();
            let geometry = Geometry::of(&hall);
            assert_eq!(geometry.seats.len(), hall.seats() as usize);
            for number in 0..hall.seats() {
                let seat = hall.seat(number).unwrap();
                let (x, y) = hall.position(seat);
                let [shown_x, shown_y] = geometry.seats[number as usize].map(f64::from);
                assert!((x - shown_x).abs() < 0.001 && (y - shown_y).abs() < 0.001);
                assert_eq!(hall.seat_at(x + 0.2, y - 0.2), Some(seat), "{name:?} {number}");
                let [left, top, right, bottom] = geometry.bounds;
                assert!(left < x && x < right && top < y && y < bottom);
            }
        }
    }

    #[test]
    fn nobody_sits_on_the_stage() {
        for name in HallName::ALL {
            let hall = Hall::new(name.layout()).unwrap();
            let geometry = Geometry::of(&hall);
            let (Stage::Pitch([left, top, right, bottom]) | Stage::Platform([left, top, right, bottom])) =
                geometry.stage;
            let on_it = |[x, y]: &[f32; 2]| {
                let (x, y) = (f64::from(*x), f64::from(*y));
                x > left - 1.0 && x < right + 1.0 && y > top - 1.0 && y < bottom + 1.0
            };
            assert!(!geometry.seats.iter().any(on_it), "{name:?}");
        }
    }
}
