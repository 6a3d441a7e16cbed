//! Moves the map from elsewhere on the page.

use leptos::prelude::*;

/// What the map is asked to show.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Request {
    /// These seats from near, marked; the page scrolls to the map.
    Show(Vec<u32>),
    /// The same, and the page stays where it is.
    Frame(Vec<u32>),
    /// One seat, or no longer; the map moves only if it is out of view.
    PointAt(Option<u32>),
}

/// Tells the map what to show.
#[derive(Clone, Copy)]
pub struct Handle(RwSignal<Option<Request>>);

impl Handle {
    pub fn new() -> Self {
        Self(RwSignal::new(None))
    }

    /// Shows seats from near, marks them, and scrolls the page to the map.
    pub fn show(self, seats: Vec<u32>) {
        self.0.set(Some(Request::Show(seats)));
    }

    /// Shows seats from near and marks them, wherever the page is scrolled to.
    pub fn frame(self, seats: Vec<u32>) {
        self.0.set(Some(Request::Frame(seats)));
    }

    /// Points at a seat, and moves the map if it is out of view; or points at none.
    pub fn point_at(self, seat: Option<u32>) {
        self.0.set(Some(Request::PointAt(seat)));
    }

    /// What is asked for. A signal.
    pub fn request(self) -> Option<Request> {
        self.0.get()
    }
}
