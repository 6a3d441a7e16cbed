//! Paints every seat into the picture, and afterwards only the changed ones.

use crate::ticket::page::{
    categories::CategoryFilter,
    map::{
        camera::Camera,
        just_taken::{JustTaken, Looks},
        pixels::PixelCanvas,
        sprites::{Look, Picture, PixelRect, Rgb, Shape, Sprites},
    },
};
use model::ticket::{hall::Hall, seats::SeatState};

/// The custom properties with the colours of free seats, by category; they repeat after the last.
pub const CATEGORY_COLORS: [&str; 8] =
    ["--seat-1", "--seat-2", "--seat-3", "--seat-4", "--seat-5", "--seat-6", "--seat-7", "--seat-8"];
/// The strength of a sold seat's colour in filtered-out categories; the rest is the floor's.
const FAINT: f64 = 0.7;
/// The number of changed parts beyond which the whole picture is put on screen at once.
const MANY: usize = 400;
/// The number of looks of free seats. They come first, in the order of the categories.
const FREE_LOOKS: u8 = CATEGORY_COLORS.len() as u8;
/// The indices of the other looks.
const HELD: u8 = FREE_LOOKS;
const SOLD: u8 = FREE_LOOKS + 1;
/// The first of those of seats whose categories are filtered out.
const FILTERED: u8 = FREE_LOOKS + 2;
/// Blocked seats do not stand out when they become so: nobody has taken them.
const BLOCKED: u8 = FREE_LOOKS + 6;
/// The first of two.
const JUST_TAKEN: u8 = FREE_LOOKS + 7;
const LOOKS: Looks = Looks { free: FREE_LOOKS, own: FILTERED, just_taken: JUST_TAKEN };

/// The picture of all seats, as on screen.
pub struct Painter {
    picture: Picture,
    floor: Rgb,
    /// The looks of free seats by category, then of held ones, then of sold ones; then of free, held, sold and blocked
    /// seats whose categories are filtered out; then of blocked ones; then of seats that were just taken, twice.
    looks: Vec<Look>,
    /// `None` before the first picture, and when colours have changed.
    sprites: Option<Sprites>,
    /// The index of the drawn look, by seat.
    drawn: Vec<u8>,
    /// Seats that were just taken stand out.
    pub just_taken: JustTaken,
}

impl Default for Painter {
    fn default() -> Self {
        Self {
            picture: Picture::default(),
            floor: Rgb::default(),
            looks: Vec::new(),
            sprites: None,
            drawn: Vec::new(),
            just_taken: JustTaken::new(LOOKS),
        }
    }
}

impl Painter {
    /// Reads the theme's colours.
    pub fn read_colors(&mut self, canvas: &PixelCanvas) {
        let properties =
            [&["--floor", "--seat-held", "--seat-sold", "--seat-blocked", "--ink"], CATEGORY_COLORS.as_slice()]
                .concat();
        let Some(colors) = canvas.colors(&properties) else { return };
        let [floor, held, sold, blocked, just_taken, ref free @ ..] = colors[..] else { return };
        self.floor = floor;
        self.looks = free.iter().map(|color| Look { shape: Shape::Free, color: *color }).collect();
        self.looks.push(Look { shape: Shape::Held, color: held });
        self.looks.push(Look { shape: Shape::Sold, color: sold });
        let mix = |sold: u8, floor: u8| (f64::from(sold) * FAINT + f64::from(floor) * (1.0 - FAINT)) as u8;
        let faint = [0, 1, 2].map(|channel| mix(sold[channel], floor[channel]));
        let shapes = [Shape::Free, Shape::Held, Shape::Sold, Shape::Blocked];
        self.looks.extend(shapes.map(|shape| Look { shape, color: faint }));
        self.looks.push(Look { shape: Shape::Blocked, color: blocked });
        self.looks.extend([Look { shape: Shape::Held, color: just_taken }; 2]);
        self.sprites = None;
    }

