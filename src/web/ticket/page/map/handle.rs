//! The handle by which the rest of the page controls the map.

use leptos::prelude::*;

/// A request to the map.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Request {
    /// Shows these seats from near, marked; the page scrolls to the map.
    Show(Vec<u32>),
    /// Shows these seats from near, marked; the page does not scroll.
    Frame(Vec<u32>),
    /// Points at one seat, or at none; the map moves only if the seat is out of view.
    PointAt(Option<u32>),
}

/// Sends requests to the map.
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

    /// Shows seats from near and marks them; the page does not scroll.
    pub fn frame(self, seats: Vec<u32>) {
        self.0.set(Some(Request::Frame(seats)));
    }

    /// Points at a seat, and moves the map if it is out of view; `None` points at none.
    pub fn point_at(self, seat: Option<u32>) {
        self.0.set(Some(Request::PointAt(seat)));
    }

    /// Returns the current request, as a signal.
    pub fn request(self) -> Option<Request> {
        self.0.get()
    }
}
