//! The map's reactions to pointers, the wheel and keys.

use crate::ticket::page::map::{
    gestures::Gesture,
    state::{MapState, ZOOM},
};
use wasm_bindgen::{JsCast, prelude::wasm_bindgen};
use web_sys::{Element, KeyboardEvent, MouseEvent, PointerEvent, WheelEvent};

/// The distance that Shift and an arrow key move the map, in CSS pixels.
const STEP: f64 = 60.0;
/// The length of a line and of a page in CSS pixels, for wheels that count in them.
const LINE: f64 = 16.0;
const PAGE: f64 = 400.0;

impl MapState {
    /// Starts a tap, a drag or a pinch.
    pub fn on_pointer_down(&mut self, event: &PointerEvent) {
        if event.button() == 0 {
            self.capture_pointer(event.pointer_id());
            self.hide_crosshair();
            self.shown.clear();
            self.changes.overlay = true;
            let (x, y) = position(event);
            self.pointers.press(event.pointer_id(), x, y);
        }
    }

    /// Points at a seat, drags or zooms.
    pub fn on_pointer_move(&mut self, event: &PointerEvent) {
        let (x, y) = position(event);
        match self.pointers.move_to(event.pointer_id(), x, y) {
            Gesture::Hover => {
                self.hide_crosshair();
                self.point_at(self.seat_at(x, y));
            }
            Gesture::Undecided => {}
            Gesture::Drag { dx, dy } => {
                self.point_at(None);
                self.pan(dx, dy);
            }
            Gesture::Pinch { factor, center: (x, y), dx, dy } => {
                // In this order: the whole hall cannot be moved, so panning first would let the fingers slip.
                self.zoom(factor, x, y);
                self.pan(dx, dy);
            }
        }
    }

    /// Ends a gesture; a tap selects a seat, or zooms in if seats are small.
    pub fn on_pointer_up(&mut self, event: &PointerEvent) {
        if self.pointers.release(event.pointer_id()) {
            let (x, y) = position(event);
            self.tap(x, y);
        }
    }

    /// Ends a gesture that the browser has taken over.
    pub fn on_pointer_cancel(&mut self, event: &PointerEvent) {
        self.pointers.cancel(event.pointer_id());
    }

    /// Stops pointing at a seat when the mouse leaves the map.
    pub fn on_pointer_leave(&mut self, event: &PointerEvent) {
        // A finger leaves with every tap; the map keeps pointing at the tapped seat.
        if event.pointer_type() == "mouse" {
            self.point_at(None);
        }
    }

    /// Zooms in by two steps.
    pub fn on_double_click(&mut self, event: &MouseEvent) {
        let (x, y) = position(event);
        self.zoom(ZOOM * ZOOM, x, y);
    }

    /// Zooms around the pointer.
    pub fn on_wheel(&mut self, event: &WheelEvent) {
        event.prevent_default();
        let (x, y) = position(event);
        let unit = match event.delta_mode() {
            WheelEvent::DOM_DELTA_PIXEL => 1.0,
            WheelEvent::DOM_DELTA_LINE => LINE,
            _ => PAGE,
        };
        // A pinch on a touchpad comes as small steps with the control key.
        let strength = if event.ctrl_key() { 0.01 } else { 0.0015 };
        self.zoom((-event.delta_y() * unit * strength).clamp(-0.7, 0.7).exp(), x, y);
    }

    /// Moves the crosshair, moves the map or zooms.
    pub fn on_key_down(&mut self, event: &KeyboardEvent) {
        if event.ctrl_key() || event.meta_key() || event.alt_key() {
            return;
        }
        let direction = match event.key().as_str() {
            "ArrowLeft" => (-1.0, 0.0),
            "ArrowRight" => (1.0, 0.0),
            "ArrowUp" => (0.0, -1.0),
            "ArrowDown" => (0.0, 1.0),
            _ => (0.0, 0.0),
        };
        match event.key().as_str() {
            "+" | "=" => self.zoom_in(),
            "-" | "_" => self.zoom_out(),
            "0" | "Home" => self.show_all(),
            "Enter" | " " => self.press_crosshair(),
            "Escape" => {
                self.hide_crosshair();
                self.point_at(None);
            }
            _ if direction == (0.0, 0.0) => return,
            _ if event.shift_key() => self.pan(-direction.0 * STEP, -direction.1 * STEP),
            _ => self.step(direction),
        }
        event.prevent_default();
    }

    /// Hides the crosshair, as the keyboard's focus has left the map.
    pub fn on_blur(&mut self) {
        self.hide_crosshair();
        self.point_at(None);
    }

    /// Moves the map to the pressed point of the overview, also while dragging.
    pub fn on_overview(&mut self, event: &PointerEvent) {
        const MAIN_BUTTON: u16 = 1;
        let Some(picture) = event.current_target().and_then(|target| target.dyn_into::<Element>().ok()) else { return };
        if event.buttons() & MAIN_BUTTON == 0 {
            return;
        }
        // Fails if the pointer is up already.
        _ = picture.set_pointer_capture(event.pointer_id());
        let (x, y) = position(event);
        let (width, height) = (f64::from(picture.client_width()), f64::from(picture.client_height()));
        self.camera.go_to_share(x / width.max(1.0), y / height.max(1.0));
        self.camera_moved();
    }
}

/// Returns the position of an event on the canvas, in CSS pixels.
fn position(event: &MouseEvent) -> (f64, f64) {
    let event = event.unchecked_ref::<PreciseEvent>();
    (event.offset_x(), event.offset_y())
}

#[wasm_bindgen]
extern "C" {
    /// A mouse event with the fractions of pixels that web-sys cuts off. Without them, the hall slips away under two
    /// fingers.
    type PreciseEvent;

    #[wasm_bindgen(method, getter, js_name = offsetX)]
    fn offset_x(this: &PreciseEvent) -> f64;

    #[wasm_bindgen(method, getter, js_name = offsetY)]
    fn offset_y(this: &PreciseEvent) -> f64;
}