    /// Paints all seats of a hall. `places` and `states` are indexed by seat number.
    pub fn paint_all(
        &mut self,
        canvas: &PixelCanvas,
        camera: &Camera,
        hall: &Hall,
        places: &[[f32; 2]],
        states: &[SeatState],
        filter: CategoryFilter,
    ) {
        if self.looks.is_empty() {
            return;
        }
        let projection = Projection::new(canvas, camera);
        let pitch = projection.scale.into();
        // While the map is only moved, seats keep their size.
        let sprites = self.sprites.take().filter(|sprites| sprites.pitch == pitch);
        let sprites = sprites.unwrap_or_else(|| Sprites::new(pitch, self.floor, &self.looks));
        self.picture.clear(canvas.width as usize, canvas.height as usize, self.floor);
        self.drawn.clear();
        self.just_taken.is_any_drawn = false;
        for (look, place) in looks(hall, states, filter).zip(places) {
            self.drawn.push(look);
            self.picture.draw(&sprites, look, projection.to_pixels(*place));
        }
        self.sprites = Some(sprites);
        canvas.put(&self.picture, &[self.picture.rect()]);
    }

    /// Paints the seats that changed since [`Painter::paint_all`] with the same camera, and returns whether there were
    /// any.
    pub fn paint_changed(
        &mut self,
        canvas: &PixelCanvas,
        camera: &Camera,
        hall: &Hall,
        places: &[[f32; 2]],
        states: &[SeatState],
        filter: CategoryFilter,
    ) -> bool {
        let Some(sprites) = &self.sprites else { return false };
        let projection = Projection::new(canvas, camera);
        let mut changed = Vec::new();
        let mut any = false;
        for ((look, place), drawn) in looks(hall, states, filter).zip(places).zip(&mut self.drawn) {
            let look = self.just_taken.look(*drawn, look);
            if *drawn != look {
                any = true;
                let at = projection.to_pixels(*place);
                self.picture.erase(sprites, *drawn, at);
                if let Some(seat) = self.picture.draw(sprites, look, at) {
                    add_seat(&mut changed, seat);
                }
                *drawn = look;
            }
        }
        if changed.len() > MANY {
            changed = vec![self.picture.rect()];
        }
        if !changed.is_empty() {
            canvas.put(&self.picture, &changed);
        }
        any
    }
}

/// Adds a seat to the changed parts. The seats of a group are neighbours, and come one after the other.
fn add_seat(parts: &mut Vec<PixelRect>, seat: PixelRect) {
    match parts.last_mut().and_then(|last| Some((last.joined_with(seat)?, last))) {
        Some((both, last)) => *last = both,
        None => parts.push(seat),
    }
}

/// Returns the index in [`Painter::looks`] for each seat.
fn looks(hall: &Hall, states: &[SeatState], filter: CategoryFilter) -> impl Iterator<Item = u8> {
    hall.categories.iter().enumerate().zip((0..FREE_LOOKS).cycle()).flat_map(move |((place, category), free)| {
        let (free, held, sold, blocked) = match filter.shows(place) {
            true => (free, HELD, SOLD, BLOCKED),
            false => (FILTERED, FILTERED + 1, FILTERED + 2, FILTERED + 3),
        };
        let seats = category.seats.start as usize..category.seats.end as usize;
        states[seats].iter().map(move |state| match state {
            SeatState::Free => free,
            SeatState::Held => held,
            SeatState::Sold => sold,
            SeatState::Blocked => blocked,
        })
    })
}

/// A camera, in the screen's pixels.
struct Projection {
    scale: f32,
    x: f32,
    y: f32,
}

impl Projection {
    fn new(canvas: &PixelCanvas, camera: &Camera) -> Self {
        let (x, y) = camera.to_view(0.0, 0.0);
        let density = canvas.density;
        Self { scale: (camera.scale * density) as f32, x: (x * density) as f32, y: (y * density) as f32 }
    }

    fn to_pixels(&self, [x, y]: [f32; 2]) -> [f32; 2] {
        [x * self.scale + self.x, y * self.scale + self.y]
    }
}
