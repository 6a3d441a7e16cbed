//! The browser's half, on web-sys.

use super::{Heard, Style, Theme};
use crate::{i18n::Lang, sales::Millis};
use js_sys::{Array, Date, Function, Intl::DateTimeFormat, Object, Promise, Reflect, futures::JsFuture};
use leptos::prelude::*;
use std::cell::RefCell;
use wasm_bindgen::{JsCast, JsValue, closure::Closure, prelude::wasm_bindgen};
use web_sys::{
    CanvasRenderingContext2d, CssStyleDeclaration, Element, Event, EventSource, HtmlCanvasElement, MessageEvent,
    ResizeObserver, Storage,
};

const A_YEAR_S: &str = "31536000";

/// The language that the server wrote the page in.
pub fn lang() -> Lang {
    let root = document().document_element();
    root.and_then(|root| root.get_attribute("lang")).and_then(|tag| Lang::from_tag(&tag)).unwrap_or_default()
}

/// The theme that the server, or the switch since then, gave the page.
pub fn theme() -> Theme {
    let root = document().document_element();
    Theme::from_name(root.and_then(|root| root.get_attribute("data-theme")).as_deref())
}

/// The answer is long sent.
pub fn response() -> Response {
    Response
}

/// The answer that is being made: none here.
#[derive(Clone)]
pub struct Response;

impl Response {
    pub fn status(&self, _: u16) {}
}

pub fn now() -> Millis {
    Date::now() as Millis
}

/// An instant as the language and the browser's time zone write it.
pub fn written(at: Millis, style: Style, lang: Lang) -> String {
    // Making a format costs a hundred times as much as using it.
    thread_local!(static FORMATS: RefCell<[Option<Function>; 2]> = const { RefCell::new([None, None]) });
    FORMATS.with_borrow_mut(|formats| {
        let format = formats[style as usize].get_or_insert_with(|| {
            let options = Object::new();
            let set = |key: &str, value: JsValue| _ = Reflect::set(&options, &key.into(), &value);
            if style == Style::Full {
                set("dateStyle", "medium".into());
            }
            set("timeStyle", "medium".into());
            set("hour12", false.into());
            DateTimeFormat::new(&Array::of1(&lang.tag().into()), &options).format()
        });
        let date = Date::new(&JsValue::from_f64(at as f64));
        format.call1(&JsValue::NULL, &date).ok().and_then(|text| text.as_string()).unwrap_or_default()
    })
}

/// Remembers the language and fetches the page again in it.
pub fn choose_lang(lang: Lang) {
    set_cookie("lang", Some(lang.tag()));
    reload();
}

/// Shows the theme at once and remembers it.
pub fn choose_theme(theme: Theme) {
    set_cookie("theme", theme.name());
    if let Some(root) = document().document_element() {
        _ = match theme.name() {
            Some(name) => root.set_attribute("data-theme", name),
            None => root.remove_attribute("data-theme"),
        };
    }
}

fn set_cookie(name: &str, value: Option<&str>) {
    let age = if value.is_some() { A_YEAR_S } else { "0" };
    let cookie = [name, "=", value.unwrap_or_default(), "; Max-Age=", age, "; Path=/; SameSite=Lax"].concat();
    // `document.cookie` is a property of HTMLDocument, which web-sys keeps apart.
    _ = Reflect::set(&document(), &"cookie".into(), &cookie.into());
}

pub fn path() -> String {
    window().location().pathname().unwrap_or_default()
}

/// Goes to an address as if it had been typed.
pub fn go(address: &str) {
    _ = window().location().assign(address);
}

pub fn reload() {
    _ = window().location().reload();
}

/// What the field with this id holds, without the space around it.
pub fn typed(id: &str) -> String {
    property(id, "value").and_then(|value| value.as_string()).map_or_else(String::new, |text| text.trim().to_owned())
}

/// The place of the option that is chosen in the select with this id.
pub fn chosen(id: &str) -> usize {
    property(id, "selectedIndex").and_then(|place| place.as_f64()).map_or(0, |place| place as usize)
}

