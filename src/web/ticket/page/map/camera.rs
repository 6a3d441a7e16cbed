//! The camera: the visible part of the hall, and its scale.

use crate::ticket::page::map::geometry::Bounds;

/// The largest distance from seat to seat, in CSS pixels.
const MAX_SCALE: f64 = 44.0;
/// The margin around the hall when all of it is in view, in CSS pixels.
const MARGIN: f64 = 4.0;
/// The margin around seats that are brought into view, in seats.
const ROOM: f64 = 2.0;
/// The distance from the view's edge within which a point is moved farther in, in CSS pixels and as a share of the
/// view's length.
const NEAR_EDGE: f64 = 70.0;
const NEAR_EDGE_SHARE: f64 = 0.25;
/// Scales whose ratio is smaller are considered equal.
const TOLERANCE: f64 = 1.001;

/// The camera. Points of the hall are in seats, points of the view in CSS pixels from its upper left corner.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Camera {
    /// The point of the hall in the middle of the view.
    x: f64,
    y: f64,
    /// CSS pixels from one seat to the next.
    pub scale: f64,
    pub width: f64,
    pub height: f64,
    bounds: Bounds,
}

/// The point of the hall in the middle of the view, and the scale.
pub type ViewPosition = (f64, f64, f64);

impl Camera {
    /// Shows all of the hall in a view of this size.
    pub fn new(bounds: Bounds, width: f64, height: f64) -> Self {
        let mut camera = Self { x: 0.0, y: 0.0, scale: 1.0, width, height, bounds };
        camera.show_all();
        camera
    }

    /// Returns the scale that shows all of the hall.
    fn min_scale(&self) -> f64 {
        let across = (self.width - 2.0 * MARGIN) / self.bounds.width().max(1.0);
        let down = (self.height - 2.0 * MARGIN) / self.bounds.height().max(1.0);
        across.min(down).clamp(0.05, MAX_SCALE)
    }

    /// Returns whether all of the hall is in view.
    pub fn shows_all(&self) -> bool {
        self.scale <= self.min_scale() * TOLERANCE
    }

    /// Shows all of the hall.
    pub fn show_all(&mut self) {
        (self.x, self.y) = self.bounds.center();
        self.scale = self.min_scale();
    }

    /// Adapts to another size of the view, with the same part of the hall; all of it, if all of it was in view.
    pub fn resize(&mut self, width: f64, height: f64) {
        let showed_all = self.shows_all();
        (self.width, self.height) = (width, height);
        if showed_all { self.show_all() } else { self.stay_inside() }
    }

    /// Returns the point of the view for a point of the hall.
    pub fn to_view(self, x: f64, y: f64) -> (f64, f64) {
        ((x - self.x) * self.scale + self.width / 2.0, (y - self.y) * self.scale + self.height / 2.0)
    }

    /// Returns the point of the hall at a point of the view.
    pub fn to_hall(self, x: f64, y: f64) -> (f64, f64) {
        ((x - self.width / 2.0) / self.scale + self.x, (y - self.height / 2.0) / self.scale + self.y)
    }

    /// Returns the rectangle of the view for a rectangle of the hall.
    pub fn bounds_to_view(&self, bounds: Bounds) -> Bounds {
        let (left, top) = self.to_view(bounds.left, bounds.top);
        let (right, bottom) = self.to_view(bounds.right, bounds.bottom);
        Bounds { left, top, right, bottom }
    }

    /// Returns the visible part, as shares of the hall's width and height: left, top, right, bottom.
    pub fn frame(&self) -> [f64; 4] {
        let (left, top) = self.to_hall(0.0, 0.0);
        let (right, bottom) = self.to_hall(self.width, self.height);
        let across = |x: f64| ((x - self.bounds.left) / self.bounds.width().max(1.0)).clamp(0.0, 1.0);
        let down = |y: f64| ((y - self.bounds.top) / self.bounds.height().max(1.0)).clamp(0.0, 1.0);
        [across(left), down(top), across(right), down(bottom)]
    }

