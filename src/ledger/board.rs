//! The board of audits: for each sale whether what must hold does, and how far the ledger is behind.

pub mod behind;
mod card;
mod set_aside;

use super::{
    Audited, Board,
    api::{AuditNowRequest, BoardRequest},
    board::behind::trouble,
};
use crate::{
    error::{Error, Result},
    i18n,
    ledger::words::words,
    nodes,
    ui::{
        ask::{ask, asked, watch},
        field::button,
        node::{El, Node, each, el, item, live, maybe},
        notice::{notice, unseen},
        page::page,
        title::set_title,
    },
};
use leptos::prelude::*;
use std::time::Duration;

const EVERY: Duration = Duration::from_secs(2);

/// `/audit`
pub fn board_page() -> Node {
    page(|| Some(String::new()), |_| asked(BoardRequest {}), shown)
}

/// What is known of all sales; of a single one where only that is asked for.
#[derive(Clone, Copy)]
pub struct Books {
    pub board: RwSignal<Board>,
    error: RwSignal<Option<Error>>,
    /// What came of an audit that the reader asked for; and why one did not come about.
    said: RwSignal<String>,
    failed: RwSignal<Option<Error>>,
}

impl Books {
    /// What an answer says; nothing is known before the first.
    pub fn new(first: Result<Board>) -> Self {
        let error = RwSignal::new(first.as_ref().err().cloned());
        let board = RwSignal::new(first.unwrap_or_default());
        Self { board, error, said: RwSignal::new(String::new()), failed: RwSignal::new(None) }
    }

    /// Takes over what an answer says; of one that did not come, why.
    pub fn take(self, answer: Result<Board>) {
        let (board, error) = match answer {
            Ok(board) => (Some(board), None),
            Err(error) => (None, Some(error)),
        };
        if self.error.with_untracked(|shown| *shown != error) {
            self.error.set(error);
        }
        if let Some(board) = board {
            self.board.set(board);
        }
    }

    /// Audits sales now, the last first, one after the other.
    fn audit(self, shared: &'static i18n::Words, mut sales: Vec<Name>) {
        let Some(name) = sales.pop() else { return };
        let Name { kind, sale } = name.clone();
        ask(AuditNowRequest { kind, sale }, move |answer| {
            let (audit, error) = match answer {
                Ok(audit) => (Some(audit), None),
                Err(error) => (None, Some(error)),
            };
            // The page may be gone by then.
            if self.failed.try_set(error).is_some() {
                return;
            }
            // What keeps one from being audited would keep the others too.
            let Some(audit) = audit else { return };
            self.said.set([&name.sale, ": ", (shared.verdict)(audit.verdict)].concat());
            self.board.update(|board| {
                if let Some(listed) = board.sales.iter_mut().find(|listed| name.is_of(listed)) {
                    listed.audit = Some(audit);
                }
            });
            self.audit(shared, sales);
        });
    }

    /// The sales that are listed, the last first.
    fn listed(self) -> Vec<Name> {
        let name = |Audited { status, .. }: &Audited| Name { kind: status.kind.clone(), sale: status.sale.clone() };
        self.board.with_untracked(|board| board.sales.iter().rev().map(name).collect())
    }
}

/// What tells a sale from every other.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Name {
    pub kind: String,
    pub sale: String,
}

impl Name {
    fn is_of(&self, Audited { status, .. }: &Audited) -> bool {
        status.sale == self.sale && status.kind == self.kind
    }
}

fn shown(first: Result<Board>) -> El {
    let (words, shared) = (words(), i18n::words());
    set_title(words.board_title);
    let books = Books::new(first);
    watch(EVERY, || BoardRequest {}, move |answer| books.take(answer));
    let cards = each(move || {
        books.board.with(|board| board.sales.iter().map(|listed| card::card(books, &listed.status)).collect())
    });
    let empty = maybe(move || {
        let empty = books.board.with(|board| board.sales.is_empty()) && books.error.with(Option::is_none);
        let way = move || el("a").attr("href", "/").text(shared.back_to_sales);
        empty.then(|| item("empty", move || el("p").class("empty").with(nodes![words.board_empty, " ", way()])))
    });
    el("main").attr("id", "main").class("board").attr("tabindex", "-1").with(nodes![
        el("div").class("intro").with(nodes![
            el("div").class("bar").with(nodes![
                el("h1").text(words.board_title),
                el("span").class("aside").attr("role", "status").with(nodes![live(move || books.said.get())]),
                button("", || false, move || books.audit(shared, books.listed())).text(words.audit_all),
            ]),
            el("p").text(words.board_intro),
            writer(books),
        ]),
        unseen(books.error),
        notice(books.failed, &[]),
        empty,
        el("ul").class("entries").with(nodes![cards]),
    ])
}

/// Who writes the ledger; or that nobody does, or that it cannot be reached.
fn writer(books: Books) -> El {
    let words = words();
    let line = maybe(move || {
        let (writer, lost) = books.board.with(|board| (board.writer.clone(), board.unreachable.is_some()));
        Some(match writer {
            _ if lost => trouble(words.unreachable.to_owned()),
            // Nothing is known yet, and that is said below.
            None if books.error.with(Option::is_some) => return None,
            None => trouble(words.no_writer.to_owned()),
            Some(writer) => item(writer.clone(), move || {
                el("p").class("aside").with(nodes![words.writer, " ", el("code").text(writer)])
            }),
        })
    });
    el("div").attr("role", "status").with(nodes![line])
}
