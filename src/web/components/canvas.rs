//! A canvas that is redrawn when its data, its size or the theme changes. The same figures stand beside it as text.

use crate::components::use_dark_mode;
use leptos::{html, prelude::*};
use leptos_use_element_size::{UseElementSizeReturn, use_element_size};
use send_wrapper::SendWrapper;
use std::{cell::RefCell, collections::HashMap};
use wasm_bindgen::JsCast;
use web_sys::{CanvasRenderingContext2d, CssStyleDeclaration, Element, HtmlCanvasElement};

/// Shows a canvas with the drawing of `draw`, which runs again whenever a signal that it read changes.
#[component]
pub fn Canvas(
    /// The class of the `<canvas>`, which sets its size.
    class: &'static str,
    /// Draws one picture, in CSS pixels, on a cleared surface.
    draw: impl Fn(&Surface) + 'static,
) -> impl IntoView {
    let node = NodeRef::<html::Canvas>::new();
    let (surface, measured) = use_surface(node);
    Effect::new(move || {
        measured.track();
        surface.with_value(|surface| {
            if let Some(surface) = surface {
                surface.clear();
                draw(surface);
            }
        });
    });
    view! { <canvas node_ref=node class=class aria-hidden="true"></canvas> }
}

/// A surface once there is one. It is wrapped only then: on the server, a page may be dropped in any thread.
pub type MeasuredSurface = StoredValue<Option<SendWrapper<Surface>>>;

/// Returns the surface of a canvas, and a signal that changes whenever it was measured anew: after its size or the theme
/// has changed. That forces a layout of the page, so it is not done for every picture.
pub fn use_surface(node: NodeRef<html::Canvas>) -> (MeasuredSurface, Signal<()>) {
    let dark = use_dark_mode();
    let UseElementSizeReturn { width, height, .. } = use_element_size(node);
    let surface = StoredValue::new(None);
    let measured = RwSignal::new(());
    Effect::new(move || {
        width.track();
        height.track();
        dark.track();
        surface.set_value(node.get().and_then(|canvas| Surface::new(&canvas)).map(SendWrapper::new));
        measured.set(());
    });
    (surface, measured.into())
}

/// A canvas, measured and cleared, and the style with its colours. Lengths are CSS pixels.
pub struct Surface {
    /// Width of the canvas, in CSS pixels.
    pub width: f64,
    /// Height of the canvas, in CSS pixels.
    pub height: f64,
    /// The pixels of the canvas to a CSS pixel.
    density: f64,
    context: CanvasRenderingContext2d,
    style: CssStyleDeclaration,
    /// The colours that were read, by their custom properties.
    colors: RefCell<HashMap<&'static str, String>>,
}

impl Surface {
    /// Measures the canvas and gives it as many pixels as the screen has there. `None` if it cannot be drawn on.
    pub fn new(canvas: &HtmlCanvasElement) -> Option<Self> {
        let size = (f64::from(canvas.client_width()), f64::from(canvas.client_height()));
        Self::made(canvas, size, window().device_pixel_ratio(), canvas)
    }

    /// Gives a canvas that is not in the document this size, and the colours of the page. `None` if it cannot be drawn
    /// on.
    pub fn detached(canvas: &HtmlCanvasElement, width: f64, height: f64) -> Option<Self> {
        let body: Element = document().body()?.into();
        Self::made(canvas, (width, height), 1.0, &body)
    }

    fn made(canvas: &HtmlCanvasElement, (width, height): (f64, f64), density: f64, styled: &Element) -> Option<Self> {
        // Setting the size clears the canvas too.
        canvas.set_width((width * density) as u32);
        canvas.set_height((height * density) as u32);
        let context: CanvasRenderingContext2d = canvas.get_context("2d").ok()??.dyn_into().ok()?;
        context.scale(density, density).ok()?;
        let style = window().get_computed_style(styled).ok()??;
        Some(Self { width, height, density, context, style, colors: RefCell::default() })
    }

    /// Returns the canvas' own drawing functions.
    pub fn context(&self) -> &CanvasRenderingContext2d {
        &self.context
    }

    /// Returns the nearest edge of a pixel. What is drawn between such edges covers whole pixels, so that it can be drawn
    /// over again without a trace.
    pub fn edge(&self, length: f64) -> f64 {
        (length * self.density).round() / self.density
    }

    /// Calls `work` with the value of a custom property: a colour of the theme at the time of the measurement.
    fn with_color(&self, property: &'static str, work: impl FnOnce(&str)) {
        let mut colors = self.colors.borrow_mut();
        let read = || self.style.get_property_value(property).unwrap_or_default();
        work(colors.entry(property).or_insert_with(read));
    }

    /// Clears the canvas.
    pub fn clear(&self) {
        self.context.clear_rect(0.0, 0.0, self.width, self.height);
    }

    /// Sets the fill colour, a custom property, and the opacity of all drawing.
    pub fn set_fill(&self, property: &'static str, opacity: f64) {
        self.context.set_global_alpha(opacity);
        self.with_color(property, |color| self.context.set_fill_style_str(color));
    }

    /// Sets the stroke colour, a custom property, and the line width.
    pub fn set_stroke(&self, property: &'static str, width: f64) {
        self.context.set_line_width(width);
        self.with_color(property, |color| self.context.set_stroke_style_str(color));
    }

    /// Sets the font of text: the page's, in this size and weight.
    pub fn set_font(&self, pixels: u32, weight: u32) {
        let family = self.style.get_property_value("font-family").unwrap_or_default();
        self.context.set_font(&format!("{weight} {pixels}px {family}"));
    }
}
