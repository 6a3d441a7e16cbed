//! The shapes and positions in the hall, in seats.

use crate::ticket::page::map::placement::Placement;
use model::ticket::hall::{Hall, Section};

/// The margin beyond the centres of the outermost seats, in seats.
const EDGE: f64 = 0.75;
/// The largest step along an outline, in seats.
const STEP: f64 = 4.0;

/// The hall's shapes, computed once.
pub struct Geometry {
    pub placement: Placement,
    /// The positions of the seats, by number.
    pub seats: Vec<[f32; 2]>,
    /// The outlines of the sections, in the order of the layout.
    pub sections: Vec<Outline>,
    /// The index of each section's category, in the same order.
    pub categories: Vec<usize>,
    pub stage: Stage,
    pub bounds: Bounds,
}

/// A section's edge, and the space for its name.
pub struct Outline {
    pub edge: Vec<(f64, f64)>,
    pub middle: (f64, f64),
    /// The shorter of its sides.
    pub shorter_side: f64,
    pub bounds: Bounds,
}

/// The object in front of the audience.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Stage {
    /// A pitch in the middle of a ring.
    Pitch(Bounds),
    Platform(Bounds),
}

/// A rectangle.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Bounds {
    pub left: f64,
    pub top: f64,
    pub right: f64,
    pub bottom: f64,
}

impl Bounds {
    /// Returns the smallest rectangle around all points.
    pub fn around(points: impl IntoIterator<Item = (f64, f64)>) -> Self {
        let none =
            Self { left: f64::INFINITY, top: f64::INFINITY, right: f64::NEG_INFINITY, bottom: f64::NEG_INFINITY };
        points.into_iter().fold(none, |bounds, (x, y)| Self {
            left: bounds.left.min(x),
            top: bounds.top.min(y),
            right: bounds.right.max(x),
            bottom: bounds.bottom.max(y),
        })
    }

    /// Returns the rectangle of this size around a point.
    pub fn around_point(x: f64, y: f64, width: f64, height: f64) -> Self {
        Self { left: x - width / 2.0, top: y - height / 2.0, right: x + width / 2.0, bottom: y + height / 2.0 }
    }

    /// Returns the part of it that is within another rectangle.
    pub fn cut_to(self, other: Self) -> Self {
        Self {
            left: self.left.max(other.left),
            top: self.top.max(other.top),
            right: self.right.min(other.right),
            bottom: self.bottom.min(other.bottom),
        }
    }

    /// Returns whether it lies completely within another rectangle.
    pub fn is_within(self, other: Self) -> bool {
        self.left >= other.left && self.top >= other.top && self.right <= other.right && self.bottom <= other.bottom
    }

    /// Returns whether it shares an area with another rectangle.
    pub fn overlaps(self, other: Self) -> bool {
        self.right > other.left && self.bottom > other.top && self.left < other.right && self.top < other.bottom
    }

    fn corners(self) -> [(f64, f64); 2] {
        [(self.left, self.top), (self.right, self.bottom)]
    }

    /// Returns its width, in the unit of the hall.
    pub fn width(self) -> f64 {
        self.right - self.left
    }

    /// Returns its height, in the unit of the hall.
    pub fn height(self) -> f64 {
        self.bottom - self.top
    }

    /// Returns the point in its middle.
    pub fn center(self) -> (f64, f64) {
        ((self.left + self.right) / 2.0, (self.top + self.bottom) / 2.0)
    }
}

impl Geometry {
    pub fn new(hall: &Hall) -> Self {
        let placement = Placement::new(hall);
        let mut seats = Vec::with_capacity(hall.seats() as usize);
        for row in &hall.rows {
            let section = &hall.layout.sections[usize::from(row.section)];
            let across = hall.across(row);
            seats.extend((0..row.seats).map(|place| {
                let (x, y) = placement.point(section, across + f64::from(place), row.row.into());
                [x as f32, y as f32]
            }));
        }
        let sections: Vec<Outline> =
            hall.layout.sections.iter().map(|section| Outline::new(section, &placement)).collect();
        let audience = Bounds::around(sections.iter().flat_map(|section| section.edge.iter().copied()));
        let stage = Stage::new(hall, &placement, audience);
        let bounds = Bounds::around([audience, stage.bounds()].into_iter().flat_map(Bounds::corners));
        let category = |name: &String| hall.layout.categories.iter().position(|known| known == name);
        let categories = hall.layout.sections.iter().map(|section| category(&section.category).unwrap_or_default());
        Self { seats, sections, categories: categories.collect(), stage, bounds, placement }
    }

    /// Returns the number of the seat whose square contains a point.
    pub fn seat_at(&self, hall: &Hall, x: f64, y: f64) -> Option<u32> {
        hall.seat_at(|section| self.placement.locate(section, x, y)).map(|seat| hall.number(seat))
    }
}

