//! The playback of records: the clock, its controls, squares that fill, and the result as a picture. The duel plays
//! awards with it, and the replay of a run what it gave away.

mod clock;
mod controls;
mod picture;
mod squares;
pub mod words;

pub use clock::{PLAY_S, Playback, State, use_playback};
pub use controls::PlaybackControls;
pub use picture::{Picture, PictureButton, PictureGrid};
pub use squares::{Fill, Squares};
