//! The ledger behind the queues: how far behind, and what ails it.

use super::{Sale, Standing};
use crate::{
    ledger::{
        Audited, Board, Status,
        api::StatusRequest,
        board::{
            Books, Name,
            behind::{Entry, ails, recover, terms, trouble},
        },
        query::LedgerQuery,
        words::words,
    },
    nodes,
    ui::{
        ask::watch,
        node::{El, el, item, maybe},
    },
};
use leptos::prelude::*;
use std::time::Duration;

const EVERY: Duration = Duration::from_secs(1);

pub fn ledger(sale: Sale) -> El {
    let words = words();
    let books = Books::new(Ok(Board::default()));
    let entry = Entry::new(books, Name { kind: "red_packet".to_owned(), sale: sale.id() });
    let question = move || StatusRequest { sale: Some(sale.id()) };
    let take = move |answer: crate::error::Result<Status>| books.take(answer.map(board));
    watch(EVERY, question, take);
    let unreachable = maybe(move || {
        let unreachable = books.board.with(|board| board.unreachable.is_some());
        unreachable.then(|| trouble(words.unreachable.to_owned()))
    });
    let suspended = maybe(move || {
        let suspended = sale.standing() == Standing::Suspended;
        suspended.then(|| item("suspended", move || recover(words.suspended)))
    });
    let history = LedgerQuery::of_sale(sale.id()).url();
    el("div").class("behind").with(nodes![
        el("h3").text(words.title),
        el("dl").class("terms").with(terms(entry)),
        el("a").attr("href", history).text(words.history),
        unreachable,
        suspended,
        ails(entry),
    ])
}

/// The status of one sale, as a board with nothing audited.
fn board(Status { sales, writer, unreachable }: Status) -> Board {
    let sales = sales.into_iter().map(|status| Audited { status, audit: None }).collect();
    Board { sales, writer, unreachable }
}
