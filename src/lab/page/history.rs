//! The runs that are kept, each with its settings and how many strategies held; any two can be compared.

use super::{RunControl, query::LabQuery};
use crate::{
    components::{LocalTime, Notice, TimeStyle},
    lab::{
        results::settings_line,
        run::{Phase, RunEntry},
        words::words,
    },
};
use leptos::prelude::*;

/// The list. Two of its runs are chosen by a form that needs no JavaScript.
#[component]
pub fn History(
    /// The run on the page, and what starts and stops one.
    control: RunControl,
) -> impl IntoView {
    let words = words();
    let list = move || match control.history.get() {
        Err(_) => view! { <Notice>{words.history_away}</Notice> }.into_any(),
        Ok(history) if history.runs.is_empty() => view! { <p class="empty">{words.no_history}</p> }.into_any(),
        Ok(history) => view! { <List runs=history.runs /> }.into_any(),
    };
    view! {
        <section class="card" aria-labelledby="history-title">
            <h2 id="history-title">{words.history}</h2>
            {list}
        </section>
    }
    .into_any()
}

#[component]
fn List(
    /// The runs that are kept, newest first.
    runs: Vec<RunEntry>,
) -> impl IntoView {
    let words = words();
    let can_compare = runs.len() > 1;
    view! {
        <form method="get" action="/lab" class="lab-history">
            <div class="scroll" tabindex="0" role="group" aria-labelledby="history-title">
                <table>
                    <thead>
                        <tr>
                            {can_compare.then(|| view! { <th scope="col">{words.compare}</th> })}
                            <th scope="col">{words.started}</th>
                            <th scope="col">{words.settings_title}</th>
                            <th scope="col" class="figure">
                                {words.held}
                            </th>
                            <td></td>
                        </tr>
                    </thead>
                    <tbody>{runs.iter().map(|entry| row(entry, can_compare)).collect_view()}</tbody>
                </table>
            </div>
            {can_compare
                .then(|| {
                    view! {
                        <div class="actions">
                            <button type="submit">{words.compare}</button>
                            <span class="aside">{words.compare_hint}</span>
                        </div>
                    }
                })}
        </form>
    }
    .into_any()
}

fn row(entry: &RunEntry, can_compare: bool) -> impl IntoView + use<> {
    let words = words();
    let (id, run) = (format!("lab-run-{}", entry.run), entry.run.clone());
    let show = LabQuery { settings: entry.settings.clone(), run: Some(run.clone()), compared: None }.url();
    let all = entry.held.len() + entry.broken.len();
    let label = id.clone();
    let choice = move || {
        view! {
            <td>
                <input type="checkbox" name="compare" value=run aria-labelledby=label />
            </td>
        }
    };
    view! {
        <tr>
            {can_compare.then(choice)}
            <th scope="row" id=id.clone()>
                <LocalTime at=entry.started_at style=TimeStyle::Full />
            </th>
            <td>
                {settings_line(&entry.settings)}
                {(entry.phase != Phase::Done)
                    .then(|| {
                        view! {
                            " "
                            <span class="aside">{(words.phase)(entry.phase)}</span>
                        }
                    })}
            </td>
            <td class="figure">{(words.held_of)(entry.held.len(), all)}</td>
            <td>
                // Loaded as another page, because the fields start with its settings.
                <a id=format!("show-{id}") aria-labelledby=format!("show-{id} {id}") href=show rel="external">
                    {words.show}
                </a>
            </td>
        </tr>
    }
}