    /// Returns the visible part, independent of the view's size. `None` while it is all of the hall.
    pub fn place(&self) -> Option<ViewPosition> {
        (!self.shows_all()).then_some((self.x, self.y, self.scale))
    }

    /// Restores an earlier visible part.
    pub fn go_to(&mut self, (x, y, scale): ViewPosition) {
        (self.x, self.y, self.scale) = (x, y, scale.min(MAX_SCALE));
        self.stay_inside();
    }

    /// Moves a point to the middle of the view, given as shares of the hall's width and height.
    pub fn go_to_share(&mut self, across: f64, down: f64) {
        let x = self.bounds.left + across * self.bounds.width();
        let y = self.bounds.top + down * self.bounds.height();
        self.center_on(x, y, self.scale);
    }

    /// Returns the point in the middle of the view.
    pub fn middle(&self) -> (f64, f64) {
        (self.width / 2.0, self.height / 2.0)
    }

    /// Moves the hall by this many CSS pixels.
    pub fn pan(&mut self, dx: f64, dy: f64) {
        self.x -= dx / self.scale;
        self.y -= dy / self.scale;
        self.stay_inside();
    }

    /// Zooms by a factor around a point of the view, which stays in place.
    pub fn zoom(&mut self, factor: f64, x: f64, y: f64) {
        let (hall_x, hall_y) = self.to_hall(x, y);
        self.scale = (self.scale * factor).clamp(self.min_scale(), MAX_SCALE);
        self.x = hall_x - (x - self.width / 2.0) / self.scale;
        self.y = hall_y - (y - self.height / 2.0) / self.scale;
        self.stay_inside();
    }

    /// Moves a point of the hall to the middle of the view, at this scale or a larger one.
    pub fn center_on(&mut self, x: f64, y: f64, scale: f64) {
        (self.x, self.y) = (x, y);
        self.scale = self.scale.max(scale.min(MAX_SCALE));
        self.stay_inside();
    }

    /// Moves a rectangle of the hall to the middle of the view, at this scale or a larger one, but with all of it in
    /// view.
    pub fn fit(&mut self, bounds: Bounds, scale: f64) {
        let most = (self.width / (bounds.width() + 2.0 * ROOM)).min(self.height / (bounds.height() + 2.0 * ROOM));
        (self.x, self.y) = bounds.center();
        self.scale = self.scale.max(scale).min(most).clamp(self.min_scale(), MAX_SCALE);
        self.stay_inside();
    }

    /// Moves the hall as little as necessary to keep a point of it away from the view's edge.
    pub fn reveal(&mut self, x: f64, y: f64) {
        let (view_x, view_y) = self.to_view(x, y);
        let inwards = |at: f64, length: f64| {
            let margin = NEAR_EDGE.min(length * NEAR_EDGE_SHARE);
            at.clamp(margin, length - margin) - at
        };
        let (dx, dy) = (inwards(view_x, self.width), inwards(view_y, self.height));
        if dx != 0.0 || dy != 0.0 {
            self.pan(dx, dy);
        }
    }

