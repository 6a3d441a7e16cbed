//! The seat that an arrow key leads to.

use crate::ticket::page::map::geometry::Geometry;
use model::ticket::hall::Hall;

/// The weight of a distance to the side, compared with one ahead, for a step that leaves the section.
const SIDEWAYS: f64 = 2.0;
/// The difference below which distances are equal, in seats.
const TIE: f64 = 0.05;

/// Returns the next seat in a direction, which is (1, 0), (-1, 0), (0, 1) or (0, -1) in the view.
///
/// Within a section, two of the four keys go along the row and two to the rows before and behind, whichever matches the
/// direction better. However a section is turned, they thus lead to four different neighbours, and so to every seat. At
/// a section's edge, the next seat is the nearest of any section on that side.
pub fn next_seat(hall: &Hall, geometry: &Geometry, from: u32, direction: (f64, f64)) -> Option<u32> {
    neighbour(hall, geometry, from, direction).or_else(|| nearest_ahead(&geometry.seats, from, direction))
}

/// Returns the seat nearest to a point of the hall. `places` has the positions of all seats, by number.
pub fn nearest(places: &[[f32; 2]], x: f64, y: f64) -> Option<u32> {
    let distance = |[seat_x, seat_y]: [f32; 2]| (f64::from(seat_x) - x).hypot(f64::from(seat_y) - y);
    least((0..).zip(places).map(|(number, place)| (number, distance(*place))))
}

/// Returns the seat nearest to a point, among those in this direction from another seat.
pub fn nearest_towards(places: &[[f32; 2]], from: u32, direction: (f64, f64), x: f64, y: f64) -> Option<u32> {
    let start = *places.get(from as usize)?;
    let is_ahead = |place: [f32; 2]| along(start, place, direction) > 0.3;
    let distance = |[seat_x, seat_y]: [f32; 2]| (f64::from(seat_x) - x).hypot(f64::from(seat_y) - y);
    let ahead = (0..).zip(places).filter(|(_, place)| is_ahead(**place));
    least(ahead.map(|(number, place)| (number, distance(*place))))
}

fn neighbour(hall: &Hall, geometry: &Geometry, from: u32, direction: (f64, f64)) -> Option<u32> {
    let seat = hall.seat(from)?;
    let row = hall.rows.get(seat.row as usize)?;
    let places = &geometry.seats;
    let start = *places.get(from as usize)?;
    let section = &hall.layout.sections[usize::from(row.section)];
    // The direction of a row in the view at this seat, from its lower to its higher places; rows follow at a right
    // angle.
    let across = hall.across(row) + f64::from(seat.place);
    let (x, y) = geometry.placement.point(section, across + 0.5, row.row.into());
    let (left_x, left_y) = geometry.placement.point(section, across - 0.5, row.row.into());
    let (run_x, run_y) = (x - left_x, y - left_y);
    let in_row = run_x * direction.0 + run_y * direction.1;
    let behind = -run_y * direction.0 + run_x * direction.1;
    // A section that is turned by exactly 45 degrees: left and right go along the row.
    let goes_along_row = match in_row.abs() - behind.abs() {
        difference if difference.abs() < 1e-6 => direction.1 == 0.0,
        difference => difference > 0.0,
    };
    if goes_along_row {
        // Over gaps and aisles.
        let seats: Vec<u32> = hall.seats_of(row.section, row.row).collect();
        let at = seats.iter().position(|seat| *seat == from)?;
        let next = if in_row > 0.0 { at.checked_add(1) } else { at.checked_sub(1) };
        return seats.get(next?).copied();
    }
    let next = u16::try_from(i32::from(row.row) + if behind > 0.0 { 1 } else { -1 }).ok()?;
    let seats = hall.seats_of(row.section, next);
    // If each row has one seat more than the previous one, two seats are equally near. The lower and the higher place
    // alternate; otherwise, steps from row to row would drift sideways.
    let drift = if next.is_multiple_of(2) { TIE } else { -TIE };
    let aside = |number: u32| along(start, places[number as usize], (direction.1, direction.0)).abs();
    least((0_u32..).zip(seats).map(|(place, number)| (number, aside(number) + drift * f64::from(place))))
}

fn nearest_ahead(places: &[[f32; 2]], from: u32, direction: (f64, f64)) -> Option<u32> {
    let start = *places.get(from as usize)?;
    let ahead = (0..).zip(places).filter_map(|(number, place)| {
        let ahead = along(start, *place, direction);
        let aside = distance(start, *place).powi(2) - ahead.powi(2);
        (ahead > 0.5).then(|| (number, ahead + SIDEWAYS * aside.max(0.0).sqrt()))
    });
    least(ahead)
}

