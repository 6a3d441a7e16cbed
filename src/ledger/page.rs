//! The page of the history: whatever changed in any sale, searched, newest first.

pub mod address;
mod form;
mod rows;
mod window;

use super::{
    Page,
    api::SearchRequest,
    page::{
        address::{PATH, Wanted},
        window::Window,
    },
};
use crate::{
    error::{Error, Result},
    ledger::words::words,
    nodes,
    ui::{
        ask::{Answer, ask, asked},
        node::{El, Node, el},
        page::page,
        platform,
        title::set_title,
        work::{after, effect},
    },
};
use leptos::prelude::*;
use leptos_router::hooks::use_location;
use std::{mem, time::Duration};

/// `/ledger`
pub fn ledger_page() -> Node {
    let place = use_location();
    // Asked for once: from then on the page follows its address by itself.
    let key = move || place.pathname.with(|path| path == PATH).then(|| place.search.get_untracked());
    page(key, load, history)
}

fn load(query: String) -> Answer<Result<Page>> {
    asked(question(address::read(&query)))
}

fn question(Wanted { search, after }: Wanted) -> SearchRequest {
    let super::Search { sale, user, request_id, outcome } = search;
    SearchRequest { sale, user, request_id, outcome, limit: None, after }
}

/// A search and what is known of its history.
#[derive(Clone, Copy)]
struct History {
    window: RwSignal<Window>,
    error: RwSignal<Option<Error>>,
}

impl History {
    /// Part of what is known. `fn` and not `Fn`: one piece of machine code serves all parts of a type.
    fn read<T>(self, read: fn(&Window) -> T) -> T {
        self.window.with(read)
    }

    /// Starts from the first page of a search.
    fn begin(self, wanted: Wanted) {
        _ = self.window.try_update_untracked(|window| window.serial += 1);
        self.ask_for(0, wanted, true);
    }

    /// Moves the window to what the reader sees, and asks for what is missing there.
    fn look(self) {
        let seen = platform::seen(rows::ID);
        let missing = self.window.try_maybe_update(|window| {
            let moved = window.look(seen);
            let missing = window.missing().filter(|_| !window.asking);
            (moved, missing.map(|(place, after)| (place, window.wanted.search.clone(), after)))
        });
        if let Some((place, search, after)) = missing.flatten() {
            self.ask_for(place, Wanted { search, after }, false);
        }
    }

    /// Asks for a page, the first of a new search or another.
    fn ask_for(self, place: usize, wanted: Wanted, new: bool) {
        let asked = self.window.try_update_untracked(|window| {
            window.asking = true;
            window.serial
        });
        ask(question(wanted.clone()), move |answer| {
            // The page may be gone by then, or the reader may look for something else.
            let serial = self.window.try_with_untracked(|window| window.serial);
            if serial.is_some() && serial == asked {
                self.show(place, answer, new.then_some(wanted));
            }
        });
    }

    /// Shows a page at its place, or as the first of a new search; and the error of one that did not come.
    fn show(self, place: usize, answer: Result<Page>, wanted: Option<Wanted>) {
        let (page, error) = match answer {
            Ok(page) => (Some(page), None),
            Err(error) => (None, Some(error)),
        };
        let went_well = error.is_none();
        self.error.set(error);
        if wanted.is_some() {
            platform::scroll_up(rows::ID);
        }
        self.window.update(|window| {
            window.asking = false;
            match (wanted, page) {
                (Some(wanted), page) => *window = Window::new(wanted, window.serial, page.unwrap_or_default()),
                (None, Some(page)) => window.take(place, page),
                (None, None) => {}
            }
        });
        if went_well {
            // Once the document has the rows.
            after(Duration::ZERO, move || self.look());
        }
    }
}

fn history(first: Result<Page>) -> El {
    let words = words();
    set_title(words.title);
    let place = use_location();
    let wanted = address::read(&place.search.get_untracked());
    let error = RwSignal::new(first.as_ref().err().cloned());
    let window = RwSignal::new(Window::new(wanted.clone(), 0, first.unwrap_or_default()));
    let history = History { window, error };
    let mut is_there = true;
    effect(move || {
        let wanted = place.search.with(|query| address::read(query));
        if mem::take(&mut is_there) {
            return history.look();
        }
        // On the way to another page the query goes first.
        if place.pathname.with_untracked(|path| path != PATH) {
            return;
        }
        form::fill(&wanted);
        history.begin(wanted);
    });
    el("main").attr("id", "main").class("ledger").attr("tabindex", "-1").with(nodes![
        el("div").class("intro").with(nodes![el("h1").text(words.title), el("p").text(words.intro)]),
        form::form(history, &wanted.search),
        rows::rows(history),
    ])
}