/// Whether the details with this id are open.
pub fn opened(id: &str) -> bool {
    property(id, "open").is_some_and(|open| open.is_truthy())
}

fn property(id: &str, name: &str) -> Option<JsValue> {
    Reflect::get(&*document().get_element_by_id(id)?, &name.into()).ok()
}

/// Puts text into the field with this id.
pub fn type_in(id: &str, text: &str) {
    if let Some(field) = document().get_element_by_id(id) {
        _ = Reflect::set(&field, &"value".into(), &text.into());
    }
}

/// Moves the keyboard's focus to an element.
pub fn focus(id: &str) {
    if let Some(element) = document().get_element_by_id(id) {
        _ = element.unchecked_ref::<web_sys::HtmlElement>().focus();
    }
}

/// Which part of what is inside an element is in sight: where it begins and ends, as shares of the height.
pub fn seen(id: &str) -> (f64, f64) {
    let Some(element) = document().get_element_by_id(id) else { return (0.0, 0.0) };
    let share = |height: i32| f64::from(height) / f64::from(element.scroll_height().max(1));
    (share(element.scroll_top()), share(element.scroll_top() + element.client_height()))
}

/// Scrolls an element to its top.
pub fn scroll_up(id: &str) {
    if let Some(element) = document().get_element_by_id(id) {
        element.set_scroll_top(0);
    }
}

fn storage() -> Option<Storage> {
    // Throws where the person has switched storage off.
    window().local_storage().ok().flatten()
}

/// What this browser was told to remember.
pub fn remembered(key: &str) -> Option<String> {
    storage()?.get_item(key).ok().flatten()
}

pub fn remember(key: &str, value: &str) {
    if let Some(storage) = storage() {
        _ = storage.set_item(key, value);
    }
}

/// An id that no other browser makes: the time and a hundred random bits. `crypto.randomUUID` exists
/// on secure origins only, and this page is also served on plain HTTP in a local network.
pub fn random_id() -> String {
    let digits = |number: f64| String::from(js_sys::Number::from(number).to_string_with_radix(36).unwrap_or_default());
    let random = || digits(js_sys::Math::random() * 9_007_199_254_740_991.0).replace('.', "");
    [digits(Date::now()), random(), random()].concat().chars().take(48).collect()
}

/// Puts text on the clipboard, where the browser lets us.
pub fn copy(text: &str) {
    let navigator = window().navigator();
    // There is no clipboard on an origin that is not secure.
    if Reflect::get(&navigator, &"clipboard".into()).is_ok_and(|clipboard| clipboard.is_object()) {
        _ = navigator.clipboard().write_text(text);
    }
}

#[wasm_bindgen]
extern "C" {
    #[wasm_bindgen(js_name = fetch, catch)]
    fn fetch(path: &str, options: &Object) -> Result<Promise, JsValue>;
}

/// Posts JSON, and gives `heard` the status and the text of the answer; status 0 where there is none.
pub fn post(path: &'static str, body: String, heard: Box<dyn FnOnce(u16, String)>) {
    leptos::task::spawn_local(async move {
        let (status, text) = answer(path, &body).await.unwrap_or_default();
        heard(status, text);
    });
}

async fn answer(path: &str, body: &str) -> Result<(u16, String), JsValue> {
    let object = |entries: &[(&str, JsValue)]| {
        let object = Object::new();
        entries.iter().for_each(|(name, value)| _ = Reflect::set(&object, &(*name).into(), value));
        object
    };
    let headers = object(&[("Content-Type", "application/json".into())]);
    let options = object(&[("method", "POST".into()), ("headers", headers.into()), ("body", body.into())]);
    let response = JsFuture::from(fetch(path, &options)?).await?;
    let status = Reflect::get(&response, &"status".into())?.as_f64().unwrap_or_default();
    let text: Function = Reflect::get(&response, &"text".into())?.unchecked_into();
    let text = JsFuture::from(Promise::resolve(&text.call0(&response)?)).await?;
    Ok((status as u16, text.as_string().unwrap_or_default()))
}

/// Whether the tab is in the background.
pub fn hidden() -> bool {
    document().hidden()
}

