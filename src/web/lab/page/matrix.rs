//! The anomalies of each strategy, each with a play that demonstrates it.

use crate::{
    base_path::under_base,
    lab::words::{strategy_name, strategy_note, strategy_source, words},
};
use leptos::prelude::*;
use model::{
    lab::{
        Anomaly,
        registry::StrategyInfo,
        trace::{PATH, Play},
    },
    url::with_query,
};

/// Shows the matrix, which needs no JavaScript.
#[component]
pub fn Matrix(
    /// All strategies, with their known failures.
    strategies: Vec<StrategyInfo>,
) -> impl IntoView {
    let words = words();
    let head = |anomaly: Anomaly| {
        view! {
            <th scope="col" title=(words.anomaly_is)(anomaly)>
                {(words.without)(anomaly)}
            </th>
        }
    };
    view! {
        <section class="card half" aria-labelledby="matrix-title">
            <div class="bar">
                <h2 id="matrix-title">{words.matrix}</h2>
                <a class="button" href=under_base(PATH)>
                    {words.step_through}
                </a>
            </div>
            <p class="aside">{words.matrix_intro}</p>
            <div class="scroll" tabindex="0" role="group" aria-labelledby="matrix-title">
                <table class="matrix">
                    <thead>
                        <tr>
                            <th scope="col">{words.strategy}</th>
                            {Anomaly::ALL.map(head).collect_view()}
                        </tr>
                    </thead>
                    <tbody>{strategies.iter().map(row).collect_view()}</tbody>
                </table>
            </div>
            <details class="sources">
                <summary>{words.matrix_sources}</summary>
                <p class="aside">{words.articles}</p>
                <ul class="aside">{strategies.iter().map(sources).collect_view()}</ul>
            </details>
        </section>
    }
    .into_any()
}

fn row(strategy: &StrategyInfo) -> impl IntoView + use<> {
    let href = with_query(PATH, [("strategy", Some(strategy.name.clone()))]);
    let cells = Anomaly::ALL.map(|anomaly| cell(anomaly, strategy));
    view! {
        <tr>
            <th scope="row">
                <a href=under_base(href)>{strategy_name(&strategy.name)}</a>
                {strategy_note(&strategy.name).map(|note| view! { <span class="aside note">{note}</span> })}
            </th>
            {cells.collect_view()}
        </tr>
    }
}

/// Says where a strategy comes from, and which test has found its anomalies.
fn sources(strategy: &StrategyInfo) -> impl IntoView + use<> {
    let bound = (words().bound)(strategy.scenes.len(), strategy.most_attempts());
    view! {
        <li>
            <b>{strategy_name(&strategy.name)}</b>
            " · "
            {strategy_source(strategy)}
            " · "
            {bound}
            " · "
            <code>{strategy.test.clone()}</code>
        </li>
    }
}

/// Shows a link to the play in which the anomaly happens, or to one in which it could but does not.
fn cell(anomaly: Anomaly, strategy: &StrategyInfo) -> impl IntoView + use<> {
    let words = words();
    let name = (words.anomaly)(anomaly);
    let (play, class, mark, label) = match strategy.failure(anomaly) {
        Some(play) => (Some(play), "cell broken", "✗", words.happens),
        None => (strategy.safe(anomaly), "cell holds", "✓", words.never),
    };
    view! {
        <td>
            <a class=class href=play.map(Play::url).map(under_base) aria-label=format!("{name}: {label}")>
                {mark}
            </a>
        </td>
    }
}
