//! A small picture of all of the hall, with a frame around the map's visible part. Each section has its category's
//! colour, which is the fuller, the more seats are free.

use crate::{
    components::{Canvas, Surface},
    ticket::{
        page::{
            Sale,
            map::{
                geometry::{Bounds, Geometry},
                map_ref::MapRef,
                painter::CATEGORY_COLORS,
            },
        },
        words::words,
    },
};
use leptos::prelude::*;

/// The opacity of a section without free seats, and the increase up to one where all are free.
const SOLD_OUT: f64 = 0.12;
const FREE: f64 = 0.75;

/// Shows the small picture in a corner of the map, while the map shows a part of the hall. A press or a drag moves the
/// map there.
#[component]
pub fn Overview(
    /// The sale on the page, kept up to date by the live view.
    sale: Sale,
    /// The map, whose visible part is framed.
    map: MapRef,
) -> impl IntoView {
    let is_part = Memo::new(move |_| map.view.frame.with(Option::is_some));
    view! {
        <Show when=move || is_part.get()>
            <SmallPicture sale map />
        </Show>
    }
}

#[component]
fn SmallPicture(
    /// The sale on the page, kept up to date by the live view.
    sale: Sale,
    /// The map, whose visible part is framed.
    map: MapRef,
) -> impl IntoView {
    let label = words().overview;
    let shape = map.geometry.with_value(|geometry| geometry.as_ref().map(|geometry| geometry.bounds));
    let ratio = shape.map(|bounds| format!("--ratio:{}", bounds.width() / bounds.height().max(1.0)));
    let frame = move || {
        let [left, top, right, bottom] = map.view.frame.get().unwrap_or_default().map(|share| share * 100.0);
        format!("left:{left}%;top:{top}%;right:{}%;bottom:{}%", 100.0 - right, 100.0 - bottom)
    };
    let draw = move |on: &Surface| {
        map.geometry.with_value(|geometry| {
            if let Some(geometry) = geometry {
                draw(on, sale, geometry);
            }
        });
    };
    view! {
        <div
            class="overview"
            role="img"
            aria-label=label
            title=label
            style=ratio
            on:pointerdown=move |event| map.update(|map| map.on_overview(&event))
            on:pointermove=move |event| map.update(|map| map.on_overview(&event))
        >
            <Canvas class="whole" draw />
            <i class="frame" style=frame></i>
        </div>
    }
}

fn draw(on: &Surface, sale: Sale, geometry: &Geometry) {
    let context = on.context();
    let Bounds { left, top, .. } = geometry.bounds;
    let scale = (on.width / geometry.bounds.width().max(1.0)).min(on.height / geometry.bounds.height().max(1.0));
    let stage = geometry.stage.bounds();
    on.set_fill("--stage", 1.0);
    context.fill_rect(
        (stage.left - left) * scale,
        (stage.top - top) * scale,
        stage.width() * scale,
        stage.height() * scale,
    );
    let filter = sale.filter.get();
    let free = sale.free_by_section.get();
    sale.hall.with_value(|hall| {
        let sections = geometry.sections.iter().zip(&geometry.categories).zip(&hall.layout.sections).zip(free);
        for (((outline, category), section), free) in sections {
            let share = f64::from(free) / f64::from(section.seats().max(1));
            let color =
                if filter.shows(*category) { CATEGORY_COLORS[category % CATEGORY_COLORS.len()] } else { "--seat-sold" };
            let fullness = if filter.shows(*category) { SOLD_OUT + FREE * share } else { SOLD_OUT };
            on.set_fill(color, fullness);
            context.begin_path();
            for (x, y) in &outline.edge {
                context.line_to((x - left) * scale, (y - top) * scale);
            }
            context.fill();
        }
    });
}
