//! The script that decides attempts, fetched on request: it is longer than the rest of the page.

use crate::{
    components::{LoadAlert, LuaSource, ScriptFacts, ScriptSection, use_is_open},
    i18n::words,
    ticket::{api, page::Sale},
};
use leptos::prelude::*;

/// Shows the script that decides attempts, folded.
#[component]
pub fn ScriptSource(
    /// The sale, which counts the calls of the script.
    sale: Sale,
) -> impl IntoView {
    let words = words();
    let load = Action::new(|(): &()| api::script());
    let script = load.value();
    let details = NodeRef::new();
    let is_open = use_is_open(details);
    Effect::new(move || {
        // It may be opened and closed repeatedly: the script is fetched once, or again if that failed.
        let is_there = script.with_untracked(|script| matches!(script, Some(Ok(_))));
        if is_open.get() && !is_there && !load.pending().get_untracked() {
            load.dispatch(());
        }
    });
    let error = Signal::derive(move || script.get().and_then(Result::err));
    let facts_and_source = move || {
        let script = script.get()?.ok()?;
        let source = script.source.clone();
        Some(view! {
            <div>
                <ScriptFacts script calls=Signal::derive(move || sale.live.read(|sale| sale.calls)) />
                <LuaSource label=words.source_code source />
            </div>
        })
    };
    view! {
        <ScriptSection>
            <details node_ref=details>
                <summary>{words.show_source}</summary>
                <div>
                    <LoadAlert error />
                    {facts_and_source}
                </div>
            </details>
        </ScriptSection>
    }
}
