//! The result of a record as one picture, to be passed on.

use crate::{
    components::{Button, Icon, Surface},
    i18n,
    playback::{
        squares::{Fill, Squares},
        words::words,
    },
};
use js_sys::{Array, Promise, Reflect};
use leptos::{prelude::*, task::spawn_local};
use std::time::Duration;
use wasm_bindgen::{JsCast, JsValue, closure::Closure};
use web_sys::{Blob, File, FilePropertyBag, HtmlAnchorElement, HtmlCanvasElement, ShareData, Url};

/// The size, in pixels: what pages that show links take for a preview.
const WIDTH: f64 = 1_200.0;
const HEIGHT: f64 = 630.0;
const MARGIN: f64 = 48.0;
/// The most lines of the sentence.
const MOST_LINES: usize = 3;
/// The time after which the browser has saved the file.
const SAVED_WITHIN: Duration = Duration::from_secs(60);

/// A result.
#[derive(Clone, Debug, PartialEq)]
pub struct Picture {
    /// The name of the file, without its ending.
    pub file: String,
    /// The title.
    pub title: String,
    /// What came of it.
    pub sentence: String,
    /// Names and values.
    pub figures: Vec<(String, String)>,
    /// Squares, side by side.
    pub grids: Vec<PictureGrid>,
}

/// Squares with their name.
#[derive(Clone, Debug, PartialEq)]
pub struct PictureGrid {
    /// The name; empty if they have none.
    pub name: String,
    /// The squares, in their order.
    pub squares: Vec<Fill>,
}

/// Shows a button that draws the result, and shares the picture where the browser shares files, and saves it elsewhere.
#[component]
pub fn PictureButton(
    /// Returns the result; `None` while there is none.
    picture: Callback<(), Option<Picture>>,
    /// Whether there is none.
    #[prop(into)]
    disabled: Signal<bool>,
) -> impl IntoView {
    let pass_on = move || {
        if let Some(picture) = picture.run(()) {
            pass_on(&picture);
        }
    };
    view! {
        <Button disabled on_click=pass_on>
            <Icon icon=icondata_lu::LuImageDown />
            {words().picture}
        </Button>
    }
}

fn pass_on(picture: &Picture) {
    let Some(canvas) = draw(picture) else { return };
    let (file, title) = (format!("{}.png", picture.file), picture.title.clone());
    let on_blob = Closure::once_into_js(move |blob: JsValue| {
        if let Ok(blob) = blob.dyn_into::<Blob>() {
            match share(&blob, &file, &title) {
                Some(shared) => spawn_local(save_unless_shared(shared, blob, file)),
                None => save(&blob, &file),
            }
        }
    });
    _ = canvas.to_blob(on_blob.unchecked_ref());
}

/// Offers the picture to other programs. Returns what comes of it; `None` if the browser cannot do that.
fn share(blob: &Blob, file: &str, title: &str) -> Option<Promise> {
    let navigator = window().navigator();
    if !Reflect::has(&navigator, &"canShare".into()).unwrap_or_default() {
        return None;
    }
    let options = FilePropertyBag::new();
    options.set_type("image/png");
    let file = File::new_with_blob_sequence_and_options(&Array::of1(blob), file, &options).ok()?;
    let data = ShareData::new();
    data.set_files(&Array::of1(&file));
    data.set_title(title);
    navigator.can_share_with_data(&data).then(|| navigator.share_with_data(&data))
}

/// Saves the picture after all if it could not be shared. Who has changed their mind does not want it.
async fn save_unless_shared(shared: Promise, blob: Blob, file: String) {
    let Err(error) = shared.await else { return };
    let reason = Reflect::get(&error, &"name".into()).ok().and_then(|name| name.as_string());
    if reason.as_deref() != Some("AbortError") {
        save(&blob, &file);
    }
}

fn save(blob: &Blob, file: &str) {
    let Ok(url) = Url::create_object_url_with_blob(blob) else { return };
    if let Some(link) = document().create_element("a").ok().and_then(|link| link.dyn_into::<HtmlAnchorElement>().ok()) {
        link.set_href(&url);
        link.set_download(file);
        link.click();
    }
    set_timeout(move || _ = Url::revoke_object_url(&url), SAVED_WITHIN);
}

fn draw(Picture { title, sentence, figures, grids, .. }: &Picture) -> Option<HtmlCanvasElement> {
    let canvas: HtmlCanvasElement = document().create_element("canvas").ok()?.dyn_into().ok()?;
    let surface = Surface::detached(&canvas, WIDTH, HEIGHT)?;
    let inner = WIDTH - 2.0 * MARGIN;
    let text = |text: &str, x: f64, y: f64| _ = surface.context().fill_text_with_max_width(text, x, y, inner);
    surface.set_fill("--sheet", 1.0);
    surface.context().fill_rect(0.0, 0.0, WIDTH, HEIGHT);
    surface.set_fill("--ink", 1.0);
    surface.set_font(40, 650);
    text(title, MARGIN, MARGIN + 36.0);
    surface.set_font(24, 400);
    let mut y = MARGIN + 84.0;
    for line in lines(&surface, sentence, inner).into_iter().take(MOST_LINES) {
        text(&line, MARGIN, y);
        y += 32.0;
    }
    y += 16.0;
    let column = inner / figures.len().max(1) as f64;
    for (nth, (name, value)) in figures.iter().enumerate() {
        let x = MARGIN + nth as f64 * column;
        surface.set_fill("--ink-soft", 1.0);
        surface.set_font(18, 400);
        _ = surface.context().fill_text_with_max_width(name, x, y, column - 12.0);
        surface.set_fill("--ink", 1.0);
        surface.set_font(32, 650);
        _ = surface.context().fill_text_with_max_width(value, x, y + 36.0, column - 12.0);
    }
    y += if figures.is_empty() { 0.0 } else { 60.0 };
    let column = (inner + MARGIN / 2.0) / grids.len().max(1) as f64;
    for (nth, PictureGrid { name, squares }) in grids.iter().enumerate() {
        let x = MARGIN + nth as f64 * column;
        let width = column - MARGIN / 2.0;
        let mut top = y;
        if !name.is_empty() {
            surface.set_fill("--ink", 1.0);
            surface.set_font(22, 650);
            _ = surface.context().fill_text_with_max_width(name, x, top + 16.0, width);
            top += 32.0;
        }
        let area = (width, HEIGHT - MARGIN - 24.0 - top);
        Squares::new(squares.len(), (x, top), area).draw(&surface, squares.iter().copied().enumerate());
    }
    surface.set_fill("--ink-soft", 1.0);
    surface.set_font(18, 400);
    text(i18n::words().brand, MARGIN, HEIGHT - MARGIN / 2.0);
    Some(canvas)
}

/// Breaks a text into lines of this width: between words, and between Chinese characters.
fn lines(surface: &Surface, text: &str, width: f64) -> Vec<String> {
    let mut lines = vec![String::new()];
    for part in text.split_inclusive(|c: char| c == ' ' || c >= '\u{2e80}') {
        let with_part = lines.last().map_or_else(String::new, |line| format!("{line}{part}"));
        let is_too_long = surface.context().measure_text(with_part.trim_end()).is_ok_and(|text| text.width() > width);
        match lines.last_mut() {
            Some(line) if !is_too_long => *line = with_part,
            _ => lines.push(part.to_owned()),
        }
    }
    lines
}
