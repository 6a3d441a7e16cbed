//! The map on the page: two canvases, the buttons over them and what the shapes mean.

use super::{Map, input};
use crate::{
    nodes,
    sales::ticket::{
        page::{Sale, card},
        words::words,
    },
    ui::{
        drawing::looks,
        field::button,
        node::{El, el},
        platform::{self, Sizes},
        work::effect,
    },
};
use leptos::{prelude::*, web_sys::Element};
use std::mem;

/// The map, as everybody holds it: it is in the browser only, and gone when the page is.
#[derive(Clone, Copy)]
pub struct Handle(StoredValue<Option<StoredValue<Map, LocalStorage>>>);

impl Handle {
    pub fn new() -> Self {
        Self(StoredValue::new(None))
    }

    /// Does something to the map, and shows on the next frame what came of it.
    pub(super) fn with(self, act: impl FnOnce(&mut Map)) {
        let map = self.0.try_get_value().flatten();
        let soon = map.and_then(|map| {
            map.try_update_value(|map| {
                act(map);
                !mem::replace(&mut map.awaited, true)
            })
        });
        if soon == Some(true) {
            platform::next_frame(move || {
                let map = self.0.try_get_value().flatten();
                map.and_then(|map| map.try_update_value(Map::frame));
            });
        }
    }

    /// Draws without waiting for a frame.
    fn draw(self) {
        if let Some(map) = self.0.try_get_value().flatten() {
            map.try_update_value(Map::frame);
        }
    }

    /// Comes close to a seat.
    pub fn show(self, seat: u32) {
        self.with(|map| map.show(seat));
    }
}

pub fn map(sale: Sale, handle: Handle) -> El {
    let words = words();
    let act = move |act: fn(&mut Map)| move || handle.with(act);
    let tool = |sign: &'static str, name: &'static str, what: fn(&mut Map)| {
        button("quiet tool", || false, act(what)).attr("aria-label", name).attr("title", name).text(sign)
    };
    let heat = button("quiet tool", || false, move || sale.shows_demand.update(|shows| *shows = !*shows))
        .live("aria-pressed", move || if sale.shows_demand.get() { "true" } else { "false" }.to_owned())
        .text(words.heat);
    let over = el("canvas")
        .class("over")
        .attr("role", "application")
        .attr("tabindex", "0")
        .attr("aria-label", words.map)
        .attr("aria-describedby", "map-means")
        .found(move |canvas| {
            let canvas = canvas.clone();
            handle.with(move |map| map.over = Some(canvas));
        });
    el("section").class("card map").attr("aria-labelledby", "map-title").with(nodes![
        el("div").class("bar").with(nodes![
            el("h2").attr("id", "map-title").text(words.map),
            el("div").class("tools").attr("role", "group").attr("aria-label", words.map_tools).with(nodes![
                heat,
                tool("+", words.zoom_in, |map| map.zoom_middle(input::ZOOM)),
                tool("−", words.zoom_out, |map| map.zoom_middle(1.0 / input::ZOOM)),
                tool("⤢", words.show_all, Map::fit),
            ]),
        ]),
        el("div").class("hall").with(nodes![
            el("canvas").class("seats").attr("aria-hidden", "true").found(begin(sale, handle)),
            input::heard(over, handle),
            card::card(sale),
            el("noscript").html(["<p class=\"empty\">", words.map_without, "</p>"].concat()),
        ]),
        legend(),
        el("p").class("aside").attr("id", "map-means").text(words.map_hint),
    ])
}

/// Makes the map once its canvas is there, and keeps it up to date.
fn begin(sale: Sale, handle: Handle) -> impl FnOnce(&Element) + Send {
    let looks = looks();
    let owner = Owner::current().unwrap_or_default();
    move |canvas| {
        let canvas = canvas.clone();
        owner.with(|| {
            handle.0.set_value(Some(StoredValue::new_local(Map::new(sale, canvas.clone()))));
            let sizes = Sizes::watch(&canvas, move || handle.with(|map| map.stale.size = true));
            StoredValue::new_local(sizes);
            effect(move || {
                looks.track();
                handle.with(|map| map.stale.colours = true);
            });
            effect(move || {
                sale.seats_version.track();
                handle.with(|_| {});
            });
            effect(move || {
                sale.selection.track();
                sale.my_orders.list.track();
                sale.pointed.track();
                handle.with(|map| map.stale.over = true);
            });
            effect(move || {
                if sale.shows_demand.get() {
                    sale.demand.track();
                }
                handle.with(|map| map.stale.over = true);
            });
            // The last of these: by now all is known that the first picture needs.
            effect(move || handle.draw());
        });
    }
}

/// What the shapes mean. Drawn as on the map from near.
fn legend() -> El {
    let words = words();
    let shape = |class: &'static str| el("i").class(class).attr("aria-hidden", "true");
    let entry = |class: &'static str, name: &'static str| el("span").class("key").with(nodes![shape(class), name]);
    el("p").class("legend").with(nodes![
        entry("free", words.free),
        entry("held", words.held),
        entry("sold", words.sold),
        entry("chosen", words.chosen),
        el("span").class("key").with(nodes![shape("mine"), shape("paid"), words.mine]),
    ])
}
