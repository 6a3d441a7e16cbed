//! Sprites of seats, as differences to the floor under them.
//!
//! A sprite is the difference between a seat and the floor's colour, for each pixel and channel, in bytes that wrap
//! around. Seats do not overlap, so drawing is adding and erasing is subtracting. In any order, the result is the same
//! picture, to the last bit, even if neighbours share a pixel at their edges.

/// The appearance of a seat.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Look {
    pub shape: Shape,
    pub color: Rgb,
}

/// The shape shows a seat's state; the colour of a free seat shows its category.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Shape {
    /// A ring, from afar a dot.
    Free,
    /// A diamond, its lower half filled; from afar filled.
    Held,
    /// A square with a cross cut out of it; from afar smaller.
    Sold,
    /// A bar across the seat.
    Blocked,
}

/// Red, green, blue.
pub type Rgb = [u8; 3];

/// The distance of seats in pixels below which the shapes are filled.
pub const PLAIN: f64 = 6.0;
/// The distance below which a seat is one soft dot.
const DOT: f64 = 2.2;
/// The largest radius of a shape, as a share of the distance of seats.
pub const REACH: f64 = 0.44;
/// The width of a shape's line, as a share of the distance of seats.
pub const LINE: f64 = 0.09;
/// Half the height of a blocked seat's bar, as a share of a shape's largest radius.
pub const BAR: f64 = 0.28;
/// The width of a free seat's ring, likewise: what can be had stands out.
pub const RING: f64 = 0.13;
/// The bytes of a pixel: red, green, blue, opacity.
const PIXEL: usize = 4;

/// The sprites of all looks, for seats of one size.
pub struct Sprites {
    /// The distance of seats, in pixels.
    pub pitch: f64,
    /// The side of a sprite, in pixels.
    side: usize,
    /// The number of positions between two pixels that have sprites of their own, in each direction.
    phases: usize,
    /// The bytes of the sprites, by look, then by vertical phase, then by horizontal phase.
    bytes: Vec<u8>,
}

impl Sprites {
    /// Makes the sprites of seats that are `pitch` pixels apart, on a floor of one colour.
    pub fn new(pitch: f64, floor: Rgb, looks: &[Look]) -> Self {
        let phases = match pitch {
            ..8.0 => 4,
            ..24.0 => 2,
            _ => 1,
        };
        let side = (pitch * REACH * 2.0).ceil() as usize + 2;
        let mut bytes = Vec::with_capacity(looks.len() * phases * phases * side * side * PIXEL);
        for Look { shape, color } in looks {
            for phase in 0..phases * phases {
                let shift = |phase: usize| (phase as f64 + 0.5) / phases as f64 - 0.5;
                let middle = side as f64 / 2.0;
                let (middle_x, middle_y) = (middle + shift(phase % phases), middle + shift(phase / phases));
                for pixel in 0..side * side {
                    let x = (pixel % side) as f64 + 0.5 - middle_x;
                    let y = (pixel / side) as f64 + 0.5 - middle_y;
                    let coverage = coverage(*shape, pitch, x, y);
                    // Wraps around if the seat is darker than the floor.
                    let add = |to: u8, from: u8| ((f64::from(to) - f64::from(from)) * coverage) as i32 as u8;
                    bytes.extend([0, 1, 2].map(|channel| add(color[channel], floor[channel])));
                    bytes.push(0);
                }
            }
        }
        Self { pitch, side, phases, bytes }
    }

    /// Returns the upper left pixel, and the sprite, of a seat whose middle is at a point.
    fn find(&self, look: u8, [x, y]: [f32; 2]) -> (i32, i32, &[u8]) {
        let half = self.side as f32 / 2.0 - 0.5;
        let (left, top) = (x - half, y - half);
        let (whole_x, whole_y) = (left.floor(), top.floor());
        let phase = |rest: f32| (rest * self.phases as f32) as usize % self.phases;
        let sprite = (usize::from(look) * self.phases + phase(top - whole_y)) * self.phases + phase(left - whole_x);
        let size = self.side * self.side * PIXEL;
        (whole_x as i32, whole_y as i32, &self.bytes[sprite * size..(sprite + 1) * size])
    }
}