impl Outline {
    /// Traces the outline: along the first row, down one side, back along the last row, up the other side.
    fn new(section: &Section, placement: &Placement) -> Self {
        let point = |across, depth| placement.point(section, across, depth);
        let last = section.rows.len().saturating_sub(1);
        let half = |row: usize| section.half(row as u16) + EDGE;
        let along = |row: usize, depth: f64| {
            let (half, steps) = (half(row), (half(row) * 2.0 / STEP).ceil().max(1.0) as u32);
            (0..=steps).map(move |step| point(half * (2.0 * f64::from(step) / f64::from(steps) - 1.0), depth))
        };
        let mut edge: Vec<_> = along(0, -EDGE).collect();
        edge.extend((1..last).map(|row| point(half(row), row as f64)));
        let mut back: Vec<_> = along(last, last as f64 + EDGE).collect();
        back.reverse();
        edge.extend(back);
        edge.extend((1..last).rev().map(|row| point(-half(row), row as f64)));
        let middle = point(0.0, last as f64 / 2.0);
        let shorter_side = (2.0 * half(last / 2)).min(last as f64 + 2.0 * EDGE);
        let bounds = Bounds::around(edge.iter().copied());
        Self { edge, middle, shorter_side, bounds }
    }
}

impl Stage {
    /// Places the stage: in front of straight rows; else in the middle of a ring; else at the point that all rows curve
    /// around.
    fn new(hall: &Hall, placement: &Placement, audience: Bounds) -> Self {
        let sections = &hall.layout.sections;
        let straight: Vec<_> = sections.iter().filter(|section| section.radius == 0.0).collect();
        let curved = sections.iter().map(|section| section.radius).filter(|radius| *radius > 0.0);
        let innermost = curved.fold(f64::INFINITY, f64::min);
        if !straight.is_empty() {
            let rows = Bounds::around(straight.iter().flat_map(|section| Outline::new(section, placement).edge));
            let ((middle, _), half) = (rows.center(), rows.width() * 0.3);
            let bottom = rows.top - 3.0;
            // In an oval, as much as there is room for.
            let room = placement.oval.as_ref().map_or(14.0, |oval| bottom + oval.end - 3.0);
            let depth = (half * 0.4).min(room).clamp(2.0, 14.0);
            return Self::Platform(Bounds { left: middle - half, top: bottom - depth, right: middle + half, bottom });
        }
        let is_ring = audience.top < -0.5 * audience.bottom && audience.left < -0.5 * audience.right;
        if is_ring {
            // The proportions of a football pitch, as large as fits into the ring.
            let half_y = placement.oval.as_ref().map_or(0.466 * innermost, |oval| 0.75 * oval.end);
            let half_x = 1.545 * half_y;
            return Self::Pitch(Bounds { left: -half_x, top: -half_y, right: half_x, bottom: half_y });
        }
        let half = 0.62 * innermost;
        Self::Platform(Bounds { left: -half, top: 0.15 * innermost, right: half, bottom: 0.5 * innermost })
    }

    /// Returns its bounding rectangle.
    pub fn bounds(self) -> Bounds {
        let (Self::Pitch(bounds) | Self::Platform(bounds)) = self;
        bounds
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::ticket::page::map::placement::RATIO;
    use model::ticket::halls::HallName;

    const RINGS: [HallName; 2] = [HallName::Arena, HallName::Stadium];

    #[test]
    fn every_seat_is_where_the_hall_says_and_found_there() {
        for name in HallName::ALL {
            let hall = Hall::new(name.layout()).unwrap();
            let geometry = Geometry::new(&hall);
            assert_eq!(geometry.seats.len(), hall.seats() as usize);
            for number in 0..hall.seats() {
                let seat = hall.seat(number).unwrap();
                let [x, y] = geometry.seats[number as usize].map(f64::from);
                if geometry.placement.oval.is_none() {
                    let (laid_x, laid_y) = hall.position(seat);
                    assert!((x - laid_x).abs() < 0.001 && (y - laid_y).abs() < 0.001);
                }
                assert_eq!(geometry.seat_at(&hall, x + 0.2, y - 0.2), Some(number), "{name:?} {number}");
                let Bounds { left, top, right, bottom } = geometry.bounds;
                assert!(left < x && x < right && top < y && y < bottom);
            }
        }
    }

    #[test]
    fn nobody_sits_on_the_stage() {
        for name in HallName::ALL {
            let hall = Hall::new(name.layout()).unwrap();
            let geometry = Geometry::new(&hall);
            let Bounds { left, top, right, bottom } = geometry.stage.bounds();
            let is_on_it = |[x, y]: &[f32; 2]| {
                let (x, y) = (f64::from(*x), f64::from(*y));
                x > left - 1.0 && x < right + 1.0 && y > top - 1.0 && y < bottom + 1.0
            };
            assert!(!geometry.seats.iter().any(is_on_it), "{name:?}");
        }
    }

    #[test]
    fn a_ring_is_as_wide_as_a_screen() {
        for name in RINGS {
            let bounds = Geometry::new(&Hall::new(name.layout()).unwrap()).bounds;
            let ratio = bounds.width() / bounds.height();
            assert!((ratio - RATIO).abs() < 0.05, "{name:?} {ratio}");
        }
    }

    #[test]
    fn seats_of_an_oval_are_a_seat_apart() {
        for name in RINGS {
            let mut places = Geometry::new(&Hall::new(name.layout()).unwrap()).seats;
            places.sort_by(|a, b| a[0].total_cmp(&b[0]));
            for (at, [x, y]) in places.iter().enumerate() {
                // Neighbours in x are all that can be near; 0.95 leaves room for the bend of a row.
                for [other_x, other_y] in places[at + 1..].iter().take_while(|other| other[0] - x < 0.95) {
                    assert!((other_x - x).hypot(other_y - y) > 0.95, "{name:?} {x} {y}");
                }
            }
        }
    }
}
