//! The server's half: it knows the request, and has nothing to draw on.

use super::{Heard, Style, Theme};
use crate::{i18n::Lang, sales::Millis};
use leptos::web_sys::{Element, Event};

/// The language of the request: the cookie's, else the browser's setting, else English.
pub fn lang() -> Lang {
    request::lang()
}

/// The path that is asked for.
pub fn path() -> String {
    request::path()
}

/// The theme of the request's cookie.
pub fn theme() -> Theme {
    request::theme()
}

/// The answer that is being made, taken while the request is at hand; to be given a status once the
/// data is there.
pub fn response() -> Response {
    request::response()
}

pub use request::Response;

#[cfg(feature = "ssr")]
mod request {
    use super::{Lang, Theme};
    use http::{StatusCode, header, request::Parts};
    use leptos::prelude::use_context;

    pub fn lang() -> Lang {
        // The list of routes is made once, at start-up, without a request.
        let Some(parts) = use_context::<Parts>() else { return Lang::default() };
        let chosen = cookie(&parts, "lang").and_then(Lang::from_tag);
        chosen.unwrap_or_else(|| Lang::accepted(text(&parts, header::ACCEPT_LANGUAGE)))
    }

    pub fn path() -> String {
        use_context::<Parts>().map(|parts| parts.uri.path().to_owned()).unwrap_or_default()
    }

    pub fn theme() -> Theme {
        let parts = use_context::<Parts>();
        Theme::from_name(parts.as_ref().and_then(|parts| cookie(parts, "theme")))
    }

    pub fn response() -> Response {
        Response(use_context())
    }

    /// The answer that is being made.
    #[derive(Clone)]
    pub struct Response(Option<leptos_axum::ResponseOptions>);

    impl Response {
        pub fn status(&self, status: u16) {
            if let (Some(options), Ok(status)) = (&self.0, StatusCode::from_u16(status)) {
                options.set_status(status);
            }
        }
    }

    fn text(parts: &Parts, name: header::HeaderName) -> &str {
        parts.headers.get(name).and_then(|value| value.to_str().ok()).unwrap_or_default()
    }

    fn cookie<'a>(parts: &'a Parts, name: &str) -> Option<&'a str> {
        let pairs = text(parts, header::COOKIE).split(';').filter_map(|pair| pair.trim().split_once('='));
        pairs.into_iter().find(|(key, _)| *key == name).map(|(_, value)| value)
    }
}

#[cfg(not(feature = "ssr"))]
mod request {
    use super::{Lang, Theme};

    pub fn lang() -> Lang {
        Lang::default()
    }

    pub fn path() -> String {
        String::new()
    }

    pub fn theme() -> Theme {
        Theme::default()
    }

    pub fn response() -> Response {
        Response
    }

    /// The answer that is being made.
    #[derive(Clone)]
    pub struct Response;

    impl Response {
        pub fn status(&self, _: u16) {}
    }
}

pub fn now() -> Millis {
    0
}

pub fn written(_: Millis, _: Style, _: Lang) -> String {
    String::new()
}

pub fn choose_lang(_: Lang) {}

pub fn choose_theme(_: Theme) {}

pub fn reload() {}

pub fn go(_: &str) {}

pub fn typed(_: &str) -> String {
    String::new()
}

pub fn chosen(_: &str) -> usize {
    0
}

pub fn opened(_: &str) -> bool {
    false
}

pub fn type_in(_: &str, _: &str) {}

pub fn focus(_: &str) {}

pub fn remembered(_: &str) -> Option<String> {
    None
}

pub fn remember(_: &str, _: &str) {}

pub fn random_id() -> String {
    String::new()
}

pub fn copy(_: &str) {}

pub fn seen(_: &str) -> (f64, f64) {
    (0.0, 1.0)
}

pub fn scroll_up(_: &str) {}

pub fn post(_: &str, _: String, _: Box<dyn FnOnce(u16, String)>) {}

pub fn hidden() -> bool {
    false
}

pub fn on_dark_switch(_: impl Fn() + 'static) {}

/// The line that is never opened here.
pub struct Line;

impl Line {
    pub fn open(_: &str, _: impl Fn(Heard) + 'static) -> Option<Self> {
        None
    }
}

/// The watch over a size that nothing has here.
pub struct Sizes;

impl Sizes {
    pub fn watch(_: &Element, _: impl Fn() + 'static) -> Option<Self> {
        None
    }
}

/// The surface that is never drawn on here.
pub struct Surface {
    pub width: f64,
    pub height: f64,
}

impl Surface {
    pub fn of(_: &Element) -> Option<Self> {
        None
    }

    pub fn clear(&self) {}

    pub fn begin(&self) {}

    pub fn cell(&self, _: f64, _: f64, _: f64, _: f64) {}

    pub fn to(&self, _: f64, _: f64, _: bool) {}

    pub fn fill(&self, _: &str, _: f64) {}

    pub fn stroke(&self, _: &str, _: f64, _: bool) {}

    pub fn text(&self, _: f64, _: f64, _: &str, _: &str) {}
}

pub fn figure(_: &Event, _: &str) -> f64 {
    0.0
}

pub fn word(_: &Event, _: &str) -> String {
    String::new()
}

pub fn flag(_: &Event, _: &str) -> bool {
    false
}

pub fn capture(_: &Event) {}

pub fn ticked(_: &str) -> bool {
    false
}

pub fn choose(_: &str, _: usize) {}

pub fn ticks() -> f64 {
    0.0
}

pub fn next_frame(_: impl FnOnce() + 'static) {}

pub fn colours(_: &Element, tokens: &[&str]) -> Vec<[u8; 3]> {
    vec![[128; 3]; tokens.len()]
}

/// The pixels that nobody sees here.
pub struct Pixels {
    pub width: u32,
    pub height: u32,
    pub density: f64,
}

impl Pixels {
    pub fn of(_: &Element) -> Option<Self> {
        None
    }

    pub fn fits(&self, _: &Element) -> bool {
        true
    }

    pub fn put(&self, _: &[u8], _: &[[i32; 4]]) {}
}

impl Surface {
    pub fn ink(&self, _: &str, _: f64) {}

    pub fn pen(&self, _: &str, _: f64) {}

    pub fn pour(&self) {}

    pub fn draw(&self) {}

    pub fn close(&self) {}

    pub fn circle(&self, _: f64, _: f64, _: f64) {}

    pub fn letters(&self, _: u32, _: bool) {}

    pub fn write(&self, _: f64, _: f64, _: &str, _: bool) {}
}
