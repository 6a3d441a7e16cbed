//! The crowd panel: lets a crowd loose, shows how it fares, and what the judge says in the end.

mod charts;
mod form;
mod judgement;
mod progress;
mod ticket;

pub use ticket::ticket_panel;

use super::Status;
use crate::{
    crowd::words::words,
    i18n, nodes,
    sales::red_packet,
    ui::node::{El, el, item, maybe},
};
use form::Questions;
use leptos::prelude::*;
use std::sync::Arc;

/// The panel of one red packet. `status` is the latest crowd there, whoever started it, as the live view
/// tells it.
pub fn panel(sale: String, status: RwSignal<Option<Status>>) -> El {
    let (words, shared) = (red_packet::words::words(), i18n::words());
    let answers =
        [(words.won, "won"), (shared.repeat, "repeat"), (words.sold_out, "sold_out"), (words.expired, "expired")];
    frame(Crowd(status), form::form(sale, "red_packet", Questions::NONE, Crowd(status)), answers.into())
}

/// The panel around a form; `answers` are what each is called on screen, and by its name.
fn frame(crowd: Crowd, form: El, answers: Arc<[(&'static str, &'static str)]>) -> El {
    let words = words();
    let course = maybe(move || {
        let known = crowd.0.with(Option::is_some);
        let answers = answers.clone();
        known.then(|| {
            item("course", move || {
                el("div").class("course").with(nodes![
                    progress::progress(crowd, &answers),
                    charts::charts(crowd),
                    judgement::judgement(crowd),
                ])
            })
        })
    });
    el("section").class("card crowd").attr("aria-labelledby", "crowd-title").with(nodes![
        el("h2").attr("id", "crowd-title").text(words.title),
        el("p").class("aside").text(words.intro),
        form,
        course,
    ])
}

/// The latest crowd, for all parts of the panel.
#[derive(Clone, Copy)]
struct Crowd(RwSignal<Option<Status>>);

impl Crowd {
    /// Part of the status; the default of nothing while there is none. `fn` and not `Fn`: one piece of
    /// machine code serves all parts of a type.
    fn read<T: Default>(self, read: fn(&Status) -> T) -> T {
        self.0.with(|status| status.as_ref().map(read).unwrap_or_default())
    }

    fn is_running(self) -> bool {
        self.read(|status| !status.phase.is_over())
    }
}
