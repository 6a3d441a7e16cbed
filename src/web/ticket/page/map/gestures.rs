//! Recognition of gestures by fingers or the mouse's button: dragging, pinching, tapping.

/// The distance from its start beyond which a press is a drag, in CSS pixels.
const DRAG_DISTANCE: f64 = 5.0;

/// The fingers that are down, or the mouse's button.
#[derive(Default)]
pub struct Pointers {
    down: Vec<Pointer>,
    /// One of them has moved too far for a tap, since the first came down.
    moved: bool,
}

#[derive(Clone, Copy)]
struct Pointer {
    id: i32,
    x: f64,
    y: f64,
    /// The start of the press.
    start: (f64, f64),
}

/// The meaning of a pointer's move. Lengths are CSS pixels.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Gesture {
    /// Nothing is pressed.
    Hover,
    /// Not yet far enough to rule out a tap.
    Undecided,
    Drag {
        dx: f64,
        dy: f64,
    },
    /// Two fingers zoom around a point, and pan.
    Pinch {
        factor: f64,
        center: (f64, f64),
        dx: f64,
        dy: f64,
    },
}

impl Pointers {
    /// Records that a pointer was pressed at a point, in CSS pixels.
    pub fn press(&mut self, id: i32, x: f64, y: f64) {
        self.down.retain(|pointer| pointer.id != id);
        if self.down.is_empty() {
            self.moved = false;
        }
        self.down.push(Pointer { id, x, y, start: (x, y) });
    }

    /// Records that a pointer has moved to a point, in CSS pixels, and returns the meaning.
    pub fn move_to(&mut self, id: i32, x: f64, y: f64) -> Gesture {
        let other = self.down.iter().find(|pointer| pointer.id != id).copied();
        let Some(pointer) = self.down.iter_mut().find(|pointer| pointer.id == id) else { return Gesture::Hover };
        let before = *pointer;
        let is_far = distance((x, y), before.start) >= DRAG_DISTANCE;
        if other.is_none() && !self.moved && !is_far {
            // The start is kept: once it is a drag, all of the way counts.
            return Gesture::Undecided;
        }
        self.moved = true;
        (pointer.x, pointer.y) = (x, y);
        let (dx, dy) = (x - before.x, y - before.y);
        match other {
            None => Gesture::Drag { dx, dy },
            Some(other) => {
                let apart = |x, y| distance((x, y), (other.x, other.y)).max(1.0);
                Gesture::Pinch {
                    factor: apart(x, y) / apart(before.x, before.y),
                    center: ((before.x + other.x) / 2.0, (before.y + other.y) / 2.0),
                    dx: dx / 2.0,
                    dy: dy / 2.0,
                }
            }
        }
    }

    /// Ends a press, and returns whether it was a tap.
    pub fn release(&mut self, id: i32) -> bool {
        self.cancel(id) && !self.moved && self.down.is_empty()
    }

    /// Forgets a pointer, and returns whether it was down.
    pub fn cancel(&mut self, id: i32) -> bool {
        let before = self.down.len();
        self.down.retain(|pointer| pointer.id != id);
        self.down.len() < before
    }
}

fn distance(a: (f64, f64), b: (f64, f64)) -> f64 {
    (a.0 - b.0).hypot(a.1 - b.1)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_press_that_stays_is_a_tap() {
        let mut pointers = Pointers::default();
        assert_eq!(pointers.move_to(1, 9.0, 9.0), Gesture::Hover);
        pointers.press(1, 10.0, 10.0);
        assert_eq!(pointers.move_to(1, 13.0, 12.0), Gesture::Undecided);
        assert!(pointers.release(1));
        assert!(!pointers.release(1), "it is up already");
    }

    #[test]
    fn a_drag_counts_from_where_it_began_and_is_no_tap() {
        let mut pointers = Pointers::default();
        pointers.press(1, 10.0, 10.0);
        assert_eq!(pointers.move_to(1, 12.0, 10.0), Gesture::Undecided);
        assert_eq!(pointers.move_to(1, 16.0, 10.0), Gesture::Drag { dx: 6.0, dy: 0.0 });
        assert_eq!(pointers.move_to(1, 16.0, 11.0), Gesture::Drag { dx: 0.0, dy: 1.0 });
        assert!(!pointers.release(1));
    }

    #[test]
    fn two_fingers_pinch_and_neither_taps() {
        let mut pointers = Pointers::default();
        pointers.press(1, 0.0, 0.0);
        pointers.press(2, 10.0, 0.0);
        let pinch = Gesture::Pinch { factor: 2.0, center: (5.0, 0.0), dx: 5.0, dy: 0.0 };
        assert_eq!(pointers.move_to(2, 20.0, 0.0), pinch);
        assert!(!pointers.release(2));
        assert!(!pointers.release(1));
    }

    #[test]
    fn what_the_browser_takes_over_is_no_tap() {
        let mut pointers = Pointers::default();
        pointers.press(1, 0.0, 0.0);
        assert!(pointers.cancel(1));
        assert!(!pointers.release(1));
    }
}
