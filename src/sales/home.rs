//! The first page: which sales there are, and a form to open another.

mod list;
mod open;

use super::red_packet::api::ListRequest;
use crate::{
    error::Result,
    nodes,
    sales::{SaleLine, words::words},
    ui::{
        ask::asked,
        node::{El, Node, el},
        page::page,
        title::set_title,
    },
};

/// `/`
pub fn home_page() -> Node {
    page(|| Some(String::new()), |_| asked(ListRequest {}), home)
}

fn home(lines: Result<Vec<SaleLine>>) -> El {
    let words = words();
    set_title(words.sales);
    el("main").attr("id", "main").class("home").attr("tabindex", "-1").with(nodes![
        el("div").class("intro").with(nodes![el("h1").text(words.title), el("p").text(words.intro)]),
        list::list(lines),
        open::open(),
    ])
}