/// Calls when the system changes between light and dark, for the life of the page.
pub fn on_dark_switch(changed: impl Fn() + 'static) {
    if let Ok(Some(query)) = window().match_media("(prefers-color-scheme: dark)") {
        let changed = Closure::<dyn Fn()>::new(changed).into_js_value();
        query.set_onchange(changed.dyn_ref());
    }
}

/// A line of server-sent events; closed when dropped.
pub struct Line {
    source: EventSource,
    _heard: [Closure<dyn Fn(Event)>; 4],
}

impl Line {
    pub fn open(address: &str, heard: impl Fn(Heard) + 'static) -> Option<Self> {
        let source = EventSource::new(address).ok()?;
        let heard: std::rc::Rc<dyn Fn(Heard)> = std::rc::Rc::new(heard);
        let on = |name: &str, read: fn(&Event) -> Option<Heard>| {
            let heard = heard.clone();
            let closure = Closure::<dyn Fn(Event)>::new(move |event: Event| {
                if let Some(what) = read(&event) {
                    heard(what);
                }
            });
            _ = source.add_event_listener_with_callback(name, closure.as_ref().unchecked_ref());
            closure
        };
        let _heard = [
            on("open", |_| Some(Heard::Open)),
            on("message", |event| data(event).map(Heard::Message)),
            on("store", |event| data(event).map(Heard::Store)),
            on("error", |event| {
                let source: EventSource = event.target()?.dyn_into().ok()?;
                Some(Heard::Broken { given_up: source.ready_state() == EventSource::CLOSED })
            }),
        ];
        Some(Self { source, _heard })
    }
}

fn data(event: &Event) -> Option<String> {
    event.dyn_ref::<MessageEvent>()?.data().as_string()
}

impl Drop for Line {
    fn drop(&mut self) {
        self.source.close();
    }
}

/// A watch over an element's size; ends when dropped.
pub struct Sizes {
    observer: ResizeObserver,
    _changed: Closure<dyn Fn()>,
}

impl Sizes {
    pub fn watch(element: &Element, changed: impl Fn() + 'static) -> Option<Self> {
        let changed = Closure::<dyn Fn()>::new(changed);
        let observer = ResizeObserver::new(changed.as_ref().unchecked_ref()).ok()?;
        observer.observe(element);
        Some(Self { observer, _changed: changed })
    }
}

impl Drop for Sizes {
    fn drop(&mut self) {
        self.observer.disconnect();
    }
}

/// A canvas, measured, with the style it takes its colours from. Lengths are CSS pixels.
pub struct Surface {
    pub width: f64,
    pub height: f64,
    context: CanvasRenderingContext2d,
    style: CssStyleDeclaration,
}

impl Surface {
    /// Measures the canvas and gives it as many pixels as the screen has there.
    pub fn of(canvas: &Element) -> Option<Self> {
        let canvas: &HtmlCanvasElement = canvas.dyn_ref()?;
        let (width, height) = (f64::from(canvas.client_width()), f64::from(canvas.client_height()));
        let density = window().device_pixel_ratio();
        canvas.set_width((width * density) as u32);
        canvas.set_height((height * density) as u32);
        let context: CanvasRenderingContext2d = canvas.get_context("2d").ok()??.dyn_into().ok()?;
        _ = context.scale(density, density);
        let style = window().get_computed_style(canvas).ok()??;
        let font = ["11px ", &style.get_property_value("font-family").unwrap_or_default()].concat();
        context.set_font(&font);
        Some(Self { width, height, context, style })
    }

    pub fn clear(&self) {
        self.context.clear_rect(0.0, 0.0, self.width, self.height);
    }

    /// Starts a new path.
    pub fn begin(&self) {
        self.context.begin_path();
    }

    /// Adds a rectangle to the path.
    pub fn cell(&self, x: f64, y: f64, width: f64, height: f64) {
        self.context.rect(x, y, width, height);
    }

    /// Leads the path on to a point, or lifts the pen on the way there.
    pub fn to(&self, x: f64, y: f64, lift: bool) {
        if lift {
            self.context.move_to(x, y);
        } else {
            self.context.line_to(x, y);
        }
    }

