//! What is left of each category, exactly.

use super::{Sale, map::CATEGORIES};
use crate::{
    nodes,
    sales::ticket::{Snapshot, words::words},
    ui::{
        format::{count, money},
        node::{El, el, live},
    },
};
use leptos::prelude::*;

/// Seats of a category: free, held, sold.
fn counts(sale: &Snapshot, name: &str) -> [u64; 3] {
    [&sale.remaining, &sale.held, &sale.sold].map(|of| of.get(name).copied().unwrap_or_default().into())
}

pub fn stock(sale: Sale) -> El {
    let words = words();
    let categories = sale.snapshot.with_untracked(|sale| sale.categories.clone());
    let lines = categories.into_iter().enumerate().map(|(number, price)| {
        let (name, capacity) = (std::sync::Arc::<str>::from(price.name.as_str()), u64::from(price.capacity));
        let of = {
            let name = name.clone();
            move || sale.snapshot.with(|sale| counts(sale, &name))
        };
        let share = |place: usize, of: Box<dyn Fn() -> [u64; 3] + Send>| {
            el("span").live("style", move || {
                let share = (of()[place] * 1_000).checked_div(capacity).unwrap_or_default();
                ["--share:", &share.to_string()].concat()
            })
        };
        let figure = |place: usize, word: &'static str, of: Box<dyn Fn() -> [u64; 3] + Send>| {
            el("span").with(nodes![el("b").with(nodes![live(move || count(of()[place]))]), " ", word])
        };
        let (now, text) = (of.clone(), of.clone());
        let text = move || {
            let [free, held, sold] = text();
            (words.stock_text)(count(free), count(capacity), count(held), count(sold))
        };
        let swatch = ["--swatch:var(", CATEGORIES[number % CATEGORIES.len()], ")"].concat();
        el("li")
            .attr("style", swatch)
            .with(nodes![
                el("div").class("sub").with(nodes![
                    el("h3").class("swatch").text(name.to_string()),
                    el("span").class("price").text(money(price.price_cents)),
                ]),
                el("div")
                    .class("stack")
                    .attr("role", "meter")
                    .attr("aria-label", name.to_string())
                    .attr("aria-valuemin", "0")
                    .attr("aria-valuemax", capacity.to_string())
                    .live("aria-valuenow", move || now()[0].to_string())
                    .live("aria-valuetext", text)
                    .with(nodes![
                        share(2, Box::new(of.clone())).class("sold"),
                        share(1, Box::new(of.clone())).class("held"),
                        share(0, Box::new(of.clone())).class("free"),
                    ]),
                el("div").class("sub").with(nodes![
                    figure(0, words.free, Box::new(of.clone())),
                    figure(1, words.held, Box::new(of.clone())),
                    figure(2, words.sold, Box::new(of)),
                ]),
            ])
            .into()
    });
    el("section").class("card stock").attr("aria-labelledby", "stock-title").with(nodes![
        el("h2").attr("id", "stock-title").text(words.stock),
        el("ul").class("categories").with(lines.collect()),
    ])
}
