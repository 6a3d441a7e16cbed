//! The places of a hall's sections on the map. A built-in ring is drawn as an oval, with two straight sides and two
//! round ends: it fills a wide stage, so its seats are larger. Seats and rows stay 1 apart. Other halls are drawn as
//! laid out. (The layouts themselves are terms of sales, and stay as they are.)

use model::ticket::{
    hall::{Hall, Section},
    halls::HallName,
};
use std::f64::consts::PI;

/// The width of an oval as a multiple of its height, as that of most screens.
pub const RATIO: f64 = 16.0 / 9.0;

/// The places of a hall's sections on the map.
pub struct Placement {
    /// The oval that replaces the circles of the layout, if one does.
    pub oval: Option<Oval>,
}

/// An oval. Its innermost row is as long as in the layout.
pub struct Oval {
    /// The radius of the innermost row in the layout.
    circle: f64,
    /// The radius of the round ends, at the innermost row.
    pub end: f64,
    /// Half the length of a straight side.
    side: f64,
}

impl Placement {
    pub fn new(hall: &Hall) -> Self {
        let is_ring = matches!(HallName::of(&hall.layout), Some(HallName::Arena | HallName::Stadium));
        Self { oval: is_ring.then(|| Oval::new(hall)) }
    }

    /// Returns the point `across` seats to the side of a section's middle, in a row or between two.
    pub fn point(&self, section: &Section, across: f64, row: f64) -> (f64, f64) {
        match &self.oval {
            Some(oval) if section.radius > 0.0 => oval.point(section, across, row),
            _ => section.point(across, row),
        }
    }

    /// The inverse of [`Placement::point`].
    pub fn locate(&self, section: &Section, x: f64, y: f64) -> (f64, f64) {
        match &self.oval {
            Some(oval) if section.radius > 0.0 => oval.locate(section, x, y),
            _ => section.from_point(x, y),
        }
    }
}

/// Rows are lines around the middle, each with the radius of its ends. A place in a row is its distance along the row
/// from the middle of the lower side; to the left, it is negative.
impl Oval {
    fn new(hall: &Hall) -> Self {
        let ring = || hall.layout.sections.iter().filter(|section| section.radius > 0.0);
        let circle = ring().map(|section| section.radius).fold(f64::INFINITY, f64::min);
        let outermost = ring().map(|section| section.radius + section.rows.len() as f64 - 1.0).fold(circle, f64::max);
        // The ends' radius is smaller than the circle's by 2 / PI of a side, so that the rows keep their lengths.
        let side = (RATIO - 1.0) * outermost / (1.0 + (RATIO - 1.0) * 2.0 / PI);
        Self { circle, end: circle - side * 2.0 / PI, side }
    }

    fn point(&self, section: &Section, across: f64, row: f64) -> (f64, f64) {
        let radius = self.first_row(section) + row;
        self.on_row(self.middle(section, radius) + across, radius)
    }

    fn locate(&self, section: &Section, x: f64, y: f64) -> (f64, f64) {
        let beyond = x.abs() - self.side;
        let (place, radius) = match beyond {
            ..=0.0 if y > 0.0 => (x, y),
            ..=0.0 => ((self.half(-y) - x.abs()).copysign(x), -y),
            _ => {
                let radius = beyond.hypot(y);
                ((self.side + beyond.atan2(y) * radius).copysign(x), radius)
            }
        };
        let (across, length) = (place - self.middle(section, radius), 2.0 * self.half(radius));
        // A section in the middle of the upper side has both the largest and the smallest places.
        (across - (across / length).round() * length, radius - self.first_row(section))
    }

    /// Returns the radius of the ends at a section's first row.
    fn first_row(&self, section: &Section) -> f64 {
        self.end + section.radius - self.circle
    }

    /// Returns half the length of a row.
    fn half(&self, radius: f64) -> f64 {
        2.0 * self.side + PI * radius
    }

    /// Returns the place of a section's middle in a row: straight behind its middle in its first row.
    fn middle(&self, section: &Section, radius: f64) -> f64 {
        let first = self.first_row(section);
        // Turns go the other way round.
        let turn = -section.turn.to_radians();
        let place = (turn - (turn / (2.0 * PI)).round() * 2.0 * PI) * section.radius;
        let along_end = (place.abs() - self.side).clamp(0.0, PI * first);
        place + (along_end / first * (radius - first)) * 1.0_f64.copysign(place)
    }

    fn on_row(&self, place: f64, radius: f64) -> (f64, f64) {
        let along_end = place.abs() - self.side;
        let (x, y) = if along_end <= 0.0 {
            (place.abs(), radius)
        } else if along_end < PI * radius {
            let (sin, cos) = (along_end / radius).sin_cos();
            (self.side + radius * sin, radius * cos)
        } else {
            (self.half(radius) - place.abs(), -radius)
        };
        (x * 1.0_f64.copysign(place), y)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sections_keep_their_directions() {
        let hall = Hall::new(HallName::Stadium.layout()).unwrap();
        let placement = Placement::new(&hall);
        // A01 is below the pitch, and every tenth section is a quarter farther to the left.
        let middle = |number: usize| placement.point(&hall.layout.sections[number], 0.0, 0.0);
        let is_near = |(x, y): (f64, f64), wanted: (f64, f64)| (x - wanted.0).hypot(y - wanted.1) < 1e-6;
        let Oval { end, side, .. } = placement.oval.as_ref().unwrap();
        for (number, wanted) in [(0, (0.0, *end)), (10, (-side - end, 0.0)), (20, (0.0, -end)), (30, (side + end, 0.0))]
        {
            assert!(is_near(middle(number), wanted), "{number}: {:?}", middle(number));
        }
    }

    #[test]
    fn a_layout_of_ones_own_is_drawn_as_it_says() {
        let mut layout = HallName::Stadium.layout();
        layout.sections[3].id = "VIP".to_owned();
        let hall = Hall::new(layout).unwrap();
        let placement = Placement::new(&hall);
        for section in &hall.layout.sections {
            assert_eq!(placement.point(section, 2.0, 3.0), section.point(2.0, 3.0));
        }
    }
}
