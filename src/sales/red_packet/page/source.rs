//! The script that decides, as it runs.

use super::Sale;
use crate::{
    nodes,
    sales::red_packet::ScriptInfo,
    ui::{
        code::lua_view,
        copy::copy_button,
        format::count,
        node::{El, el},
        term::term,
    },
    words::words,
};

pub fn source(sale: Sale, script: ScriptInfo) -> El {
    let words = words();
    let ScriptInfo { name, source, sha, healed } = script;
    el("section").class("card source").attr("aria-labelledby", "source-title").with(nodes![
        el("h2").attr("id", "source-title").text(words.source),
        el("p").text(words.source_means),
        el("dl").class("terms").with(nodes![
            term(words.script, nodes![el("code").text(["lua/", &name].concat())]),
            term(words.sha, nodes![el("code").text(sha.clone()), copy_button(words.copy_sha, sha)]),
            term(words.calls, nodes![sale.text(|sale| count(sale.calls))]),
            term(words.healed, nodes![count(healed)]),
        ]),
        el("details").with(nodes![el("summary").text(words.show_source), lua_view(words.source_code, &source)]),
    ])
}
