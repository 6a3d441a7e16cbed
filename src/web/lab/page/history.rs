//! The runs that are kept, each with its settings and how many strategies held; any two can be compared.

use crate::{
    components::{Button, LoadAlert, LocalTime, Notice, TimeStyle, focus_next_frame, read_form},
    lab::{
        api::LabRunsRequest,
        page::{control::RunControl, query::LabQuery},
        results::settings_line,
        words::words,
    },
};
use leptos::{ev::SubmitEvent, html, prelude::*};
use leptos_router::{NavigateOptions, hooks::use_navigate};
use model::lab::run::{DEFAULT_LIMIT, KEPT, Phase, RunEntry};

/// The list. Two of its runs are chosen by a form that needs no JavaScript.
#[component]
pub fn History(
    /// The run on the page, and what starts and stops one.
    control: RunControl,
    /// Its heading.
    heading: NodeRef<html::H2>,
) -> impl IntoView {
    let words = words();
    let runs = Memo::new(move |_| control.history.with(|history| history.as_ref().ok().map(|all| all.runs.clone())));
    let load_all = ServerAction::<LabRunsRequest>::new();
    let answer = load_all.value();
    Effect::new(move || {
        if let Some(Ok(all)) = answer.get() {
            control.list_all(all);
            // The button that had it is gone.
            focus_next_frame(heading);
        }
    });
    let show_all = move || _ = load_all.dispatch(LabRunsRequest { limit: Some(KEPT) });
    let may_be_more = Memo::new(move |_| {
        let listed = runs.with(|runs| runs.as_ref().map_or(0, Vec::len));
        control.limit.get().is_none() && listed >= DEFAULT_LIMIT as usize
    });
    let load_error = Signal::derive(move || answer.with(|answer| answer.as_ref()?.as_ref().err().cloned()));
    // None, one, or several: otherwise the table stays while its rows change, with the boxes that are ticked.
    let number = Memo::new(move |_| runs.with(|runs| runs.as_ref().map(|runs| runs.len().min(2))));
    let list = move || match number.get() {
        None => view! { <Notice>{words.history_away}</Notice> }.into_any(),
        Some(0) => view! { <p class="empty">{words.no_history}</p> }.into_any(),
        Some(number) => view! { <List runs can_compare={number > 1} query=control.query /> }.into_any(),
    };
    view! {
        <section class="card half" aria-labelledby="history-title">
            <div class="bar">
                <h2 id="history-title" tabindex="-1" node_ref=heading>
                    {words.history}
                </h2>
                <Show when=move || may_be_more.get()>
                    <Button on_click=show_all pending=load_all.pending()>
                        {words.show_all}
                    </Button>
                </Show>
            </div>
            <LoadAlert error=load_error />
            {list}
        </section>
    }
    .into_any()
}

#[component]
fn List(
    /// The runs that are listed, newest first; `None` if they could not be loaded.
    runs: Memo<Option<Vec<RunEntry>>>,
    /// Whether there are two to compare.
    can_compare: bool,
    /// What the address says, which a comparison leaves as it is.
    query: Memo<LabQuery>,
) -> impl IntoView {
    let words = words();
    let is_wrong = RwSignal::new(false);
    let ticked = RwSignal::new(Vec::<String>::new());
    // Two that are listed: another box would be one too many.
    let is_full = Memo::new(move |_| {
        let is_ticked = |entry: &&RunEntry| ticked.with(|ticked| ticked.contains(&entry.run));
        runs.with(|runs| runs.iter().flatten().filter(is_ticked).count() > 1)
    });
    let choice = can_compare.then_some(Choice { ticked, is_full });
    let navigate = use_navigate();
    let compare = move |event: SubmitEvent| {
        let chosen = <[String; 2]>::try_from(read_form(&event).all("compare"));
        is_wrong.set(chosen.is_err());
        if let Ok(compared) = chosen {
            let url = LabQuery { compared: Some(compared), ..query.get_untracked() }.url();
            // The focus goes there.
            navigate(&url, NavigateOptions { scroll: false, ..NavigateOptions::default() });
        }
    };
    view! {
        <form method="get" action="/lab" class="lab-history" on:submit=compare>
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
                    <tbody>
                        <For
                            each=move || runs.get().unwrap_or_default()
                            key=|entry| entry.run.clone()
                            children=move |entry| row(&entry, choice)
                        />
                    </tbody>
                </table>
            </div>
            {can_compare
                .then(|| {
                    view! {
                        <div class="actions">
                            <button type="submit">{words.compare}</button>
                            <span class="aside" hidden=is_wrong>
                                {words.compare_hint}
                            </span>
                            <span class="wrong" role="alert">
                                {move || is_wrong.get().then_some(words.compare_hint)}
                            </span>
                        </div>
                    }
                })}
        </form>
    }
    .into_any()
}

/// The runs whose boxes are ticked.
#[derive(Clone, Copy)]
struct Choice {
    ticked: RwSignal<Vec<String>>,
    /// Whether they are two.
    is_full: Memo<bool>,
}

impl Choice {
    fn note(self, run: &str, is_ticked: bool) {
        self.ticked.update(|ticked| {
            ticked.retain(|one| one != run);
            ticked.extend(is_ticked.then(|| run.to_owned()));
        });
    }
}

/// The box that chooses a run, of which two can be ticked.
#[component]
fn RunBox(
    /// The id of the run.
    run: String,
    /// The id of the element that names it.
    label: String,
    /// All boxes.
    choice: Choice,
) -> impl IntoView {
    let node = NodeRef::<html::Input>::new();
    let run = StoredValue::new(run);
    // Also what was ticked before hydration.
    let note = move || {
        if let Some(input) = node.get() {
            run.with_value(|run| choice.note(run, input.checked()));
        }
    };
    Effect::new(note);
    let is_other = move || run.with_value(|run| choice.ticked.with(|ticked| !ticked.contains(run)));
    view! {
        <input
            type="checkbox"
            name="compare"
            value=run.get_value()
            aria-labelledby=label
            node_ref=node
            disabled=move || choice.is_full.get() && is_other()
            on:change=move |_| untrack(note)
        />
    }
}

fn row(entry: &RunEntry, choice: Option<Choice>) -> impl IntoView + use<> {
    let words = words();
    let (id, run) = (format!("lab-run-{}", entry.run), entry.run.clone());
    let show = LabQuery { settings: entry.settings.clone(), run: Some(run.clone()), ..LabQuery::default() }.url();
    let all = entry.held.len() + entry.broken.len();
    let label = id.clone();
    let to_choose = move |choice| {
        view! {
            <td>
                <RunBox run label choice />
            </td>
        }
    };
    view! {
        <tr>
            {choice.map(to_choose)}
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
                <a id=format!("show-{id}") aria-labelledby=format!("show-{id} {id}") href=show>
                    {words.show}
                </a>
            </td>
        </tr>
    }
}
