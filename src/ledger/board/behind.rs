//! How far the ledger is behind a sale, and what ails it there.

use super::{Books, Name};
use crate::{
    ledger::{Audited, SaleStatus, words::words},
    nodes,
    ui::{
        format::{count, tenths},
        icons::{Icon, icon},
        node::{El, Item, Node, each, el, item, live},
        term::term,
    },
};
use leptos::prelude::*;

/// What brings a sale back that Redis has lost.
const RECOVER: &str = "stampede recover SALE";
/// What stands where nothing is known yet.
const NONE: &str = "–";

/// A sale in the books.
#[derive(Clone, Copy)]
pub struct Entry {
    pub books: Books,
    name: StoredValue<Name>,
}

impl Entry {
    pub fn new(books: Books, name: Name) -> Self {
        Self { books, name: StoredValue::new(name) }
    }

    pub fn name(self) -> Name {
        self.name.get_value()
    }

    /// Part of what is known of it. `fn` and not `Fn`: one piece of machine code serves all parts of a type.
    pub fn read<T>(self, read: fn(&Audited) -> T) -> Option<T> {
        self.name.with_value(|name| {
            self.books.board.with(|board| board.sales.iter().find(|listed| name.is_of(listed)).map(read))
        })
    }
}

/// How far behind, and the last event that is in the ledger: for a `<dl>`.
pub fn terms(entry: Entry) -> Vec<Node> {
    let words = words();
    let behind = move || {
        let behind = entry.read(|Audited { status, .. }| (status.lag_events, (status.lag_seconds * 10.0) as u64));
        behind.map_or_else(|| NONE.to_owned(), |(events, seconds)| (words.behind_by)(events, tenths(seconds)))
    };
    let last =
        move || entry.read(|listed| listed.status.applied_event_id.to_string()).unwrap_or_else(|| NONE.to_owned());
    nodes![
        term(words.behind, nodes![live(behind)]),
        term(words.last_event, nodes![el("code").with(nodes![live(last)])]),
    ]
}

/// What ails the sale in the ledger, if anything does.
pub fn ails(entry: Entry) -> El {
    let words = words();
    let ails = each(move || {
        let Some((lost, stream, set_aside)) = entry.read(|Audited { status, .. }| ail(status)) else {
            return Vec::new();
        };
        let lost = lost.then(|| item("lost", move || recover(words.not_in_redis)));
        let stream = stream.map(|length| trouble((words.long_stream)(count(length))));
        let set_aside = (set_aside > 0).then(|| trouble((words.dead_letters)(set_aside)));
        [lost, stream, set_aside].into_iter().flatten().collect()
    });
    el("div").class("ails").with(nodes![ails])
}

/// Whether Redis lost the sale, the length of a stream that is too long, entries set aside.
fn ail(status: &SaleStatus) -> (bool, Option<u64>, u64) {
    (status.lost, status.alarm.then_some(status.stream_length), status.set_aside)
}

/// A line that says what is wrong.
pub fn trouble(sentence: String) -> Item {
    item(sentence.clone(), move || notice(nodes![sentence]))
}

/// What to run to have the sale back.
pub fn recover(sentence: &'static str) -> El {
    notice(nodes![sentence, " ", el("code").text(RECOVER)])
}

fn notice(inside: Vec<Node>) -> El {
    el("p").class("notice bad").with(nodes![icon(Icon::Warning), el("span").with(inside)])
}
