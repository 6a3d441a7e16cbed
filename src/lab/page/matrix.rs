//! The anomalies of each strategy, each with the play that shows it.

use crate::components::url::with_query;
use crate::lab::{
    Anomaly,
    registry::StrategyInfo,
    trace::{PATH, Play},
    words::{strategy_name, strategy_source, words},
};
use leptos::prelude::*;

/// The matrix. It needs no JavaScript.
#[component]
pub fn Matrix(
    /// Every strategy, with its known failures.
    strategies: Vec<StrategyInfo>,
) -> impl IntoView {
    let words = words();
    let head = |anomaly: Anomaly| {
        view! {
            <th scope="col" title=(words.anomaly_is)(anomaly)>
                {(words.anomaly)(anomaly)}
            </th>
        }
    };
    view! {
        <section class="card half" aria-labelledby="matrix-title">
            <div class="bar">
                <h2 id="matrix-title">{words.matrix}</h2>
                <a class="button" href=PATH>
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
                            <th scope="col">{words.comes_from}</th>
                        </tr>
                    </thead>
                    <tbody>{strategies.iter().map(row).collect_view()}</tbody>
                </table>
            </div>
            <p class="aside">{words.articles}</p>
        </section>
    }
    .into_any()
}

fn row(strategy: &StrategyInfo) -> impl IntoView + use<> {
    let href = with_query(PATH, [("strategy", Some(strategy.name.clone()))]);
    let turns = strategy.turns.as_ref().map_or_else(|| href.clone(), Play::url);
    let cells = Anomaly::ALL.map(|anomaly| cell(anomaly, strategy.failure(anomaly), &turns));
    view! {
        <tr>
            <th scope="row">
                <a href=href>{strategy_name(&strategy.name)}</a>
            </th>
            {cells.collect_view()}
            <td class="aside">{strategy_source(strategy)}</td>
        </tr>
    }
}

/// `turns` is the address of one of the interleavings in which it does not happen.
fn cell(anomaly: Anomaly, play: Option<&Play>, turns: &str) -> impl IntoView + use<> {
    let words = words();
    let name = (words.anomaly)(anomaly);
    match play {
        Some(play) => view! {
            <td>
                <a class="cell broken" href=play.url() aria-label=format!("{name}: {}", words.happens)>
                    "✗"
                </a>
            </td>
        }
        .into_any(),
        None => view! {
            <td>
                <a class="cell holds" href=turns.to_owned() aria-label=format!("{name}: {}", words.never)>
                    "✓"
                </a>
            </td>
        }
        .into_any(),
    }
}
