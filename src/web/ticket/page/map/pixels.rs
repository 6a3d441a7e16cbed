//! A canvas whose pixels are computed by this program.

use crate::ticket::page::map::sprites::{Picture, PixelRect, Rgb};
use leptos::prelude::{document, window};
use wasm_bindgen::{Clamped, JsCast};
use web_sys::{CanvasRenderingContext2d, HtmlCanvasElement, ImageData};

/// A canvas with one pixel for each of the screen's.
pub struct PixelCanvas {
    pub canvas: HtmlCanvasElement,
    context: CanvasRenderingContext2d,
    pub width: u32,
    pub height: u32,
    /// Screen pixels per CSS pixel.
    pub density: f64,
}

impl PixelCanvas {
    /// Returns `None` if the canvas cannot be drawn on. It has no pixels before [`PixelCanvas::fit`].
    pub fn new(canvas: HtmlCanvasElement) -> Option<Self> {
        let context = context_2d(&canvas)?;
        Some(Self { canvas, context, width: 0, height: 0, density: 1.0 })
    }

    /// Gives the canvas as many pixels as the screen has there, and returns whether their number changed. If so, the
    /// canvas is now empty.
    pub fn fit(&mut self) -> bool {
        let density = window().device_pixel_ratio();
        let pixels = |length: i32| (f64::from(length) * density) as u32;
        let size = (pixels(self.canvas.client_width()), pixels(self.canvas.client_height()), density);
        let fits = size == (self.width, self.height, self.density);
        if !fits {
            (self.width, self.height, self.density) = size;
            self.canvas.set_width(self.width);
            self.canvas.set_height(self.height);
        }
        !fits
    }

    /// Returns whether nothing of it is on screen.
    pub fn is_empty(&self) -> bool {
        self.width == 0 || self.height == 0
    }

    /// Returns the size in CSS pixels.
    pub fn css_size(&self) -> (f64, f64) {
        (f64::from(self.width) / self.density, f64::from(self.height) / self.density)
    }

    /// Shows parts of a picture with the canvas' size.
    pub fn put(&self, picture: &Picture, parts: &[PixelRect]) {
        let bytes = Clamped(picture.bytes.as_slice());
        let Ok(image) = ImageData::new_with_u8_clamped_array_and_sh(bytes, self.width, self.height) else { return };
        for part in parts {
            _ = self.context.put_image_data_with_dirty_x_and_dirty_y_and_dirty_width_and_dirty_height(
                &image,
                0.0,
                0.0,
                part.x.into(),
                part.y.into(),
                part.width.into(),
                part.height.into(),
            );
        }
    }

    /// Returns the colours of custom properties of the canvas; `None` if they cannot be determined.
    pub fn colors(&self, properties: &[&str]) -> Option<Vec<Rgb>> {
        let style = window().get_computed_style(&self.canvas).ok()??;
        // A canvas turns any notation of a colour into red, green and blue.
        let probe: HtmlCanvasElement = document().create_element("canvas").ok()?.dyn_into().ok()?;
        let count = properties.len() as u32;
        probe.set_width(count);
        probe.set_height(1);
        let context = context_2d(&probe)?;
        for (property, x) in properties.iter().zip(0..count) {
            context.set_fill_style_str(&style.get_property_value(property).ok()?);
            context.fill_rect(x.into(), 0.0, 1.0, 1.0);
        }
        let bytes = context.get_image_data(0.0, 0.0, count.into(), 1.0).ok()?.data();
        Some(bytes.chunks_exact(4).map(|pixel| [pixel[0], pixel[1], pixel[2]]).collect())
    }
}

fn context_2d(canvas: &HtmlCanvasElement) -> Option<CanvasRenderingContext2d> {
    canvas.get_context("2d").ok()??.dyn_into().ok()
}