    /// Keeps the middle of the view within the hall.
    fn stay_inside(&mut self) {
        self.x = self.x.clamp(self.bounds.left, self.bounds.right);
        self.y = self.y.clamp(self.bounds.top, self.bounds.bottom);
        if self.shows_all() {
            self.show_all();
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const HALL: Bounds = Bounds { left: -100.0, top: -50.0, right: 100.0, bottom: 50.0 };

    #[test]
    fn all_of_the_hall_is_in_view_at_first() {
        for (width, height) in [(800.0, 600.0), (390.0, 300.0), (2_000.0, 500.0)] {
            let camera = Camera::new(HALL, width, height);
            for (x, y) in [(-100.0, -50.0), (100.0, 50.0)] {
                let (x, y) = camera.to_view(x, y);
                assert!(x >= 0.0 && y >= 0.0 && x <= width && y <= height);
            }
        }
    }

    #[test]
    fn what_is_under_the_pointer_stays_there() {
        let mut camera = Camera::new(HALL, 800.0, 600.0);
        camera.zoom(3.0, 400.0, 300.0);
        let before = camera.to_hall(500.0, 250.0);
        camera.zoom(1.5, 500.0, 250.0);
        let after = camera.to_hall(500.0, 250.0);
        assert!((before.0 - after.0).abs() < 1e-9 && (before.1 - after.1).abs() < 1e-9);
        camera.pan(10.0, -5.0);
        let panned = camera.to_hall(510.0, 245.0);
        assert!((panned.0 - after.0).abs() < 1e-9 && (panned.1 - after.1).abs() < 1e-9);
    }

    #[test]
    fn the_hall_cannot_leave_the_view() {
        let mut camera = Camera::new(HALL, 800.0, 600.0);
        let first = camera;
        camera.zoom(1e9, 0.0, 0.0);
        assert_eq!(camera.scale, MAX_SCALE);
        camera.pan(1e9, 1e9);
        assert_eq!((camera.x, camera.y), (-100.0, -50.0));
        camera.zoom(1e-9, 3.0, 3.0);
        assert_eq!(camera, first);
    }

    #[test]
    fn what_is_asked_for_is_all_in_view() {
        let whole = Camera::new(HALL, 800.0, 600.0);
        let view = Bounds { left: 0.0, top: 0.0, right: 800.0, bottom: 600.0 };
        for bounds in [HALL, Bounds { left: 20.0, top: 3.0, right: 60.0, bottom: 4.0 }] {
            let mut camera = whole;
            camera.zoom(10.0, 0.0, 0.0);
            camera.fit(bounds, 20.0);
            assert!(camera.bounds_to_view(bounds).is_within(view), "{camera:?}");
        }
        let mut camera = whole;
        camera.fit(Bounds { left: 5.0, top: 5.0, right: 8.0, bottom: 5.0 }, 20.0);
        assert_eq!((camera.x, camera.y, camera.scale), (6.5, 5.0, 20.0));
    }

    #[test]
    fn a_point_comes_into_view_and_one_that_is_there_stays() {
        let mut camera = Camera::new(HALL, 800.0, 600.0);
        camera.center_on(0.0, 0.0, 20.0);
        let before = camera;
        camera.reveal(3.0, -3.0);
        assert_eq!(camera, before);
        camera.reveal(60.0, -40.0);
        let (x, y) = camera.to_view(60.0, -40.0);
        assert!((0.0..=800.0).contains(&x) && (0.0..=600.0).contains(&y));
        assert_eq!(camera.scale, before.scale);
    }

    #[test]
    fn the_frame_leads_back_to_where_it_is() {
        let mut camera = Camera::new(HALL, 800.0, 600.0);
        assert_eq!(camera.frame(), [0.0, 0.0, 1.0, 1.0]);
        camera.center_on(10.0, 20.0, 20.0);
        let [left, top, right, bottom] = camera.frame();
        let before = camera;
        camera.go_to_share((left + right) / 2.0, (top + bottom) / 2.0);
        assert!((camera.x - before.x).abs() < 1e-9 && (camera.y - before.y).abs() < 1e-9);
    }

    #[test]
    fn a_place_is_found_again_in_a_view_of_another_size() {
        let mut camera = Camera::new(HALL, 800.0, 600.0);
        assert_eq!(camera.place(), None);
        camera.center_on(10.0, 20.0, 15.0);
        let place = camera.place().expect("not all is in view");
        let mut other = Camera::new(HALL, 1.0, 1.0);
        other.go_to(place);
        other.resize(400.0, 300.0);
        assert_eq!(other.place(), Some(place));
        // So small a part of the hall cannot fill so large a view: all of it is shown.
        other.resize(9_000.0, 9_000.0);
        assert_eq!(other.place(), None);
    }

    #[test]
    fn a_view_that_showed_all_goes_on_to() {
        let mut camera = Camera::new(HALL, 800.0, 600.0);
        camera.resize(400.0, 300.0);
        assert_eq!(camera, Camera::new(HALL, 400.0, 300.0));
        camera.center_on(10.0, 20.0, 15.0);
        camera.resize(800.0, 600.0);
        assert_eq!((camera.x, camera.y, camera.scale), (10.0, 20.0, 15.0));
    }
}
