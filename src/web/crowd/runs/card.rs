//! The runs at a sale that are over, on its page.

use crate::{
    components::{
        Badge, Button, LoadAlert, LocalTime, ParameterLink, TimeStyle, Tone, VerdictBadge,
        format::{count, micros},
        use_focus_handover,
    },
    crowd::{
        api,
        panel::CrowdKindForm,
        runs::{
            choice::{Choice, PARAMETER, use_choice},
            comparison::Comparison,
            list::use_runs,
        },
        words::words,
    },
    i18n,
};
use leptos::{html, prelude::*};
use model::{
    crowd::{
        Status,
        runs::{RunPage, RunRecord},
    },
    error::Result,
    url::with_query,
};

/// The newest runs at a sale, each with its report, and two of them side by side.
#[component]
pub fn RunsCard(
    /// The id of the sale.
    #[prop(into)]
    sale: String,
    /// What its kind adds to crowds.
    form: CrowdKindForm,
    /// The latest crowd there.
    #[prop(into)]
    status: Signal<Option<Status>>,
    /// Whether one can still come.
    #[prop(into)]
    is_open: Signal<bool>,
) -> impl IntoView {
    let words = &words().runs;
    let (sale, choice, title) = (StoredValue::new(sale), use_choice(), NodeRef::<html::H2>::new());
    let first = Resource::new(|| (), move |()| api::runs(form.kind.to_owned(), sale.get_value(), None, None));
    let loading = move || view! { <p class="empty">{i18n::words().loading}</p> };
    view! {
        <section class="card runs" aria-labelledby="runs-title">
            <div class="bar">
                <h2 id="runs-title" tabindex="-1" node_ref=title>
                    {words.title}
                </h2>
                <span class="aside">{(words.kept)(count(model::crowd::runs::KEPT.into()))}</span>
            </div>
            <Suspense fallback=loading>
                {move || Suspend::new(async move {
                    let first = first.await;
                    view! { <Runs sale form status is_open first choice title /> }
                })}
            </Suspense>
            // Outside of what waits for the runs: otherwise the browser would number its data differently from the
            // server.
            <Comparison form choice title />
        </section>
    }
    .into_any()
}

#[component]
fn Runs(
    /// The id of the sale.
    sale: StoredValue<String>,
    /// What the kind of sale adds: the names of its answers, behaviors and presets.
    form: CrowdKindForm,
    /// The latest crowd at the sale; the list is loaded again when it ends.
    status: Signal<Option<Status>>,
    /// Whether a crowd can still come; it decides what an empty list says.
    is_open: Signal<bool>,
    /// The newest runs, as loaded with the page.
    first: Result<RunPage>,
    /// The runs chosen for the comparison; they are in the address.
    choice: Choice,
    /// The heading of the card, to which the focus goes from a button that hides.
    title: NodeRef<html::H2>,
) -> impl IntoView {
    let words = &words().runs;
    let runs = use_runs(form.kind, sale, status, first);
    let empty = move || if is_open.get() { words.empty } else { words.none };
    let is_empty = Memo::new(move |_| runs.page.with(|page| page.runs.is_empty()) && runs.error.get().is_none());
    let older = NodeRef::<html::Button>::new();
    let has_more = Memo::new(move |_| runs.page.with(|page| page.next.is_some()));
    let has_more = use_focus_handover(has_more, older, title);
    view! {
        <LoadAlert error=runs.error />
        <Show when=move || is_empty.get()>
            <p class="empty">{empty}</p>
        </Show>
        <div class="scroll" hidden=move || runs.page.with(|page| page.runs.is_empty())>
            <table>
                <Head form />
                <tbody>
                    <For
                        each=move || runs.page.with(|page| page.runs.clone())
                        key=|record| (record.run.clone(), record.ended_at)
                        let(record)
                    >
                        <Row record form choice />
                    </For>
                </tbody>
            </table>
        </div>
        <Button
            node_ref=older
            hidden=Signal::derive(move || !has_more.get())
            pending=runs.older.pending()
            on_click=move || _ = runs.older.dispatch(())
        >
            {words.older}
        </Button>
    }
}