    /// Fills the path with the colour of a custom property.
    pub fn fill(&self, token: &str, opacity: f64) {
        self.context.set_global_alpha(opacity);
        self.context.set_fill_style_str(&self.colour(token));
        self.context.fill();
        self.context.set_global_alpha(1.0);
    }

    /// Draws the path with the colour of a custom property.
    pub fn stroke(&self, token: &str, width: f64, dashed: bool) {
        let dashes = if dashed { Array::of2(&4.into(), &3.into()) } else { Array::new() };
        _ = self.context.set_line_dash(&dashes);
        self.context.set_line_width(width);
        self.context.set_stroke_style_str(&self.colour(token));
        self.context.stroke();
    }

    /// Writes text with its upper left corner at a point.
    pub fn text(&self, x: f64, y: f64, text: &str, token: &str) {
        self.context.set_text_baseline("top");
        self.context.set_fill_style_str(&self.colour(token));
        _ = self.context.fill_text(text, x, y);
    }

    fn colour(&self, token: &str) -> String {
        self.style.get_property_value(token).unwrap_or_default()
    }
}

/// A number that an event carries: `offsetX`, `deltaY`.
pub fn figure(event: &Event, name: &str) -> f64 {
    Reflect::get(event, &name.into()).ok().and_then(|value| value.as_f64()).unwrap_or_default()
}

/// A word that an event carries: `key`, `pointerType`.
pub fn word(event: &Event, name: &str) -> String {
    Reflect::get(event, &name.into()).ok().and_then(|value| value.as_string()).unwrap_or_default()
}

/// Whether an event says so: `ctrlKey`.
pub fn flag(event: &Event, name: &str) -> bool {
    Reflect::get(event, &name.into()).is_ok_and(|value| value.is_truthy())
}

/// Sends whatever this pointer does from now on to the element that it is on, until it is lifted.
pub fn capture(event: &Event) {
    if let Some(element) = event.target().and_then(|target| target.dyn_into::<Element>().ok()) {
        _ = element.set_pointer_capture(figure(event, "pointerId") as i32);
    }
}

/// Whether the box with this id is ticked.
pub fn ticked(id: &str) -> bool {
    property(id, "checked").is_some_and(|ticked| ticked.is_truthy())
}

/// Chooses an option of the select with this id, by its place.
pub fn choose(id: &str, place: usize) {
    if let Some(field) = document().get_element_by_id(id) {
        _ = Reflect::set(&field, &"selectedIndex".into(), &JsValue::from_f64(place as f64));
    }
}

/// Milliseconds since the page began, finer than the clock.
pub fn ticks() -> f64 {
    Reflect::get(&window(), &"performance".into())
        .ok()
        .and_then(|performance| {
            let now: Function = Reflect::get(&performance, &"now".into()).ok()?.dyn_into().ok()?;
            now.call0(&performance).ok()?.as_f64()
        })
        .unwrap_or_default()
}

/// Calls before the browser paints next.
pub fn next_frame(run: impl FnOnce() + 'static) {
    let run: Box<dyn FnOnce()> = Box::new(run);
    request_animation_frame(run);
}

/// Red, green and blue of custom properties, as an element has them.
pub fn colours(element: &Element, tokens: &[&str]) -> Vec<[u8; 3]> {
    let probe = || {
        let canvas: HtmlCanvasElement = document().create_element("canvas").ok()?.dyn_into().ok()?;
        canvas.set_width(tokens.len() as u32);
        canvas.set_height(1);
        let context: CanvasRenderingContext2d = canvas.get_context("2d").ok()??.dyn_into().ok()?;
        let style = window().get_computed_style(element).ok()??;
        for (place, token) in tokens.iter().enumerate() {
            context.set_fill_style_str(&style.get_property_value(token).unwrap_or_default());
            context.fill_rect(place as f64, 0.0, 1.0, 1.0);
        }
        let found = context.get_image_data(0.0, 0.0, tokens.len() as f64, 1.0).ok()?.data();
        Some(found.chunks_exact(4).map(|pixel| [pixel[0], pixel[1], pixel[2]]).collect())
    };
    probe().unwrap_or_else(|| vec![[128; 3]; tokens.len()])
}

