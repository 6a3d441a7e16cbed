//! The source of the strategy. The lines of each attempt's next call and of the last step are highlighted.

use crate::lab::{step::Shown, words::words};
use leptos::prelude::*;
use model::lab::registry::StrategyInfo;

/// Shows the source, with a mark at the current line of each attempt.
#[component]
pub fn Source(
    /// The play on the page and its trace; `None` while there is none.
    shown: RwSignal<Option<Shown>>,
    /// All strategies of the lab.
    strategies: StoredValue<Vec<StrategyInfo>>,
) -> impl IntoView {
    let words = words();
    let strategy = Memo::new(move |_| shown.with(|shown| shown.as_ref().map(|shown| shown.play.strategy.clone())));
    let file = move || {
        strategy.with(|strategy| {
            let strategy = strategy.as_ref()?;
            strategies
                .with_value(|all| all.iter().find(|known| known.name == *strategy).map(|known| known.file.clone()))
        })
    };
    // Rendered again for another strategy, but not for each step.
    let lines = move || {
        strategy.with(|strategy| {
            let code = strategies.with_value(|all| {
                let known = all.iter().find(|known| Some(&known.name) == strategy.as_ref());
                known.map(|known| known.code.clone()).unwrap_or_default()
            });
            (1..).zip(code.lines()).map(|(number, text)| line(shown, number, text.to_owned())).collect_view()
        })
    };
    view! {
        <section class="card lab-source" aria-labelledby="source-title">
            <div class="bar">
                <h2 id="source-title">{words.source}</h2>
                <code class="aside">{file}</code>
            </div>
            <pre class="code" tabindex="0" role="group" aria-labelledby="source-title">
                {lines}
            </pre>
        </section>
    }
}

fn line(shown: RwSignal<Option<Shown>>, number: u32, text: String) -> impl IntoView {
    let words = words();
    let next = Memo::new(move |_| {
        shown.with(|shown| {
            let at = |shown: &Shown| {
                let here = shown
                    .trace
                    .participants
                    .iter()
                    .filter(|one| one.next.as_ref().is_some_and(|next| next.line == number));
                here.map(|one| one.letter).collect::<Vec<char>>()
            };
            shown.as_ref().map(at).unwrap_or_default()
        })
    });
    let last = Memo::new(move |_| {
        shown.with(|shown| {
            let last = shown.as_ref()?.trace.steps.last()?;
            (last.call.line == number).then_some(last.letter)
        })
    });
    let class = move || match (next.with(Vec::is_empty), last.get()) {
        (false, _) => "line next",
        (true, Some(_)) => "line last",
        (true, None) => "line",
    };
    let marks = move || {
        let last = last.get().map(|letter| mark("done", letter, (words.just_did)(letter)));
        let next = next.get().into_iter().map(|letter| mark("next", letter, (words.about_to)(letter))).collect_view();
        view! {
            {last}
            {next}
        }
    };
    view! {
        <span class=class>
            {text}
            {marks}
            "\n"
        </span>
    }
}

fn mark(class: &'static str, letter: char, text: String) -> impl IntoView {
    view! {
        " "
        <mark class=format!("{class} player-{letter}")>{text}</mark>
    }
}