#[component]
fn Head(
    /// Names the column of successful attempts.
    form: CrowdKindForm,
) -> impl IntoView {
    let (words, shared) = (&words().runs, i18n::words());
    let figure = |name: &'static str| {
        view! {
            <th scope="col" class="figure">
                {name}
            </th>
        }
    };
    view! {
        <thead>
            <tr>
                <th scope="col">{words.started}</th>
                <th scope="col">{words.crowd}</th>
                {figure(words.answered)}
                {figure((form.answers)().first().map_or("", |(label, _)| label))}
                {figure(words.throughput)}
                {figure("p99")}
                <th scope="col">{shared.verdict_title}</th>
                <th scope="col">{words.compare}</th>
                <th scope="col">{words.report}</th>
            </tr>
        </thead>
    }
}

#[component]
fn Row(
    /// The run that the row is about.
    record: RunRecord,
    /// What the kind of sale adds: the names of its answers, behaviors and presets.
    form: CrowdKindForm,
    /// The runs chosen for the comparison; they are in the address.
    choice: Choice,
) -> impl IntoView {
    let RunRecord { run, started_at, figures, verification, .. } = record.clone();
    let won = (form.answers)().first().map_or(0, |(_, name)| figures.outcomes.get(name));
    let started_id = format!("run-{run}");
    view! {
        <tr>
            <th scope="row" id=started_id>
                <LocalTime at=started_at style=TimeStyle::Full />
            </th>
            <td>
                {crowd_name(&record, form)} " "
                <span class="aside">{(words().runs.users)(record.settings.users.into())}</span>
            </td>
            <td class="figure">{count(figures.answered)}</td>
            <td class="figure">{count(won)}</td>
            <td class="figure">{count(figures.mean_per_s)}</td>
            <td class="figure">{micros(figures.p99_us)}</td>
            <td>
                {match verification {
                    Some(verification) => view! { <VerdictBadge verdict=verification.verdict /> }.into_any(),
                    None => {
                        let text = words().runs.no_verdict;
                        view! { <Badge tone=Tone::Warning icon=icondata_lu::LuCircleOff text /> }.into_any()
                    }
                }}
            </td>
            <td>
                <CompareLink run=run.clone() choice />
            </td>
            <td class="reports">{report_links(&run)}</td>
        </tr>
    }
}

/// The preset, or how users arrived if the settings are those of no preset.
fn crowd_name(record: &RunRecord, form: CrowdKindForm) -> &'static str {
    let settings = record.settings.clone().into();
    // Made for no sale, as the sale may be gone: presets differ by the number of users alone.
    let preset = (form.presets)(0).into_iter().find(|preset| preset.has(&settings));
    preset.map_or_else(|| (words().arrival_name)(record.settings.arrival.kind), |preset| preset.name)
}

/// Chooses a run for the comparison, or leaves it out.
#[component]
fn CompareLink(
    /// The id of the run.
    run: String,
    /// The runs chosen for the comparison; they are in the address.
    choice: Choice,
) -> impl IntoView {
    let words = &words().runs;
    let (id, started_id) = (format!("compare-{run}"), format!("run-{run}"));
    let (toggled, is_chosen) = (run.clone(), Memo::new(move |_| choice.has(&run)));
    view! {
        <ParameterLink
            name=PARAMETER
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

/// The report in each format.
fn report_links(run: &str) -> impl IntoView + use<> {
    let started_id = format!("run-{run}");
    let links = [("CSV", "csv"), ("JSON", "json"), ("HTML", "html")].map(|(label, format)| {
        let id = format!("{format}-{run}");
        let lang = (format == "html").then(|| i18n::lang().tag());
        let href = with_query("/api/crowd/report", [("run", Some(run)), ("format", Some(format)), ("lang", lang)]);
        view! {
            <a id=id.clone() aria-labelledby=format!("{id} {started_id}") href=href rel="external" download="">
                {label}
            </a>
            " "
        }
    });
    links.into_iter().collect_view()
}
