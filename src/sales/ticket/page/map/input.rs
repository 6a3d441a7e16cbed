//! What fingers, mice and keys do to the map.

use super::{Handle, Map};
use crate::ui::{node::El, platform};
use leptos::ev::Event;

/// Farther than this, in CSS pixels, a press is a drag.
const DRAG: f64 = 5.0;
/// Below so many CSS pixels a seat, pressing comes closer instead of choosing: nobody could tell which seat is meant.
const TOO_SMALL: f64 = 4.5;
/// How large seats are then.
const CLOSE: f64 = 14.0;
/// How far an arrow key goes, in CSS pixels.
const STEP: f64 = 60.0;
/// How much closer a key or a button comes.
pub const ZOOM: f64 = 1.5;

/// Fingers on the map, or the mouse's button.
#[derive(Default)]
pub struct Pointers {
    down: Vec<Pointer>,
    dragged: bool,
}

#[derive(Clone, Copy)]
struct Pointer {
    id: i32,
    x: f64,
    y: f64,
    from: (f64, f64),
}

/// The element with everything that is to be heard there.
pub fn heard(el: El, handle: Handle) -> El {
    let on = |el: El, name: &'static str, act: fn(&mut Map, &Event)| {
        el.on(name, move |event: Event| handle.with(|map| act(map, &event)))
    };
    let el = on(el, "pointerdown", down);
    let el = on(el, "pointermove", moved);
    let el = on(el, "pointerup", |map, event| up(map, event, true));
    let el = on(el, "pointercancel", |map, event| up(map, event, false));
    let el = on(el, "pointerleave", |map, event| {
        // A finger leaves with every tap; what it tapped stays pointed at.
        if platform::word(event, "pointerType") == "mouse" {
            map.point(None);
        }
    });
    let el = on(el, "dblclick", |map, event| {
        let (x, y) = place(event);
        map.zoom(ZOOM * ZOOM, x, y);
    });
    let el = on(el, "wheel", wheel);
    let el = on(el, "keydown", key);
    on(el, "blur", |map, _| map.point(None))
}

fn place(event: &Event) -> (f64, f64) {
    (platform::figure(event, "offsetX"), platform::figure(event, "offsetY"))
}

fn down(map: &mut Map, event: &Event) {
    platform::capture(event);
    let (x, y) = place(event);
    let id = platform::figure(event, "pointerId") as i32;
    let pointers = &mut map.pointers;
    pointers.down.retain(|pointer| pointer.id != id);
    if pointers.down.is_empty() {
        pointers.dragged = false;
    }
    pointers.down.push(Pointer { id, x, y, from: (x, y) });
}

fn moved(map: &mut Map, event: &Event) {
    let (x, y) = place(event);
    let id = platform::figure(event, "pointerId") as i32;
    let Some(number) = map.pointers.down.iter().position(|pointer| pointer.id == id) else {
        return map.point(map.seat_at(x, y));
    };
    let was = map.pointers.down[number];
    let other = map.pointers.down.iter().find(|pointer| pointer.id != id).copied();
    map.pointers.down[number] = Pointer { x, y, ..was };
    match other {
        None => {
            let far = (x - was.from.0).hypot(y - was.from.1);
            if !map.pointers.dragged && far < DRAG {
                // Not yet: all of the way counts once it is a drag.
                map.pointers.down[number] = was;
                return;
            }
            map.pointers.dragged = true;
            map.point(None);
            map.pan(x - was.x, y - was.y);
        }
        Some(other) => {
            map.pointers.dragged = true;
            let apart = |x: f64, y: f64| (x - other.x).hypot(y - other.y).max(1.0);
            // In this order: the whole hall cannot be moved, so moving it first would let the fingers slip.
            map.zoom(apart(x, y) / apart(was.x, was.y), (was.x + other.x) / 2.0, (was.y + other.y) / 2.0);
            map.pan((x - was.x) / 2.0, (y - was.y) / 2.0);
        }
    }
}

fn up(map: &mut Map, event: &Event, is_press: bool) {
    let id = platform::figure(event, "pointerId") as i32;
    map.pointers.down.retain(|pointer| pointer.id != id);
    if !is_press || map.pointers.dragged || !map.pointers.down.is_empty() {
        return;
    }
    let (x, y) = place(event);
    if map.scale() < TOO_SMALL {
        return map.come(x, y, CLOSE);
    }
    let seat = map.seat_at(x, y);
    map.point(seat);
    if let Some(seat) = seat {
        map.sale.toggle(seat);
    }
}

fn wheel(map: &mut Map, event: &Event) {
    event.prevent_default();
    let (x, y) = place(event);
    // Lines and pages, where the wheel counts in them; a pinch on a pad comes as small steps with the control key.
    let unit = match platform::figure(event, "deltaMode") as i32 {
        0 => 1.0,
        1 => 16.0,
        _ => 400.0,
    };
    let strength = if platform::flag(event, "ctrlKey") { 0.01 } else { 0.0015 };
    map.zoom((-platform::figure(event, "deltaY") * unit * strength).clamp(-0.7, 0.7).exp(), x, y);
}

fn key(map: &mut Map, event: &Event) {
    if ["ctrlKey", "metaKey", "altKey"].iter().any(|name| platform::flag(event, name)) {
        return;
    }
    match platform::word(event, "key").as_str() {
        "+" | "=" => map.zoom_middle(ZOOM),
        "-" | "_" => map.zoom_middle(1.0 / ZOOM),
        "0" | "Home" => map.fit(),
        "ArrowLeft" => map.step(STEP, 0.0),
        "ArrowRight" => map.step(-STEP, 0.0),
        "ArrowUp" => map.step(0.0, STEP),
        "ArrowDown" => map.step(0.0, -STEP),
        "Enter" | " " => map.press(CLOSE, TOO_SMALL),
        "Escape" => map.point(None),
        _ => return,
    }
    event.prevent_default();
}
