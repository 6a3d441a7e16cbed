//! Which part of the hall is in sight, and how large.

/// The largest a seat is shown, in CSS pixels.
const LARGEST: f64 = 44.0;
/// Around the hall when all of it is in sight, in CSS pixels.
const MARGIN: f64 = 14.0;

/// A rectangle in seats: left, top, right, bottom.
pub type Bounds = [f64; 4];

#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Camera {
    /// The point of the hall in the middle of the view, in seats.
    pub x: f64,
    pub y: f64,
    /// CSS pixels from one seat to the next.
    pub scale: f64,
    /// The view, in CSS pixels.
    pub width: f64,
    pub height: f64,
    bounds: Bounds,
}

impl Camera {
    /// All of the hall in a view.
    pub fn new(bounds: Bounds, width: f64, height: f64) -> Self {
        let mut camera = Self { x: 0.0, y: 0.0, scale: 1.0, width, height, bounds };
        camera.fit();
        camera
    }

    /// The scale that shows all of the hall.
    fn fitting(&self) -> f64 {
        let [left, top, right, bottom] = self.bounds;
        let across = (self.width - 2.0 * MARGIN) / (right - left).max(1.0);
        let down = (self.height - 2.0 * MARGIN) / (bottom - top).max(1.0);
        across.min(down).clamp(0.05, LARGEST)
    }

    /// Shows all of the hall.
    pub fn fit(&mut self) {
        let [left, top, right, bottom] = self.bounds;
        (self.x, self.y) = ((left + right) / 2.0, (top + bottom) / 2.0);
        self.scale = self.fitting();
    }

    /// The same part of the hall in a view of another size; all of it, if all of it was in sight.
    pub fn resize(&mut self, width: f64, height: f64) {
        let was_all = self.scale <= self.fitting() * 1.001;
        (self.width, self.height) = (width, height);
        if was_all { self.fit() } else { self.hold() }
    }

    /// A point of the hall in the view.
    pub fn see(&self, x: f64, y: f64) -> (f64, f64) {
        ((x - self.x) * self.scale + self.width / 2.0, (y - self.y) * self.scale + self.height / 2.0)
    }

    /// The point of the hall at a point of the view.
    pub fn at(&self, x: f64, y: f64) -> (f64, f64) {
        ((x - self.width / 2.0) / self.scale + self.x, (y - self.height / 2.0) / self.scale + self.y)
    }

    /// Moves the hall by so many CSS pixels.
    pub fn pan(&mut self, x: f64, y: f64) {
        self.x -= x / self.scale;
        self.y -= y / self.scale;
        self.hold();
    }

    /// Makes the hall larger, around a point of the view that stays where it is.
    pub fn zoom(&mut self, times: f64, x: f64, y: f64) {
        let (hall_x, hall_y) = self.at(x, y);
        self.scale = (self.scale * times).clamp(self.fitting().min(LARGEST), LARGEST);
        self.x = hall_x - (x - self.width / 2.0) / self.scale;
        self.y = hall_y - (y - self.height / 2.0) / self.scale;
        self.hold();
    }

    /// Shows a point of the hall in the middle, at least so large.
    pub fn go(&mut self, x: f64, y: f64, scale: f64) {
        (self.x, self.y) = (x, y);
        self.scale = self.scale.max(scale.min(LARGEST));
        self.hold();
    }

    /// Keeps the middle of the view within the hall.
    fn hold(&mut self) {
        let [left, top, right, bottom] = self.bounds;
        self.x = self.x.clamp(left, right);
        self.y = self.y.clamp(top, bottom);
        if self.scale <= self.fitting() * 1.001 {
            self.fit();
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const HALL: Bounds = [-100.0, -50.0, 100.0, 50.0];

    #[test]
    fn all_of_the_hall_is_in_sight_at_first() {
        for (width, height) in [(800.0, 600.0), (390.0, 300.0), (2_000.0, 500.0)] {
            let camera = Camera::new(HALL, width, height);
            for (x, y) in [(-100.0, -50.0), (100.0, 50.0)] {
                let (x, y) = camera.see(x, y);
                assert!(x >= 0.0 && y >= 0.0 && x <= width && y <= height);
            }
        }
    }

    #[test]
    fn what_is_under_the_pointer_stays_there() {
        let mut camera = Camera::new(HALL, 800.0, 600.0);
        camera.zoom(3.0, 400.0, 300.0);
        let before = camera.at(500.0, 250.0);
        camera.zoom(1.5, 500.0, 250.0);
        let after = camera.at(500.0, 250.0);
        assert!((before.0 - after.0).abs() < 1e-9 && (before.1 - after.1).abs() < 1e-9);
        camera.pan(10.0, -5.0);
        let panned = camera.at(510.0, 245.0);
        assert!((panned.0 - after.0).abs() < 1e-9 && (panned.1 - after.1).abs() < 1e-9);
    }

    #[test]
    fn nobody_gets_lost() {
        let mut camera = Camera::new(HALL, 800.0, 600.0);
        let first = camera;
        camera.zoom(1e9, 0.0, 0.0);
        assert_eq!(camera.scale, LARGEST);
        camera.pan(1e9, 1e9);
        assert_eq!((camera.x, camera.y), (-100.0, -50.0));
        camera.zoom(1e-9, 3.0, 3.0);
        assert_eq!(camera, first);
    }
}
