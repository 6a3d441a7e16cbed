//! The script that decides, as it runs.

use super::Sale;
use crate::{
    i18n::words,
    nodes,
    sales::ScriptInfo,
    ui::{
        code::lua_view,
        format::count,
        node::{El, el},
        source,
    },
};

pub fn source(sale: Sale, script: ScriptInfo) -> El {
    let words = words();
    source::card(nodes![
        source::facts(&script, sale.text(|sale| count(sale.calls))),
        el("details").with(nodes![el("summary").text(words.show_source), lua_view(words.source_code, &script.source)]),
    ])
}
