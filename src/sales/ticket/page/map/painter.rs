//! Puts every seat into the picture, and afterwards only those that changed.

use super::{
    camera::Camera,
    sprites::{Kind, Picture, Shape, Sprites},
};
use crate::{
    sales::ticket::seats::SeatState,
    ui::platform::{self, Pixels},
};
use leptos::web_sys::Element;

/// Custom properties: the floor, held seats, sold seats, and free seats by category, over and over again.
const FLOOR: &str = "--floor";
const HELD: &str = "--seat-held";
const SOLD: &str = "--seat-sold";
pub const CATEGORIES: [&str; 8] =
    ["--seat-1", "--seat-2", "--seat-3", "--seat-4", "--seat-5", "--seat-6", "--seat-7", "--seat-8"];
/// So many changes at once are put on screen as one.
const MANY: usize = 400;

/// The picture of all seats, as it is on screen.
#[derive(Default)]
pub struct Painter {
    picture: Picture,
    sprites: Option<Sprites>,
    floor: [u8; 3],
    kinds: Vec<Kind>,
    /// By seat: the kind that is in the picture.
    shown: Vec<u8>,
}

impl Painter {
    /// Takes the colours in force.
    pub fn take_colours(&mut self, canvas: &Element) {
        let tokens = [&[FLOOR, HELD, SOLD], CATEGORIES.as_slice()].concat();
        let colours = platform::colours(canvas, &tokens);
        let &[floor, held, sold, ref free @ ..] = colours.as_slice() else { return };
        self.floor = floor;
        self.kinds = free.iter().map(|colour| (Shape::Free, *colour)).collect();
        self.kinds.extend([(Shape::Held, held), (Shape::Sold, sold)]);
    }

    fn kind(state: SeatState, category: u16) -> u8 {
        match state {
            SeatState::Free => (usize::from(category) % CATEGORIES.len()) as u8,
            SeatState::Held => CATEGORIES.len() as u8,
            SeatState::Sold => CATEGORIES.len() as u8 + 1,
        }
    }

    /// Paints all seats of a hall. `categories` has, for each category, how many seats there are up to its end.
    pub fn paint(
        &mut self,
        screen: &Pixels,
        camera: &Camera,
        places: &[[f32; 2]],
        states: &[SeatState],
        categories: &[u32],
    ) {
        let eye = Eye::of(screen, camera);
        let sprites = Sprites::new(eye.scale.into(), self.floor, &self.kinds);
        self.picture.clear(screen.width as usize, screen.height as usize, self.floor);
        self.shown.clear();
        let mut category = 0;
        for (number, (place, state)) in places.iter().zip(states).enumerate() {
            while categories.get(category).is_some_and(|end| number as u32 >= *end) {
                category += 1;
            }
            let kind = Self::kind(*state, category as u16);
            self.shown.push(kind);
            self.picture.stamp(&sprites, kind, eye.see(*place), true);
        }
        self.sprites = Some(sprites);
        screen.put(&self.picture.bytes, &[[0, 0, screen.width as i32, screen.height as i32]]);
    }

    /// Paints the seats that changed, after all were painted by the same camera.
    pub fn repaint(
        &mut self,
        screen: &Pixels,
        camera: &Camera,
        places: &[[f32; 2]],
        changed: impl Iterator<Item = (usize, SeatState, u16)>,
    ) {
        let Some(sprites) = &self.sprites else { return };
        let eye = Eye::of(screen, camera);
        let mut rectangles = Vec::new();
        for (number, state, category) in changed {
            let kind = Self::kind(state, category);
            let (Some(shown), Some(place)) = (self.shown.get_mut(number), places.get(number)) else { continue };
            if *shown == kind {
                continue;
            }
            let at = eye.see(*place);
            self.picture.stamp(sprites, *shown, at, false);
            rectangles.extend(self.picture.stamp(sprites, kind, at, true));
            *shown = kind;
        }
        if rectangles.len() > MANY {
            rectangles = vec![[0, 0, screen.width as i32, screen.height as i32]];
        }
        if !rectangles.is_empty() {
            screen.put(&self.picture.bytes, &rectangles);
        }
    }
}

/// A camera, in the screen's pixels.
struct Eye {
    scale: f32,
    x: f32,
    y: f32,
}

impl Eye {
    fn of(screen: &Pixels, camera: &Camera) -> Self {
        let (x, y) = camera.see(0.0, 0.0);
        let density = screen.density;
        Self { scale: (camera.scale * density) as f32, x: (x * density) as f32, y: (y * density) as f32 }
    }

    fn see(&self, [x, y]: [f32; 2]) -> [f32; 2] {
        [x * self.scale + self.x, y * self.scale + self.y]
    }
}
