//! The card of the finished runs.

use crate::{
    components::{Button, LoadAlert, LocalTime, ParameterLink, TimeStyle, format::count, use_focus_handover},
    i18n,
    runs::{
        RunSource,
        choice::{Choice, use_choice},
        comparison::Comparison,
        list::use_runs,
        words::words,
    },
};
use leptos::{html, prelude::*};
use model::{
    error::Result,
    runs::{KEPT, RunEntry, RunPage},
};

/// Shows the newest runs, and compares two of them.
#[component]
pub fn RunsCard<S: RunSource>(
    /// The source of the runs.
    source: S,
    /// The title of the card.
    title: &'static str,
    /// The text of an empty list.
    #[prop(into)]
    empty: Signal<&'static str>,
    /// The id of the latest run if it is over, and whether it was lost; the list is reloaded for it.
    #[prop(into)]
    over: Signal<Option<(String, bool)>>,
    /// The classes of the card.
    #[prop(default = "card runs")]
    class: &'static str,
) -> impl IntoView {
    let (choice, heading) = (use_choice(S::PARAMETER), NodeRef::<html::H2>::new());
    let first = Resource::new(|| (), move |()| source.page(None));
    let loading = move || view! { <p class="empty">{i18n::words().loading}</p> };
    view! {
        <section class=class aria-labelledby="runs-title">
            <div class="bar">
                <h2 id="runs-title" tabindex="-1" node_ref=heading>
                    {title}
                </h2>
                <span class="aside">{(words().kept)(count(KEPT.into()))}</span>
            </div>
            <Suspense fallback=loading>
                {move || Suspend::new(async move {
                    let first = first.await;
                    view! { <Runs source empty over first choice heading /> }
                })}
            </Suspense>
            // Outside the suspended part: otherwise, the browser would number its data differently from the server.
            <Comparison source choice heading />
        </section>
    }
    .into_any()
}

#[component]
fn Runs<S: RunSource>(
    /// The source of the runs.
    source: S,
    /// The text of an empty list.
    empty: Signal<&'static str>,
    /// The id of the latest run if it is over, and whether it was lost.
    over: Signal<Option<(String, bool)>>,
    /// The newest runs, as loaded with the page.
    first: Result<RunPage<S::Entry>>,
    /// The runs chosen for the comparison; they are in the address.
    choice: Choice,
    /// The heading of the card; it gets the focus from a button that hides.
    heading: NodeRef<html::H2>,
) -> impl IntoView {
    let words = words();
    let runs = use_runs(source, over, first);
    let (page, older) = (runs.page, runs.older);
    let is_empty = Memo::new(move |_| page.with(|page| page.runs.is_empty()) && runs.error.get().is_none());
    let button = NodeRef::<html::Button>::new();
    let has_more = Memo::new(move |_| page.with(|page| page.next.is_some()));
    let has_more = use_focus_handover(has_more, button, heading);
    let row = move |entry: S::Entry| {
        let (run, at, id) = (entry.run().to_owned(), entry.started_at(), format!("run-{}", entry.run()));
        view! {
            <tr>
                <th scope="row" id=id.clone()>
                    <LocalTime at style=TimeStyle::Full />
                </th>
                {source.cells(entry, id)}
                <td>
                    <CompareLink name=S::PARAMETER run choice />
                </td>
            </tr>
        }
    };
    view! {
        <LoadAlert error=runs.error />
        <Show when=move || is_empty.get()>
            <p class="empty">{empty}</p>
        </Show>
        <div class="scroll" hidden=move || page.with(|page| page.runs.is_empty())>
            <table>
                <thead>
                    <tr>
                        <th scope="col">{words.started}</th>
                        {source.head()}
                        <th scope="col">{words.compare}</th>
                    </tr>
                </thead>
                <tbody>
                    <For
                        each=move || page.with(|page| page.runs.clone())
                        key=|entry| (entry.run().to_owned(), entry.is_lost())
                        children=row
                    />
                </tbody>
            </table>
        </div>
        <Button
            node_ref=button
            hidden=Signal::derive(move || !has_more.get())
            pending=older.pending()
            on_click=move || _ = older.dispatch(())
        >
            {words.older}
        </Button>
    }
}

/// Shows a link that adds a run to the comparison, or removes it.
#[component]
fn CompareLink(
    /// The parameter of the address that names the runs.
    name: &'static str,
    /// The id of the run.
    run: String,
    /// The runs chosen for the comparison; they are in the address.
    choice: Choice,
) -> impl IntoView {
    let words = words();
    let (id, started_id) = (format!("compare-{run}"), format!("run-{run}"));
    let (toggled, is_chosen) = (run.clone(), Memo::new(move |_| choice.has(&run)));
    view! {
        <ParameterLink
            name
            value=Signal::derive(move || choice.toggled(&toggled))
            {..}
            id=id.clone()
            aria-labelledby=format!("{id} {started_id}")
            aria-current=move || is_chosen.get().then_some("true")
        >
            {move || if is_chosen.get() { words.chosen } else { words.compare }}
        </ParameterLink>
    }
}