/// Returns a shape's coverage of a pixel at this offset from the shape's middle.
fn coverage(shape: Shape, pitch: f64, x: f64, y: f64) -> f64 {
    let reach = pitch * REACH;
    if pitch < DOT {
        // The dot is spread over the four pixels around its middle.
        let size = match shape {
            Shape::Free => 0.55,
            Shape::Held => 0.62,
            Shape::Sold => 0.36,
            Shape::Blocked => 0.24,
        };
        let spread = |way: f64| (1.0 - way.abs()).max(0.0);
        return (pitch * pitch * size).min(1.0) * spread(x) * spread(y);
    }
    let within = |distance: f64| (0.5 - distance).clamp(0.0, 1.0);
    let circle = |radius: f64| x.hypot(y) - radius;
    let square = |radius: f64| x.abs().max(y.abs()) - radius;
    let diamond = |radius: f64| (x.abs() + y.abs() - radius) * std::f64::consts::FRAC_1_SQRT_2;
    let line = (pitch * LINE).max(1.0);
    match shape {
        Shape::Free if pitch < PLAIN => within(circle(reach * 0.95)),
        Shape::Free => {
            let ring = (pitch * RING).max(1.0);
            within(circle(reach - ring / 2.0).abs() - ring / 2.0)
        }
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
        Shape::Blocked => within(x.abs() - reach * 0.8).min(within(y.abs() - reach * BAR)),
    }
}

/// The highest bit of each channel of a pixel.
const TOPS: u32 = 0x8080_8080;

/// Adds the channels of two pixels, separately but in one operation: a stadium has a million pixels.
fn add(pixel: u32, change: u32) -> u32 {
    ((pixel & !TOPS) + (change & !TOPS)) ^ ((pixel ^ change) & TOPS)
}

/// Undoes [`add`].
fn subtract(pixel: u32, change: u32) -> u32 {
    ((pixel | TOPS) - (change & !TOPS)) ^ ((pixel ^ !change) & TOPS)
}

/// A picture of the whole view.
#[derive(Default)]
pub struct Picture {
    /// Red, green, blue and opacity of each pixel, line by line.
    pub bytes: Vec<u8>,
    pub width: usize,
    pub height: usize,
}

/// A part of a picture.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct PixelRect {
    pub x: i32,
    pub y: i32,
    pub width: i32,
    pub height: i32,
}

impl PixelRect {
    /// The limit of a part's growth for another seat, in areas of that seat: a few more pixels cost less than another
    /// part.
    const GROWTH: i32 = 4;

    /// Returns this part together with a seat; `None` if the seat is too far away.
    pub fn joined_with(self, seat: Self) -> Option<Self> {
        let (x, y) = (self.x.min(seat.x), self.y.min(seat.y));
        let right = (self.x + self.width).max(seat.x + seat.width);
        let bottom = (self.y + self.height).max(seat.y + seat.height);
        let both = Self { x, y, width: right - x, height: bottom - y };
        (both.pixels() - self.pixels() <= Self::GROWTH * seat.pixels()).then_some(both)
    }

    fn pixels(self) -> i32 {
        self.width * self.height
    }
}

impl Picture {
    /// Turns the picture into an empty floor.
    pub fn clear(&mut self, width: usize, height: usize, floor: Rgb) {
        (self.width, self.height) = (width, height);
        if self.bytes.len() != width * height * PIXEL {
            // New memory: filling some megabytes byte by byte takes longer than painting the seats.
            self.bytes = vec![0; width * height * PIXEL];
        }
        let [red, green, blue] = floor;
        let line = width * PIXEL;
        let (first, rest) = self.bytes.split_at_mut(line);
        first.chunks_exact_mut(PIXEL).for_each(|pixel| pixel.copy_from_slice(&[red, green, blue, 255]));
        rest.chunks_exact_mut(line).for_each(|next| next.copy_from_slice(first));
    }

    /// Returns the part that is the whole picture.
    pub fn rect(&self) -> PixelRect {
        PixelRect { x: 0, y: 0, width: self.width as i32, height: self.height as i32 }
    }

    /// Draws a seat with its middle at a point. Returns the changed part: `None` if the seat is outside the picture.
    pub fn draw(&mut self, sprites: &Sprites, look: u8, at: [f32; 2]) -> Option<PixelRect> {
        self.combine(sprites, look, at, add)
    }

    /// Removes a seat that was drawn there.
    pub fn erase(&mut self, sprites: &Sprites, look: u8, at: [f32; 2]) -> Option<PixelRect> {
        self.combine(sprites, look, at, subtract)
    }

