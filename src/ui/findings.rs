//! What an audit found: each invariant with what was expected.

use super::{
    format::{count, money},
    node::{El, el},
    verdict::verdict,
};
use crate::{
    i18n::{invariant_name, words},
    nodes,
    sales::{Audit, Invariant, Verdict},
};

/// The invariants of an audit of a sale of this kind, or a sentence where nobody could look.
pub fn findings(kind: &str, audit: &Audit) -> El {
    let words = words();
    if audit.reason.is_some() {
        return el("p").text(words.verdict_unknown);
    }
    let heads = [(words.invariant, ""), (words.expected, "figure"), (words.found, "figure"), (words.verdict_title, "")];
    let heads = heads.map(|(name, class)| el("th").attr("scope", "col").class(class).text(name).into());
    let rows = audit.invariants.iter().map(|invariant| line(kind, invariant).into()).collect();
    el("table")
        .class("findings")
        .with(nodes![el("thead").with(nodes![el("tr").with(heads.into())]), el("tbody").with(rows)])
}

fn line(kind: &str, invariant: &Invariant) -> El {
    let name = invariant_name(kind, &invariant.name).map_or_else(|| invariant.name.clone(), str::to_owned);
    let figure = |figure: i64| {
        let text = match invariant.name.as_str() {
            "money" | "claimed_cents" | "ledger_cents" => money(figure),
            _ if figure < 0 => ["-", &count(figure.unsigned_abs())].concat(),
            _ => count(figure.unsigned_abs()),
        };
        el("td").class("figure").text(text)
    };
    el("tr").with(nodes![
        el("th").attr("scope", "row").text(name),
        figure(invariant.expected),
        figure(invariant.found),
        el("td").with(nodes![verdict(if invariant.holds() { Verdict::Holds } else { Verdict::Broken })]),
    ])
}
