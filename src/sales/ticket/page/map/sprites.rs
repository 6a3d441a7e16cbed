//! The little pictures of seats, as what they add to the floor under them.
//!
//! A seat's picture is kept as the difference from the floor's colour, for each pixel and channel, in bytes that wrap
//! around. Seats do not overlap, so drawing is adding, and taking a seat away is subtracting: whatever the order, the
//! same picture comes out, to the last bit, also where neighbours share a pixel at their edges.

/// How a seat looks: by its state, and while it is free by its category.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Shape {
    /// A ring, from afar a dot.
    Free,
    /// A diamond, its lower half filled; from afar filled.
    Held,
    /// A square with a cross cut out of it; from afar smaller.
    Sold,
}

/// The colour and shape of every kind of seat.
pub type Kind = (Shape, [u8; 3]);

/// Below so many pixels from seat to seat, the shapes are filled.
const PLAIN: f64 = 6.0;
/// Below so many, a seat is one soft dot.
const DOT: f64 = 2.2;
/// How large a shape is at most, from its middle, of the way to the next seat.
const REACH: f64 = 0.44;

/// Pictures for one size of seats.
pub struct Sprites {
    /// Pixels of a side.
    side: usize,
    /// Places between two pixels that have a picture of their own, in each direction.
    phases: usize,
    /// Four bytes a pixel; by kind, then by phase down, then by phase across.
    pictures: Vec<u8>,
}

impl Sprites {
    /// For seats that are `pitch` pixels apart, on a floor of one colour.
    pub fn new(pitch: f64, floor: [u8; 3], kinds: &[Kind]) -> Self {
        let phases = if pitch < 8.0 {
            4
        } else if pitch < 24.0 {
            2
        } else {
            1
        };
        let side = (pitch * REACH * 2.0).ceil() as usize + 2;
        let mut pictures = Vec::with_capacity(kinds.len() * phases * phases * side * side * 4);
        for (shape, colour) in kinds {
            for phase in 0..phases * phases {
                let shift = |phase: usize| (phase as f64 + 0.5) / phases as f64 - 0.5;
                let middle = side as f64 / 2.0;
                let (middle_x, middle_y) = (middle + shift(phase % phases), middle + shift(phase / phases));
                for pixel in 0..side * side {
                    let x = (pixel % side) as f64 + 0.5 - middle_x;
                    let y = (pixel / side) as f64 + 0.5 - middle_y;
                    let cover = cover(*shape, pitch, x, y);
                    let add = |to: u8, from: u8| ((f64::from(to) - f64::from(from)) * cover) as i32 as u8;
                    pictures.extend([0, 1, 2].map(|channel| add(colour[channel], floor[channel])));
                    pictures.push(0);
                }
            }
        }
        Self { side, phases, pictures }
    }

    /// The upper left pixel, and the picture, of a seat of a kind whose middle is at a point.
    fn find(&self, kind: u8, x: f32, y: f32) -> (i32, i32, &[u8]) {
        let half = self.side as f32 / 2.0 - 0.5;
        let (left, top) = (x - half, y - half);
        let (whole_x, whole_y) = (left.floor(), top.floor());
        let phase = |rest: f32| (rest * self.phases as f32) as usize % self.phases;
        let picture = (usize::from(kind) * self.phases + phase(top - whole_y)) * self.phases + phase(left - whole_x);
        let size = self.side * self.side * 4;
        (whole_x as i32, whole_y as i32, &self.pictures[picture * size..(picture + 1) * size])
    }
}

/// How much of a pixel a shape covers, whose middle is so far from the shape's.
fn cover(shape: Shape, pitch: f64, x: f64, y: f64) -> f64 {
    let reach = pitch * REACH;
    if pitch < DOT {
        // Spread over the four pixels around its middle.
        let size = match shape {
            Shape::Free => 0.55,
            Shape::Held => 0.62,
            Shape::Sold => 0.36,
        };
        let spread = |way: f64| (1.0 - way.abs()).max(0.0);
        return (pitch * pitch * size).min(1.0) * spread(x) * spread(y);
    }
    let within = |distance: f64| (0.5 - distance).clamp(0.0, 1.0);
    let circle = |radius: f64| x.hypot(y) - radius;
    let square = |radius: f64| x.abs().max(y.abs()) - radius;
    let diamond = |radius: f64| (x.abs() + y.abs() - radius) * std::f64::consts::FRAC_1_SQRT_2;
    let line = (pitch * 0.09).max(1.0);
    match shape {
        Shape::Free if pitch < PLAIN => within(circle(reach * 0.95)),
        Shape::Free => within(circle(reach - line / 2.0).abs() - line / 2.0),
        Shape::Held if pitch < PLAIN => within(diamond(reach * 1.1)),
        Shape::Held => {
            let edge = within(diamond(reach - line / 2.0).abs() - line / 2.0);
            edge.max(within(diamond(reach)).min(within(-y)))
        }
        Shape::Sold if pitch < PLAIN => within(square(reach * 0.6)),
        Shape::Sold => {
            let cross = ((x - y).abs().min((x + y).abs())) * std::f64::consts::FRAC_1_SQRT_2 - line / 2.0;
            within(square(reach * 0.68)) * (1.0 - within(cross))
        }
    }
}