/// Returns the distance between two points along a direction.
fn along(from: [f32; 2], to: [f32; 2], direction: (f64, f64)) -> f64 {
    f64::from(to[0] - from[0]) * direction.0 + f64::from(to[1] - from[1]) * direction.1
}

fn distance(from: [f32; 2], to: [f32; 2]) -> f64 {
    f64::from(to[0] - from[0]).hypot(f64::from(to[1] - from[1]))
}

/// Returns the seat with the lowest cost.
fn least(seats: impl Iterator<Item = (u32, f64)>) -> Option<u32> {
    seats.min_by(|(_, cost), (_, other)| cost.total_cmp(other)).map(|(number, _)| number)
}

#[cfg(test)]
mod tests {
    use super::*;
    use model::ticket::halls::HallName;
    use std::collections::HashSet;

    const DIRECTIONS: [(f64, f64); 4] = [(1.0, 0.0), (-1.0, 0.0), (0.0, 1.0), (0.0, -1.0)];

    fn hall(name: HallName) -> (Hall, Geometry) {
        let hall = Hall::new(name.layout()).unwrap();
        let geometry = Geometry::new(&hall);
        (hall, geometry)
    }

    /// Returns a section with straight rows, turned by 45 degrees, so that the neighbours of its seats lie on the
    /// diagonals.
    fn diamond() -> (Hall, Geometry) {
        let mut layout = HallName::Theatre.layout();
        layout.sections.truncate(1);
        layout.sections[0].rows = vec![9_u16.into(); 7];
        layout.sections[0].radius = 0.0;
        layout.sections[0].turn = 45.0;
        layout.categories.truncate(1);
        let hall = Hall::new(layout).unwrap();
        let geometry = Geometry::new(&hall);
        (hall, geometry)
    }

    #[test]
    fn arrow_keys_lead_to_every_seat() {
        for (hall, geometry) in [hall(HallName::Theatre), diamond()] {
            let mut reached = HashSet::from([0]);
            let mut left = vec![0];
            while let Some(from) = left.pop() {
                let next = DIRECTIONS.iter().filter_map(|direction| next_seat(&hall, &geometry, from, *direction));
                left.extend(next.filter(|seat| reached.insert(*seat)).collect::<Vec<_>>());
            }
            assert_eq!(reached.len(), hall.seats() as usize);
        }
    }

    #[test]
    fn a_step_goes_where_its_key_points() {
        let (hall, geometry) = hall(HallName::Arena);
        for from in (0..hall.seats()).step_by(7) {
            for direction in DIRECTIONS {
                if let Some(to) = next_seat(&hall, &geometry, from, direction) {
                    let ahead = along(geometry.seats[from as usize], geometry.seats[to as usize], direction);
                    assert!(ahead > 0.3, "{from} {direction:?} {to}");
                }
            }
        }
    }

    #[test]
    fn straight_down_and_up_again_leads_back() {
        let (hall, geometry) = hall(HallName::Theatre);
        let seat = |id| hall.number(hall.find(id).unwrap());
        for from in ["S-01-05", "S-01-10", "S-02-11"].map(seat) {
            let walk =
                |from, direction| (0..12).fold(from, |from, _| next_seat(&hall, &geometry, from, direction).unwrap());
            let down = walk(from, (0.0, 1.0));
            assert!((geometry.seats[down as usize][0] - geometry.seats[from as usize][0]).abs() < 1.0);
            assert_eq!(walk(down, (0.0, -1.0)), from);
        }
    }

    #[test]
    fn at_a_sections_edge_the_next_section_begins() {
        let (hall, geometry) = hall(HallName::Arena);
        let seat = |id| hall.number(hall.find(id).unwrap());
        assert_eq!(next_seat(&hall, &geometry, seat("F01-03-20"), (1.0, 0.0)), Some(seat("F02-03-01")));
        assert_eq!(next_seat(&hall, &geometry, seat("F01-14-05"), (0.0, 1.0)), Some(seat("F05-01-05")));
    }

    #[test]
    fn the_nearest_seat_is_found_from_anywhere() {
        let (hall, geometry) = hall(HallName::Theatre);
        let seat = hall.number(hall.find("S-05-03").unwrap());
        let places = &geometry.seats;
        let [x, y] = places[seat as usize].map(f64::from);
        assert_eq!(nearest(places, x + 0.3, y - 0.3), Some(seat));
        let ahead = nearest_towards(places, seat, (0.0, 1.0), x, y).unwrap();
        assert!(places[ahead as usize][1] > places[seat as usize][1]);
    }
}