/// A canvas whose pixels are made here, one by one. Lengths are the screen's pixels.
pub struct Pixels {
    pub width: u32,
    pub height: u32,
    /// Of the screen's pixels, how many are a CSS pixel.
    pub density: f64,
    context: CanvasRenderingContext2d,
}

impl Pixels {
    /// Measures the canvas and gives it as many pixels as the screen has there.
    pub fn of(canvas: &Element) -> Option<Self> {
        let canvas: &HtmlCanvasElement = canvas.dyn_ref()?;
        let (width, height, density) = Self::measure(canvas);
        if width == 0 || height == 0 {
            return None;
        }
        canvas.set_width(width);
        canvas.set_height(height);
        let context: CanvasRenderingContext2d = canvas.get_context("2d").ok()??.dyn_into().ok()?;
        Some(Self { width, height, density, context })
    }

    /// Whether the canvas is still as large, and the screen as fine.
    pub fn fits(&self, canvas: &Element) -> bool {
        (self.width, self.height, self.density) == Self::measure(canvas)
    }

    /// Width and height in the screen's pixels, and how many of those are a CSS pixel.
    fn measure(canvas: &Element) -> (u32, u32, f64) {
        let density = window().device_pixel_ratio();
        let pixels = |length: i32| (f64::from(length) * density) as u32;
        (pixels(canvas.client_width()), pixels(canvas.client_height()), density)
    }

    /// Shows rectangles (left, top, width, height) of a picture: red, green, blue and 255 for each pixel.
    pub fn put(&self, picture: &[u8], rectangles: &[[i32; 4]]) {
        let data = web_sys::ImageData::new_with_u8_clamped_array_and_sh(
            wasm_bindgen::Clamped(picture),
            self.width,
            self.height,
        );
        let Ok(data) = data else { return };
        for rectangle in rectangles {
            let [x, y, width, height] = rectangle.map(f64::from);
            _ = self.context.put_image_data_with_dirty_x_and_dirty_y_and_dirty_width_and_dirty_height(
                &data, 0.0, 0.0, x, y, width, height,
            );
        }
    }
}

/// More of a surface: what a map needs. Colours are taken once and used for many strokes.
impl Surface {
    /// What is filled and written from now on, with an opacity.
    pub fn ink(&self, token: &str, opacity: f64) {
        self.context.set_global_alpha(opacity);
        self.context.set_fill_style_str(&self.colour(token));
    }

    /// What is drawn as a line from now on.
    pub fn pen(&self, token: &str, width: f64) {
        self.context.set_line_width(width);
        self.context.set_stroke_style_str(&self.colour(token));
    }

    /// Fills the path with the ink.
    pub fn pour(&self) {
        self.context.fill();
    }

    /// Draws the path with the pen.
    pub fn draw(&self) {
        self.context.stroke();
    }

    /// Leads the path back to where it began.
    pub fn close(&self) {
        self.context.close_path();
    }

    /// Adds a circle to the path.
    pub fn circle(&self, x: f64, y: f64, radius: f64) {
        self.context.move_to(x + radius, y);
        _ = self.context.arc(x, y, radius, 0.0, std::f64::consts::TAU);
    }

    /// Text from now on: its height in whole pixels, and around its middle.
    pub fn letters(&self, height: u32, bold: bool) {
        let family = self.style.get_property_value("font-family").unwrap_or_default();
        let weight = if bold { "650 " } else { "" };
        self.context.set_font(&[weight, &height.to_string(), "px ", &family].concat());
        self.context.set_text_align("center");
        self.context.set_text_baseline("middle");
        self.context.set_line_join("round");
    }

    /// Writes with the ink, and around it with the pen where it has a halo.
    pub fn write(&self, x: f64, y: f64, text: &str, halo: bool) {
        if halo {
            _ = self.context.stroke_text(text, x, y);
        }
        _ = self.context.fill_text(text, x, y);
    }
}