/// A picture of the whole view: four bytes a pixel.
#[derive(Default)]
pub struct Picture {
    pub bytes: Vec<u8>,
    pub width: usize,
    pub height: usize,
}

impl Picture {
    /// An empty floor.
    pub fn clear(&mut self, width: usize, height: usize, floor: [u8; 3]) {
        (self.width, self.height) = (width, height);
        if self.bytes.len() != width * height * 4 {
            // Fresh memory: to fill some megabytes byte by byte takes longer than to paint the seats.
            self.bytes = vec![0; width * height * 4];
        }
        let [red, green, blue] = floor;
        let line = width * 4;
        let (first, rest) = self.bytes.split_at_mut(line);
        first.chunks_exact_mut(4).for_each(|pixel| pixel.copy_from_slice(&[red, green, blue, 255]));
        rest.chunks_exact_mut(line).for_each(|next| next.copy_from_slice(first));
    }

    /// Adds a seat, or takes away what was added; says which rectangle that changed.
    pub fn stamp(&mut self, sprites: &Sprites, kind: u8, [x, y]: [f32; 2], add: bool) -> Option<[i32; 4]> {
        let (left, top, picture) = sprites.find(kind, x, y);
        let side = sprites.side as i32;
        let first = (-left).max(0);
        let last = (self.width as i32 - left).min(side);
        let (above, below) = ((-top).max(0), (self.height as i32 - top).min(side));
        if first >= last || above >= below {
            return None;
        }
        for row in above..below {
            let from = ((row * side + first) * 4) as usize;
            let length = ((last - first) * 4) as usize;
            let to = ((top + row) as usize * self.width + (left + first) as usize) * 4;
            let pixels = self.bytes[to..to + length].iter_mut().zip(&picture[from..from + length]);
            if add {
                pixels.for_each(|(pixel, more)| *pixel = pixel.wrapping_add(*more));
            } else {
                pixels.for_each(|(pixel, more)| *pixel = pixel.wrapping_sub(*more));
            }
        }
        Some([left + first, top + above, last - first, below - above])
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const KINDS: [Kind; 3] =
        [(Shape::Free, [20, 120, 220]), (Shape::Held, [230, 180, 40]), (Shape::Sold, [90, 80, 70])];
    const FLOOR: [u8; 3] = [240, 238, 230];

    /// A block of seats, turned, at a pitch.
    fn block(pitch: f32, turn: f32) -> Vec<[f32; 2]> {
        let (sin, cos) = turn.sin_cos();
        let seat = |number: i32| {
            let (x, y) = ((number % 12 - 6) as f32 * pitch, (number / 12 - 6) as f32 * pitch);
            [60.3 + x * cos - y * sin, 60.7 + x * sin + y * cos]
        };
        (0..144).map(seat).collect()
    }

    #[test]
    fn a_seat_that_goes_leaves_no_trace() {
        for pitch in [0.8, 1.6, 3.3, 7.0, 15.0, 30.0] {
            let sprites = Sprites::new(pitch.into(), FLOOR, &KINDS);
            let (mut picture, mut empty) = (Picture::default(), Picture::default());
            picture.clear(120, 120, FLOOR);
            empty.clear(120, 120, FLOOR);
            for add in [true, false] {
                for (number, at) in block(pitch, 0.4).into_iter().enumerate() {
                    picture.stamp(&sprites, (number % 3) as u8, at, add);
                }
                assert_eq!(picture.bytes == empty.bytes, !add, "{pitch}");
            }
        }
    }

    #[test]
    fn every_pixel_is_between_the_floor_and_the_seats() {
        // One dark kind on a light floor: where a channel wraps around, a pixel is lighter than the floor.
        let dark = [(Shape::Free, [0, 0, 0]), (Shape::Held, [0, 0, 0]), (Shape::Sold, [0, 0, 0])];
        for pitch in [0.7, 1.0, 1.6, 2.1, 2.3, 2.9, 3.7, 5.9, 6.1, 9.0, 30.0] {
            for kind in 0..3 {
                let sprites = Sprites::new(f64::from(pitch), [250; 3], &dark);
                let mut picture = Picture::default();
                for turn in [0.0, 0.3, 0.785] {
                    picture.clear(120, 120, [250; 3]);
                    for at in block(pitch, turn) {
                        picture.stamp(&sprites, kind, at, true);
                    }
                    let lightest = picture.bytes.chunks(4).map(|pixel| pixel[0]).max();
                    assert_eq!(lightest, Some(250), "pitch {pitch}, kind {kind}, turn {turn}");
                }
            }
        }
    }
}
