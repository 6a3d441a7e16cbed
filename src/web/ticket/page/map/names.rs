//! Placement of section names. From afar, a name is in the middle of its section. From near, or if the middle is out of
//! view, it is at the upper edge of the section's visible part.

use crate::ticket::page::map::{
    camera::Camera,
    geometry::{Bounds, Geometry, Outline},
};

/// The scale up to which names are in the middle, among the seats, in CSS pixels per seat; less room makes them
/// smaller.
const FROM_AFAR: f64 = 11.0;
/// The largest and the smallest height of a name, in CSS pixels.
const LARGEST: f64 = 22.0;
const SMALLEST: f64 = 8.0;
/// The height of a name at an edge.
const AT_EDGE: f64 = 14.0;
/// The width of a letter as a share of its height, on the safe side.
const LETTER: f64 = 0.68;
/// The padding around a name at an edge, in CSS pixels.
const PADDING: f64 = 4.0;
/// The distance of its middle outside the edge.
const OUTSIDE: f64 = 5.0;
/// The minimum visible part of a section, as a share of its label's size; with less, there is no label.
const LEAST_PART: f64 = 0.75;

/// A section's name in the view. Lengths are CSS pixels.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Name {
    /// The index of the section in the layout.
    pub section: usize,
    /// The middle of the name.
    pub x: f64,
    pub y: f64,
    /// The height of its letters.
    pub size: f64,
    /// The label behind a name at an edge; `None` in a section's middle.
    pub label: Option<Bounds>,
}

/// Returns the names of the sections in view. `letters` returns the number of letters of a section's name.
pub fn place(camera: &Camera, geometry: &Geometry, letters: impl Fn(usize) -> usize) -> Vec<Name> {
    let view = Bounds { left: 0.0, top: 0.0, right: camera.width, bottom: camera.height };
    let mut names = Vec::new();
    let mut at_edge = Vec::new();
    for (section, outline) in geometry.sections.iter().enumerate() {
        let size = (outline.shorter_side * camera.scale * 0.42).min(LARGEST);
        if size < SMALLEST || !camera.bounds_to_view(outline.bounds).overlaps(view) {
            continue;
        }
        let (x, y) = camera.to_view(outline.middle.0, outline.middle.1);
        let middle = Bounds::around_point(x, y, LETTER * size * letters(section) as f64, size);
        if camera.scale < FROM_AFAR && middle.is_within(view) {
            names.push(Name { section, x, y, size, label: None });
        } else {
            at_edge.extend(at_upper_edge(camera, outline, view, letters(section)).map(|found| (section, found)));
        }
    }
    // If there is no room for all, sections with a larger visible part come first.
    at_edge.sort_by(|(_, (_, area)), (_, (_, other))| other.total_cmp(area));
    for (section, (label, _)) in at_edge {
        let is_free = |name: &Name| name.label.is_none_or(|other| !other.overlaps(label));
        if names.iter().all(is_free) {
            let (x, y) = label.center();
            names.push(Name { section, x, y, size: AT_EDGE, label: Some(label) });
        }
    }
    names
}

/// Returns the label of a section at the upper edge of its visible part, and the size of that part; `None` if there is
/// no room.
fn at_upper_edge(camera: &Camera, outline: &Outline, view: Bounds, letters: usize) -> Option<(Bounds, f64)> {
    // A section that curves around a corner of the view may be empty in the middle of its bounds.
    const COLUMNS: [f64; 5] = [0.5, 0.25, 0.75, 0.1, 0.9];
    let edge: Vec<_> = outline.edge.iter().map(|(x, y)| camera.to_view(*x, *y)).collect();
    let bounds = Bounds::around(edge.iter().copied()).cut_to(view);
    let (width, height) = (LETTER * AT_EDGE * letters as f64 + 2.0 * PADDING, AT_EDGE + 2.0 * PADDING);
    if bounds.width() < width * LEAST_PART || view.width() < width || view.height() < height {
        return None;
    }
    COLUMNS.into_iter().find_map(|share| {
        let x = bounds.left + share * bounds.width();
        let (top, bottom) = longest_span(&edge, x);
        let top_in_view = top.max(view.top);
        if bottom.min(view.bottom) - top_in_view < height * LEAST_PART {
            return None;
        }
        // On the edge itself if that is in view: there, it covers the fewest seats.
        let x = x.clamp(view.left + width / 2.0, view.right - width / 2.0);
        let y = (top - OUTSIDE).clamp(view.top + height / 2.0, view.bottom - height / 2.0);
        Some((Bounds::around_point(x, y, width, height), bounds.width() * (bottom - top_in_view)))
    })
}

/// Returns the longest part of a vertical line within an outline; an empty one if there is none.
fn longest_span(edge: &[(f64, f64)], x: f64) -> (f64, f64) {
    let ends = edge.iter().zip(edge.iter().cycle().skip(1));
    let mut crossings: Vec<f64> = ends
        .filter(|((from, _), (to, _))| (*from <= x) != (*to <= x))
        .map(|((from_x, from_y), (to_x, to_y))| from_y + (x - from_x) / (to_x - from_x) * (to_y - from_y))
        .collect();
    crossings.sort_by(f64::total_cmp);
    let spans = crossings.chunks_exact(2).map(|span| (span[0], span[1]));
    spans.max_by(|(top, bottom), (other_top, other)| (bottom - top).total_cmp(&(other - other_top))).unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::*;
    use model::ticket::{hall::Hall, halls::HallName};

    fn stadium() -> (Hall, Geometry, Camera) {
        let hall = Hall::new(HallName::Stadium.layout()).unwrap();
        let geometry = Geometry::new(&hall);
        let camera = Camera::new(geometry.bounds, 900.0, 700.0);
        (hall, geometry, camera)
    }

    #[test]
    fn from_afar_names_stand_in_the_middle() {
        let (_, geometry, camera) = stadium();
        let names = place(&camera, &geometry, |_| 3);
        assert_eq!(names.len(), 120);
        assert!(names.iter().all(|name| name.label.is_none()));
    }

    #[test]
    fn whatever_is_in_view_the_section_in_its_middle_has_its_name_there() {
        let (hall, geometry, whole) = stadium();
        for (number, [x, y]) in geometry.seats.iter().enumerate().step_by(97) {
            for scale in [3.0, 8.0, 12.0, 20.0, 44.0] {
                let mut camera = whole;
                camera.center_on(f64::from(*x), f64::from(*y), scale);
                let names = place(&camera, &geometry, |_| 3);
                let seat = hall.seat(number as u32).unwrap();
                let section = usize::from(hall.rows[seat.row as usize].section);
                let name = names.iter().find(|name| name.section == section);
                let name = name.unwrap_or_else(|| panic!("{section} has no name at {scale}"));
                assert!((0.0..=camera.width).contains(&name.x) && (0.0..=camera.height).contains(&name.y));
            }
        }
    }

    #[test]
    fn labels_do_not_cover_each_other() {
        let (_, geometry, mut camera) = stadium();
        camera.center_on(0.0, 165.0, 16.0);
        let labels: Vec<_> = place(&camera, &geometry, |_| 3).into_iter().filter_map(|name| name.label).collect();
        assert!(labels.len() > 1);
        for (number, label) in labels.iter().enumerate() {
            assert!(labels[..number].iter().all(|other| !other.overlaps(*label)));
        }
    }
}
