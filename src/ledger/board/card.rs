//! A sale on the board.

use super::{
    Books, Name,
    behind::{Entry, ails, terms},
    set_aside::set_aside,
};
use crate::{
    i18n,
    ledger::{SaleStatus, words::words},
    nodes,
    sales::Verdict,
    ui::{
        field::button,
        findings::findings,
        moment::moment,
        node::{El, Item, el, item, maybe},
        platform::Style,
        sale_link::sale_link,
        verdict::verdict,
    },
};

pub fn card(books: Books, status: &SaleStatus) -> Item {
    let name = Name { kind: status.kind.clone(), sale: status.sale.clone() };
    item([&name.kind, "/", &name.sale].concat(), move || {
        let (words, shared) = (words(), i18n::words());
        let page = sale_link(&name.kind, &name.sale);
        let entry = Entry::new(books, name);
        let audit = move || entry.read(|listed| listed.audit.clone()).flatten();
        let looked = maybe(move || {
            let audit = audit();
            let at = audit.as_ref().map_or(0, |audit| audit.at);
            Some(item(at as u64, move || match audit {
                Some(audit) => looked(audit.verdict, moment(audit.at, Style::Clock)),
                None => el("span").class("badge").text(words.not_audited),
            }))
        });
        let table =
            maybe(move || audit().map(|audit| item(audit.at as u64, move || findings(&entry.name().kind, &audit))));
        let holds = move || audit().is_none_or(|audit| audit.verdict == Verdict::Holds);
        el("li").class("card entry").with(nodes![
            el("div").class("bar").with(nodes![
                page,
                button("", || false, move || books.audit(shared, vec![entry.name()])).text(shared.audit_now),
            ]),
            el("p").with(nodes![looked]),
            el("dl").class("terms").with(terms(entry)),
            ails(entry),
            set_aside(entry),
            el("details")
                .when("open", move || !holds())
                .when("hidden", move || audit().is_none())
                .with(nodes![el("summary").text(shared.invariants), table]),
        ])
    })
}

fn looked(found: Verdict, at: El) -> El {
    el("span")
        .class("looked")
        .with(nodes![verdict(found), el("span").class("aside").with(nodes![i18n::words().audited_at, " ", at])])
}
