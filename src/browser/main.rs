//! What the browser downloads for every page but those of tickets.

#![no_main]

use stampede::app::{Pages, hydrate as take_over};
use wasm_bindgen::prelude::wasm_bindgen;

/// Takes over the page that the server rendered.
#[wasm_bindgen]
pub fn hydrate() {
    take_over(Pages::MAIN);
}
