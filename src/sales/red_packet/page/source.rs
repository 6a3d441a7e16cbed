//! The script that decides, as it runs.

use super::Sale;
use crate::{
    sales::red_packet::ScriptInfo,
    ui::{code::lua_view, copy::copy_button, format::count},
    words::words,
};
use leptos::prelude::*;

pub fn source(sale: Sale, script: ScriptInfo) -> AnyView {
    let words = words();
    let ScriptInfo { name, source, sha, healed } = script;
    view! {
        <section class="card source" aria-labelledby="source-title">
            <h2 id="source-title">{words.source}</h2>
            <p>{words.source_means}</p>
            <dl class="terms">
                <div><dt>{words.script}</dt><dd><code>{["lua/", &name].concat()}</code></dd></div>
                <div><dt>{words.sha}</dt><dd><code class="sha">{sha.clone()}</code> {copy_button(words.copy_sha, sha)}</dd></div>
                <div><dt>{words.calls}</dt><dd>{sale.text(|sale| count(sale.calls))}</dd></div>
                <div><dt>{words.healed}</dt><dd>{count(healed)}</dd></div>
            </dl>
            <details>
                <summary>{words.show_source}</summary>
                {lua_view(words.source_code, &source)}
            </details>
        </section>
    }
    .into_any()
}