    fn combine(
        &mut self,
        sprites: &Sprites,
        look: u8,
        at: [f32; 2],
        combine: impl Fn(u32, u32) -> u32,
    ) -> Option<PixelRect> {
        let (left, top, sprite) = sprites.find(look, at);
        let side = sprites.side as i32;
        let (first_column, end_column) = ((-left).max(0), (self.width as i32 - left).min(side));
        let (first_row, end_row) = ((-top).max(0), (self.height as i32 - top).min(side));
        if first_column >= end_column || first_row >= end_row {
            return None;
        }
        let (width, height) = (end_column - first_column, end_row - first_row);
        let length = width as usize * PIXEL;
        for row in first_row..end_row {
            let from = (row * side + first_column) as usize * PIXEL;
            let to = ((top + row) as usize * self.width + (left + first_column) as usize) * PIXEL;
            let (pixels, _) = self.bytes[to..to + length].as_chunks_mut::<PIXEL>();
            let (changes, _) = sprite[from..from + length].as_chunks::<PIXEL>();
            for (pixel, change) in pixels.iter_mut().zip(changes) {
                *pixel = combine(u32::from_ne_bytes(*pixel), u32::from_ne_bytes(*change)).to_ne_bytes();
            }
        }
        Some(PixelRect { x: left + first_column, y: top + first_row, width, height })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const LOOKS: [Look; 3] = [
        Look { shape: Shape::Free, color: [20, 120, 220] },
        Look { shape: Shape::Held, color: [230, 180, 40] },
        Look { shape: Shape::Sold, color: [90, 80, 70] },
    ];
    const FLOOR: Rgb = [240, 238, 230];

    /// Returns a block of seats, turned, at this pitch.
    fn block(pitch: f32, turn: f32) -> Vec<[f32; 2]> {
        let (sin, cos) = turn.sin_cos();
        let seat = |number: i32| {
            let (x, y) = ((number % 12 - 6) as f32 * pitch, (number / 12 - 6) as f32 * pitch);
            [60.3 + x * cos - y * sin, 60.7 + x * sin + y * cos]
        };
        (0..144).map(seat).collect()
    }

    #[test]
    fn channels_are_added_each_on_its_own() {
        for (one, other) in (0..=255).flat_map(|one: u8| (0..=255).map(move |other: u8| (one, other))) {
            let (pixel, change) = ([one, 255, 0, other], [other, 1, 1, one]);
            let combined = |combine: fn(u32, u32) -> u32| {
                combine(u32::from_ne_bytes(pixel), u32::from_ne_bytes(change)).to_ne_bytes()
            };
            let each = |combine: fn(u8, u8) -> u8| [0, 1, 2, 3].map(|place| combine(pixel[place], change[place]));
            assert_eq!(combined(add), each(u8::wrapping_add));
            assert_eq!(combined(subtract), each(u8::wrapping_sub));
        }
    }

    #[test]
    fn neighbours_are_put_on_screen_together_and_others_apart() {
        let seat = |x, y| PixelRect { x, y, width: 5, height: 5 };
        let beside = PixelRect { x: 10, y: 20, width: 11, height: 6 };
        assert_eq!(seat(10, 20).joined_with(seat(16, 21)), Some(beside));
        assert_eq!(seat(16, 21).joined_with(seat(10, 20)), Some(beside));
        assert_eq!(beside.joined_with(seat(12, 20)), Some(beside), "within");
        assert_eq!(seat(10, 20).joined_with(seat(40, 20)), None);
        assert_eq!(
            PixelRect { width: 100, height: 100, ..seat(0, 0) }.joined_with(seat(110, 50)),
            None,
            "a large part grows by no more"
        );
    }

    #[test]
    fn a_seat_that_goes_leaves_no_trace() {
        for pitch in [0.8, 1.6, 3.3, 7.0, 15.0, 30.0] {
            let sprites = Sprites::new(pitch.into(), FLOOR, &LOOKS);
            let (mut picture, mut empty) = (Picture::default(), Picture::default());
            picture.clear(120, 120, FLOOR);
            empty.clear(120, 120, FLOOR);
            for (number, at) in block(pitch, 0.4).into_iter().enumerate() {
                picture.draw(&sprites, (number % 3) as u8, at);
            }
            assert!(picture.bytes != empty.bytes, "{pitch}");
            for (number, at) in block(pitch, 0.4).into_iter().enumerate() {
                picture.erase(&sprites, (number % 3) as u8, at);
            }
            assert!(picture.bytes == empty.bytes, "{pitch}");
        }
    }

    #[test]
    fn every_pixel_is_between_the_floor_and_the_seats() {
        // Dark seats on a light floor: where a channel wraps around, a pixel is lighter than the floor.
        let dark = LOOKS.map(|look| Look { color: [0, 0, 0], ..look });
        for pitch in [0.7, 1.0, 1.6, 2.1, 2.3, 2.9, 3.7, 5.9, 6.1, 9.0, 30.0] {
            for look in 0..3 {
                let sprites = Sprites::new(f64::from(pitch), [250; 3], &dark);
                let mut picture = Picture::default();
                for turn in [0.0, 0.3, 0.785] {
                    picture.clear(120, 120, [250; 3]);
                    for at in block(pitch, turn) {
                        picture.draw(&sprites, look, at);
                    }
                    let lightest = picture.bytes.chunks(4).map(|pixel| pixel[0]).max();
                    assert_eq!(lightest, Some(250), "pitch {pitch}, look {look}, turn {turn}");
                }
            }
        }
    }
}
