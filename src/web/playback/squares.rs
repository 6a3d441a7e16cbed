//! Squares on a canvas, in rows that fill an area: one for each item, or for several.

use crate::components::Surface;

/// The greatest distance between two squares, in CSS pixels: a few items are no wall.
const MOST_PITCH: f64 = 40.0;
/// The distance from which there is a gap between two squares.
const GAP_FROM: f64 = 4.0;
/// The share of the distance that a square takes beside a gap.
const SQUARE: f64 = 0.84;

/// What a square shows.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Fill {
    /// This share of its items is taken, from 0 to 1.
    Taken(f64),
    /// Its item was given away more than once.
    Twice,
}

/// The places of squares in an area.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Squares {
    left: f64,
    top: f64,
    columns: usize,
    /// The distance between two squares.
    pitch: f64,
}

impl Squares {
    /// Places so many squares in an area of this width and height, as large as they can be.
    pub fn new(number: usize, (left, top): (f64, f64), (width, height): (f64, f64)) -> Self {
        let (number, width, height) = (number.max(1), width.max(1.0), height.max(1.0));
        let ideal = (width * height / number as f64).sqrt().min(MOST_PITCH);
        // As the rows are whole, there may be room for fewer than that.
        let mut columns = (width / ideal).floor().max(1.0) as usize;
        loop {
            let pitch = (width / columns as f64).min(MOST_PITCH);
            if number.div_ceil(columns) as f64 * pitch <= height || columns >= number {
                return Self { left, top, columns, pitch };
            }
            columns += 1;
        }
    }

    /// Draws these squares, by their numbers from 0.
    pub fn draw(self, surface: &Surface, squares: impl Iterator<Item = (usize, Fill)> + Clone) {
        let rect = |nth: usize| {
            let (column, row) = (nth % self.columns, nth / self.columns);
            let size = if self.pitch < GAP_FROM { self.pitch } else { self.pitch * SQUARE };
            let (x, y) = (self.left + column as f64 * self.pitch, self.top + row as f64 * self.pitch);
            let [left, top] = [x, y].map(|start| surface.edge(start));
            let [right, bottom] = [x + size, y + size].map(|end| surface.edge(end));
            surface.context().fill_rect(left, top, right - left, bottom - top);
        };
        // Colours are set once for all squares that have them, as that takes longer than a square.
        surface.set_fill("--cell", 1.0);
        squares.clone().for_each(|(nth, _)| rect(nth));
        surface.set_fill("--gold", 1.0);
        for (nth, _) in squares.clone().filter(|(_, fill)| matches!(fill, Fill::Taken(share) if *share >= 1.0)) {
            rect(nth);
        }
        surface.set_fill("--vermilion", 1.0);
        for (nth, _) in squares.clone().filter(|(_, fill)| matches!(fill, Fill::Twice)) {
            rect(nth);
        }
        for (nth, fill) in squares {
            if let Fill::Taken(share) = fill
                && share > 0.0
                && share < 1.0
            {
                surface.set_fill("--gold", share);
                rect(nth);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn all_squares_are_in_their_area_and_as_large_as_they_can_be() {
        for (number, width, height) in
            [(1, 300.0, 200.0), (10, 1_000.0, 60.0), (400, 328.0, 240.0), (20_000, 1_200.0, 360.0), (7, 50.0, 400.0)]
        {
            let Squares { columns, pitch, .. } = Squares::new(number, (0.0, 0.0), (width, height));
            let rows = number.div_ceil(columns) as f64;
            assert!(columns as f64 * pitch <= width + 1e-6, "{number}: {columns} × {pitch}");
            assert!(rows * pitch <= height + 1e-6, "{number}: {rows} × {pitch}");
            let covered = number as f64 * pitch * pitch / (width * height);
            assert!(covered > 0.4 || pitch >= MOST_PITCH - 1e-6, "{number}: {covered}");
        }
    }
}
