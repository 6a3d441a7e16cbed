//! The script that decides, as it runs.

use super::Sale;
use crate::{
    components::{LuaSource, ScriptCard},
    domain::ScriptInfo,
    i18n::words,
};
use leptos::prelude::*;

/// The script with its source folded away.
#[component]
pub fn ScriptSource(sale: Sale, script: ScriptInfo) -> impl IntoView {
    let words = words();
    let source = script.source.clone();
    let calls = Signal::derive(move || sale.read(|sale| sale.calls));
    view! {
        <ScriptCard script calls>
            <details>
                <summary>{words.show_source}</summary>
                <LuaSource label=words.source_code source />
            </details>
        </ScriptCard>
    }
    .into_any()
}
