//! The card of the script that decides a sale's attempts.

use super::{
    copy::copy_button,
    format::count,
    node::{El, Node, el},
    term::term,
};
use crate::{i18n::words, nodes, sales::ScriptInfo};

/// A card with a title, what it is about, and more.
pub fn card(more: Vec<Node>) -> El {
    let words = words();
    let mut all = nodes![el("h2").attr("id", "source-title").text(words.source), el("p").text(words.source_intro)];
    all.extend(more);
    el("section").class("card source").attr("aria-labelledby", "source-title").with(all)
}

/// Where the script is, what Redis calls it, and how often it was called.
pub fn facts(script: &ScriptInfo, calls: Node) -> El {
    let words = words();
    let ScriptInfo { name, sha, healed, .. } = script;
    el("dl").class("terms").with(nodes![
        term(words.script, nodes![el("code").text(["lua/", name].concat())]),
        term(words.sha, nodes![el("code").text(sha.clone()), copy_button(words.copy_sha, sha.clone())]),
        term(words.calls, nodes![calls]),
        term(words.healed, nodes![count(*healed)]),
    ])
}
