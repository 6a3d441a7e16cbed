//! The progress of the run: the running strategy, and the number of its answered attempts.

use crate::{
    components::{Meter, Sparkline},
    lab::{
        page::control::RunControl,
        results::settings_line,
        words::{strategy_name, words},
    },
};
use leptos::prelude::*;
use model::{
    lab::run::{Now, Run},
    runs::RunStatus,
};

/// Shows the progress of a run, or its end, in one line.
#[component]
pub fn Progress(
    /// The run on the page, and the actions that start and stop one.
    control: RunControl,
) -> impl IntoView {
    let words = words();
    let now = Memo::new(move |_| control.run.with(|run| run.as_ref().and_then(|run| run.now.clone())));
    let of_now = move |read: fn(&Now) -> u64| now.with(|now| now.as_ref().map(read).unwrap_or_default());
    let name = Memo::new(move |_| {
        let is_ramp = control.run.with(|run| run.as_ref().is_some_and(|run| run.settings.ramp));
        let name = |now: &Now| match (strategy_name(&now.strategy), is_ramp) {
            (name, true) => (words.at_a_time)(&name, now.concurrency),
            (name, false) => name,
        };
        now.with(|now| now.as_ref().map(|now| (words.at_strategy)(now.nth, now.of, name(now))))
    });
    let answered = move || now.with(|now| now.as_ref().map(answered_text).unwrap_or_default());
    let course = move |run: &Run| run.courses.last().map(|course| course.answered.clone()).unwrap_or_default();
    let values = Signal::derive(move || {
        let answered = control.run.with(|run| run.as_ref().map(course).unwrap_or_default());
        answered.into_iter().map(|answered| answered as f64).collect()
    });
    let is_running = Memo::new(move |_| control.run.with(|run| run.as_ref().is_some_and(|run| !run.is_over())));
    // Not those of the form, as the run may have been started by somebody else.
    let settings = Memo::new(move |_| control.run.with(|run| run.as_ref().map(|run| settings_line(&run.settings))));
    let is_first =
        Memo::new(move |_| control.run.with(|run| run.as_ref().is_some_and(|run| run.strategies.is_empty())));
    let ended = Memo::new(move |_| {
        control.run.with(|run| {
            run.as_ref().filter(|run| run.is_over()).map(|run| ((words.phase)(run.phase), run.reason.clone()))
        })
    });
    view! {
        <div class="run-progress" aria-busy=move || is_running.get().to_string()>
            // Announced once for each strategy, not for each figure.
            <p role="status">
                {move || match ended.get() {
                    Some((phase, _)) => Some(phase.to_owned()),
                    None => name.get(),
                }}
            </p>
            {move || {
                ended.get().and_then(|(_, reason)| reason).map(|reason| view! { <p class="wrong" lang="en">{reason}</p> })
            }}
            <Show when=move || is_running.get()>
                // Once there are figures, the settings stand beside them.
                <Show when=move || is_first.get()>
                    <p class="aside">{move || settings.get()}</p>
                </Show>
                <div class="running">
                    <Meter
                        role="progressbar"
                        label=words.progress
                        value=Signal::derive(move || of_now(|now| now.answered))
                        max=Signal::derive(move || of_now(|now| now.attempts))
                        text=Signal::derive(answered)
                    />
                    <Sparkline values top=Signal::derive(move || of_now(|now| now.attempts) as f64) />
                    <span class="aside">{answered}</span>
                </div>
            </Show>
        </div>
    }
    .into_any()
}

fn answered_text(now: &Now) -> String {
    (words().answered)(now.answered, now.attempts)
}
