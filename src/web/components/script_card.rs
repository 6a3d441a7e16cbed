//! The card of the script that decides a sale's attempts.

use crate::{
    components::{CopyButton, Definition, LuaSource, format::count},
    i18n::words,
};
use leptos::prelude::*;
use model::ScriptInfo;

/// Shows the script's file, its name in Redis and its calls; below, the folded source.
#[component]
pub fn ScriptCard(
    /// The script that decides attempts of this kind.
    script: ScriptInfo,
    /// The number of its calls for this sale.
    #[prop(into)]
    calls: Signal<u64>,
) -> impl IntoView {
    let words = words();
    let source = script.source.clone();
    view! {
        <ScriptSection>
            <ScriptFacts script calls />
            <details>
                <summary>{words.show_source}</summary>
                <LuaSource label=words.source_code source />
            </details>
        </ScriptSection>
    }
    .into_any()
}

/// Shows a card about a script, for a page that loads the script later.
#[component]
pub fn ScriptSection(
    /// The facts and the source, or the reason for their absence.
    children: Children,
) -> impl IntoView {
    let words = words();
    view! {
        <section class="card source" aria-labelledby="source-title">
            <h2 id="source-title">{words.source}</h2>
            <p>{words.source_intro}</p>
            {children()}
        </section>
    }
}

/// Shows the script's file, its name in Redis and its calls.
#[component]
pub fn ScriptFacts(
    /// The script that decides attempts of this kind.
    script: ScriptInfo,
    /// The number of its calls for this sale.
    #[prop(into)]
    calls: Signal<u64>,
) -> impl IntoView {
    let words = words();
    let ScriptInfo { name, sha, healed, .. } = script;
    view! {
        <dl class="terms">
            <Definition term=words.script>
                <code>"lua/" {name}</code>
            </Definition>
            <Definition term=words.sha>
                <code>{sha.clone()}</code>
                <CopyButton label=words.copy_sha text=sha />
            </Definition>
            <Definition term=words.calls>{move || count(calls.get())}</Definition>
            <Definition term=words.healed>{count(healed)}</Definition>
        </dl>
    }
}
