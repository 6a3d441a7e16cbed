//! The program that the browser loads: takes over the page that the server rendered.

/// Hydrates the page; called by the script of the page (`web::app`).
#[wasm_bindgen::prelude::wasm_bindgen]
pub fn hydrate() {
    console_error_panic_hook::set_once();
    if web::components::has_led_elsewhere() {
        // The document of another page cannot be hydrated.
        _ = leptos::prelude::window().location().reload();
        return;
    }
    web::base_path::send_requests_under_base();
    leptos::mount::hydrate_body(web::app::App);
}
